"""The client of the commands: the service's methods with the same messages and errors as `advisor.service.Advisor`."""

import grpc

from advisor.client import Client
from advisor.client_policy import LONGEST_SECONDS, TIMEOUT_SECONDS


class RemoteAdvisor(Client):
    """A client that lets a search take as long as any server allows, as a command inside the process would."""

    def __init__(
        self, address: str, *, credentials: grpc.ChannelCredentials | None = None, token: str | None = None
    ) -> None:
        """Connect lazily to "HOST:PORT"; the other arguments are those of `Client`."""
        super().__init__(
            address, search_timeout=LONGEST_SECONDS + TIMEOUT_SECONDS, credentials=credentials, token=token
        )

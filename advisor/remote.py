"""The client of the commands: the service's methods with the same messages and errors as `advisor.service.Advisor`."""

from advisor.client import Client
from advisor.client_policy import LONGEST_SECONDS, TIMEOUT_SECONDS


class RemoteAdvisor(Client):
    """A client that lets a search take as long as any server allows, as a command inside the process would."""

    def __init__(self, address: str) -> None:
        """Connect lazily to "HOST:PORT"."""
        super().__init__(address, search_timeout=LONGEST_SECONDS + TIMEOUT_SECONDS)

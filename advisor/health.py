"""Asks a server whether it takes calls.

`python -m advisor.health HOST:PORT` loads little, for containers, which ask often; `advisor health` is for people.
"""

import os
import sys
from typing import Any, Final

from advisor import polling  # noqa: F401  # isort: skip  # it tells grpc, which comes next

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

DEFAULT_SERVER: Final = "127.0.0.1:50051"
TIMEOUT_SECONDS: Final = 5.0
"""How long an answer may take, in seconds."""
SERVING: Final = "SERVING"
"""The state of a server that takes calls."""


def ask(
    address: str,
    service: str = "",
    timeout: float = TIMEOUT_SECONDS,
    credentials: grpc.ChannelCredentials | None = None,
) -> str:
    """Return the state of the server at "HOST:PORT": "SERVING", "NOT_SERVING", or why there is no answer.

    service: full name of a service; "" is the whole server. timeout: in seconds. credentials: for TLS. Never raises.
    """
    channel = grpc.insecure_channel(address) if credentials is None else grpc.secure_channel(address, credentials)
    with channel:
        try:
            checks: Any = health_pb2_grpc.HealthStub(channel)
            answer = checks.Check(health_pb2.HealthCheckRequest(service=service), timeout=timeout)
        except grpc.RpcError as error:
            call: grpc.Call = error  # type: ignore[assignment]  # every error of a call is the call as well
            return f"{call.code().name}: {call.details()}"
    return health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)


def main(arguments: list[str]) -> int:
    """Print the state of a server; return 0 when it takes calls, else 1."""
    credentials = None
    if "SIRENIA_CLIENT_TLS_CA" in os.environ:
        from advisor.connection import Connection

        credentials = Connection.of_environment().credentials()
    state = ask(arguments[0] if arguments else DEFAULT_SERVER, credentials=credentials)
    print(state)
    return 0 if state == SERVING else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

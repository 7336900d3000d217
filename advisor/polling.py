"""How gRPC waits for the network in this program's own processes. Imported before grpc, which asks when it is loaded.

From 1.80 on, threads of grpcio's own ("EventEngine") watch the sockets and wake whoever waits for a call. Before that,
who waited watched the socket. The old way takes three or four wake-ups less a call on either side: docs/performance.md.
"""

import os
from importlib.metadata import PackageNotFoundError, version
from typing import Final

VARIABLE: Final = "GRPC_EXPERIMENTS"
"""The environment variable in which grpcio is told; what a user says there stands."""
WITHOUT_ENGINE: Final = "-event_engine_client,-event_engine_listener"
FIRST, AFTER = (1, 80), (1, 86)
"""From which version on there is something to choose, and the first that was not tried: gRPC means to take the choice
away, and a version without it complains of unknown names on stderr."""


def applies() -> bool:
    """Whether the installed grpcio has to be told."""
    try:
        major, minor, *_ = version("grpcio").split(".")
        return FIRST <= (int(major), int(minor)) < AFTER
    except (PackageNotFoundError, ValueError):
        return False


def choose() -> None:
    """Have whoever waits for a call watch the socket; does nothing once grpc is loaded."""
    if applies():
        os.environ.setdefault(VARIABLE, WITHOUT_ENGINE)


choose()

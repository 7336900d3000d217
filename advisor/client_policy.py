"""When a client gives up, when it tries again, and what it says went wrong."""

import json
import math
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import grpc
from google.protobuf.duration_pb2 import Duration

from advisor.errors import PUSHBACK_KEY, AdvisorError, from_rpc_error
from advisor.v1 import advisor_service_pb2

SERVICE: Final = advisor_service_pb2.DESCRIPTOR.services_by_name["AdvisorService"].full_name
TIMEOUT_SECONDS: Final = 30.0
"""Default deadline of a call that does not search, and what a search may wait beyond its own time, in seconds."""
SEARCH_TIMEOUT_SECONDS: Final = 630.0
"""Default deadline of a search without a time limit, in seconds: the server's default cap and the wait for it."""
LONGEST_SECONDS: Final = 86_400.0
"""No server searches longer; a time limit beyond it is for the server to refuse."""
MOST_ATTEMPTS: Final = 5
"""gRPC makes no more attempts, whatever it is told."""
SPREAD: Final = 0.25
"""A wait that a server asks for is drawn out by up to this part, so that clients do not come back all at once."""


@dataclass(frozen=True)
class Retry:
    """How often a failed call is tried again. Every call may be: the service keeps no state.

    UNAVAILABLE (no connection, a connection that broke before the first answer, a server that shuts down) is retried by
    gRPC itself, after a wait that starts at `first_seconds` and grows by `factor` to `most_seconds`, each drawn at
    random around its nominal length. RESOURCE_EXHAUSTED is retried after the wait that the server asks for
    (google.rpc.RetryInfo, or else grpc-retry-pushback-ms), at most a quarter longer; without such a request never. No
    other status is retried, no wait goes beyond the call's deadline, and all attempts share that deadline.

    attempts: the first one included, 1 (never again) to 5; counted apart for each of the two statuses.
    """

    attempts: int = 4
    first_seconds: float = 0.1
    most_seconds: float = 2.0
    factor: float = 2.0

    def __post_init__(self) -> None:
        if not 1 <= self.attempts <= MOST_ATTEMPTS:
            raise ValueError(f"attempts must be 1 to {MOST_ATTEMPTS}, not {self.attempts}")
        if not 0 < self.first_seconds <= self.most_seconds < math.inf:
            raise ValueError("expected 0 < first_seconds <= most_seconds")
        if not 1 <= self.factor < math.inf:
            raise ValueError("factor must be at least 1")

    def channel_options(self) -> list[tuple[str, Any]]:
        """Return the options that make a channel behave so."""
        if self.attempts == 1:
            return [("grpc.enable_retries", 0)]
        return [("grpc.enable_retries", 1), ("grpc.service_config", json.dumps(self.service_config()))]

    def service_config(self) -> dict[str, Any]:
        """Return the gRPC service config for UNAVAILABLE, for clients in other languages as well."""
        policy = {
            "maxAttempts": self.attempts,
            "initialBackoff": f"{self.first_seconds:.9f}s",
            "maxBackoff": f"{self.most_seconds:.9f}s",
            "backoffMultiplier": self.factor,
            "retryableStatusCodes": ["UNAVAILABLE"],
        }
        return {"methodConfig": [{"name": [{"service": SERVICE}], "retryPolicy": policy}]}

    def wait(self, error: AdvisorError, attempt: int, end: float) -> float | None:
        """Return the seconds to wait before the next attempt; None when the error is final.

        attempt: how many have been made, 1 or more. end: the call's deadline on the clock of `time.monotonic`.
        """
        if error.status is not grpc.StatusCode.RESOURCE_EXHAUSTED or error.retry_after is None:
            return None
        if attempt >= self.attempts:
            return None
        wait = error.retry_after * (1 + random.uniform(0, SPREAD))
        return wait if time.monotonic() + wait < end else None


def bearer(token: str | None) -> tuple[tuple[str, str], ...]:
    """Return the metadata that carries a token; none without one. Raises ValueError for what no header can hold."""
    if token is None:
        return ()
    if not token or not all("!" <= letter <= "~" for letter in token):
        raise ValueError("a token is printable ASCII without spaces")  # which one is not told
    return (("authorization", f"Bearer {token}"),)


def read_error(error: grpc.RpcError) -> AdvisorError:
    """Return the error of a failed call."""
    read = from_rpc_error(error)
    if read.retry_after is None:
        call: grpc.Call = error  # type: ignore[assignment]  # every error of a call is the call as well
        read.retry_after = _pushback(call.trailing_metadata() or ())
    return read


def _pushback(trailers: Sequence[tuple[str, str | bytes]]) -> float | None:
    for key, value in trailers:
        if key == PUSHBACK_KEY and isinstance(value, str) and value.isascii() and value.isdigit():
            return int(value) / 1000
    return None


@dataclass(frozen=True)
class Timeouts:
    """Deadlines of calls that are given none of their own, in seconds; `math.inf` is none."""

    plain: float = TIMEOUT_SECONDS
    search: float = SEARCH_TIMEOUT_SECONDS

    def __post_init__(self) -> None:
        if not self.plain > 0 or not self.search > 0:
            raise ValueError("timeouts must be more than 0 seconds")

    def advise(self, request: advisor_service_pb2.AdviseRequest) -> float:
        """Return the deadline of a ranking: its time limit and the plain one on top, or the one of searches."""
        if request.limits.HasField("time"):
            return _seconds(request.limits.time) + self.plain
        return self.search

    def watch(self, request: advisor_service_pb2.AdviseRequest) -> float:
        """Return the deadline of a stream, with room for who reads late; the search ends in its own time."""
        return self.advise(request) + self.search

    def choose(self, request: advisor_service_pb2.ChooseMoveRequest) -> float:
        """Return the deadline of a choice, which may take several searches."""
        if request.HasField("turn_time"):
            return _seconds(request.turn_time) + self.plain
        if request.WhichOneof("strength") != "limits":
            return self.plain
        if request.limits.HasField("time"):
            return max(self.search, _seconds(request.limits.time) + self.plain)
        return self.search


def _seconds(duration: Duration) -> float:
    return min(max(0.0, duration.seconds + duration.nanos / 1e9), LONGEST_SECONDS)


def left(end: float) -> float | None:
    """Return the seconds to `end` on the clock of `time.monotonic`, at least 0; None when there is no end."""
    return None if end == math.inf else max(0.0, end - time.monotonic())

"""How much one client may ask: calls at a time, and calls a second out of a bucket of tokens."""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from advisor.errors import CLIENT_CALLS, CLIENT_RATE, AdvisorError
from advisor.metrics import Metrics

MAX_CLIENTS: Final = 10_000
"""Clients that are remembered; of more, those without a call are forgotten that came longest ago."""


@dataclass(slots=True)
class _Client:
    calls: int
    left: float
    """Calls that it may make at once, as of `at`."""
    at: float


class ClientLimits:
    """Counts each client's calls. Belongs to one event loop; nobody waits in it, and no timer runs."""

    def __init__(
        self,
        calls: int,
        rate: float,
        burst: int,
        retry_seconds: float,
        metrics: Metrics,
        *,
        most: int = MAX_CLIENTS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Set up the limits.

        calls: at a time, 0 for any number. rate: calls a second in the long run, 0 for any; burst: calls that who has
        been idle may make at once. retry_seconds: when to come back who has too many at a time. most: clients
        remembered. clock: seconds.
        """
        self._calls, self._rate, self._burst, self._retry_seconds = calls, rate, burst, retry_seconds
        self._most, self._clock = most, clock
        self._metrics = metrics
        self._clients: OrderedDict[str, _Client] = OrderedDict()

    def __len__(self) -> int:
        return len(self._clients)

    def enter(self, client: str) -> None:
        """Count a call that begins, or raise `AdvisorError` (CLIENT_CALLS, CLIENT_RATE) and count nothing."""
        if not self._calls and not self._rate:
            return
        now = self._clock()
        known = self._clients.get(client)
        if known is None:
            known = _Client(0, self._burst, now)
        else:
            known.left, known.at = min(self._burst, known.left + (now - known.at) * self._rate), now
        if self._calls and known.calls >= self._calls:
            raise self._refusal(
                CLIENT_CALLS,
                f"this client has {known.calls} calls in flight already; wait for one to end",
                self._retry_seconds,
            )
        if self._rate:
            if known.left < 1:
                raise self._refusal(
                    CLIENT_RATE,
                    f"this client may make {self._rate:g} calls a second, {self._burst} at once; try again later",
                    (1 - known.left) / self._rate,
                )
            known.left -= 1
        known.calls += 1
        self._clients[client] = known
        self._clients.move_to_end(client)
        self._forget()

    @contextmanager
    def admitted(self, client: str) -> Iterator[None]:
        """Count a call for as long as the context lasts; raises what `enter` raises."""
        self.enter(client)
        try:
            yield
        finally:
            self.leave(client)

    def leave(self, client: str) -> None:
        """Count a call that has ended after `enter` let it in."""
        known = self._clients.get(client)
        if known is None:
            return
        known.calls -= 1
        if not known.calls and not self._rate:
            del self._clients[client]  # nothing is to be remembered of it

    def _refusal(self, reason: str, message: str, retry_after: float) -> AdvisorError:
        self._metrics.rejected.labels(reason.lower()).inc()
        return AdvisorError(reason, message, retry_after=retry_after)

    def _forget(self) -> None:
        """Forget who has no call, from the longest ago on, until no more are left than may be."""
        while len(self._clients) > self._most:
            idle = next((name for name, known in self._clients.items() if not known.calls), None)
            if idle is None:
                return  # as many as calls are in flight, which are bounded elsewhere
            del self._clients[idle]

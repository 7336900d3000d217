"""Answers that are kept for equal requests: the last used, within so many bytes. Any thread may ask."""

import hashlib
import threading
from collections import OrderedDict
from typing import Final

from advisor.service import BY_LIMITS, Prepared, PreparedChoice
from advisor.v1 import advice_pb2
from search.request import Limits, Options

OVERHEAD_BYTES: Final = 256
"""What an entry takes beside its answer, about: the key, both objects' heads, and its place in the table."""
CUT_SHORT: Final = frozenset({advice_pb2.STOP_REASON_DEADLINE, advice_pb2.STOP_REASON_CANCELLED})
"""Stop reasons of answers that say more about their caller than about the position."""
MOST_PAUSED: Final = 0.1
"""Part of its time that a search with a time limit may have given way to others, where its answer is to be kept."""


class Answers:
    """Serialised answers by key, the last used of them.

    most: bytes that they may take, keys and bookkeeping included; 0 keeps none.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._kept: OrderedDict[bytes, bytes] = OrderedDict()
        self._size = 0

    @property
    def on(self) -> bool:
        """Whether any are kept."""
        return self._most > 0

    @property
    def size(self) -> int:
        """Bytes that are taken now."""
        return self._size

    def find(self, key: bytes) -> bytes | None:
        """Return the answer kept under a key; None where there is none."""
        with self._lock:
            answer = self._kept.get(key)
            if answer is not None:
                self._kept.move_to_end(key)
            return answer

    def keep(self, key: bytes, answer: bytes) -> None:
        """Keep an answer, and forget as many of those not used for longest as it takes to make room."""
        size = len(answer) + OVERHEAD_BYTES
        if size > self._most:
            return
        with self._lock:
            self._forget(key)
            while self._size + size > self._most:
                self._forget(next(iter(self._kept)))
            self._kept[key] = answer
            self._size += size

    def _forget(self, key: bytes) -> None:
        known = self._kept.pop(key, None)
        if known is not None:
            self._size -= len(known) + OVERHEAD_BYTES


def worth_keeping(reason: advice_pb2.StopReason, searched: float, paused: float) -> bool:
    """Whether an answer would be as good if it were searched for again; times in seconds."""
    if reason == advice_pb2.STOP_REASON_TIME:
        return paused <= MOST_PAUSED * searched
    return reason not in CUT_SHORT


def key_of(prepared: Prepared | PreparedChoice) -> bytes | None:
    """Return the key of all requests that have the same answer; None where the clock decides it.

    It is a digest of what the seat sees, so that a referee's position and an observation of it share one, and of all
    that shapes the answer; threads, priorities and deadlines do not.
    """
    subject = prepared.setup.identity, bytes(prepared.observation)
    options = prepared.options
    how: tuple[object, ...]
    if isinstance(prepared, Prepared):
        reported = tuple(sorted(prepared.wanted.reported))
        how = "advise", _limits(prepared.limits), _options(options), prepared.max_moves, reported
    elif prepared.end is not None:
        return None
    elif prepared.level == BY_LIMITS:
        how = "choose", _limits(prepared.limits), _options(options)
    else:
        how = "level", prepared.level, options.seed, _moves(options.allowed)
    # The repr of plain values inside tuples tells any two of them apart.
    return hashlib.sha256(repr((subject, how)).encode()).digest()


def _limits(limits: Limits) -> tuple[object, ...]:
    return limits.simulations, limits.seconds, limits.depth, limits.memory


def _options(options: Options) -> tuple[object, ...]:
    return (
        options.algorithm.value,
        options.objective.value,
        options.trees,
        options.seed,
        options.confidence,
        _moves(options.allowed),
    )


def _moves(moves: frozenset[int] | None) -> tuple[int, ...] | None:
    return None if moves is None else tuple(sorted(moves))

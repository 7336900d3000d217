"""Answers that are kept for equal requests: which requests are equal, and which answers are worth it."""

import hashlib
from typing import Final

from advisor.lately import Lately
from advisor.service import BY_LIMITS, AdviceRequest, Prepared, PreparedChoice
from advisor.v1 import advice_pb2
from search.request import Limits, Options

OVERHEAD_BYTES: Final = 256
"""What an entry takes beside its answer and its key, about: both objects' heads, and its place in the table."""
SHORT_BYTES: Final = 1024
"""Up to so many bytes stand for themselves: a digest of them would take longer than to compare them."""
CUT_SHORT: Final = frozenset({advice_pb2.STOP_REASON_DEADLINE, advice_pb2.STOP_REASON_CANCELLED})
"""Stop reasons of answers that say more about their caller than about the position."""
MOST_PAUSED: Final = 0.1
"""Part of its time that a search with a time limit may have given way to others, where its answer is to be kept."""


class Answers(Lately[bytes]):
    """Serialised answers by what they depend on, and by the very requests that they were given to."""

    def keep_answer(self, key: bytes, answer: bytes, request: bytes = b"") -> None:
        """Keep an answer under its key, and with `request`, what `mark_of` returns, for exactly this request."""
        self.keep(key, answer, len(key) + len(answer) + OVERHEAD_BYTES)
        self.keep_request(request, key)

    def keep_request(self, request: bytes, key: bytes) -> None:
        """Keep that exactly this request, b"" for none, has the answer under a key."""
        if request:
            self.keep(request, key, len(request) + len(key) + OVERHEAD_BYTES)

    def find_for(self, request: bytes) -> bytes | None:
        """Return the answer that is kept for exactly this request; None where there is none."""
        key = self.find(request)
        return None if key is None else self.find(key)


def mark_of(kind: type[AdviceRequest], request: bytes, generation: int) -> bytes:
    """Return what tells a request as it was sent from all others.

    kind: what it is a message of. generation: grows when equal requests may begin to have other answers.
    """
    return _in_short(b"%d %s %s" % (generation, kind.__name__.encode(), request))


def worth_keeping(reason: advice_pb2.StopReason, searched: float, paused: float) -> bool:
    """Whether an answer would be as good if it were searched for again; times in seconds."""
    if reason == advice_pb2.STOP_REASON_TIME:
        return paused <= MOST_PAUSED * searched
    return reason not in CUT_SHORT


def key_of(prepared: Prepared | PreparedChoice) -> bytes | None:
    """Return the key of all requests that have the same answer; None where the clock decides it.

    It is made of what the seat sees, so that a referee's position and an observation of it share one, and of all that
    shapes the answer; threads, priorities and deadlines do not.
    """
    if isinstance(prepared, Prepared):
        how = prepared.how_key or how_key(prepared)
    elif prepared.end is not None:
        return None
    else:
        how = how_key(prepared)
    # A digest of one length first, and numbers that end with a space, so that no two requests run into one another.
    seed = prepared.options.seed
    return _in_short(b"%s%d %d %s%s" % (prepared.setup.digest, seed, len(how), how, bytes(prepared.observation)))


def how_key(prepared: Prepared | PreparedChoice) -> bytes:
    """Return what a key has of how an answer is found, all but the seed."""
    options = prepared.options
    how: tuple[object, ...]
    if isinstance(prepared, Prepared):
        reported = tuple(sorted(prepared.wanted.reported))
        how = "advise", _limits(prepared.limits), _options(options), prepared.max_moves, reported
    elif prepared.level == BY_LIMITS:
        how = "choose", _limits(prepared.limits), _options(options)
    else:
        how = "level", prepared.level, _moves(options.allowed)
    # The repr of plain values inside tuples tells any two of them apart.
    return repr(how).encode()


def _in_short(key: bytes) -> bytes:
    """Return a digest of a long key; short ones are their own, and begin with none."""
    return key if len(key) <= SHORT_BYTES else hashlib.sha256(key).digest()


def _limits(limits: Limits) -> tuple[object, ...]:
    return limits.simulations, limits.seconds, limits.depth, limits.memory


def _options(options: Options) -> tuple[object, ...]:
    return (
        options.algorithm.value,
        options.objective.value,
        options.trees,
        options.confidence,
        _moves(options.allowed),
    )


def _moves(moves: frozenset[int] | None) -> tuple[int, ...] | None:
    return None if moves is None else tuple(sorted(moves))

"""What a child shares with the process that watches it: the input in flight, which outlives the child, and counters."""

import mmap
import struct
import time
from typing import Final

from fuzz.mutate import MAX_BYTES
from fuzz.target import SERVICE

RPCS: Final = tuple(method.name for method in SERVICE.methods)
_HEAD: Final = struct.Struct("<dQQdqqQ")
"""Begun (0: nothing is in flight), number of the RPC, length, slowest, RSS after warming up and last, faults."""
_COUNT: Final = struct.Struct("<Q")
_COUNTS_AT: Final = 64
_INPUT_AT: Final = _COUNTS_AT + 8 * len(RPCS)


class Flight:
    """Anonymous memory that is shared over a fork. One child at a time writes, the parent reads."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _INPUT_AT + 2 * MAX_BYTES)

    def enter(self, rpc: str, data: bytes) -> None:
        """Note an input before it is tried."""
        _, _, _, *rest = self._head()
        self._memory[_INPUT_AT : _INPUT_AT + len(data)] = data
        _HEAD.pack_into(self._memory, 0, time.monotonic(), RPCS.index(rpc), len(data), *rest)

    def leave(self, rpc: str, slowest: float) -> None:
        """Note that it has come to an end."""
        _, number, length, before, *rest = self._head()
        _HEAD.pack_into(self._memory, 0, 0.0, number, length, max(before, slowest), *rest)
        at = _COUNTS_AT + 8 * RPCS.index(rpc)
        _COUNT.pack_into(self._memory, at, _COUNT.unpack_from(self._memory, at)[0] + 1)

    def note_memory(self, warm: int, last: int) -> None:
        """Note resident bytes."""
        *head, _, _, faults = self._head()
        _HEAD.pack_into(self._memory, 0, *head, warm, last, faults)

    def note_fault(self) -> None:
        """Count a fault."""
        *head, faults = self._head()
        _HEAD.pack_into(self._memory, 0, *head, faults + 1)

    def _head(self) -> tuple[float, int, int, float, int, int, int]:
        found: tuple[float, int, int, float, int, int, int] = _HEAD.unpack_from(self._memory, 0)
        return found

    @property
    def seconds(self) -> float:
        """For how long the input in flight has been tried; 0 without one."""
        begun = self._head()[0]
        return time.monotonic() - begun if begun else 0.0

    @property
    def input(self) -> tuple[str, bytes]:
        """The last input: its RPC and its bytes."""
        _, number, length, *_ = self._head()
        return RPCS[number], self._memory[_INPUT_AT : _INPUT_AT + length]

    @property
    def slowest(self) -> float:
        """Seconds that the slowest input has taken."""
        return self._head()[3]

    @property
    def growth(self) -> int:
        """Resident bytes by which the child has grown since it was warm."""
        *_, warm, last, _ = self._head()
        return last - warm

    @property
    def faults(self) -> int:
        """Faults that the children have noted themselves."""
        return self._head()[-1]

    @property
    def by_rpc(self) -> dict[str, int]:
        """Inputs tried, by RPC."""
        return {rpc: _COUNT.unpack_from(self._memory, _COUNTS_AT + 8 * number)[0] for number, rpc in enumerate(RPCS)}

    def clear(self) -> None:
        """Forget the input in flight: a new child begins."""
        _, number, _, *rest = self._head()
        _HEAD.pack_into(self._memory, 0, 0.0, number, 0, *rest)
        self.note_memory(0, 0)

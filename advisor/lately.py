"""What was used last, within so many bytes. Any thread may ask."""

import threading
from collections import OrderedDict
from typing import Generic, TypeVar

T = TypeVar("T")


class Lately(Generic[T]):
    """Things by key, those that were used last; `most` bytes of them, where 0 keeps none."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._kept: OrderedDict[bytes, tuple[T, int]] = OrderedDict()
        self._size = 0

    @property
    def on(self) -> bool:
        """Whether any are kept."""
        return self._most > 0

    @property
    def size(self) -> int:
        """Bytes that are taken now."""
        return self._size

    def find(self, key: bytes) -> T | None:
        """Return what is kept under a key; None where there is nothing."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is None:
                return None
            self._kept.move_to_end(key)
            return kept[0]

    def keep(self, key: bytes, thing: T, size: int) -> None:
        """Keep what takes `size` bytes, and forget as much of what was not used for longest as makes room for it."""
        if size > self._most:
            return
        with self._lock:
            self._forget(key)
            while self._size + size > self._most:
                self._forget(next(iter(self._kept)))
            self._kept[key] = thing, size
            self._size += size

    def _forget(self, key: bytes) -> None:
        kept = self._kept.pop(key, None)
        if kept is not None:
            self._size -= kept[1]

"""Threads that do what they are given, each one thing after another; as many as it takes for nothing to wait."""

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Generic, TypeVar

T = TypeVar("T")


class Crew(Generic[T]):
    """Starts `size` threads that call `life` with a function that waits for the next thing to do; None ends a thread.

    Where all are busy `take` starts one more, which stays.
    """

    def __init__(self, size: int, name: str, life: Callable[[Callable[[], T | None]], None]) -> None:
        self._name = name
        self._life = life
        self._lock = threading.Lock()
        self._things: SimpleQueue[T | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._idle = 0
        """Threads that wait, less things that wait for one."""
        self._ended = False
        for _ in range(size):
            self._add()

    def take(self, thing: T) -> None:
        """Have a thread do something; never blocks. Does nothing after the end."""
        with self._lock:
            if self._ended:
                return
            if self._idle == 0:
                self._add()
            self._idle -= 1
            self._things.put(thing)

    def end(self) -> None:
        """Have every thread end when it has done what it was given."""
        with self._lock:
            if not self._ended:
                self._ended = True
                for _ in self._threads:
                    self._things.put(None)

    def join(self) -> None:
        """Wait for the end of all threads, after `end`."""
        for thread in self._threads:
            thread.join()

    def _add(self) -> None:
        thread = threading.Thread(target=self._live, name=f"{self._name}-{len(self._threads)}", daemon=True)
        self._threads.append(thread)
        self._idle += 1
        thread.start()

    def _live(self) -> None:
        busy = False

        def wait() -> T | None:
            nonlocal busy
            if busy:
                with self._lock:
                    self._idle += 1
            busy = True
            return self._things.get()

        self._life(wait)

"""Threads that do what they are given, each one thing after another; as many as it takes for nothing to wait."""

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Generic, TypeVar

T = TypeVar("T")


class Member(Generic[T]):
    """One of a crew's threads, as it sees itself."""

    def __init__(self, crew: "Crew[T]") -> None:
        self._crew = crew
        self._given: SimpleQueue[T | None] = SimpleQueue()
        self._ready = True  # from its birth

    def ready(self) -> None:
        """Count as idle from now on, though something is still to be finished: the next thing may be this thread's."""
        if not self._ready:
            self._ready = True
            self._crew.await_work(self)

    def wait(self) -> T | None:
        """Return the next thing to do, once there is one; None at the end."""
        self.ready()
        thing = self._given.get()
        self._ready = False
        return thing

    def give(self, thing: T | None) -> None:
        """Have it return something from `wait`; called by the crew, for one that is ready."""
        self._given.put(thing)


class Crew(Generic[T]):
    """Starts `size` threads that call `life` with what they are in the crew, to wait for the next thing to do there.

    Where all are busy `take` starts one more, which stays. Of those that are idle it takes the latest, which may be the
    calling thread itself.
    """

    def __init__(self, size: int, name: str, life: Callable[[Member[T]], None]) -> None:
        self._name = name
        self._life = life
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._idle: list[Member[T]] = []
        self._ended = False
        for _ in range(size):
            self._add()

    def take(self, thing: T) -> None:
        """Have a thread do something; never blocks. Does nothing after the end."""
        with self._lock:
            if self._ended:
                return
            if not self._idle:
                self._add()
            self._idle.pop().give(thing)

    def await_work(self, member: Member[T]) -> None:
        """Note that a member is ready."""
        with self._lock:
            if self._ended:
                member.give(None)
            else:
                self._idle.append(member)

    def end(self) -> None:
        """Have every thread end when it has done what it was given."""
        with self._lock:
            self._ended = True
            while self._idle:
                self._idle.pop().give(None)

    def join(self) -> None:
        """Wait for the end of all threads, after `end`."""
        for thread in self._threads:
            thread.join()

    def _add(self) -> None:
        member = Member(self)
        name = f"{self._name}-{len(self._threads)}"
        thread = threading.Thread(target=self._life, args=(member,), name=name, daemon=True)
        thread.start()  # which may fail
        self._threads.append(thread)
        self._idle.append(member)

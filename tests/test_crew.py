"""A crew does all it is given, each thing once, with no more threads than that takes."""

import threading
import time
from collections.abc import Callable

import pytest

from advisor.crew import Crew, Member

Work = Callable[[], None]


def life(member: Member[Work]) -> None:
    while (work := member.wait()) is not None:
        work()


def ended(crew: Crew[Work]) -> None:
    crew.end()
    crew.join()


def test_where_all_are_busy_there_is_one_more() -> None:
    crew: Crew[Work] = Crew(1, "crew", life)
    both = threading.Barrier(2, timeout=10)
    names: set[str] = set()

    def work() -> None:
        both.wait()
        names.add(threading.current_thread().name)

    crew.take(work)
    crew.take(work)
    ended(crew)
    assert names == {"crew-0", "crew-1"}


def test_who_has_done_what_it_had_does_more() -> None:
    crew: Crew[Work] = Crew(1, "crew", life)
    done: list[int] = []
    for number in range(3):
        came = threading.Event()

        def work(number: int = number, came: threading.Event = came) -> None:
            done.append(number)
            came.set()

        crew.take(work)
        assert came.wait(10)
        time.sleep(0.02)
    ended(crew)
    assert done == [0, 1, 2]
    assert len(crew._threads) == 1


def test_the_latest_that_is_idle_does_the_next() -> None:
    """It may be the very thread that gives it."""
    names: list[str] = []
    done = threading.Event()

    def note() -> None:
        names.append(threading.current_thread().name)
        done.set()

    def last(member: Member[Work]) -> None:
        while (work := member.wait()) is not None:
            work()
            member.ready()
            if len(names) == 1:
                crew.take(note)  # before this thread waits
                names.append("given")

    crew: Crew[Work] = Crew(3, "crew", last)
    crew.take(note)
    while len(names) < 3:
        assert done.wait(10)
        time.sleep(0.001)
    assert names == ["crew-2", "given", "crew-2"]
    ended(crew)
    assert len(crew._threads) == 3


def test_who_is_ready_at_the_end_ends() -> None:
    def once(member: Member[Work]) -> None:
        while (work := member.wait()) is not None:
            member.ready()
            work()

    crew: Crew[Work] = Crew(1, "crew", once)
    crew.take(crew.end)
    crew.join()
    assert len(crew._threads) == 1


def test_a_thread_that_cannot_be_had_is_given_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    crew: Crew[Work] = Crew(1, "crew", life)
    began, go, done = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        began.set()
        go.wait(10)

    crew.take(work)
    assert began.wait(10)
    with monkeypatch.context() as without:
        without.setattr(threading.Thread, "start", lambda _: (_ for _ in ()).throw(RuntimeError("no thread")))
        with pytest.raises(RuntimeError):
            crew.take(done.set)
    go.set()
    while not crew._idle:
        time.sleep(0.001)
    crew.take(done.set)
    assert done.wait(10)
    ended(crew)


def test_after_the_end_nothing_is_done() -> None:
    crew: Crew[Work] = Crew(1, "crew", life)
    done: list[int] = []

    def work() -> None:
        crew.end()
        crew.take(lambda: done.append(1))

    crew.take(work)
    crew.join()
    crew.take(lambda: done.append(2))
    assert done == []

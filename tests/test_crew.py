"""A crew does all it is given, each thing once, with no more threads than that takes."""

import threading
import time
from collections.abc import Callable

from advisor.crew import Crew

Work = Callable[[], None]


def life(take: Callable[[], Work | None]) -> None:
    while (work := take()) is not None:
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

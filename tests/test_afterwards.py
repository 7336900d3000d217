"""What is left for afterwards is done once, in order, soon or before anybody looks."""

import asyncio
import threading
from functools import partial

import pytest

from advisor import afterwards
from advisor.afterwards import TOGETHER, Afterwards
from advisor.metrics import Metrics


def test_the_loop_does_enough_of_it_in_its_next_turn_in_order() -> None:
    done: list[int] = []

    async def main() -> None:
        left = Afterwards()
        for number in range(TOGETHER + 3):
            left.leave(partial(done.append, number))
        assert done == []
        await asyncio.sleep(0)

    asyncio.run(main())
    assert done == list(range(TOGETHER + 3))


def test_the_loop_does_a_single_piece_a_moment_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(afterwards, "SECONDS", 0.05)
    done: list[int] = []

    async def main() -> None:
        left = Afterwards()
        for number in range(3):  # each time anew
            left.leave(partial(done.append, number))
            await asyncio.sleep(0)
            assert done == list(range(number))
            await asyncio.sleep(0.2)
            assert done == list(range(number + 1))

    asyncio.run(main())


def test_who_looks_at_the_metrics_finds_it_done() -> None:
    async def main() -> None:
        metrics = Metrics(["ocean"], 1, 1)
        count = metrics.reloads.labels("ok").inc
        metrics.afterwards.leave(count)
        assert metrics.registry.get_sample_value("advisor_catalogue_reloads_total", {"outcome": "ok"}) == 1
        metrics.afterwards.leave(count)
        some = metrics.registry.restricted_registry(["advisor_catalogue_reloads_total"])
        assert [
            sample.value for metric in some.collect() for sample in metric.samples if sample.labels["outcome"] == "ok"
        ][:1] == [2]
        await asyncio.sleep(0)
        assert metrics.registry.get_sample_value("advisor_catalogue_reloads_total", {"outcome": "ok"}) == 2

    asyncio.run(main())


def test_who_looks_waits_for_a_thread_that_is_at_it() -> None:
    begun, go_on = threading.Event(), threading.Event()
    done: list[str] = []

    async def main() -> None:
        left = Afterwards()

        def slow() -> None:
            begun.set()
            go_on.wait(10)
            done.append("slow")

        left.leave(slow)
        settling = threading.Thread(target=left.settle)
        settling.start()
        begun.wait(10)
        threading.Timer(0.05, go_on.set).start()
        left.settle()
        assert done == ["slow"]
        settling.join()

    asyncio.run(main())


def test_a_failure_does_not_keep_the_rest_from_being_done() -> None:
    done: list[str] = []

    def fail() -> None:
        raise ValueError("no")

    async def main() -> None:
        left = Afterwards()
        left.leave(fail)
        left.leave(lambda: done.append("rest"))
        with pytest.raises(ValueError, match="no"):
            left.settle()
        left.settle()

    asyncio.run(main())
    assert done == ["rest"]

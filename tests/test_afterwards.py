"""What is left for afterwards is done once, in order, by the next turn of the loop or before anybody looks."""

import asyncio
import threading

from advisor.afterwards import Afterwards
from advisor.metrics import Metrics


def test_the_loop_does_it_in_its_next_turn_in_order() -> None:
    done: list[int] = []

    async def main() -> None:
        afterwards = Afterwards()
        for number in range(3):
            afterwards.leave(lambda number=number: done.append(number))  # type: ignore[misc]
        assert done == []
        await asyncio.sleep(0)

    asyncio.run(main())
    assert done == [0, 1, 2]


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
        afterwards = Afterwards()

        def slow() -> None:
            begun.set()
            go_on.wait(10)
            done.append("slow")

        afterwards.leave(slow)
        settling = threading.Thread(target=afterwards.settle)
        settling.start()
        begun.wait(10)
        threading.Timer(0.05, go_on.set).start()
        afterwards.settle()
        assert done == ["slow"]
        settling.join()

    asyncio.run(main())


def test_a_failure_does_not_keep_the_rest_from_being_done() -> None:
    done: list[str] = []
    told: list[str] = []

    def fail() -> None:
        raise ValueError("no")

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(str(context["exception"])))
        afterwards = Afterwards()
        afterwards.leave(fail)
        afterwards.leave(lambda: done.append("rest"))
        await asyncio.sleep(0)

    asyncio.run(main())
    assert (told, done) == (["no"], ["rest"])

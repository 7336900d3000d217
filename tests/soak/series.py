"""Whether what a server holds stays what it is."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from serving import Figures

WARM_SHARE: Final = 0.25
"""Part of a run after which a server has what it keeps."""
MB: Final = 1 << 20
MAX_SLOPE: Final = 5.0 * MB
"""Bytes a minute by which memory may grow once it is warm."""
MAX_GROWTH: Final = 0.10
"""Part of its size by which it may have grown at the end."""
NOISE: Final = 16 * MB
"""Growth below is none: searches come and go, and tables of a bounded size may still fill up, of which that of the
messages of 8,192 moves is the largest with about 9 MB."""
SPARE: Final = 4
"""Threads and descriptors that may be there at the end and were not at the beginning."""


@dataclass(frozen=True)
class Sample:
    """What a server held, so many seconds after the beginning."""

    seconds: float
    figures: Figures


def slope(times: Sequence[float], values: Sequence[float]) -> float:
    """Slope of the line that fits best, in values a second; 0 of less than three."""
    if len(times) < 3 or times[0] == times[-1]:
        return 0.0
    return statistics.linear_regression(times, values).slope


@dataclass(frozen=True)
class Memory:
    """What has become of memory once it was warm: bytes a minute, and bytes in all."""

    slope: float
    growth: float
    warm: float

    @property
    def faults(self) -> list[str]:
        """What is wrong with it."""
        found = []
        if self.growth > NOISE:
            if self.slope > MAX_SLOPE:
                found.append(f"memory grows by {self.slope / MB:.1f} MB a minute")
            if self.growth > MAX_GROWTH * self.warm:
                found.append(f"memory has grown by {self.growth / MB:.1f} MB, of {self.warm / MB:.1f} MB")
        return found


def memory(samples: Sequence[Sample]) -> Memory:
    """The memory of a run: the line through what comes after the first quarter, and the medians of its ends."""
    last = samples[-1].seconds
    warm = [sample for sample in samples if sample.seconds >= WARM_SHARE * last]
    sizes = [float(sample.figures.resident) for sample in warm]
    part = max(1, len(sizes) // 4)
    first, end = statistics.median(sizes[:part]), statistics.median(sizes[-part:])
    return Memory(60 * slope([sample.seconds for sample in warm], sizes), end - first, first)


def left_behind(before: Figures, after: Figures) -> list[str]:
    """What a server that nobody calls any more holds and did not hold before."""
    found = []
    if after.threads > before.threads + SPARE:
        found.append(f"{after.threads} threads, before {before.threads}")
    if after.descriptors > before.descriptors + SPARE:
        found.append(f"{after.descriptors} descriptors, before {before.descriptors}")
    return found

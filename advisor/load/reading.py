"""What stands on the command line of a load test, as values: lists, times, mixes. Faults are `ValueError`."""

import re
from collections.abc import Callable
from typing import Final, TypeVar

from advisor.errors import quote
from advisor.load.asked import Kind
from advisor.load.sweep import kind_name

_TIME: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m)", re.ASCII)
_UNITS: Final = {"ms": 1e-3, "s": 1.0, "m": 60.0}
_CLASS: Final = re.compile(r"(?P<limit>[^@*]+)(?:@(?P<deadline>[^@*]+))?(?:\*(?P<weight>[^@*]+))?", re.ASCII)
LONGEST_SECONDS: Final = 86_400.0
MOST_SIMULATIONS: Final = 1_000_000_000
MOST_CLASSES: Final = 64

T = TypeVar("T")


def read_list(text: str, read: Callable[[str], T]) -> list[T]:
    """Return the values of a list parted by commas."""
    return [read(part.strip()) for part in text.split(",")]


def read_time(text: str) -> float:
    """Return a time such as "50ms", "1.5s" or "2m", in seconds."""
    found = _TIME.fullmatch(text)
    seconds = float(found[1]) * _UNITS[found[2]] if found else 0.0
    if not 0 < seconds <= LONGEST_SECONDS:
        raise ValueError(f"expected a time with its unit, more than 0, such as 50ms, 5s or 2m, not {quote(text)}")
    return seconds


def read_whole(text: str, least: int, most: int) -> int:
    """Return a whole number from `least` to `most`."""
    if not (text.isascii() and text.isdigit() and len(text) < 20 and least <= int(text) <= most):
        raise ValueError(f"expected a whole number from {least:,} to {most:,}, not {quote(text)}")
    return int(text)


def read_number(text: str, most: float) -> float:
    """Return a number more than 0 and at most `most`."""
    plain = re.fullmatch(r"[0-9]+(?:\.[0-9]+)?", text, re.ASCII)
    if plain is None or not 0 < float(text) <= most:
        raise ValueError(f"expected a number more than 0, at most {most:,g}, not {quote(text)}")
    return float(text)


def read_simulations(text: str) -> int:
    """Return a number of simulations."""
    return read_whole(text, 1, MOST_SIMULATIONS)


def read_depth(text: str) -> int:
    """Return a depth limit, in decisions."""
    return read_whole(text, 1, 1000)


def read_mix(text: str, deadline: float | None) -> tuple[Kind, ...]:
    """Return the classes of a mix: LIMIT[@DEADLINE][*WEIGHT], parted by commas.

    LIMIT is a time ("100ms"), simulations ("2000") or a depth ("depth6"). DEADLINE is a time or "none"; without one it
    is `deadline`. WEIGHT is the class's part of the calls, 1 without one.
    """
    kinds = tuple(read_list(text, lambda part: _read_class(part, deadline)))
    names = [kind.name for kind in kinds]
    if len(kinds) > MOST_CLASSES:
        raise ValueError(f"expected at most {MOST_CLASSES} classes, not {len(kinds)}")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"has the class {quote(name)} twice; give it once, with the sum of the weights")
    return kinds


def _read_class(text: str, deadline: float | None) -> Kind:
    found = _CLASS.fullmatch(text)
    if found is None:
        raise ValueError(f"expected LIMIT[@DEADLINE][*WEIGHT], such as 100ms@150ms*20, not {quote(text)}")
    limit = found["limit"].strip()
    simulations = seconds = depth = None
    if limit.startswith("depth"):
        depth = read_depth(limit.removeprefix("depth"))
    elif limit.isascii() and limit.isdigit():
        simulations = read_simulations(limit)
    else:
        seconds = read_time(limit)
    name = kind_name(simulations, seconds, depth)
    if found["deadline"] is not None:
        given = found["deadline"].strip()
        deadline = None if given == "none" else read_time(given)
        name += f"@{given}"
    weight = 1.0 if found["weight"] is None else read_number(found["weight"].strip(), 1e6)
    return Kind(name, simulations, seconds, depth, deadline, weight)

"""How fast searches have been lately, to tell how long one that is asked for will take."""

from typing import Final

from search.immediate import IMMEDIATE
from search.request import Algorithm, Limits, Options
from search.run import RANKING_SECONDS, threads_of

FIRST_RATE: Final = 50_000.0
"""Simulations a second on one core until a search has told."""
WEIGHT: Final = 0.1
"""Of the latest search among those before it."""
RECOVERY: Final = 0.01
"""How much of its distance to a faster search the slowest rate makes up for with each."""
MOST_WAYS: Final = 4096
"""Ways to play whose slowest rates are remembered."""

BRIEF_SECONDS: Final = 0.003
"""The longest search, its ranking included, that is brief."""
_STEADY: Final = (Algorithm.MCTS, Algorithm.UCT, Algorithm.FLAT)

Kind = tuple[str, Algorithm]


class Rates:
    """Simulations a second on one core by game and algorithm. For one thread, the event loop."""

    def __init__(self) -> None:
        self._rates: dict[Kind, float] = {}
        self._slowest: dict[tuple[bytes, Algorithm], float] = {}

    def note(self, game: str, algorithm: Algorithm, simulations: int, seconds: float) -> None:
        """Take a search into account; `seconds` on one core, more than 0 or it does not count."""
        if seconds > 0 and simulations > 0:
            rate, kind = simulations / seconds, (game, algorithm)
            before = self._rates.get(kind, rate)
            self._rates[kind] = before + WEIGHT * (rate - before)

    def seconds(self, game: str, limits: Limits, options: Options) -> float:
        """Return about how long a search will take, in core-seconds, were there no deadline."""
        if options.algorithm in IMMEDIATE:
            return 0.0
        by_time = None if limits.seconds is None else limits.seconds * threads_of(options)
        if limits.simulations is None:
            return by_time or 0.0
        found = limits.simulations / self._rates.get((game, options.algorithm), FIRST_RATE)
        return found if by_time is None else min(found, by_time)

    def note_slowest(self, way: bytes, algorithm: Algorithm, simulations: int, seconds: float) -> None:
        """Take a search without a limit of its depth into account where it is told what is brief.

        way: digest of the way to play, within which the speed still varies fiftyfold from the start of a game to its
        end. So it is the slowest that counts, and it is forgotten slowly. seconds: of processor time, so that a thread
        which had to wait for its core does not look like a slow search.
        """
        if seconds > 0 and simulations > 0:
            rate, kind = simulations / seconds, (way, algorithm)
            slowest = self._slowest.get(kind)
            if slowest is None and len(self._slowest) >= MOST_WAYS:
                self._slowest.clear()
            before = rate if slowest is None else slowest
            self._slowest[kind] = min(rate, before + RECOVERY * (rate - before))

    def brief(self, way: bytes, limits: Limits, options: Options, moves: int) -> bool:
        """Whether a search is so short that waking a thread for it would take as long.

        way: as above. moves: legal ones, which all have to be ranked. A search that may turn out another than its
        simulations tell, or of which none has told yet how slow they may be, is not.
        """
        if options.algorithm in IMMEDIATE:
            searching = 0.0
        elif options.algorithm in _STEADY and limits.simulations is not None and options.trees == 1:
            rate = self._slowest.get((way, options.algorithm))
            if rate is None:
                return False
            searching = limits.simulations / rate
        else:
            return False
        return searching + RANKING_SECONDS * moves <= BRIEF_SECONDS

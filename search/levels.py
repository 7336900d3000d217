"""The computer opponent in ten strengths.

Weak levels fail as people do: they overlook moves, above all those whose use does not show at once, and think little
about the rest; they never play a move that they know to be bad. What is overlooked follows from the seed and from what
the seat sees, so the same question gets the same move.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ext.game import Game, Observation
from ext.rng import hash_words
from search.request import Algorithm, Answer, Limits, Options, StopReason
from search.run import Search

LEVELS = range(1, 11)


@dataclass(frozen=True, slots=True)
class Level:
    """`simulations` a decision, over the moves that are not overlooked; a move is with probability `blindness`."""

    simulations: int
    blindness: float
    algorithm: Algorithm = Algorithm.MCTS


STRENGTHS = {
    1: Level(4, 0.90),
    2: Level(8, 0.80),
    3: Level(15, 0.68),
    4: Level(25, 0.56),
    5: Level(45, 0.44),
    6: Level(80, 0.33),
    7: Level(150, 0.22),
    8: Level(300, 0.12),
    9: Level(700, 0.04),
    10: Level(2000, 0.0, Algorithm.AUTO),
}
MASK = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Choice:
    """What the computer opponent plays: a move, and the rest of its turn that needs no new information."""

    move: int
    follow: list[int]
    value: float
    stop_reason: StopReason | None
    simulations: int


def choose(
    game: Game,
    observation: Observation,
    level: int,
    seed: int,
    *,
    allowed: frozenset[int] | None = None,
    deadline: float | None = None,
    on_search: Callable[[Search], None] | None = None,
) -> Choice:
    """The move of a level, 1 to 10, within 2,000 simulations; a `time.monotonic()` deadline may cut it short.

    `on_search` is handed the search before it runs, so that another thread can cancel it. Raises ValueError for another
    level, or when the seat owes no decision.
    """
    if level not in STRENGTHS:
        raise ValueError("level must be 1 to 10")
    strength = STRENGTHS[level]
    noticed = notice(game, observation, strength.blindness, seed, allowed)
    search = Search(
        game,
        observation,
        Limits(simulations=strength.simulations, deadline=deadline),
        Options(algorithm=strength.algorithm, seed=seed, threads=1, lines=1, allowed=noticed),
    )
    if on_search is not None:
        on_search(search)
    answer = search.run()
    seat = game.observer(observation)
    move = pick(answer, seat, seed)
    best = next(ranked for ranked in answer.moves if ranked.move == move)
    follow = [move for who, move in best.line[1 : best.playable] if who == seat]
    return Choice(best.move, follow, best.value, answer.stop_reason, answer.simulations)


def pick(answer: Answer, seat: int, seed: int) -> int:
    """The move that an answer plays: drawn from the seat's own mix where it has one, else the best."""
    place = hash_words(seed & MASK, seat) / (1 << 64)
    for move, probability in answer.mixes.get(seat, []):
        place -= probability
        if place < 0:
            return move
    return answer.moves[0].move


def notice(
    game: Game, observation: Observation, blindness: float, seed: int, allowed: frozenset[int] | None
) -> frozenset[int]:
    """The moves that are not overlooked, at least one. A move that gains most at once is overlooked half as often."""
    moves = [move for move in game.moves_observation(observation) if allowed is None or move in allowed]
    if blindness == 0 or len(moves) < 2:
        return frozenset(moves)
    seat = game.observer(observation)
    world = game.determinize(observation, 0)
    gains = dict(zip(game.moves(world, seat), game.priors(world, seat), strict=True))
    top = max(max(gains.values()), 1.0)
    sight = hash_words(seed & MASK, game.observation_key(world, seat))
    dullness = {
        move: hash_words(sight, move) / MASK - blindness * (1 - 0.5 * max(gains[move], 0.0) / top) for move in moves
    }
    seen = frozenset(move for move in moves if dullness[move] >= 0)
    return seen or frozenset([max(moves, key=lambda move: (dullness[move], -move))])

"""From simulations to ranked moves: the figures are those of exact arithmetic, and one thread ranks at a time."""

import threading
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import sqrt
from typing import Any

import pytest
from test_search import PLACES, every_game, objectives, owing, start

from ext.engine import OBJECTIVES, VALUE_ONE, Engine, Flat
from ext.estimates import estimates
from ext.game import Game
from ext.mcts import Mcts
from search import run
from search.ranking import IGNORANCE, PRIOR_VISITS, SCORE_SCALE, rank
from search.request import Algorithm, Limits, Objective, Options, Ranked
from search.run import Search


def engines_of(kind: str, objective: Objective, simulations: Sequence[int]) -> tuple[Game, list[Engine]]:
    """Trees of one position that have made so many simulations."""
    game, state = PLACES[kind](3)
    seen = owing(game, state)
    engines: list[Engine] = []
    for tree, count in enumerate(simulations):
        engine = Mcts(game, seen, OBJECTIVES[objective.value], 7, tree, memory=16 << 20, simulations=max(1, count))
        engine.step(count, 600.0)
        engines.append(engine)
    return game, engines


def merged(engines: Sequence[Engine]) -> list[tuple[Any, ...]]:
    """Sums of each move over trees, by Python's own numbers."""
    sums: list[list[tuple[Any, ...]]] = [list(engine.sums()) for engine in engines]
    return [
        (
            *(sum(tree[move][number] for tree in sums) for number in range(3)),
            *([sum(seat) for seat in zip(*(tree[move][part] for tree in sums), strict=True)] for part in (3, 4, 5)),
        )
        for move in range(len(sums[0]))
    ]


def root(number: Fraction) -> float:
    return sqrt(max(number, Fraction(0)))


@every_game
@objectives
@pytest.mark.parametrize("simulations", [[0], [1], [400], [150, 0, 150]], ids=str)
def test_estimates_are_those_of_exact_arithmetic(kind: str, objective: Objective, simulations: list[int]) -> None:
    _, engines = engines_of(kind, objective, simulations)
    unit = SCORE_SCALE if objective is Objective.SCORE else 1
    sums = merged(engines)
    trust = PRIOR_VISITS

    means = [Fraction(unit * value, VALUE_ONE * max(visits, 1)) for visits, value, *_ in sums]
    apart = [
        Fraction(unit * unit * square, VALUE_ONE) - visits * mean * mean
        for (visits, _, square, *_), mean in zip(sums, means, strict=True)
    ]
    more = sum(max(0, visits - 1) for visits, *_ in sums)
    pooled = (max(sum(apart), Fraction(0)) + Fraction(trust * IGNORANCE[objective])) / (more + trust)

    found = estimates(engines, unit, IGNORANCE[objective], trust)
    assert [each[0] for each in found] == engines[0].moves()
    assert [each[2] for each in found] == engines[0].priors()
    for each, total, mean, own in zip(found, sums, means, apart, strict=True):
        visits, _, _, win, score, square = total
        n = max(visits, 1)
        assert each[1] == visits
        assert each[3] == pytest.approx(float(mean), abs=1e-12)
        error = root((max(own, Fraction(0)) + trust * pooled) / (visits + trust) / visits) if visits else 0.0
        assert each[4] == pytest.approx(error, abs=1e-7)
        assert each[5] == pytest.approx([share / VALUE_ONE / n for share in win], abs=1e-12)
        assert each[6] == pytest.approx([points / n for points in score], abs=1e-12)
        spread = [root(Fraction(q, n) - Fraction(p, n) ** 2) for q, p in zip(square, score, strict=True)]
        assert each[7] == pytest.approx(spread, abs=1e-5)


def test_without_a_tree_there_is_nothing_to_estimate() -> None:
    with pytest.raises(ValueError, match="no tree"):
        estimates([], 1.0, 0.25, 4.0)


def ranked_by(kind: str, algorithm: Algorithm, engines: list[Engine], game: Game, lines: int = 3) -> list[Ranked]:
    return rank(engines, engines[0].seat, algorithm, Options(algorithm=algorithm, lines=lines), game.before)


@every_game
def test_a_tree_ranks_by_visits_then_value_then_notation(kind: str) -> None:
    game, engines = engines_of(kind, Objective.WIN, [40])
    ranked = ranked_by(kind, Algorithm.MCTS, engines, game)
    assert sorted(each.move for each in ranked) == engines[0].moves()
    for one, other in pairwise(ranked):
        assert (one.visits, one.value) >= (other.visits, other.value)
        if (one.visits, one.value) == (other.visits, other.value):
            assert game.before(one.move, other.move)
    assert all(len(each.line) == 1 for each in ranked[3:])


def test_flat_ranks_by_value_and_what_was_never_tried_comes_last() -> None:
    game, state = PLACES["heart"](3)
    engine = Flat(game, owing(game, state), 0, 7)
    count = len(engine.moves())
    engine.step(count + count // 2, 600.0)  # half of the moves twice, which is no merit
    values = [each.value for each in ranked_by("heart", Algorithm.FLAT, [engine], game)]
    assert values == sorted(values, reverse=True)
    engine = Flat(game, owing(game, state), 0, 7)
    engine.step(count // 2, 600.0)
    visits = [each.visits for each in ranked_by("heart", Algorithm.FLAT, [engine], game)]
    assert visits == [1] * (count // 2) + [0] * (count - count // 2)


def test_the_best_of_several_trees_is_the_best_of_their_sums() -> None:
    game, engines = engines_of("ocean", Objective.WIN, [200, 100])
    ranked = ranked_by("ocean", Algorithm.MCTS, engines, game)
    visits = [sum(sums[0] for sums in move) for move in zip(*(engine.sums() for engine in engines), strict=True)]
    assert [each.visits for each in ranked] == sorted(visits, reverse=True)


def test_one_thread_ranks_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines are played out in the trees' own worlds: who looks at a search at its very end has to wait for it."""
    game, state = PLACES["ocean"](3)
    inside, most = 0, 0
    lock, entered, leave = threading.Lock(), threading.Event(), threading.Event()

    def slowly(*args: Any) -> list[Ranked]:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
        entered.set()
        leave.wait(10)
        ranked = rank(*args)
        with lock:
            inside -= 1
        return ranked

    monkeypatch.setattr(run, "rank", slowly)
    search = Search(game, owing(game, state), Limits(simulations=300), Options(algorithm=Algorithm.MCTS))
    thread, answers = start(search)
    assert entered.wait(10)  # the search has made its last simulation, and no tree is held any more
    looks: list[object] = []
    looking = threading.Thread(target=lambda: looks.append(search.interim()))
    looking.start()
    threading.Timer(0.3, leave.set).start()
    thread.join(20)
    looking.join(20)
    assert len(answers) == len(looks) == 1
    assert most == 1

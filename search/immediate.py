"""Algorithms that answer without a search: the yardsticks `greedy` and `random`."""

import time

from ext.game import Game, Observation
from ext.rng import hash_words
from search.request import Algorithm, Answer, Options, Ranked, StopReason

IMMEDIATE = (Algorithm.GREEDY, Algorithm.RANDOM)


def immediate(game: Game, observation: Observation, options: Options, start: float) -> Answer:
    """Ranks by points gained at once (`greedy`; its value), or in an order drawn from the seed (`random`; value 0).

    The seed orders moves that gain the same, too: taking the first is a bad habit where most gain nothing.

    Points gained at once depend on nothing that is hidden, so any world of the observation serves.
    """
    seat = game.observer(observation)
    world = game.determinize(observation, 0)
    legal = game.moves(world, seat)
    kept = [i for i in range(len(legal)) if options.allowed is None or legal[i] in options.allowed]
    if not kept:
        raise ValueError("no legal move is allowed")
    moves = [legal[i] for i in kept]
    values = [0.0] * len(moves)
    if options.algorithm is Algorithm.GREEDY:
        gains = game.priors(world, seat)
        values = [gains[i] for i in kept]
    luck = [hash_words(options.seed & 0xFFFFFFFFFFFFFFFF, move) for move in moves]
    order = sorted(range(len(moves)), key=lambda i: (-values[i], luck[i]))
    ranked = [
        Ranked(
            move=moves[i],
            visits=0,
            prior=1.0 / len(moves),
            value=values[i],
            standard_error=0.0,
            win_share=[],
            expected_score=[],
            score_spread=[],
            line=[(seat, moves[i])],
            playable=1,
            interval=(values[i], values[i]),
            tied=values[i] == values[order[0]],
        )
        for i in order
    ]
    return Answer(
        moves=ranked,
        algorithm=options.algorithm,
        objective=options.objective,
        stop_reason=StopReason.IMMEDIATE,
        simulations=0,
        nodes=0,
        determinizations=0,
        mean_depth=0.0,
        max_depth=0,
        mean_turns=0.0,
        max_turns=0,
        trees=options.trees,
        threads=1,
        seed=options.seed,
        seconds=time.monotonic() - start,
        legal_moves=len(legal),
        win_share=[],
        expected_score=[],
        score_spread=[],
        confidence=options.confidence,
    )

"""How good the answers were: the moves that they rank first, judged by a search that is much deeper."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from advisor.client import Client
from advisor.load.positions import Drawn
from advisor.v1 import advice_pb2, advisor_service_pb2

EVERY_MOVE: Final = 1000
"""Moves that a reference is asked for: the most that the service gives."""
SEED: Final = 1
SIDE_BY_SIDE: Final = 2
"""Reference searches that are asked for at a time."""


@dataclass(frozen=True)
class Reference:
    """What a deep search thinks of a position.

    values: of each move, by its notation, in terms of the objective. best: the moves that it cannot tell from its
    best, the first one being that. exact: the values are proven.
    """

    values: dict[str, float]
    best: list[str]
    exact: bool

    def regret(self, move: str) -> float | None:
        """Return what choosing this move costs; below 0 where the most visited move has not the highest value."""
        value = self.values.get(move)
        return None if value is None else self.values[self.best[0]] - value


def look_up(
    client: Client,
    positions: Sequence[Drawn],
    options: advice_pb2.AdviceOptions,
    simulations: int,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> list[Reference]:
    """Search every position as deep as that; `options` are those of the calls, `progress` gets (done, in all)."""

    def search(drawn: Drawn) -> Reference:
        request = advisor_service_pb2.AdviseRequest(position=drawn.position, seat=drawn.seat, options=options)
        request.limits.simulations = simulations
        request.options.max_moves = EVERY_MOVE
        request.options.seed = SEED
        return read(client.advise(request))

    found = []
    with ThreadPoolExecutor(SIDE_BY_SIDE, thread_name_prefix="reference") as searches:
        for reference in searches.map(search, positions):
            found.append(reference)
            progress(len(found), len(positions))
    return found


def read(answer: advisor_service_pb2.AdviseResponse) -> Reference:
    """Return an answer as a reference."""
    return Reference(
        {ranked.move.notation: ranked.value for ranked in answer.moves},
        [ranked.move.notation for ranked in answer.moves if ranked.rank == 1 or ranked.tied_with_best],
        answer.exact,
    )


def quality(answers: Sequence[tuple[int, str]], references: Sequence[Reference]) -> dict[str, Any]:
    """Return the figures of answers about the first positions, of which there are references.

    answers: number of a position and the best move's notation. `agreement` is the share of answers whose move is among
    the reference's best; `regret` the mean of what their moves cost, `regret_p90` what 9 of 10 do not exceed.
    """
    judged = [(references[position], move) for position, move in answers if position < len(references)]
    costs = [cost for reference, move in judged if (cost := reference.regret(move)) is not None]
    return {
        "agreement": round(float(np.mean([move in reference.best for reference, move in judged])), 4)
        if judged
        else None,
        "regret": round(float(np.mean(costs)), 6) if costs else None,
        "regret_p90": round(float(np.quantile(costs, 0.9, method="inverted_cdf")), 6) if costs else None,
        "calls": len(judged),
        "positions": len({position for position, _ in answers if position < len(references)}),
    }

"""What calls are about: positions from the middle of many games, as the seat to decide sees them."""

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from advisor.client import Client
from advisor.load.asked import Kind
from advisor.v1 import advice_pb2, advisor_service_pb2, position_pb2

A_GAME: Final = 8
"""Positions that are taken from one game."""
SIDE_BY_SIDE: Final = 4
"""Games that are played at a time."""
GREEDY_SHARE: Final = 0.5
"""Part of the moves that gain most at once; the others are any."""


@dataclass(frozen=True)
class Drawn:
    """An observation, and the seat that is to decide there between two moves at least."""

    position: position_pb2.Position
    seat: int


class Unseeded:
    """An Advise request but for its seed: most of it is serialised once, to the bytes that protobuf writes."""

    def __init__(self, request: advisor_service_pb2.AdviseRequest) -> None:
        """Take a request as it is now, without a record and without a seed."""
        self._options = advice_pb2.AdviceOptions()
        self._options.CopyFrom(request.options)
        rest = advisor_service_pb2.AdviseRequest()
        rest.CopyFrom(request)
        rest.ClearField("options")
        self._rest = rest.SerializeToString()

    def seeded(self, seed: int) -> bytes:
        """Return the request with a seed, of which the last 64 bits count."""
        options = advice_pb2.AdviceOptions(seed=seed % 2**64)
        options.MergeFrom(self._options)
        return self._rest + advisor_service_pb2.AdviseRequest(options=options).SerializeToString()


def draw(client: Client, new: advisor_service_pb2.NewPositionRequest, count: int, seed: int) -> list[Drawn]:
    """Return about `count` positions, all different, from games that differ in their deal and their moves.

    Moves are greedy or random: the quickest players that there are, and games that look like games. The order is
    random. Raises `AdvisorError` for what the server refuses.
    """
    rng = random.Random(seed)
    games = -(-count // A_GAME)
    seeds = [rng.getrandbits(63) for _ in range(games)]
    with ThreadPoolExecutor(min(games, SIDE_BY_SIDE), thread_name_prefix="draw") as players:
        played = list(players.map(lambda each: list(play(client, new, each)), seeds))
    found = {each.position.SerializeToString(deterministic=True): each for game in played for each in game}
    drawn = list(found.values())
    rng.shuffle(drawn)
    return drawn[:count]


def play(client: Client, new: advisor_service_pb2.NewPositionRequest, seed: int) -> Iterator[Drawn]:
    """Play one game; yield positions from all parts of it."""
    rng = random.Random(seed)
    request = advisor_service_pb2.NewPositionRequest()
    request.CopyFrom(new)
    request.seed = seed
    begun = client.new_position(request)
    position, status = begun.position, begun.status
    decisions: list[Drawn] = []
    while not status.over:
        if not status.pending:
            played = client.apply_move(advisor_service_pb2.ApplyMoveRequest(position=position, seed=seed))
        else:
            seat = rng.choice(status.pending)
            ask = advisor_service_pb2.AdviseRequest(position=position, seat=seat)
            greedy = rng.random() < GREEDY_SHARE
            ask.options.algorithm = advice_pb2.ALGORITHM_GREEDY if greedy else advice_pb2.ALGORITHM_RANDOM
            ask.options.max_moves = 1
            ask.options.seed = rng.getrandbits(63)
            answer = client.advise(ask)
            if answer.legal_moves > 1:
                decisions.append(Drawn(position, seat))
            played = client.apply_move(
                advisor_service_pb2.ApplyMoveRequest(position=position, seat=seat, move=answer.moves[0].move, seed=seed)
            )
        position, status = played.position, played.status
    for each in rng.sample(decisions, min(A_GAME, len(decisions))):
        seen = client.observe(advisor_service_pb2.ObserveRequest(position=each.position, seat=each.seat))
        yield Drawn(seen.position, each.seat)


def request_for(drawn: Drawn, kind: Kind, options: advice_pb2.AdviceOptions) -> advisor_service_pb2.AdviseRequest:
    """Return the call of that class about that position."""
    return advisor_service_pb2.AdviseRequest(
        position=drawn.position, seat=drawn.seat, limits=kind.limits(), options=options
    )

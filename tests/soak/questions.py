"""Requests with their answers, found in this process: what a server answers has to be the same bytes."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from fuzz import seeds
from fuzz.target import GAMES
from google.protobuf.message import Message

from advisor.errors import AdvisorError
from advisor.service import Advisor
from advisor.v1 import advice_pb2, position_pb2
from advisor.v1 import advisor_service_pb2 as pb
from soak.answers import same_bytes

MEMORY: Final = 4 << 20
SIMULATIONS: Final = (50, 200, 500)
METHODS: Final = {
    "ListGames": "list_games",
    "GetGame": "get_game",
    "NewPosition": "new_position",
    "Observe": "observe",
    "ListMoves": "list_moves",
    "ApplyMove": "apply_move",
    "Advise": "advise",
    "ChooseMove": "choose_move",
}
_LEVELS: Final = (2, 5, 8)


@dataclass(frozen=True)
class Question:
    """A request and what has to come back; of WatchAdvice its final answer."""

    rpc: str
    game: str
    request: Message
    answer: bytes


@dataclass(frozen=True)
class Place:
    """A position in which a seat owes a decision, with its legal moves."""

    position: position_pb2.Position
    seat: int
    legal: frozenset[str]


@cache
def service() -> Advisor:
    """The service with which answers are found, its settings those of a server that nobody has set up."""
    return Advisor()


@cache
def places() -> dict[str, list[Place]]:
    """Where moves are asked for, by game; every variant is among them."""
    found: dict[str, list[Place]] = {game: [] for game in GAMES}
    for record in seeds.records().values():
        if record.steps:
            continue
        position = record.start
        for seat in range(position.seats):
            try:
                moves = service().list_moves(pb.ListMovesRequest(position=position, seat=seat)).moves
            except AdvisorError:
                continue
            found[position.game].append(Place(position, seat, frozenset(move.notation for move in moves)))
            break
    return found


def questions(seed: int = 1) -> list[Question]:
    """Of every game and RPC."""
    rng = random.Random(seed)
    found = [Question(rpc, game, request, _answer(rpc, request)) for rpc, game, request in _sound() if rpc in METHODS]
    for game, some in places().items():
        for number, place in enumerate(some):
            found += list(_searched(game, place, number, rng))
    return found


def _sound() -> Iterator[tuple[str, str, Message]]:
    """What is asked without a search and is answered."""
    for (rpc, game), requests in seeds.requests().items():
        if rpc in ("Advise", "WatchAdvice", "ChooseMove") or rpc not in METHODS:
            continue
        for request in requests:
            try:
                _answer(rpc, request)
            except AdvisorError:
                continue
            except Exception as error:
                if "Malformed" not in type(error).__name__:
                    raise
                continue
            yield rpc, game, request


def _searched(game: str, place: Place, number: int, rng: random.Random) -> Iterator[Question]:
    advise = pb.AdviseRequest(position=place.position, seat=place.seat)
    advise.limits.simulations = SIMULATIONS[number % len(SIMULATIONS)]
    advise.limits.memory_bytes = MEMORY
    advise.options.algorithm = advice_pb2.ALGORITHM_MCTS
    advise.options.trees, advise.options.seed = 1 + number % 3, rng.getrandbits(63)
    answer = service().advise(advise)
    yield Question("Advise", game, advise, same_bytes(answer))
    watch = pb.WatchAdviceRequest(advise=advise)
    watch.interval.FromMilliseconds(20)
    yield Question("WatchAdvice", game, watch, same_bytes(answer))
    choose = pb.ChooseMoveRequest(position=place.position, seat=place.seat, level=_LEVELS[number % len(_LEVELS)])
    choose.seed = rng.getrandbits(63)
    yield Question("ChooseMove", game, choose, same_bytes(service().choose_move(choose)))


def _answer(rpc: str, request: Message) -> bytes:
    method: Any = getattr(service(), METHODS[rpc])
    return same_bytes(method(request))

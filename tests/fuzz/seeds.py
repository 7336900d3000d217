"""Sound requests to begin with: positions and records of random games, kept in `corpus/`, and every request about them.

A file is a `Record`: a start with steps, or without any a position. `tests/run_fuzz.py --write-corpus` plays the games
anew, which is needed when messages or rules have changed.
"""

import random
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from google.protobuf.message import Message
from wire import Game, advisor, new, new_heart, new_sanctuary, observe, play_game

from advisor.errors import AdvisorError
from advisor.faults import Faults
from advisor.v1 import advice_pb2, game_pb2, ocean_pb2, position_pb2, sanctuary_pb2
from advisor.v1 import advisor_service_pb2 as pb

CORPUS: Final = Path(__file__).parent / "corpus"
DECISIONS: Final = 12
"""How long the records are."""
ALGORITHMS: Final = (
    advice_pb2.ALGORITHM_MCTS,
    advice_pb2.ALGORITHM_UCT,
    advice_pb2.ALGORITHM_FLAT,
    advice_pb2.ALGORITHM_EXPECTIMAX,
    advice_pb2.ALGORITHM_GREEDY,
    advice_pb2.ALGORITHM_RANDOM,
)


def setups() -> dict[str, pb.NewPositionRequest]:
    """Every game and variant, with rule options that change what a position holds."""
    return {
        "heart-2": new_heart(2, reshuffle_discards=False, repeat_swimmers=True, bonus_tile_optional=True),
        "heart-4": new_heart(4, swims_mandatory=True, starting_tile_blocks=True, mirror_patterns=True),
        "ocean-4": new(4),
        "ocean-3-hex": new(3, topology=ocean_pb2.OCEAN_TOPOLOGY_HEX, passing=ocean_pb2.OCEAN_PASSING_ALTERNATE),
        "ocean-2-targets": new(2, "targets", promo=True, mirror_targets=True),
        "sanctuary-3": new_sanctuary(3),
        "sanctuary-2": new_sanctuary(2, blind_choice=True, pooled_space=True, round_bonuses=True, food_cap=9),
        "sanctuary-1-solo": new_sanctuary(1, "solo"),
        "sanctuary-1-cap": new_sanctuary(1, "solo", challenge=sanctuary_pb2.SANCTUARY_CHALLENGE_POWER_CAP),
        "sanctuary-4-scramble": new_sanctuary(4, "scramble", allow_small_scramble=True),
        "sanctuary-8-scramble": new_sanctuary(8, "scramble", round_bonuses=True, mirror_shapes=True),
    }


# Playing.


def write(folder: Path) -> None:
    """Play the games and keep what is found in `folder`, instead of what was there."""
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.bin"):
        old.unlink()
    for name, request in setups().items():
        for what, record in _moments(request):
            _forget_digest(record.start)
            (folder / f"{name}-{what}.bin").write_bytes(record.SerializeToString(deterministic=True))


def _forget_digest(position: position_pb2.Position) -> None:
    """A catalogue that is edited does not make the corpus worthless: most of it still fits."""
    position.catalogue.ClearField("digest")


def _moments(request: pb.NewPositionRequest) -> Iterator[tuple[str, position_pb2.Record]]:
    """A position of every phase, as the referee and as a seat sees it; what chance is due in; the end; records."""
    rng = random.Random(request.SerializeToString(deterministic=True))
    begun = advisor().new_position(request)
    position, status = begun.position, begun.status
    found: dict[str, tuple[position_pb2.Position, int]] = {}
    met: dict[str, int] = {}
    while not status.over:
        phase = _phase(position)
        seat = rng.choice(status.pending)
        met[phase] = met.get(phase, 0) + 1
        if rng.random() < 1 / met[phase]:  # each as likely as the others
            found[phase] = position, seat
        moves = advisor().list_moves(pb.ListMovesRequest(position=position, seat=seat)).moves
        played = advisor().apply_move(pb.ApplyMoveRequest(position=position, seat=seat, move=rng.choice(moves)))
        position, status = played.position, played.status
    yield "over", position_pb2.Record(start=position)
    for phase, (there, seat) in found.items():
        yield phase, position_pb2.Record(start=there)
        seen = observe(there, seat)
        yield f"{phase}-seen", position_pb2.Record(start=seen)
        moves = advisor().list_moves(pb.ListMovesRequest(position=seen, seat=seat)).moves
        moved = advisor().apply_move(pb.ApplyMoveRequest(position=seen, seat=seat, move=rng.choice(moves)))
        if not moved.status.pending:
            yield f"{phase}-due", position_pb2.Record(start=moved.position)
    game: Game = play_game(request, DECISIONS, seed=3)
    yield "record", game.record()
    yield "record-seen", game.seen_by(0)


def _phase(position: position_pb2.Position) -> str:
    table = getattr(position, position.game).table
    name: str = table.DESCRIPTOR.fields_by_name["phase"].enum_type.values_by_number[table.phase].name
    return name.rpartition("_PHASE_")[2].lower()


# Asking.


@cache
def records() -> dict[str, position_pb2.Record]:
    """The corpus, by name."""
    return {path.stem: position_pb2.Record.FromString(path.read_bytes()) for path in sorted(CORPUS.glob("*.bin"))}


@cache
def requests() -> dict[tuple[str, str], list[Message]]:
    """Sound requests by RPC and game; "any" is the game of RPCs that know none."""
    found: dict[tuple[str, str], list[Message]] = {}
    for name, record in records().items():
        game = name.partition("-")[0]
        for rpc, request in _about(record):
            found.setdefault((rpc, game), []).append(request)
    for name, request in setups().items():
        game = name.partition("-")[0]
        found.setdefault(("NewPosition", game), []).append(request)
        catalogue = game_pb2.CatalogueRef(id=f"{game}-house")
        found.setdefault(("GetGame", game), []).append(pb.GetGameRequest(game=game, catalogue=catalogue))
    found["ListGames", "any"] = [pb.ListGamesRequest()]
    return found


def _about(record: position_pb2.Record) -> Iterator[tuple[str, Message]]:
    """Requests of every kind about a position, or about the end of a record."""
    subject: dict[str, Any] = {"record": record} if record.steps else {"position": record.start}
    seat, moves = _owed(record)
    choose = pb.ChooseMoveRequest(**subject, seat=seat, level=1 + len(moves) % 10, seed=5)
    yield "ChooseMove", choose
    advise = pb.AdviseRequest(**subject, seat=seat)
    advise.limits.simulations = 40
    yield "Advise", advise
    fine = pb.AdviseRequest()
    fine.CopyFrom(advise)
    fine.limits.depth, fine.limits.memory_bytes = 9, 1 << 20
    fine.options.algorithm = ALGORITHMS[len(moves) % len(ALGORITHMS)]
    fine.options.objective = advice_pb2.OBJECTIVE_SCORE
    fine.options.trees, fine.options.threads, fine.options.confidence, fine.options.seed = 2, 2, 0.8, 3
    fine.options.report_moves.extend(moves[-1:])
    fine.options.allow_moves.extend(moves[-8:])
    yield "Advise", fine
    watch = pb.WatchAdviceRequest(advise=fine)
    watch.interval.FromMilliseconds(20)
    yield "WatchAdvice", watch
    by_limits = pb.ChooseMoveRequest(**subject, seat=seat, limits=advise.limits)
    by_limits.options.avoid_moves.extend(moves[1:3])
    by_limits.turn_time.FromMilliseconds(10)
    yield "ChooseMove", by_limits
    yield "AdviseBatch", pb.AdviseBatchRequest(id="a", advise=advise)
    question = pb.AdviseBatchRequest(id="\u6d77", choose=choose)
    question.timeout.FromSeconds(1)
    yield "AdviseBatch", question
    if record.steps:
        return
    yield "Observe", pb.ObserveRequest(position=record.start, seat=seat)
    yield "ListMoves", pb.ListMovesRequest(position=record.start, seat=seat)
    yield from _applied(record.start, seat, moves)


def _applied(
    position: position_pb2.Position, seat: int, moves: Sequence[position_pb2.Move]
) -> Iterator[tuple[str, Message]]:
    """The last move, and what was seen of it where the position is an observation."""
    if not moves:
        yield "ApplyMove", pb.ApplyMoveRequest(position=position, seed=9)
        return
    move = pb.ApplyMoveRequest(position=position, seat=seat, move=moves[-1], seed=9)
    yield "ApplyMove", move
    events = list(advisor().apply_move(move).events)
    converter = advisor().games.entries[position.game].converter
    if getattr(position, converter.member).HasField("referee"):
        # What chance is to bring; an observer may be told again what it has seen.
        events = [e for e in events if converter.is_chance(converter.read_event(_content(e), Faults()))]
    if events:
        yield "ApplyMove", pb.ApplyMoveRequest(position=position, seat=seat, move=moves[-1], events=events, seed=9)


def _content(event: position_pb2.Event) -> Message:
    content: Message = getattr(event, event.WhichOneof("content") or "")
    return content


def _owed(record: position_pb2.Record) -> tuple[int, list[position_pb2.Move]]:
    """A seat that owes a decision and its moves; where nobody does a seat that may ask, without any."""
    if record.steps:
        return _owed_at_end(record), []
    may_ask = 0
    for seat in range(record.start.seats):
        try:
            return seat, list(advisor().list_moves(pb.ListMovesRequest(position=record.start, seat=seat)).moves)
        except AdvisorError as error:
            may_ask = may_ask if error.violations else seat
    return may_ask, []


def _owed_at_end(record: position_pb2.Record) -> int:
    for seat in range(record.start.seats):
        request = pb.AdviseRequest(record=record, seat=seat)
        request.limits.simulations = 1
        try:
            advisor().prepare(request)
        except AdvisorError:
            continue
        return seat
    return 0

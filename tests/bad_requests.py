"""Requests that are wrong, each with the status and the paths of all fields at fault."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message
from wire import CLEAR, Append, Game, edit, new, observe, over, play, play_game

from advisor.v1 import advisor_service_pb2 as pb
from advisor.v1 import ocean_pb2, position_pb2

INVALID = grpc.StatusCode.INVALID_ARGUMENT
PRECONDITION = grpc.StatusCode.FAILED_PRECONDITION

P = "position"
O = "position.ocean"  # noqa: E741
T = "position.ocean.table"
R = "position.ocean.referee"
K = "position.ocean.seat_knowledge"
BIG = 2**31 - 1
LOW = -(2**31)


@cache
def pick() -> position_pb2.Position:
    """Round 3 of 4 players, seats 0 and 3 have picked."""
    return play(new(), 14, 3)


@cache
def place() -> position_pb2.Position:
    """Round 3 of 4 players, seats 1 and 3 have placed."""
    return play(new(), 18, 3)


@cache
def targets() -> position_pb2.Position:
    """Round 4 of 2 players with targets, nobody has decided."""
    return play(new(2, "targets", promo=True), 12, 3)


@cache
def finished() -> position_pb2.Position:
    return over(new(2, "targets"))


@cache
def seen() -> position_pb2.Position:
    """The first one as seat 1 sees it, which has not picked."""
    return observe(pick(), 1)


@cache
def seen_committed() -> position_pb2.Position:
    """The first one as seat 0 sees it, which has picked."""
    return observe(pick(), 0)


@cache
def seen_targets() -> position_pb2.Position:
    return observe(targets(), 1)


@dataclass(frozen=True)
class Case:
    """A request that is wrong.

    `paths` are the fields at fault, below which others may be named too; None where no field is.
    """

    name: str
    rpc: str
    request: Message
    paths: list[str] | None
    code: grpc.StatusCode = INVALID
    reason: str = "INVALID_REQUEST"


Edits = dict[str, Any]
Base = Callable[[], position_pb2.Position]


def ask(rpc: str, position: position_pb2.Position, seat: int) -> Message:
    """A sound request of that RPC but for what its name says about the position."""
    kind: Callable[..., Message] = getattr(pb, f"{rpc}Request")
    return kind(position=position, seat=seat)


def advise(edits: Edits, paths: list[str], base: Base = pick, seat: int = 1) -> Case:
    return changed("Advise", edits, paths, base, seat)


def changed(rpc: str, edits: Edits, paths: list[str], base: Base = pick, seat: int = 1) -> Case:
    request = ask(rpc, base(), seat)
    for path, value in edits.items():
        edit(request, path, value)
    shown = ", ".join(f"{path}={_shown(value)}" for path, value in edits.items())
    return Case(f"{rpc} {base.__name__}: {shown}", rpc, request, paths)


def set_up(edits: Edits, paths: list[str], request: pb.NewPositionRequest | None = None) -> Case:
    asked = pb.NewPositionRequest()
    asked.CopyFrom(new() if request is None else request)
    for path, value in edits.items():
        edit(asked, path, value)
    shown = ", ".join(f"{path}={_shown(value)}" for path, value in edits.items())
    return Case(f"NewPosition: {shown}", "NewPosition", asked, paths)


def _shown(value: Any) -> str:
    if value is CLEAR:
        return "-"
    if isinstance(value, list) and value and isinstance(value[0], position_pb2.Move):
        return "/".join(one.notation or "typed" for one in value)
    text = ascii(str(value).replace("\n", " "))
    return text if len(text) <= 40 else f"{text[:40]}... ({len(text)})"


def envelope() -> Iterator[Case]:
    """The part of a position that is the same for all games."""
    for rpc in ("Observe", "ListMoves", "Advise", "ChooseMove"):
        kind: Callable[..., Message] = getattr(pb, f"{rpc}Request")
        yield Case(f"{rpc}: empty", rpc, kind(), ["position"])
        yield Case(f"{rpc}: empty position", rpc, kind(position=position_pb2.Position()), ["position.game"])
        for seat in (-1, 4, BIG, LOW):
            yield changed(rpc, {"seat": seat}, ["seat"])
        yield changed(rpc, {"seat": 0}, ["seat"], seen)
    yield Case("ApplyMove: empty", "ApplyMove", pb.ApplyMoveRequest(), ["position", "move"])
    for game in ("", "chess", "Ocean", "ocean ", "x" * 10_000, "\x00", "oc\u00e9an"):
        yield advise({f"{P}.game": game}, [f"{P}.game"])
    for variant in ("TARGETS", "advanced", "x" * 10_000, " "):
        yield advise({f"{P}.variant": variant}, [f"{P}.variant"])
    for seats in (0, 1, 5, -1, BIG, LOW):
        yield advise({f"{P}.seats": seats}, [f"{P}.seats"])
    for events in (-1, 1_000_001, 2**63 - 1, -(2**63)):
        yield advise({f"{P}.chance_events": events}, [f"{P}.chance_events"])
    for digest in ("0", "G" * 64, "0" * 63, "0" * 65, "A" * 64, "\u0660" * 64):
        yield advise({f"{P}.catalogue.digest": digest}, [f"{P}.catalogue.digest"])
    yield advise({O: CLEAR}, [O])
    yield advise({f"{P}.other": AnyMessage(type_url="x/y", value=b"z")}, [f"{P}.other"])
    yield advise(
        {f"{P}.seats": 9, f"{P}.variant": "x", f"{P}.chance_events": -3, "seat": -1, "limits.simulations": 0},
        [f"{P}.variant", f"{P}.seats", f"{P}.chance_events", "seat", "limits.simulations"],
    )


def preconditions() -> Iterator[Case]:
    """Sound requests that this server, or this moment of the game, cannot serve."""
    for path, value in (("id", "nobodys"), ("digest", "0" * 64), ("id", "x" * 5000)):
        for rpc in ("Observe", "ListMoves", "Advise", "ChooseMove"):
            request = ask(rpc, pick(), 1)
            edit(request, f"{P}.catalogue.{path}", value)
            yield Case(f"{rpc}: catalogue {path} {value[:9]}", rpc, request, None, PRECONDITION, "CATALOGUE_NOT_HELD")
        setting = new()
        edit(setting, f"catalogue.{path}", value)
        yield Case(f"NewPosition: {path} {value[:9]}", "NewPosition", setting, None, PRECONDITION, "CATALOGUE_NOT_HELD")
        game = pb.GetGameRequest(game="ocean")
        edit(game, f"catalogue.{path}", value)
        yield Case(f"GetGame: {path} {value[:9]}", "GetGame", game, None, PRECONDITION, "CATALOGUE_NOT_HELD")
    for rpc in ("ListMoves", "Advise", "ChooseMove"):
        yield Case(f"{rpc}: over", rpc, ask(rpc, finished(), 0), None, PRECONDITION, "GAME_OVER")
        request = ask(rpc, observe(finished(), 1), 1)
        yield Case(f"{rpc}: over, seen", rpc, request, None, PRECONDITION, "GAME_OVER")
        request = ask(rpc, pick(), 0)
        yield Case(f"{rpc}: committed", rpc, request, None, PRECONDITION, "NO_DECISION_OWED")
        request = ask(rpc, seen_committed(), 0)
        yield Case(f"{rpc}: committed, seen", rpc, request, None, PRECONDITION, "NO_DECISION_OWED")
    for base, seat, reason in ((finished, 0, "GAME_OVER"), (pick, 0, "NO_DECISION_OWED")):
        request = ask("ApplyMove", base(), seat)
        edit(request, "move.notation", "pick 1")
        yield Case(f"ApplyMove: {reason}", "ApplyMove", request, None, PRECONDITION, reason)


def setups() -> Iterator[Case]:
    """Games that cannot be set up, and games that are asked for and unknown."""
    for game in ("", "go", "OCEAN"):
        yield Case(f"GetGame: {game!r}", "GetGame", pb.GetGameRequest(game=game), ["game"])
    yield Case("NewPosition: empty", "NewPosition", pb.NewPositionRequest(), ["game"])
    for game in ("chess", "x" * 1000):
        yield set_up({"game": game}, ["game"])
    for variant in ("promo", "Base"):
        yield set_up({"variant": variant}, ["variant"])
    for seats in (0, 1, 5, 12, -4, BIG, LOW):
        yield set_up({"seats": seats}, ["seats"])
    for seat in (-1, 4, BIG):
        yield set_up({"first_seat": seat}, ["first_seat"])
    for name in ("topology", "passing", "target_match"):
        for number in (4, 99, -1, BIG):
            yield set_up({f"rules.ocean.{name}": number}, [f"rules.ocean.{name}"])
    yield set_up({"rules.ocean.promo": True}, ["rules.ocean.promo"])
    yield set_up({"rules.other": AnyMessage(type_url="x/y")}, ["rules.other"])
    yield set_up({"catalogue.digest": "zz"}, ["catalogue.digest"])
    yield set_up(
        {"variant": "x", "seats": 7, "first_seat": -1, "rules.ocean.passing": 9, "catalogue.digest": "zz"},
        ["variant", "seats", "first_seat", "rules.ocean.passing", "catalogue.digest"],
    )


def budgets() -> Iterator[Case]:
    """Limits and options out of range."""
    for value in (0, -1, 1_000_000_001, 2**63 - 1, -(2**63)):
        yield advise({"limits.simulations": value}, ["limits.simulations"])
    for value in (0, -1, 1001, BIG, LOW):
        yield advise({"limits.depth": value}, ["limits.depth"])
        yield advise({"options.max_moves": value}, ["options.max_moves"])
    for value in (0, -1, 65_535, (1 << 30) + 1, 2**63 - 1):
        yield advise({"limits.memory_bytes": value}, ["limits.memory_bytes"])
    for value in (0, -1, 65, BIG):
        yield advise({"options.trees": value}, ["options.trees"])
    for value in (0, -1, 17, BIG):
        yield advise({"options.threads": value}, ["options.threads"])
    for seconds, nanos in (
        (0, 0), (-1, 0), (0, -1), (601, 0), (600, 1), (1, -1), (-1, 1), (0, 1_000_000_000), (0, BIG), (2**62, 0),
        (315_576_000_001, 0), (LOW, LOW),
    ):  # fmt: skip
        yield advise({"limits.time.seconds": seconds, "limits.time.nanos": nanos}, ["limits.time"])
    for value in (7, 99, -1, BIG):
        yield advise({"options.algorithm": value}, ["options.algorithm"])
        yield advise({"options.objective": value}, ["options.objective"])
    yield advise({"limits.memory_bytes": 65_536, "options.trees": 64}, ["limits.memory_bytes"])
    for number in (0.0, 0.4999, 0.9991, 1.0, -1.0, 95.0, float("nan"), float("inf")):
        yield advise({"options.confidence": number}, ["options.confidence"])


def wanted() -> Iterator[Case]:
    """Moves that are asked for or refused and cannot be."""
    held = [f"pick {card}" for card in pick().ocean.referee.seats[1].hand]
    foreign = pick().ocean.referee.seats[2].hand[0]

    def moves(*notations: str) -> list[position_pb2.Move]:
        return [position_pb2.Move(notation=notation) for notation in notations]

    for name in ("allow_moves", "avoid_moves", "report_moves"):
        here = f"options.{name}"
        for text in ("pick 40", f"pick {foreign}", "place 0,1", "take 3"):
            for rpc in ("Advise", "ChooseMove"):
                if (rpc, name) != ("ChooseMove", "report_moves"):
                    yield changed(rpc, {here: moves(held[0], held[1], text)}, [f"{here}[2].notation"])
        yield advise({here: moves(held[0], "")}, [f"{here}[1]"])
        yield advise({here: moves(f"pick {foreign}")}, [f"{here}[0].notation"], seen)
        typed = [position_pb2.Move(ocean=ocean_pb2.OceanMove(pick=ocean_pb2.OceanPick(card=foreign)))]
        yield advise({here: typed}, [f"{here}[0].ocean.pick.card"])
    yield advise(
        {"options.allow_moves": moves(held[0]), "options.avoid_moves": moves(held[1])}, ["options.avoid_moves"]
    )
    yield advise({"options.avoid_moves": moves(*held)}, ["options.avoid_moves"])
    yield advise({"options.avoid_moves": moves(*held, held[0])}, ["options.avoid_moves"], seen)
    report = {"options.report_moves": moves(held[2], held[1])}
    excluded = ["options.report_moves[1].notation"]
    yield advise({**report, "options.allow_moves": moves(held[2])}, excluded)
    yield advise({**report, "options.avoid_moves": moves(held[1])}, excluded)


def watching() -> Iterator[Case]:
    """Advice that is to be watched, and cannot be."""
    sound = pb.WatchAdviceRequest(advise=pb.AdviseRequest(position=pick(), seat=1))
    yield Case("WatchAdvice: empty", "WatchAdvice", pb.WatchAdviceRequest(), ["advise.position"])
    for seconds, nanos in ((0, 0), (0, 19_999_999), (60, 1), (61, 0), (-1, 0), (1, -1), (2**62, 0)):
        request = pb.WatchAdviceRequest()
        request.CopyFrom(sound)
        request.interval.seconds, request.interval.nanos = seconds, nanos
        yield Case(f"WatchAdvice: interval {seconds} s {nanos} ns", "WatchAdvice", request, ["interval"])
    for path, value in (
        ("advise.seat", 9), ("advise.limits.simulations", 0), ("advise.options.trees", 0),
        ("advise.position.game", "chess"), ("advise.position.ocean.table.round", 0),
    ):  # fmt: skip
        request = pb.WatchAdviceRequest()
        request.CopyFrom(sound)
        edit(request, path, value)
        yield Case(f"WatchAdvice: {path}", "WatchAdvice", request, [path])
    committed = pb.WatchAdviceRequest(advise=pb.AdviseRequest(position=pick(), seat=0))
    yield Case("WatchAdvice: committed", "WatchAdvice", committed, None, PRECONDITION, "NO_DECISION_OWED")


def choosing() -> Iterator[Case]:
    """A computer opponent that cannot be."""
    for level in (0, 11, -1, BIG, LOW):
        yield changed("ChooseMove", {"level": level}, ["level"])
    for name, value in (
        ("algorithm", 1), ("objective", 2), ("trees", 2), ("threads", 1), ("seed", 3), ("max_moves", 5),
        ("confidence", 0.9),
    ):  # fmt: skip
        yield changed("ChooseMove", {f"options.{name}": value}, [f"options.{name}"])
        yield changed("ChooseMove", {"level": 3, f"options.{name}": value}, [f"options.{name}"], seen)
    yield changed("ChooseMove", {"limits.simulations": 0}, ["limits.simulations"])
    yield changed("ChooseMove", {"limits.simulations": 9, "options.trees": 0}, ["options.trees"])
    yield changed("ChooseMove", {"limits.simulations": 9, "options.seed": 2, "seed": 3}, ["seed"])
    for seconds in (0, -1, 601, BIG):
        yield changed("ChooseMove", {"turn_time.seconds": seconds}, ["turn_time"])


@cache
def played() -> Game:
    """The game that leads to the first position."""
    return play_game(new(), 14, 3)


def records() -> Iterator[Case]:
    """Records that nothing can have led to."""
    whole, seat_1 = played().record(), played().seen_by(1)
    own = next(i for i, step in enumerate(seat_1.steps) if step.HasField("move"))
    reveal = next(i for i, step in enumerate(seat_1.steps) if step.event.ocean.HasField("revealed"))

    def case(name: str, record: position_pb2.Record, edits: Edits, paths: list[str], seat: int = 1) -> Case:
        request = pb.AdviseRequest(record=record, seat=seat)
        for path, value in edits.items():
            edit(request, path, value)
        return Case(f"record: {name}", "Advise", request, paths)

    first = "record.steps[0].move"
    yield case("and a position", whole, {"position": pick()}, ["record"])
    yield case("empty", position_pb2.Record(), {}, ["record.start"])
    yield case("no start", whole, {"record.start": CLEAR}, ["record.start"])
    yield case("chess", whole, {"record.start.game": "chess"}, ["record.start.game"])
    yield case("wrong start", whole, {"record.start.ocean.table.round": 0}, ["record.start.ocean.table.round"])
    yield case("another's seat", seat_1, {}, ["seat"], 2)
    yield case("no such seat", whole, {}, ["seat"], 4)
    yield case("empty step", whole, {"record.steps[3]": position_pb2.RecordStep()}, ["record.steps[3]"])
    for seat in (-1, 4, BIG):
        yield case(f"step of seat {seat}", whole, {f"{first}.seat": seat}, [f"{first}.seat"])
    for text in ("pick 40", "place 0,1", "x"):
        edits = {f"{first}.move": position_pb2.Move(notation=text)}
        yield case(f"step {text}", whole, edits, [f"{first}.move.notation"])
    yield case("no move", whole, {f"{first}.move": CLEAR}, [f"{first}.move"])
    yield case("empty move", whole, {f"{first}.move": position_pb2.Move()}, [f"{first}.move"])
    twice = position_pb2.Record(start=whole.start, steps=[whole.steps[0], whole.steps[0]])
    yield case("twice", twice, {}, ["record.steps[1].move.seat"])
    late = play_game(new(2), 34).record()
    late.steps.append(late.steps[0])
    yield case("after the end", late, {}, ["record.steps[34].move.seat"])
    eventful = position_pb2.Record(start=whole.start, steps=[seat_1.steps[reveal]])
    yield case("event for a referee", eventful, {}, ["record.steps[0].event"])
    yield case(
        "too many", position_pb2.Record(start=whole.start, steps=[whole.steps[0]] * 10_001), {}, ["record.steps"]
    )
    other = {f"record.steps[{own}].move.seat": 2}
    yield case("another's move", seat_1, other, [f"record.steps[{own}].move.seat"])
    card = f"record.steps[{reveal}].event.ocean.revealed.moves[0].move"
    yield case("revealed 40", seat_1, {f"{card}.pick.card": 40}, [card])
    yield case("private", seat_1, {f"record.steps[{reveal}].event.private_to": 2},
               [f"record.steps[{reveal}].event.private_to"])  # fmt: skip
    yield case("no event", seat_1, {f"record.steps[{reveal}].event": position_pb2.Event()},
               [f"record.steps[{reveal}].event.ocean"])  # fmt: skip
    cut = position_pb2.Record(start=seat_1.start, steps=seat_1.steps[: reveal + 1])
    yield case("what follows is missing", cut, {}, [f"record.steps[{reveal}].event"])
    choice = pb.ChooseMoveRequest(record=twice, seat=1)
    yield Case("ChooseMove: record twice", "ChooseMove", choice, ["record.steps[1].move.seat"])


def tables() -> Iterator[Case]:
    """The public part of a position of ocean."""
    for name in ("topology", "passing", "target_match"):
        for number in (4, 77, -5):
            yield advise({f"{O}.rules.{name}": number}, [f"{O}.rules.{name}"])
    yield advise({f"{O}.rules.promo": True}, [f"{O}.rules.promo"])
    yield advise({f"{O}.table": CLEAR}, [T])
    for number in (0, -1, 10, BIG, LOW):
        yield advise({f"{T}.round": number}, [f"{T}.round"])
    for number in (0, 4, -1, BIG):
        yield advise({f"{T}.phase": number}, [f"{T}.phase"])
    yield advise({f"{T}.seats": CLEAR}, [f"{T}.seats"])
    yield advise({f"{T}.seats": Append()}, [f"{T}.seats"])
    for seat in range(4):
        here = f"{T}.seats[{seat}]"
        for size in (0, 7, 9, -1, 11, BIG):
            yield advise({f"{here}.hand_size": size}, [f"{here}.hand_size"])
        yield advise({f"{here}.revealed_card": 3}, [f"{here}.revealed_card"])
        yield advise({f"{here}.targets": [1, 2]}, [f"{here}.targets"])
        for card in (-1, 40, BIG, LOW):
            yield advise({f"{here}.ocean[0].card": card}, [f"{here}.ocean[0].card"])
        yield changed("Observe", {f"{here}.revealed_card": CLEAR}, [f"{here}.revealed_card"], place)
        yield changed("Observe", {f"{here}.revealed_card": 40}, [f"{here}.revealed_card"], place)


def oceans() -> Iterator[Case]:
    """Oceans that no play could make."""
    here = f"{T}.seats[2].ocean"
    two = list(pick().ocean.table.seats[2].ocean)
    for x, y in ((9, 0), (0, -9), (BIG, 0), (0, LOW)):
        edits = {f"{here}[1].cell.x": x, f"{here}[1].cell.y": y, f"{here}[0].cell.x": 0, f"{here}[0].cell.y": 0}
        axis = "x" if abs(x) > 8 else "y"
        yield advise(edits, [f"{here}[1].cell.{axis}"])
    far = {f"{here}[0].cell.x": 0, f"{here}[0].cell.y": 0, f"{here}[1].cell.x": 3, f"{here}[1].cell.y": 0}
    yield advise(far, [f"{here}[1].cell"])
    diagonal = {**far, f"{here}[1].cell.x": 1, f"{here}[1].cell.y": 1}
    yield advise(diagonal, [f"{here}[1].cell"])
    same = {**far, f"{here}[1].cell.x": 0}
    yield advise(same, [f"{here}[1].cell"])
    yield advise({f"{here}[1]": CLEAR}, [here])
    yield advise({here: CLEAR}, [here])
    yield advise({here: [*two, *two, *two, *two, *two]}, [here])


def secrets() -> Iterator[Case]:
    """What a referee knows."""
    yield advise({f"{R}.seats": CLEAR}, [f"{R}.seats"])
    yield advise({f"{R}.seats": Append()}, [f"{R}.seats"])
    yield advise({f"{R}.seats[3]": CLEAR}, [f"{R}.seats"])
    for seat in range(4):
        hand = f"{R}.seats[{seat}].hand"
        yield advise({hand: CLEAR}, [hand], seat=2)
        yield advise({f"{hand}[1]": 40}, [f"{hand}[1]"], seat=2)
        yield advise({f"{hand}[1]": -1}, [f"{hand}[1]"], seat=2)
        yield advise({f"{R}.seats[{seat}].targets": [0, 1]}, [f"{R}.seats[{seat}].targets"], seat=2)
    twice = pick().ocean.referee.seats[1].hand[0]
    yield advise({f"{R}.seats[2].hand[0]": twice}, [f"{R}.seats[2].hand[0]"])
    undealt_to_3 = pick().ocean.referee.seats[3].hand[0]
    placed = pick().ocean.table.seats[0].ocean[0].card
    yield advise({f"{R}.seats[2].hand[0]": placed}, [f"{R}.seats[2].hand[0]"])
    yield advise({f"{R}.seats[3].hand": Append(undealt_to_3)}, [f"{R}.seats[3].hand"])
    yield advise({f"{R}.seats[0].commitment": CLEAR}, [f"{R}.seats[0].commitment"])
    yield advise({f"{R}.seats[0].commitment": ocean_pb2.OceanMove()}, [f"{R}.seats[0].commitment"])
    yield advise({f"{R}.seats[0].commitment.pick.card": 40}, [f"{R}.seats[0].commitment"])
    yield advise({f"{R}.seats[0].commitment.pick.card": twice}, [f"{R}.seats[0].commitment"])
    yield advise({f"{R}.seats[0].commitment.place.cell.x": 1}, [f"{R}.seats[0].commitment"])
    yield advise({f"{R}.seats[1].commitment.pick.card": twice}, [f"{R}.seats[1].commitment"])
    yield advise({f"{T}.seats[0].committed": False}, [f"{R}.seats[0].commitment"])
    yield advise({f"{T}.seats[1].committed": True}, [f"{R}.seats[1].commitment"])
    yield changed("Observe", {f"{R}.seats[1].commitment.place.cell.x": 8}, [f"{R}.seats[1].commitment"], place)
    yield changed("Observe", {f"{R}.seats[1].commitment.place.cell.x": BIG}, [f"{R}.seats[1].commitment"], place)
    yield advise({f"{O}.referee": CLEAR}, [O])
    for value in ([], [1], [1, 2, 3]):
        yield advise({f"{R}.seats[1].targets": value}, [f"{R}.seats[1].targets"], targets)
    for number in (9, -1, BIG):
        yield advise({f"{R}.seats[1].targets[1]": number}, [f"{R}.seats[1].targets[1]"], targets)
    taken = targets().ocean.referee.seats[0].targets[0]
    yield advise({f"{R}.seats[1].targets[0]": taken}, [f"{R}.seats[1].targets[0]"], targets)
    for seat in (0, 1):
        here = f"{T}.seats[{seat}]"
        yield changed("Observe", {f"{here}.targets": [0]}, [f"{here}.targets"], finished)
        yield changed("Observe", {f"{here}.targets": CLEAR}, [f"{here}.targets"], finished)
        yield changed("Observe", {f"{here}.committed": True}, [f"{here}.committed"], finished)
        yield changed("Observe", {f"{R}.seats[{seat}].targets": [0, 1]}, [f"{R}.seats[{seat}].targets"], finished)


def knowledge() -> Iterator[Case]:
    """What one seat claims to know."""
    for seat in (4, -1, BIG):
        yield advise({f"{K}.seat": seat, "seat": 0}, [f"{K}.seat"], seen)
    yield advise({f"{K}.hands": CLEAR}, [f"{K}.hands"], seen)
    yield advise({f"{K}.hands": Append()}, [f"{K}.hands"], seen)
    yield advise({f"{K}.hands[1].cards": CLEAR}, [f"{K}.hands[1].cards"], seen)
    yield advise({f"{K}.hands[1].cards": Append(39)}, [f"{K}.hands[1].cards"], seen)
    yield advise({f"{K}.hands[1].cards[0]": 40}, [f"{K}.hands[1].cards[0]"], seen)
    yield advise({f"{K}.hands[1].cards[0]": -7}, [f"{K}.hands[1].cards[0]"], seen)
    own = seen().ocean.seat_knowledge.hands[1].cards[0]
    yield advise({f"{K}.hands[2].cards": [own]}, [f"{K}.hands[2].cards[0]"], seen)
    unseen = next(seat for seat in range(4) if not seen().ocean.seat_knowledge.hands[seat].cards)
    free = pick().ocean.referee.seats[unseen].hand[0]
    yield advise({f"{K}.hands[{unseen}].cards": [free]}, [f"{K}.hands[{unseen}].cards"], seen)
    yield advise({f"{K}.commitment.pick.card": own}, [f"{K}.commitment"], seen)
    yield advise({f"{K}.targets": [0, 1]}, [f"{K}.targets"], seen)
    yield advise({f"{K}.commitment": CLEAR}, [f"{K}.commitment"], seen_committed, 0)
    yield advise({f"{K}.commitment.pick.card": 40}, [f"{K}.commitment"], seen_committed, 0)
    yield advise({f"{K}.commitment": ocean_pb2.OceanMove()}, [f"{K}.commitment"], seen_committed, 0)
    for value in ([], [1], [1, 1]):
        paths = [f"{K}.targets[1]"] if value == [1, 1] else [f"{K}.targets"]
        yield advise({f"{K}.targets": value}, paths, seen_targets)
    yield advise({f"{K}.targets[0]": 9}, [f"{K}.targets[0]"], seen_targets)


def moves() -> Iterator[Case]:
    """Moves that are none, that contradict themselves, or that are not legal."""
    held = pick().ocean.referee.seats[1].hand
    foreign = pick().ocean.referee.seats[2].hand[0]
    for text in (
        "pick", "pick 40", "pick -1", "pick 1.5", "PICK", "take 3", "pick 99999999999999999999", "place 1", "place 1,",
        "place 9,0", "\x00", "pick \u0663", "x" * 100_000,
    ):  # fmt: skip
        yield changed("ApplyMove", {"move.notation": text}, ["move.notation"])
        yield changed("ApplyMove", {"move.notation": text}, ["move.notation"], seen)
    yield changed("ApplyMove", {}, ["move"])
    yield changed("ApplyMove", {"move": position_pb2.Move()}, ["move"])
    yield changed("ApplyMove", {"move.ocean": ocean_pb2.OceanMove()}, ["move.ocean"])
    yield changed("ApplyMove", {"move.other": AnyMessage(type_url="x/y", value=b"1")}, ["move.other"])
    for card in (40, -1, BIG, foreign):
        yield changed("ApplyMove", {"move.ocean.pick.card": card}, ["move.ocean.pick.card"])
        yield changed("ApplyMove", {"move.ocean.pick.card": card}, ["move.ocean.pick.card"], seen)
    for x in (0, 9, BIG, 5):
        yield changed("ApplyMove", {"move.ocean.place.cell.x": x}, ["move.ocean.place.cell"], place, 0)
    yield changed("ApplyMove", {"move.notation": f"pick {foreign}"}, ["move.notation"])
    yield changed("ApplyMove", {"move.notation": "place 0,1"}, ["move.notation"])
    yield changed(
        "ApplyMove",
        {"move.notation": f"pick {held[0]}", "move.ocean.pick.card": held[1]},
        ["move.notation"],
    )
    yield changed(
        "ApplyMove", {"move.notation": "x", "move.ocean.pick.card": 40}, ["move.ocean.pick.card", "move.notation"]
    )
    for seat in (-1, 4, BIG):
        yield changed("ApplyMove", {"move.notation": "pick 1", "seat": seat}, ["seat"])
    yield changed("ApplyMove", {"move.notation": "pick 1", "seat": 2}, ["seat"], seen)


def reports() -> Iterator[Case]:
    """Events that cannot have been seen."""
    yield changed("ApplyMove", {"events": Append()}, ["events[0].ocean"], seen)
    commit = position_pb2.Event()
    commit.ocean.committed.seat = 2
    moving = position_pb2.Move(notation=f"pick {pick().ocean.referee.seats[1].hand[0]}")
    for name, request, paths in (
        ("alone", pb.ApplyMoveRequest(), ["move"]),
        ("after a move", pb.ApplyMoveRequest(seat=1, move=moving), ["events[0]"]),
    ):
        request.position.CopyFrom(pick())
        request.events.append(commit)
        yield Case(f"ApplyMove: events on a referee's position {name}", "ApplyMove", request, paths)

    def report(name: str, paths: list[str], *events: position_pb2.Event) -> Case:
        return Case(f"report {name}", "ApplyMove", pb.ApplyMoveRequest(position=seen(), events=events), paths)

    def event(path: str, value: Any) -> position_pb2.Event:
        made = position_pb2.Event()
        edit(made, path, value)
        return made

    for seat in (-1, 4, BIG):
        path = "events[0].ocean.committed.seat"
        yield report(f"commit of {seat}", [path], event("ocean.committed.seat", seat))
    yield report("commit of a seat that has", ["events[0].ocean.committed.seat"], event("ocean.committed.seat", 0))
    yield report("private to another", ["events[0].private_to"], _private(commit, 3))
    yield report("another game", ["events[0].other"], event("other", AnyMessage(type_url="x/y", value=b"1")))
    yield report("nothing", ["events[0].ocean"], event("ocean", ocean_pb2.OceanEvent()))
    yield report("pass to nowhere", ["events[0].ocean.passed.direction"], event("ocean.passed.direction", 0))
    yield report("unknown direction", ["events[0].ocean.passed.direction"], event("ocean.passed.direction", 7))
    moves_path = "events[0].ocean.revealed.moves"
    no_move = event("ocean.revealed.moves", Append())
    yield report("reveal without a move", [f"{moves_path}[0].move"], no_move)
    yield report("too many", ["events"], *([commit] * 1001))


def _private(event: position_pb2.Event, seat: int) -> position_pb2.Event:
    copy = position_pb2.Event()
    copy.CopyFrom(event)
    copy.private_to = seat
    return copy


def cases() -> list[Case]:
    """All of them; names are unique."""
    families = (
        envelope, preconditions, setups, budgets, wanted, watching, choosing, records, tables, oceans, secrets,
        knowledge, moves, reports,
    )  # fmt: skip
    return [case for family in families for case in family()]

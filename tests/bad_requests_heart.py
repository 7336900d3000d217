"""Requests about heart that are wrong, each with the status and the paths of all fields at fault."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from bad_requests import BIG, LOW, PRECONDITION, Case, Edits, ask, changed, set_up
from wire import CLEAR, Append, Game, advisor, edit, new, new_heart, observe, play_game

from advisor.v1 import advisor_service_pb2 as pb
from advisor.v1 import heart_pb2, position_pb2

H = "position.heart"
T = "position.heart.table"
MOST_DECISIONS = 2_000


def at(phase: str, seed: int = 1) -> position_pb2.Position:
    """The first position of a random game, behind its first rounds, that asks for such a decision."""
    rng = random.Random(seed)
    begun = advisor().new_position(new_heart(seed=seed))
    position, status = begun.position, begun.status
    wanted = heart_pb2.HeartPhase.Value(f"HEART_PHASE_{phase}")
    for number in range(MOST_DECISIONS):
        if number > 24 and position.heart.table.phase == wanted:
            return position
        assert not status.over, phase
        moves = advisor().list_moves(pb.ListMovesRequest(position=position, seat=status.pending[0])).moves
        request = pb.ApplyMoveRequest(position=position, seat=status.pending[0], move=rng.choice(moves))
        played = advisor().apply_move(request)
        position, status = played.position, played.status
    raise AssertionError(phase)


@cache
def taking() -> position_pb2.Position:
    return at("TAKE")


@cache
def placing() -> position_pb2.Position:
    return at("PLACE")


@cache
def swimming() -> position_pb2.Position:
    return at("SWIM")


@cache
def taking_seen() -> position_pb2.Position:
    """The first one as the seat sees it that is to take."""
    return observe(taking(), turn(taking()))


@cache
def due_seen() -> position_pb2.Position:
    """What its seat sees when it has taken the last tile of a column."""
    for seed in range(1, 40):
        position = at("TAKE", seed)
        seat, columns = turn(position), position.heart.table.columns
        lasts = [number for number, column in enumerate(columns) if len(column.tiles) == 1]
        if lasts and sum(entry.count for entry in position.heart.table.pile) > 9:
            request = pb.ApplyMoveRequest(position=observe(position, seat), seat=seat)
            request.move.notation = f"take {lasts[0]}"
            return advisor().apply_move(request).position
    raise AssertionError("no column has one tile")


@cache
def due() -> position_pb2.Position:
    """The same as a referee knows it."""
    position = position_pb2.Position()
    position.CopyFrom(due_seen())
    position.heart.referee.SetInParent()
    return position


def turn(position: position_pb2.Position) -> int:
    return position.heart.table.turn


def first(position: position_pb2.Position) -> str:
    """The notation of a legal move."""
    moves = advisor().list_moves(pb.ListMovesRequest(position=position, seat=turn(position))).moves
    return moves[0].notation


def wrong(edits: Edits, paths: list[str], base: Callable[[], position_pb2.Position] = taking) -> Case:
    return changed("Observe", edits, paths, base, turn(base()))


def envelope() -> Iterator[Case]:
    """The part around the position."""
    yield wrong({"position.variant": "targets"}, ["position.variant"])
    for seats in (1, 5, BIG):
        yield wrong({"position.seats": seats}, ["position.seats"])
    yield wrong({H: CLEAR}, [H])
    yield wrong({"position.ocean.table.round": 1}, ["position.ocean"])
    yield wrong({"position.game": "ocean"}, ["position.heart"])
    yield wrong({f"{H}.referee": CLEAR}, [H])
    yield wrong({f"{T}": CLEAR}, [T])
    for seat in (3, -1, BIG):
        yield wrong({f"{H}.seat_knowledge.seat": seat}, [f"{H}.seat_knowledge.seat"], taking_seen)
    for seat in (-1, 3, BIG):
        yield set_up({"first_seat": seat}, ["first_seat"], new_heart())
    yield set_up({"rules.ocean.promo": True}, ["rules.ocean"], new_heart())
    yield set_up({"rules.heart.mirror_patterns": True}, ["rules.heart"], new())
    yield set_up({"variant": "targets"}, ["variant"], new_heart())


def tables() -> Iterator[Case]:
    """Tables that no game could come to."""
    seat = f"{T}.seats[0]"
    for number in (0, 11, -1, BIG):
        yield wrong({f"{T}.phase": number}, [f"{T}.phase"])
    for name in ("first_player", "turn"):
        for value in (3, -1, BIG, CLEAR):
            yield wrong({f"{T}.{name}": value}, [f"{T}.{name}"])
    yield wrong({f"{T}.seats[2]": CLEAR}, [f"{T}.seats"])
    yield wrong({f"{T}.seats": Append()}, [f"{T}.seats"])
    yield wrong({f"{seat}.habitat": CLEAR}, [f"{seat}.habitat"])
    for kind in (90, -1, BIG):
        yield wrong({f"{seat}.habitat[0].tile": kind}, [f"{seat}.habitat[0].tile"])
        yield wrong({f"{T}.columns[1].tiles": [kind]}, [f"{T}.columns[1].tiles[0]"])
    for turns in (4, -1, BIG):
        yield wrong({f"{seat}.habitat[0].rotation": turns}, [f"{seat}.habitat[0].rotation"])
    for manatees in (5, -1, BIG):
        yield wrong({f"{seat}.habitat[0].manatees": manatees}, [f"{seat}.habitat[0].manatees"])
    for x in (91, -91, BIG, LOW):
        yield wrong({f"{seat}.habitat[0].cell.x": x}, [f"{seat}.habitat[0].cell.x"])
    yield wrong({f"{seat}.photos": [24]}, [f"{seat}.photos[0]"])
    for kind in (24, -1):
        yield wrong({f"{T}.open_photos[0]": kind}, [f"{T}.open_photos[0]"])
    for value in (20, -1, BIG):
        yield wrong({f"{T}.die_face": value}, [f"{T}.die_face"])
    yield wrong({f"{T}.shark.seat": 3}, [f"{T}.shark.seat"])
    yield wrong({f"{T}.shark.cell.x": 60}, [f"{T}.shark.cell"])
    yield wrong({f"{T}.columns[3]": CLEAR}, [f"{T}.columns"])
    yield wrong({f"{T}.columns": Append()}, [f"{T}.columns"])
    for supply in (29, -1, BIG):
        yield wrong({f"{T}.supply": supply}, [f"{T}.supply"])
    last = len(taking().heart.table.pile)
    yield wrong({f"{T}.pile": Append()}, [f"{T}.pile[{last}].count"])
    for count in (0, -1, 91):
        yield wrong({f"{T}.pile[0].count": count}, [f"{T}.pile[0].count"])
        yield wrong({f"{T}.photo_deck[0].count": count}, [f"{T}.photo_deck[0].count"])
    for name in ("refill_column", "action_column"):
        yield wrong({f"{T}.{name}": 0}, [f"{T}.{name}"])
    yield wrong({f"{T}.tile_in_hand": CLEAR}, [f"{T}.tile_in_hand", f"{T}.pile"], placing)
    yield wrong({f"{T}.action_column": CLEAR}, [f"{T}.action_column"], placing)
    for left in (1, -1, BIG):
        yield wrong({f"{T}.swims_left": left}, [f"{T}.swims_left"])
    for left in (0, -1, BIG):
        yield wrong({f"{T}.swims_left": left}, [f"{T}.swims_left"], swimming)
    yield wrong({f"{T}.swum": Append()}, [f"{T}.swum[0]"])
    yield wrong({f"{T}.swum_on_starting_tile": 5}, [f"{T}.swum_on_starting_tile"], swimming)
    yield wrong({f"{T}.trigger_seat": 1}, [f"{T}.trigger_seat"])
    yield wrong({f"{T}.turns_left": 1}, [f"{T}.turns_left"])
    yield wrong({f"{T}.refill_column": CLEAR}, [f"{T}.refill_column"], due)


def moves() -> Iterator[Case]:
    """Moves that are none, or not legal."""
    taken = {"seat": turn(taking())}
    for text in ("take", "take 4", "take -1", "place 0,1", "place 91,0 r0", "swim 0,0", "shark 9:0,0", "photo 24", "x"):
        yield changed("ApplyMove", {"move.notation": text, **taken}, ["move.notation"], taking)
    for text in ("discard", "decline", "place 0,1 r0", "swim 0,0 1,0", "shark 0:1,0", "photo 0"):
        yield changed("ApplyMove", {"move.notation": text, **taken}, ["move.notation"], taking)
    yield changed("ApplyMove", {"move.heart": heart_pb2.HeartMove(), **taken}, ["move.heart"], taking)
    yield changed("ApplyMove", {"move.ocean.pick.card": 1, **taken}, ["move.ocean"], taking)
    for column in (4, -1, BIG):
        yield changed("ApplyMove", {"move.heart.take.column": column, **taken}, ["move.heart.take.column"], taking)
    placed = {"seat": turn(placing())}
    for field, value in (("rotation", 4), ("cell.x", 91), ("cell.x", 0), ("cell.y", LOW)):
        yield changed("ApplyMove", {f"move.heart.place.{field}": value, **placed}, ["move.heart.place"], placing)
    for field in ("discard", "decline", "swim", "shark"):
        yield changed("ApplyMove", {f"move.heart.{field}": _empty(field), **placed}, [f"move.heart.{field}"], placing)


def _empty(field: str) -> Any:
    return type(getattr(heart_pb2.HeartMove(), field))()


def event(name: str, **said: Any) -> position_pb2.Event:
    return position_pb2.Event(heart=heart_pb2.HeartEvent(**{name: said}))


def chances() -> Iterator[Case]:
    """Outcomes of chance that cannot be."""
    table = due().heart.table
    column, tile = table.refill_column, table.pile[0].tile
    gone = next(kind for kind in range(90) if kind not in [entry.tile for entry in table.pile])
    drawn = event("tile_drawn", tile=tile, column=column)

    def given(name: str, paths: list[str], *events: position_pb2.Event) -> Case:
        return Case(f"chance {name}", "ApplyMove", pb.ApplyMoveRequest(position=due(), events=events), paths)

    here = "events[0].heart"
    yield given("of another kind", [here], event("die_rolled", face=0))
    yield given("of no kind", [here], event("tile_drawn", tile=BIG, column=column))
    yield given("that is gone", [here], event("tile_drawn", tile=gone, column=column))
    yield given("elsewhere", [f"{here}.tile_drawn.column"], event("tile_drawn", tile=tile, column=(column + 1) % 4))
    yield given("decided by a seat", [here], event("declined", seat=0))
    yield given("that follows by rule", ["events[1].heart"], drawn, event("ended", reason="HEART_END_REASON_NO_TILES"))
    yield given("of ocean", ["events[0].ocean"], position_pb2.Event(ocean={"committed": {"seat": 1}}))
    yield given("private", ["events[0].private_to"], position_pb2.Event(private_to=1, heart=drawn.heart))
    yield given("without a reason", [f"{here}.ended.reason"], event("ended"))
    yield given("empty", ["events[0].heart"], position_pb2.Event(heart=heart_pb2.HeartEvent()))
    surplus = pb.ApplyMoveRequest(position=placing(), seat=turn(placing()), events=[event("first_drawn", seat=0)])
    yield Case("chance: no move", "ApplyMove", pb.ApplyMoveRequest(position=taking(), events=[drawn]), ["move"])
    surplus.move.notation = first(placing())
    yield Case("chance: not due", "ApplyMove", surplus, ["events[0]"])
    for base in (due, due_seen):
        for rpc in ("ListMoves", "Advise", "ChooseMove"):
            request = ask(rpc, base(), turn(base()))
            yield Case(f"{rpc} {base.__name__}", rpc, request, None, PRECONDITION, "CHANCE_DUE")
        request = ask("ApplyMove", base(), turn(base()))
        edit(request, "move.notation", "take 0")
        yield Case(f"ApplyMove {base.__name__}", "ApplyMove", request, None, PRECONDITION, "CHANCE_DUE")


def reports() -> Iterator[Case]:
    """Events that cannot have been seen."""
    seat = turn(taking())
    tile = next(column.tiles[0] for column in taking().heart.table.columns if column.tiles)

    def report(name: str, paths: list[str], *events: position_pb2.Event) -> Case:
        request = pb.ApplyMoveRequest(position=taking_seen(), events=events)
        return Case(f"report {name}", "ApplyMove", request, paths)

    here = "events[0].heart"
    yield report("by another", [f"{here}.taken.seat"], event("taken", seat=(seat + 1) % 3, column=0, tile=tile))
    yield report("with another tile", [f"{here}.taken.tile"], event("taken", seat=seat, column=0, tile=BIG))
    yield report("of a column", [f"{here}.taken.column"], event("taken", seat=seat, column=4, tile=tile))
    yield report("of another kind", [f"{here}.placed"], event("placed", seat=seat))
    yield report("of chance", [f"{here}.die_rolled"], event("die_rolled", face=0))
    yield report("by rule", [f"{here}.reshuffled"], event("reshuffled", tiles=3))
    yield report("empty", [here], position_pb2.Event(heart=heart_pb2.HeartEvent()))


@cache
def played() -> Game:
    return play_game(new_heart(), 30, 3)


def records() -> Iterator[Case]:
    """Records that nothing can have led to."""
    whole, seen = played().record(), played().seen_by(1)
    chance = next(i for i, step in enumerate(whole.steps) if step.HasField("chance"))
    move = next(i for i, step in enumerate(whole.steps) if step.HasField("move") and i > chance)

    def case(name: str, record: position_pb2.Record, edits: Edits, paths: list[str]) -> Case:
        request = pb.AdviseRequest(record=record, seat=1)
        for path, value in edits.items():
            edit(request, path, value)
        return Case(f"record: {name}", "Advise", request, paths)

    here = f"record.steps[{chance}].chance"
    for text in ("", "tile", "tile 90", "pick 3", "first 0"):
        yield case(f"outcome {text!r}", whole, {f"{here}.outcome": text}, [f"{here}.outcome"])
    yield case("chance left out", whole, {f"record.steps[{chance}]": CLEAR}, [f"record.steps[{chance}].move.seat"])
    twice = position_pb2.RecordStep(chance={"outcome": "tile 0"})
    extra = position_pb2.Record(start=whole.start, steps=[twice])
    yield case("chance that is not due", extra, {}, ["record.steps[0].chance"])
    moved = {f"record.steps[{chance}]": whole.steps[move]}
    yield case("a move while chance is due", whole, moved, [f"record.steps[{chance}].move.seat"])
    other = position_pb2.Record(start=seen.start, steps=[twice])
    yield case("chance that was seen", other, {}, ["record.steps[0].chance"])


def cases() -> list[Case]:
    """All of them; names are unique."""
    families = (envelope, tables, moves, chances, reports, records)
    return [replace(case, name=f"heart: {case.name}") for family in families for case in family()]

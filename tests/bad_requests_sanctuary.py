"""Requests about sanctuary that are wrong, each with the status and the paths of all fields at fault."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from bad_requests import BIG, LOW, PRECONDITION, Base, Case, Edits, ask, changed, set_up
from wire import CLEAR, Append, Game, advisor, edit, new, new_sanctuary, observe, play_game

from advisor.v1 import advisor_service_pb2 as pb
from advisor.v1 import position_pb2, sanctuary_pb2

S = "position.sanctuary"
T = "position.sanctuary.table"
R = "position.sanctuary.referee"
K = "position.sanctuary.seat_knowledge"
MOST_GAMES = 200
POWER_CAP = sanctuary_pb2.SANCTUARY_CHALLENGE_POWER_CAP
ME = 1
"""Whose observations these are, if no other seat is named."""


def at(
    phase: str, seed: int = 1, request: pb.NewPositionRequest | None = None, number: int = 2, committed: int = 0
) -> position_pb2.Position:
    """The first position of a random game, or of the next, in this phase of a round, so many having committed."""
    wanted = sanctuary_pb2.SanctuaryPhase.Value(f"SANCTUARY_PHASE_{phase}")
    asked = pb.NewPositionRequest()
    asked.CopyFrom(new_sanctuary() if request is None else request)
    for asked.seed in range(seed, seed + MOST_GAMES):
        rng = random.Random(asked.seed)
        begun = advisor().new_position(asked)
        position, status = begun.position, begun.status
        while not status.over:
            table = position.sanctuary.table
            there = sum(seat.committed for seat in table.seats)
            if (table.round, table.phase, there) == (number, wanted, committed):
                return position
            # Who is looked at commits last.
            seat = rng.choice([seat for seat in status.pending if seat != ME] or status.pending)
            moves = advisor().list_moves(pb.ListMovesRequest(position=position, seat=seat)).moves
            played = advisor().apply_move(pb.ApplyMoveRequest(position=position, seat=seat, move=rng.choice(moves)))
            position, status = played.position, played.status
    raise AssertionError(phase)


@cache
def splitting() -> position_pb2.Position:
    """Round 2 of 3 players, one seat has split its hand, seat 1 has not."""
    return at("SPLIT", committed=1)


@cache
def choosing() -> position_pb2.Position:
    """Round 2, one seat has chosen, seat 1 has not."""
    return at("CHOOSE", committed=1)


@cache
def playing() -> position_pb2.Position:
    """Round 2, every seat has played tops and bottoms."""
    found = (at("PLAY", seed) for seed in range(1, MOST_GAMES))
    return next(p for p in found if all(seat.tops and seat.sanctuary for seat in p.sanctuary.table.seats))


@cache
def returning() -> position_pb2.Position:
    return at("RETURN")


@cache
def feeding() -> position_pb2.Position:
    return at("FEED")


@cache
def picking() -> position_pb2.Position:
    """Alone, in the second round."""
    return at("PICK", request=new_sanctuary(1, "solo"))


@cache
def discarding() -> position_pb2.Position:
    return at("DISCARD", request=new_sanctuary(1, "solo", challenge=POWER_CAP))


@cache
def scrambling() -> position_pb2.Position:
    """Two bags and round bonuses."""
    return at("PLAY", request=new_sanctuary(7, "scramble", round_bonuses=True))


@cache
def splitting_seen() -> position_pb2.Position:
    return observe(splitting(), ME)


@cache
def choosing_seen() -> position_pb2.Position:
    return observe(choosing(), ME)


@cache
def playing_seen() -> position_pb2.Position:
    return observe(playing(), turn(playing()))


@cache
def picking_seen() -> position_pb2.Position:
    return observe(picking(), 0)


def turn(position: position_pb2.Position) -> int:
    return position.sanctuary.table.turn


@cache
def due_seen() -> position_pb2.Position:
    """What its seat sees when it has played a top and a manatee is to be drawn."""
    for seed in range(1, MOST_GAMES):
        position = at("PLAY", seed)
        seat = turn(position)
        request = pb.ApplyMoveRequest(position=observe(position, seat), seat=seat)
        for move in advisor().list_moves(pb.ListMovesRequest(position=position, seat=seat)).moves:
            request.move.CopyFrom(move)
            seen = advisor().apply_move(request).position
            if seen.sanctuary.table.draws_left > 1:
                return seen
    raise AssertionError("no top draws two manatees")


@cache
def due() -> position_pb2.Position:
    """The same as a referee knows it."""
    seen = due_seen()
    seat, seats = seen.sanctuary.seat_knowledge.seat, seen.seats
    for seed in range(1, MOST_GAMES):
        before = at("PLAY", seed)
        if turn(before) == seat and before.chance_events == seen.chance_events:
            break
    position = position_pb2.Position()
    position.CopyFrom(before)
    position.sanctuary.table.CopyFrom(seen.sanctuary.table)
    secrets = position.sanctuary.referee.seats
    (card,) = _less(secrets[seat].hand, seen.sanctuary.seat_knowledge.hand)
    secrets[seat].hand.remove(card)
    for other, known in (((seat - 1) % seats, "left_hand"), ((seat + 1) % seats, "right_hand")):
        cards = getattr(secrets[other], known)
        if card in cards:
            cards.remove(card)
    assert observe(position, seat) == seen
    return position


def _less(cards: Any, gone: Any) -> list[int]:
    left = list(cards)
    for card in gone:
        left.remove(card)
    return left


def first(position: position_pb2.Position, seat: int) -> str:
    """The notation of a legal move."""
    return advisor().list_moves(pb.ListMovesRequest(position=position, seat=seat)).moves[0].notation


def wrong(edits: Edits, paths: list[str], base: Base = playing, seat: int | None = None) -> Case:
    observer = base().sanctuary.seat_knowledge.seat if base().sanctuary.HasField("seat_knowledge") else 0
    return changed("Observe", edits, paths, base, observer if seat is None else seat)


def begun(edits: Edits, paths: list[str], request: pb.NewPositionRequest, what: str = "") -> Case:
    case = set_up(edits, paths, request)
    return replace(case, name=f"{case.name} of {request.game} {request.variant}{what}")


def envelope() -> Iterator[Case]:
    """The part around the position, and what is set up."""
    yield wrong({"position.variant": "targets"}, ["position.variant"])
    for seats in (0, 1, 7, -1, BIG):
        yield wrong({"position.seats": seats}, ["position.seats"])
    for seats in (0, 2, 12):
        yield wrong({"position.seats": seats}, ["position.seats"], picking)
    for seats in (6, 13):
        yield wrong({"position.seats": seats}, ["position.seats"], scrambling)
    yield wrong({S: CLEAR}, [S])
    yield wrong({"position.heart.table.turn": 1}, ["position.heart"])
    yield wrong({"position.game": "heart"}, ["position.sanctuary"])
    yield wrong({R: CLEAR}, [S])
    yield wrong({T: CLEAR}, [T])
    for seat in (3, -1, BIG):
        yield wrong({f"{K}.seat": seat}, [f"{K}.seat"], splitting_seen, ME)
    for seats in (1, 7, 0, -1, BIG):
        yield begun({"seats": seats}, ["seats"], new_sanctuary())
    for seats in (0, 2, 12):
        yield begun({"seats": seats}, ["seats"], new_sanctuary(1, "solo"))
    for seats in (1, 2, 6, 13):
        yield begun({"seats": seats}, ["seats"], new_sanctuary(7, "scramble"))
    for seats in (1, 13):
        yield begun({"seats": seats, "variant": "scramble"}, ["seats"], new_sanctuary(allow_small_scramble=True))
    for seat in (-1, 3, BIG):
        yield begun({"first_seat": seat}, ["first_seat"], new_sanctuary())
    yield begun({"first_seat": 1}, ["first_seat"], new_sanctuary(1, "solo"))
    yield begun({"rules.heart.mirror_patterns": True}, ["rules.heart"], new_sanctuary())
    yield begun({"rules.sanctuary.round_bonuses": True}, ["rules.sanctuary"], new())
    yield begun({"variant": "targets"}, ["variant"], new_sanctuary())
    for name, most in (("play_order", 2), ("challenge", 9)):
        for number in (most + 1, -1, BIG):
            yield begun({f"rules.sanctuary.{name}": number}, [f"rules.sanctuary.{name}"], new_sanctuary(1, "solo"))
    for cap in (1000, -1, BIG):
        yield begun({"rules.sanctuary.food_cap": cap}, ["rules.sanctuary.food_cap"], new_sanctuary())
        yield wrong({f"{S}.rules.food_cap": cap}, [f"{S}.rules.food_cap"])
    challenged = {"rules.sanctuary.challenge": POWER_CAP}
    yield begun(challenged, ["rules.sanctuary.challenge"], new_sanctuary())
    alone = new_sanctuary(1, "solo", round_bonuses=True)
    yield begun(challenged, ["rules.sanctuary.challenge"], alone, ", with round bonuses")
    yield wrong({f"{S}.rules.challenge": POWER_CAP}, [f"{S}.rules.challenge"])
    yield wrong({f"{S}.rules.play_order": 9}, [f"{S}.rules.play_order"])


def tables() -> Iterator[Case]:
    """Tables that no game could come to."""
    seat = f"{T}.seats[0]"
    for number in (0, 4, -1, BIG):
        yield wrong({f"{T}.round": number}, [f"{T}.round"])
    for number in (0, 12, -1, BIG):
        yield wrong({f"{T}.phase": number}, [f"{T}.phase"])
    for value in (3, -1, BIG, CLEAR):
        yield wrong({f"{T}.turn": value}, [f"{T}.turn"])
    yield wrong({f"{T}.turn": 1}, [f"{T}.turn"], splitting)
    yield wrong({f"{T}.seats[2]": CLEAR}, [f"{T}.seats"])
    yield wrong({f"{T}.seats": Append()}, [f"{T}.seats"])
    for points in (10_000, -10_000, BIG, LOW):
        yield wrong({f"{seat}.score": points}, [f"{seat}.score"])
    for food in (10_000, -1, BIG):
        yield wrong({f"{seat}.food": food}, [f"{seat}.food"])
    for colour, most in (("gray", 80), ("pink", 30), ("yellow", 20)):
        for manatees in (-1, most + 1, BIG):
            yield wrong({f"{seat}.manatees.{colour}": manatees}, [f"{seat}.manatees.{colour}"])
            yield wrong({f"{T}.bags[0].{colour}": manatees}, [f"{T}.bags[0].{colour}"])
    yield wrong({f"{T}.bags[0].gray": 1}, [f"{T}.bags"])
    yield wrong({f"{T}.bags": Append()}, [f"{T}.bags"])
    yield wrong({f"{T}.bags": []}, [f"{T}.bags"])
    yield wrong({f"{T}.bags[1]": CLEAR}, [f"{T}.bags"], scrambling)
    yield wrong({f"{T}.newcomers.gray": -1}, [f"{T}.newcomers.gray"])
    yield wrong({f"{T}.newcomers": CLEAR}, [f"{T}.bags", f"{T}.newcomers"], returning)
    for kind in (63, -1, BIG):
        yield wrong({f"{seat}.tops[0]": kind}, [f"{seat}.tops[0]"])
    card = placed(playing())
    for kind in (63, -1, BIG):
        yield wrong({f"{card}.card": kind}, [f"{card}.card"])
    for turns in (4, -1, BIG):
        yield wrong({f"{card}.rotation": turns}, [f"{card}.rotation"])
    for x in (25, -25, BIG, LOW):
        yield wrong({f"{card}.cell.x": x}, [f"{card}.cell.x"])
    yield wrong({f"{card}.cell": CLEAR}, [f"{card}.cell"])
    for size in (9, -1, BIG):
        yield wrong({f"{seat}.hand_size": size}, [f"{seat}.hand_size"])
    yield wrong({f"{seat}.hand_size": 4}, [f"{seat}.hand_size"], splitting)
    yield wrong({f"{seat}.hand_size": 1}, [f"{seat}.hand_size"], choosing)
    yield wrong({f"{seat}.committed": True}, [f"{seat}.committed"])
    yield wrong({f"{seat}.smaller_stack": 1}, [f"{seat}.smaller_stack"])
    for size in (0, 3, -1, BIG):
        yield wrong({f"{T}.seats[1].smaller_stack": size}, [f"{T}.seats[1].smaller_stack"], choosing)
    for draws in (1, 50, -1, BIG):
        yield wrong({f"{T}.draws_left": draws}, [f"{T}.draws_left"])
    for draws in (0, 50):
        yield wrong({f"{T}.draws_left": draws}, [f"{T}.draws_left"], due)
    yield wrong({f"{T}.bonuses": [1, 2, 3]}, [f"{T}.bonuses"])
    yield wrong({f"{T}.bonuses": [1, 2]}, [f"{T}.bonuses"], scrambling)
    for kind_of_bonus in (10, -1, BIG):
        yield wrong({f"{T}.bonuses[1]": kind_of_bonus}, [f"{T}.bonuses[1]"], scrambling)
    yield wrong({f"{T}.drawn": [3]}, [f"{T}.drawn"])
    yield wrong({f"{T}.discards": [3]}, [f"{T}.discards"])
    yield wrong({f"{T}.drawn[1]": CLEAR}, [f"{T}.drawn"], picking)
    yield wrong({f"{T}.drawn[0]": 63}, [f"{T}.drawn[0]"], picking)
    yield wrong({f"{T}.discards[0]": CLEAR}, [f"{T}.discards"], picking)
    for steps in (1, -1):
        yield wrong({f"{T}.token": steps}, [f"{T}.token"])
    for steps in (11, -11, BIG):
        yield wrong({f"{T}.token": steps}, [f"{T}.token"], picking)
    for name in ("strongest_discarded", "sent_back"):
        yield wrong({f"{T}.{name}": True}, [f"{T}.{name}"])
    yield wrong({f"{T}.strongest_discarded": True}, [f"{T}.strongest_discarded"], discarding)


def placed(position: position_pb2.Position) -> str:
    """The path of a card in a sanctuary that nothing else has been attached to: the one that is farthest away."""
    for seat, entry in enumerate(position.sanctuary.table.seats):
        cards = list(entry.sanctuary)
        if cards:
            farthest = max(range(len(cards)), key=lambda i: abs(cards[i].cell.x) + abs(cards[i].cell.y))
            return f"{T}.seats[{seat}].sanctuary[{farthest}]"
    raise AssertionError("no card is placed")


def secrets() -> Iterator[Case]:
    """Hands, stacks, commitments and knowledge that cannot be."""
    hand = f"{R}.seats[1].hand"
    yield wrong({f"{R}.seats[2]": CLEAR}, [f"{R}.seats"])
    yield wrong({f"{R}.seats": Append()}, [f"{R}.seats"])
    for kind in (63, -1, BIG):
        yield wrong({f"{hand}[0]": kind}, [f"{hand}[0]"])
        yield wrong({f"{K}.hand[0]": kind}, [f"{K}.hand[0]"], splitting_seen)
    yield wrong({f"{hand}[0]": CLEAR}, [hand], splitting)
    yield wrong({f"{hand}": Append(undealt(splitting())[0])}, [hand], splitting)
    yield wrong({f"{K}.hand[0]": CLEAR}, [f"{K}.hand"], splitting_seen)
    yield wrong({f"{K}.left_hand": [0]}, [f"{K}.left_hand"], splitting_seen)
    yield wrong({f"{R}.seats[1].right_hand": [0]}, [f"{R}.seats[1].right_hand"], splitting)
    yield wrong({f"{R}.seats[1].commitment.split.cards": [1]}, [f"{R}.seats[1].commitment"], splitting)
    yield wrong({f"{K}.commitment.split.cards": [1]}, [f"{K}.commitment"], splitting_seen)
    committed = next(seat for seat, entry in enumerate(splitting().sanctuary.table.seats) if entry.committed)
    own = f"{R}.seats[{committed}].commitment"
    missing = next(kind for kind in range(63) if kind not in splitting().sanctuary.referee.seats[committed].hand)
    yield wrong({own: CLEAR}, [own], splitting)
    yield wrong({own: sanctuary_pb2.SanctuaryMove()}, [own], splitting)
    yield wrong({own: sanctuary_pb2.SanctuaryMove(top={"card": 1})}, [own], splitting)
    for cards in ([missing], [], [1, 2, 3], [BIG]):
        yield wrong({own: sanctuary_pb2.SanctuaryMove(split={"cards": cards})}, [own], splitting)
    chosen = next(seat for seat, entry in enumerate(choosing().sanctuary.table.seats) if entry.committed)
    own = f"{R}.seats[{chosen}].commitment"
    for stack in (0, 3):
        yield wrong({own: sanctuary_pb2.SanctuaryMove(choose={"stack": stack})}, [own], choosing)
    yield wrong({f"{R}.seats[1].made": CLEAR}, [f"{R}.seats[1].made"], choosing)
    yield wrong({f"{K}.made": CLEAR}, [f"{K}.made"], choosing_seen)
    yield wrong({f"{K}.offered": CLEAR}, [f"{K}.offered"], choosing_seen)
    yield wrong({f"{K}.offered.smaller": []}, [f"{K}.offered.smaller"], choosing_seen)
    yield wrong({f"{K}.made.larger[0]": 63}, [f"{K}.made.larger[0]"], choosing_seen)
    yield wrong({f"{R}.seats[1].made.smaller": [0]}, [f"{R}.seats[1].made"], splitting)
    yield wrong({f"{K}.offered.smaller": [0]}, [f"{K}.offered"], splitting_seen)


def moves() -> Iterator[Case]:
    """Moves that are none, or not legal."""
    mine = {"seat": turn(playing())}

    def noted(text: str, base: Base = playing, seat: int | None = None) -> Case:
        edits = {"move.notation": text, "seat": turn(base()) if seat is None else seat}
        return changed("ApplyMove", edits, ["move.notation"], base)

    for text in (
        "split", "split 180", "split 1,2,3", "split -1", "keep", "keep both", "pick", "discard x", "top", "top 180",
        "top 1 2", "bottom 1 0,1", "bottom 1 25,0 r0", "bottom 1 0,1 r4", "return 1,2", "return 161,0,0",
        "return 1,-1,0", "take 2", "x", "top \u0661",
    ):  # fmt: skip
        yield noted(text)
    gone = next(kind for kind in range(63) if kind not in playing().sanctuary.referee.seats[turn(playing())].hand)
    for text in (
        f"top {gone}", f"bottom {gone} 0,-1 r0", "bottom 0 0,0 r0", "bottom 0 24,24 r0", "split 1", "keep larger",
        "pick 1", "discard 1", "decline", "return 0,0,1",
    ):  # fmt: skip
        yield noted(text)
    yield noted("keep smaller", splitting, ME)
    yield noted("split 1", choosing, ME)
    yield noted("return 0,0,0", returning)
    yield noted("return 0,0,0", feeding)
    yield noted("return 160,60,40", feeding)
    yield noted("pick 62", picking, 0)
    yield noted("discard 62", discarding, 0)
    yield changed("ApplyMove", {"move.sanctuary": sanctuary_pb2.SanctuaryMove(), **mine}, ["move.sanctuary"], playing)
    yield changed("ApplyMove", {"move.heart.take.column": 1, **mine}, ["move.heart"], playing)
    for card in (180, -1, BIG, gone):
        yield changed("ApplyMove", {"move.sanctuary.top.card": card, **mine}, ["move.sanctuary.top.card"], playing)
        edits = {"move.sanctuary.bottom.card": card, "move.sanctuary.bottom.cell.y": -1, **mine}
        yield changed("ApplyMove", edits, ["move.sanctuary.bottom"], playing)
    for field, value in (("rotation", 4), ("cell.x", 25), ("cell.y", LOW)):
        yield changed(
            "ApplyMove", {f"move.sanctuary.bottom.{field}": value, **mine}, ["move.sanctuary.bottom"], playing
        )
    for field in ("pick.card", "discard.card", "send_back.gray"):
        name = "send_back" if field == "send_back.gray" else field
        yield changed("ApplyMove", {f"move.sanctuary.{field}": 1, **mine}, [f"move.sanctuary.{name}"], playing)
    for cards in ([], [1, 2, 3], [-1], [BIG]):
        split: Edits = {"move.sanctuary.split": sanctuary_pb2.SanctuarySplit(cards=cards), "seat": ME}
        yield changed("ApplyMove", split, ["move.sanctuary.split.cards"], splitting)
    for stack in (0, 3, -1):
        choice: Edits = {"move.sanctuary.choose.stack": stack, "seat": ME}
        yield changed("ApplyMove", choice, ["move.sanctuary.choose.stack"], choosing)
    both: Edits = {"move.sanctuary.top.card": 1, "move.notation": "top 2", **mine}
    yield changed("ApplyMove", both, ["move.notation"], playing)


def event(name: str, **said: Any) -> position_pb2.Event:
    return position_pb2.Event(sanctuary=sanctuary_pb2.SanctuaryEvent(**{name: said}))


def chances() -> Iterator[Case]:
    """Outcomes of chance that cannot be."""
    seat = turn(due())
    drawn = event("manatee_drawn", seat=seat, colour="SANCTUARY_COLOUR_GRAY")

    def given(name: str, paths: list[str], *events: position_pb2.Event) -> Case:
        return Case(f"chance {name}", "ApplyMove", pb.ApplyMoveRequest(position=due(), events=events), paths)

    here = "events[0].sanctuary"
    yield given("of another kind", [here], event("card_drawn", card=0))
    yield given("that is a bonus", [here], event("bonus_drawn", bonus=0, round=1))
    yield given("without a colour", [f"{here}.manatee_drawn.colour"], event("manatee_drawn", seat=seat))
    yield given("of no colour", [f"{here}.manatee_drawn.colour"], event("manatee_drawn", seat=seat, colour=4))
    other = event("manatee_drawn", seat=(seat + 1) % 3, colour="SANCTUARY_COLOUR_GRAY")
    yield given("for another", [f"{here}.manatee_drawn.seat"], other)
    yield given("decided by a seat", [here], event("declined"))
    yield given("that follows by rule", ["events[1].sanctuary"], drawn, event("round_begun", round=2))
    yield given("dealt face down", [here], event("card_dealt", seat=0))
    yield given("of ocean", ["events[0].ocean"], position_pb2.Event(ocean={"committed": {"seat": 1}}))
    yield given("private", ["events[0].private_to"], position_pb2.Event(private_to=1, sanctuary=drawn.sanctuary))
    yield given("without a reason", [f"{here}.ended.reason"], event("ended"))
    yield given("empty", [here], position_pb2.Event(sanctuary=sanctuary_pb2.SanctuaryEvent()))
    draws = due().sanctuary.table.draws_left
    yield given("more than there are", [f"events[{draws}]"], *[drawn] * (draws + 2))
    yield Case("chance: no move", "ApplyMove", pb.ApplyMoveRequest(position=playing(), events=[drawn]), ["move"])
    for base in (due, due_seen):
        for rpc in ("ListMoves", "Advise", "ChooseMove"):
            request = ask(rpc, base(), turn(base()))
            yield Case(f"{rpc} {base.__name__}", rpc, request, None, PRECONDITION, "CHANCE_DUE")
        request = ask("ApplyMove", base(), turn(base()))
        edit(request, "move.notation", "top 0")
        yield Case(f"ApplyMove {base.__name__}", "ApplyMove", request, None, PRECONDITION, "CHANCE_DUE")


def dealing() -> Iterator[Case]:
    """Cards that a table cannot have dealt after the last card of a round."""
    position, move = last_of_round()
    seat = turn(position)

    def given(name: str, paths: list[str], *events: position_pb2.Event) -> Case:
        request = pb.ApplyMoveRequest(position=position, seat=seat, move=move, events=events)
        return Case(f"deal: {name}", "ApplyMove", request, paths)

    dealt = [event("card_received", seat=0, card=card) for card in undealt(position)[:2]]
    here = "events[0].sanctuary"
    yield given("face down", [here], event("card_dealt", seat=0))
    yield given("drawn as in solo", [here], event("card_drawn", card=dealt[0].sanctuary.card_received.card))
    other = event("card_received", seat=1, card=dealt[0].sanctuary.card_received.card)
    yield given("to another", [f"{here}.card_received.seat"], other)
    yield given("of no kind", [here], event("card_received", seat=0, card=63))
    gone = next(kind for kind in range(63) if kind not in undealt(position))
    yield given("that is gone", [here], event("card_received", seat=0, card=gone))
    told = position_pb2.Event(private_to=2, sanctuary=dealt[1].sanctuary)
    yield given("told to another", ["events[1].private_to"], dealt[0], told)


@cache
def last_of_round() -> tuple[position_pb2.Position, position_pb2.Move]:
    """A position with one card left to play, and a move after which the next round is dealt at once."""
    for seed in range(1, MOST_GAMES):
        game = play_game(new_sanctuary(seed=seed), 6, seed)
        position, rng = game.end, random.Random(seed)
        while position.sanctuary.table.round == 1:
            (seat,) = advisor().observe(pb.ObserveRequest(position=position, seat=0)).status.pending
            moves = advisor().list_moves(pb.ListMovesRequest(position=position, seat=seat)).moves
            move = rng.choice(moves)
            request = pb.ApplyMoveRequest(position=position, seat=seat, move=move)
            played = advisor().apply_move(request)
            names = [one.sanctuary.WhichOneof("event") for one in played.events]
            if "card_dealt" in names and "manatee_drawn" not in names and not move.notation.startswith("return"):
                return position, move
            position = played.position
    raise AssertionError("no round ends without a draw")


def undealt(position: position_pb2.Position) -> list[int]:
    """The kinds of card of which some are still in the deck."""
    cards = advisor().games.catalogues("sanctuary")[0].content["editions"][0]["cards"]
    left = [card.get("count") or 1 for card in cards]
    table = position.sanctuary.table
    for number, seat in enumerate(table.seats):
        hand = position.sanctuary.referee.seats[number].hand
        for kind in (*seat.tops, *hand, *(one.card for one in seat.sanctuary)):
            left[kind] -= 1
    return [kind for kind, count in enumerate(left) if count]


def reports() -> Iterator[Case]:
    """Events that cannot have been seen."""
    seat = turn(playing())
    mine = playing_seen().sanctuary.seat_knowledge.hand
    foreign = next(kind for kind in range(63) if kind not in mine)

    def report(name: str, paths: list[str], *events: position_pb2.Event, base: Base = playing_seen) -> Case:
        request = pb.ApplyMoveRequest(position=base(), events=events)
        return Case(f"report {name}", "ApplyMove", request, paths)

    here = "events[0].sanctuary"
    yield report("by another", [f"{here}.top_played.seat"], event("top_played", seat=(seat + 1) % 3, card=mine[0]))
    yield report("of a card not held", [f"{here}.top_played.card"], event("top_played", seat=seat, card=foreign))
    yield report("of no card", [f"{here}.top_played.card"], event("top_played", seat=seat, card=BIG))
    nowhere = event("bottom_played", seat=seat, card=mine[0], cell={"x": 24}, flowers=1)
    yield report("of a bottom far away", [f"{here}.bottom_played.cell"], nowhere)
    yield report("of another kind", [f"{here}.committed"], event("committed", seat=seat))
    yield report("of chance", [f"{here}.card_dealt"], event("card_dealt", seat=0))
    yield report("by rule", [f"{here}.fed"], event("fed", seat=seat))
    yield report("empty", [here], position_pb2.Event(sanctuary=sanctuary_pb2.SanctuaryEvent()))
    private = event("card_received", seat=0, card=0)
    private.private_to = 1 - ME
    yield report("private to another", ["events[0].private_to"], private, base=splitting_seen)
    unsplit = event("stacks_offered", smaller_stacks=[1, 1, 1])
    yield report("before the own split", [f"{here}.stacks_offered"], unsplit, base=splitting_seen)
    yield report("of too few stacks", [f"{here}.stacks_chosen.kept[0]"], event("stacks_chosen", kept=[0, 1, 1]),
                 base=choosing_seen)  # fmt: skip
    yield report("of no stack", [f"{here}.stacks_chosen.kept[2]"], event("stacks_chosen", kept=[1, 1, 7]),
                 base=choosing_seen)  # fmt: skip
    committed = next(number for number, entry in enumerate(splitting().sanctuary.table.seats) if entry.committed)
    again = event("committed", seat=committed)
    yield report("of a second commitment", [f"{here}.committed.seat"], again, base=splitting_seen)
    drawn = picking_seen().sanctuary.table.drawn
    neither = next(kind for kind in range(63) if kind not in drawn)
    yield report("of a card not drawn", [f"{here}.picked.card"], event("picked", card=neither, discarded=drawn[0]),
                 base=picking_seen)  # fmt: skip


@cache
def played() -> Game:
    return play_game(new_sanctuary(), 20, 3)


def records() -> Iterator[Case]:
    """Records that nothing can have led to."""
    whole, seen = played().record(), played().seen_by(ME)
    chance = next(i for i, step in enumerate(whole.steps) if step.HasField("chance"))
    move = next(i for i, step in enumerate(whole.steps) if step.HasField("move") and i > chance)

    def case(name: str, record: position_pb2.Record, edits: Edits, paths: list[str]) -> Case:
        request = pb.AdviseRequest(record=record, seat=ME)
        for path, value in edits.items():
            edit(request, path, value)
        return Case(f"record: {name}", "Advise", request, paths)

    here = f"record.steps[{chance}].chance"
    for text in ("", "manatee", "manatee blue", "card 180", "bonus 10", "top 3", "first 0"):
        yield case(f"outcome {text!r}", whole, {f"{here}.outcome": text}, [f"{here}.outcome"])
    yield case("chance left out", whole, {f"record.steps[{chance}]": CLEAR}, [f"record.steps[{move - 1}].move.seat"])
    twice = position_pb2.RecordStep(chance={"outcome": "manatee gray"})
    extra = position_pb2.Record(start=whole.start, steps=[twice])
    yield case("chance that is not due", extra, {}, ["record.steps[0].chance"])
    moved = {f"record.steps[{chance}]": whole.steps[move]}
    yield case("a move while chance is due", whole, moved, [f"record.steps[{chance}].move.seat"])
    other = position_pb2.Record(start=seen.start, steps=[twice])
    yield case("chance that was seen", other, {}, ["record.steps[0].chance"])


FAMILIES: tuple[Callable[[], Iterator[Case]], ...] = (
    envelope, tables, secrets, moves, chances, dealing, reports, records,
)  # fmt: skip


def cases() -> list[Case]:
    """All of them; names are unique."""
    return [replace(case, name=f"sanctuary: {case.name}") for family in FAMILIES for case in family()]

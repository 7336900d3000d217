"""What happens in ocean, as a player sees it: events between two positions, and observations after events.

Events and positions are mappings with the field names of OceanEvent and OceanPosition in advisor/v1/ocean.proto. Enums
are short strings ("LEFT"), moves are notations ("pick 17"), and an event that only one seat sees carries "private_to".
The positions handed in are taken to be sound, as `ext.ocean_position.check` accepts them; events are not.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from typing import Any

from ext import ocean_notation
from ext.errors import Malformed
from ext.ocean_notation import CARDS
from ext.ocean_position import PROMO, ROUNDS, TARGETS, TARGETS_EACH, by_row, direction, is_free_neighbour
from ext.reading import Cell, Faults, Full, shown

Event = dict[str, Any]

_KINDS = ("committed", "revealed", "passed", "received", "ended")


def events(
    before: Mapping[str, Any], seat: int, notation: str, after: Mapping[str, Any], *, passing: str
) -> list[Event]:
    """What happened between two referee's positions when `seat` committed the legal move `notation`.

    `passing` is LEFT, RIGHT or ALTERNATE. In order: committed; when it was the last, revealed with one move a seat;
    when hands then passed, passed and for each seat a private received with ascending cards; when the game then ended,
    ended, with the held targets of each seat if there are any. ValueError for no notation or no passing.
    """
    found: list[Event] = [{"committed": {"seat": seat}}]
    moves: list[str | None] = [secrets.get("commitment") for secrets in before["referee"]["seats"]]
    moves[seat] = notation
    if any(move is None for move in moves):
        return found
    found.append(
        {
            "revealed": {
                "moves": [
                    {"seat": s, "move": ocean_notation.canonical(move)}
                    for s, move in enumerate(moves)
                    if move is not None
                ]
            }
        }
    )
    table = after["table"]
    round = before["table"]["round"]
    if table["phase"] == "OVER":
        held = [sorted(entry.get("targets") or ()) for entry in table["seats"]]
        found.append({"ended": {"targets": [{"targets": targets} for targets in held] if any(held) else []}})
    elif table["round"] != round:
        found.append({"passed": {"direction": direction(passing, round)}})
        for s, secrets in enumerate(after["referee"]["seats"]):
            found.append({"private_to": s, "received": {"seat": s, "cards": sorted(secrets.get("hand") or ())}})
    return found


def commit(observation: Mapping[str, Any], notation: str, *, topology: str | None = None) -> dict[str, Any]:
    """The observation after the observer's own legal move: the seat's flag and its commitment.

    Without `topology` (SQUARE, SQUARE_DIAGONAL or HEX) the observation's own rules tell it, and without those a cell is
    adjacent in every sense of ocean-1. ValueError when the move is not legal, or is made twice: a commit is final.
    """
    seen = _Seen(observation, topology)
    move = ocean_notation.canonical(notation)
    if seen.phase == "OVER":
        raise ValueError("the game is over")
    if seen.committed[seen.observer]:
        raise ValueError(f"seat {seen.observer} has committed, which is final")
    fault = seen.illegal(seen.observer, move)
    if fault is not None:
        raise ValueError(fault)
    seen.committed[seen.observer] = True
    seen.commitment = move
    return seen.dump()


def report(
    observation: Mapping[str, Any],
    events: Sequence[Mapping[str, Any]],
    *,
    seats: int,
    passing: str,
    variant: str,
    topology: str | None = None,
    promo: bool | None = None,
) -> dict[str, Any]:
    """The observation after what the observer has seen happen, in order: public events and those private to it.

    `seats` is 2 to 4, `passing` LEFT, RIGHT or ALTERNATE, `variant` "base" or "targets". Without `topology` and
    `promo` the observation's own rules tell them, and without those the widest sense is taken: adjacent in any
    topology, target ids 0 to 8.

    - committed: of another seat once; of the observer's own any number of times, but it does not say which choice, so
      that `commit` comes before it or a revealed with the own move after it.
    - revealed: every other seat once. The own move may be left out once committed; given, it agrees with the
      commitment, or without one is taken as made.
    - After a revealed that makes hands pass: passed, which may be left out, then received with the whole new own hand,
      which may be left out when the observer knows that hand in full. What it knew of other hands moves on with them.
    - After the last revealed: ended; it may be left out in "base".

    Raises `Malformed` with paths like "events[2].revealed.moves[1].move", at most 1,000 faults: first whatever is
    unreadable in any event, or else what is wrong with the first event that cannot have happened. The path is "events"
    when something has to follow the last one.
    """
    reporting = _Reporting(_Seen(observation, topology), seats, passing, variant, promo)
    with suppress(Full):
        reporting.take(events)
    if reporting.faults.found:
        raise Malformed(reporting.faults.found)
    return reporting.seen.dump()


class _Seen:
    """A sound observation, taken apart so that it can change."""

    def __init__(self, observation: Mapping[str, Any], topology: str | None) -> None:
        rules = observation.get("rules")
        self.rules = None if rules is None else deepcopy(dict(rules))
        named = None if rules is None else rules.get("topology") or "SQUARE"
        # The 8 cells around a cell hold the neighbours of every topology.
        self.topology = topology or ("SQUARE" if named == "UNSPECIFIED" else named) or "SQUARE_DIAGONAL"
        table = observation["table"]
        self.round: int = table["round"]
        self.phase: str = table["phase"]
        self.cells: list[dict[Cell, int]] = []
        self.sizes: list[int] = []
        self.committed: list[bool] = []
        self.revealed: list[int | None] = []
        self.open_targets: list[list[int]] = []
        for seat in table["seats"]:
            cells = {}
            for placed in seat.get("ocean") or ():
                fields = placed or {}
                cell = fields.get("cell") or {}
                cells[cell.get("x") or 0, cell.get("y") or 0] = fields.get("card") or 0
            self.cells.append(cells)
            self.sizes.append(seat.get("hand_size") or 0)
            self.committed.append(bool(seat.get("committed")))
            self.revealed.append(seat.get("revealed_card"))
            self.open_targets.append(sorted(seat.get("targets") or ()))
        knowledge = observation["seat_knowledge"]
        self.observer: int = knowledge.get("seat") or 0
        self.targets = sorted(knowledge.get("targets") or ())
        text = knowledge.get("commitment")
        self.commitment = None if text is None else ocean_notation.canonical(text)
        self.hands = [set((hand or {}).get("cards") or ()) for hand in knowledge["hands"]]

    def dump(self) -> dict[str, Any]:
        """The observation in canonical form, every field written out."""
        seats = [
            {
                "ocean": [
                    {"card": cells[cell], "cell": {"x": cell[0], "y": cell[1]}} for cell in sorted(cells, key=by_row)
                ],
                "hand_size": self.sizes[s],
                "committed": self.committed[s],
                "revealed_card": self.revealed[s],
                "targets": list(self.open_targets[s]),
            }
            for s, cells in enumerate(self.cells)
        ]
        observation: dict[str, Any] = {} if self.rules is None else {"rules": self.rules}
        observation["table"] = {"round": self.round, "phase": self.phase, "seats": seats}
        observation["seat_knowledge"] = {
            "seat": self.observer,
            "targets": list(self.targets),
            "commitment": self.commitment,
            "hands": [{"cards": sorted(hand)} for hand in self.hands],
        }
        return observation

    def knows_hand(self, seat: int) -> bool:
        """Whether the observer knows every card of the hand in front of a seat."""
        return len(self.hands[seat]) == self.sizes[seat]

    def elsewhere(self, card: int, seat: int) -> str | None:
        """Where else than in the hand in front of `seat` a card is known to be, or None."""
        for s in range(len(self.cells)):
            if card in self.cells[s].values():
                return f"in the ocean of seat {s}"
            if card == self.revealed[s]:
                return f"revealed by seat {s}"
            if s != seat and card in self.hands[s]:
                return f"in the hand of seat {s}"
        return None

    def illegal(self, seat: int, notation: str) -> str | None:
        """Why a seat cannot have made this choice, as far as the observer knows, or None. The game goes on."""
        move = ocean_notation.parse(notation)
        owed = self.phase.lower()
        if move[0] != owed:
            return f"expected a {owed} in {self.phase}"
        if move[0] == "place":
            cell = move[1], move[2]
            if not is_free_neighbour(self.cells[seat], cell, self.topology):
                return f"expected a free cell adjacent to a card of seat {seat}; {cell[0]},{cell[1]} is not"
            return None
        card = move[1]
        if card in self.hands[seat]:
            return None
        where = self.elsewhere(card, seat)
        if where is not None:
            return f"expected a card of the hand of seat {seat}; {card} is {where}"
        if self.knows_hand(seat):
            return f"expected a card of the hand of seat {seat}; {card} is not in it"
        return None

    def reveal(self, moves: Sequence[str]) -> None:
        """Shows one legal move a seat; nothing passes yet."""
        for s, text in enumerate(moves):
            move = ocean_notation.parse(text)
            if move[0] == "pick":
                self.hands[s].discard(move[1])
                self.sizes[s] -= 1
                if self.round == 1:
                    # The first card is the origin and needs no decision (ocean-2, ocean-3).
                    self.cells[s][0, 0] = move[1]
                else:
                    self.revealed[s] = move[1]
            else:
                card = self.revealed[s]
                assert card is not None
                self.cells[s][move[1], move[2]] = card
                self.revealed[s] = None
            self.committed[s] = False
        self.commitment = None

    def pass_hands(self, way: str) -> None:
        """Hands move on with all that is known of them, and the next round begins."""
        step = 1 if way == "LEFT" else -1
        seats = len(self.hands)
        self.hands = [self.hands[(s - step) % seats] for s in range(seats)]
        self.round += 1
        self.phase = "PICK"


class _Reporting:
    """Events being taken up. Readable ones come out of `read` with every absent field filled in."""

    def __init__(self, seen: _Seen, seats: int, passing: str, variant: str, promo: bool | None) -> None:
        self.seen = seen
        self.seats = seats
        self.passing = passing
        self.with_targets = variant == "targets"
        if promo is None and seen.rules is not None:
            promo = bool(seen.rules.get("promo"))
        self.most_target = TARGETS - 1 if promo is False else PROMO
        self.faults = Faults()
        # Which way hands have passed, as long as "passed", and as long as "received", may still tell of it.
        self.may_pass: str | None = None
        self.may_receive = False
        self.may_end = False
        # The event by which the own choice is known to be made, while it is not known which it is.
        self.announced: str | None = None

    def take(self, events: object) -> None:
        faults = self.faults
        entries = faults.array(events, "events")
        readable = [self.read(event, f"events[{i}]") for i, event in enumerate(entries)]
        if faults.found:
            return
        for i, (kind, event) in enumerate(pair for pair in readable if pair is not None):
            path = f"events[{i}].{kind}"
            {
                "committed": self.take_committed,
                "revealed": self.take_revealed,
                "passed": self.take_passed,
                "received": self.take_received,
                "ended": self.take_ended,
            }[kind](event, path)
            # Later events build on this one: what is wrong with them would only follow from it.
            if faults.found:
                return
        seen = self.seen
        if self.announced is not None:
            faults.add(self.announced, "expected the own choice: commit it first, or report it with the reveal")
        if not seen.knows_hand(seen.observer):
            faults.add("events", f"the received hand must be reported: its {seen.sizes[seen.observer]} cards")
        if self.may_end and self.with_targets:
            faults.add("events", "the end must be reported: the targets that each seat held")

    # Shapes.

    def read(self, event: object, path: str) -> tuple[str, dict[str, Any]] | None:
        faults = self.faults
        if not isinstance(event, Mapping):
            faults.add(path, f"expected a mapping, not {shown(event)}")
            return None
        fields = faults.message(event, path, (*_KINDS, "private_to"))
        if fields.get("private_to") is not None:
            private = faults.integer(fields["private_to"], f"{path}.private_to", 0, self.seats - 1, "a seat")
            if private is not None and private != self.seen.observer:
                faults.add(f"{path}.private_to", f"seat {self.seen.observer} does not see what is private to {private}")
        kinds = [kind for kind in _KINDS if fields.get(kind) is not None]
        if len(kinds) != 1:
            # The faults in a field's own name are told already.
            faults.add(path, f"expected one of {', '.join(_KINDS)}, not {' and '.join(kinds) or 'none'}")
            return None
        kind = kinds[0]
        here = f"{path}.{kind}"
        value = fields[kind]
        if not isinstance(value, Mapping):
            faults.add(here, f"expected a mapping, not {shown(value)}")
            return None
        if kind == "committed":
            return kind, {"seat": self.seat(faults.message(value, here, ("seat",)).get("seat"), f"{here}.seat")}
        if kind == "revealed":
            moves = faults.array(faults.message(value, here, ("moves",)).get("moves"), f"{here}.moves")
            return kind, {"moves": [self.read_move(move, f"{here}.moves[{j}]") for j, move in enumerate(moves)]}
        if kind == "passed":
            way = faults.message(value, here, ("direction",)).get("direction")
            return kind, {"direction": faults.choice(way, f"{here}.direction", ("LEFT", "RIGHT"))}
        if kind == "received":
            received = faults.message(value, here, ("seat", "cards"))
            seat: int | None = self.seen.observer
            if received.get("seat") is not None:
                seat = self.seat(received["seat"], f"{here}.seat")
            entries = faults.array(received.get("cards"), f"{here}.cards")
            cards = [
                faults.integer(card, f"{here}.cards[{k}]", 0, CARDS - 1, "a card") for k, card in enumerate(entries)
            ]
            return kind, {"seat": seat, "cards": cards}
        held = faults.array(faults.message(value, here, ("targets",)).get("targets"), f"{here}.targets")
        return kind, {"targets": [self.read_held(entry, f"{here}.targets[{s}]") for s, entry in enumerate(held)]}

    def seat(self, value: object, path: str) -> int | None:
        return self.faults.integer(value, path, 0, self.seats - 1, "a seat")

    def read_move(self, value: object, path: str) -> tuple[int | None, str | None]:
        faults = self.faults
        if not isinstance(value, Mapping):
            faults.add(path, f"expected a mapping, not {shown(value)}")
            return None, None
        fields = faults.message(value, path, ("seat", "move"))
        seat = self.seat(fields.get("seat"), f"{path}.seat")
        move = fields.get("move")
        if not isinstance(move, str):
            faults.add(f"{path}.move", f"expected a move's notation, not {shown(move)}")
            return seat, None
        try:
            return seat, ocean_notation.canonical(move)
        except ValueError as error:
            faults.add(f"{path}.move", str(error))
            return seat, None

    def read_held(self, value: object, path: str) -> list[int | None]:
        faults = self.faults
        entries = faults.array(faults.message(value, path, ("targets",)).get("targets"), f"{path}.targets")
        return [
            faults.integer(target, f"{path}.targets[{k}]", 0, self.most_target, "a target")
            for k, target in enumerate(entries)
        ]

    # Meaning.

    def take_committed(self, event: dict[str, Any], path: str) -> None:
        seen, seat = self.seen, event["seat"]
        if seen.phase == "OVER":
            self.faults.add(path, "nothing is owed: the game is over")
        elif seat == seen.observer:
            if seen.commitment is None:
                self.announced = f"{path}.seat"
        elif seen.committed[seat]:
            self.faults.add(f"{path}.seat", f"seat {seat} has committed already")
        else:
            seen.committed[seat] = True

    def take_revealed(self, event: dict[str, Any], path: str) -> None:
        faults, seen = self.faults, self.seen
        if seen.phase == "OVER":
            faults.add(path, "nothing is owed: the game is over")
            return
        if not seen.knows_hand(seen.observer):
            faults.add(path, "the received hand must be reported before the next reveal")
            return
        at: dict[int, int] = {}
        moves: dict[int, str] = {}
        picked: dict[str, int] = {}
        for j, (seat, move) in enumerate(event["moves"]):
            here = f"{path}.moves[{j}]"
            if seat in at:
                faults.add(f"{here}.seat", f"expected each seat once; seat {seat} is moves[{at[seat]}] too")
                continue
            at[seat] = j
            if seat == seen.observer and seen.commitment is not None:
                if move != seen.commitment:
                    faults.add(f"{here}.move", f"expected {seen.commitment}, which seat {seat} has committed")
                continue
            fault = seen.illegal(seat, move)
            if fault is not None:
                faults.add(f"{here}.move", fault)
                continue
            moves[seat] = move
        if seen.commitment is not None:
            moves[seen.observer] = seen.commitment
            at.setdefault(seen.observer, -1)
        missing = [s for s in range(self.seats) if s not in at]
        if missing:
            whose = " and ".join(str(s) for s in missing)
            faults.add(f"{path}.moves", f"expected a move of seat {whose}")
        if seen.phase == "PICK":
            # Two hands may each hold a card as far as the observer knows, but only one of them does.
            for seat in sorted(moves, key=at.__getitem__):
                other = picked.setdefault(moves[seat], seat)
                if other != seat:
                    faults.add(f"{path}.moves[{at[seat]}].move", f"seat {other} reveals the same card")
        if faults.found:
            return
        passes = seen.round == 1 or (seen.phase == "PLACE" and seen.round < ROUNDS)
        ends = seen.phase == "PLACE" and seen.round == ROUNDS
        seen.reveal([moves[s] for s in range(self.seats)])
        self.announced = None
        self.may_pass = None
        self.may_receive = False
        if passes:
            self.may_pass = direction(self.passing, seen.round)
            self.may_receive = True
            seen.pass_hands(self.may_pass)
        elif ends:
            seen.phase = "OVER"
            self.may_end = True
        else:
            seen.phase = "PLACE"

    def take_passed(self, event: dict[str, Any], path: str) -> None:
        if self.may_pass is None:
            self.faults.add(path, "hands pass once, after the reveal that ends a round and before they are received")
        elif event["direction"] != self.may_pass:
            self.faults.add(f"{path}.direction", f"expected {self.may_pass} after round {self.seen.round - 1}")
        self.may_pass = None

    def take_received(self, event: dict[str, Any], path: str) -> None:
        faults, seen = self.faults, self.seen
        me = seen.observer
        if event["seat"] != me:
            faults.add(f"{path}.seat", f"expected seat {me}: it does not see what another seat receives")
            return
        if not self.may_receive:
            faults.add(path, "a hand is received once, after the reveal that ends a round")
            return
        cards = event["cards"]
        if len(cards) != seen.sizes[me]:
            faults.add(f"{path}.cards", f"expected {seen.sizes[me]} cards, not {len(cards)}")
        at: dict[int, int] = {}
        for k, card in enumerate(cards):
            here = f"{path}.cards[{k}]"
            where = seen.elsewhere(card, me)
            if card in at:
                faults.add(here, f"expected each card once; {card} is cards[{at[card]}] too")
            elif where is not None:
                faults.add(here, f"expected a card of the hand; {card} is {where}")
            elif seen.knows_hand(me) and card not in seen.hands[me]:
                faults.add(here, f"expected a card of the hand, which is known in full; {card} is not in it")
            at.setdefault(card, k)
        if not faults.found:
            lacking = sorted(seen.hands[me] - at.keys())
            if lacking:
                known = " and ".join(str(card) for card in lacking)
                faults.add(f"{path}.cards", f"expected card {known} too, known to be in this hand")
        if not faults.found:
            seen.hands[me] = set(cards)
            self.may_pass = None
            self.may_receive = False

    def take_ended(self, event: dict[str, Any], path: str) -> None:
        faults, seen = self.faults, self.seen
        if not self.may_end:
            faults.add(path, f"the game ends once, with the placements of round {ROUNDS}")
            return
        held: list[list[int]] = event["targets"]
        if not self.with_targets:
            if held:
                faults.add(f"{path}.targets", "expected none: this game has no targets")
        elif len(held) != self.seats:
            faults.add(f"{path}.targets", f"expected {self.seats} entries, one a seat, not {len(held)}")
        else:
            self.check_held(held, f"{path}.targets")
        if faults.found:
            return
        self.may_end = False
        if self.with_targets:
            seen.open_targets = [sorted(targets) for targets in held]
            seen.targets = []

    def check_held(self, held: list[list[int]], path: str) -> None:
        faults, seen = self.faults, self.seen
        at: dict[int, str] = {}
        for s, targets in enumerate(held):
            here = f"{path}[{s}].targets"
            before = len(faults.found)
            if len(targets) != TARGETS_EACH:
                faults.add(here, f"expected {TARGETS_EACH} target ids, not {len(targets)}")
            for k, target in enumerate(targets):
                if target in at:
                    faults.add(f"{here}[{k}]", f"expected each target once; {target} is at {at[target]} too")
                elif s != seen.observer and target in seen.targets:
                    faults.add(f"{here}[{k}]", f"target {target} is the observer's own")
                at.setdefault(target, f"{here}[{k}]")
            if s == seen.observer and len(faults.found) == before and sorted(targets) != seen.targets:
                own = " and ".join(str(target) for target in seen.targets)
                faults.add(here, f"expected {own}, the observer's own")

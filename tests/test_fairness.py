"""Nobody is advised from what it cannot know: four tests for every game, and planted cheats that each must catch.

(a) What a seat is shown does not depend on what is hidden from it. (b) Advice on a referee's position is advice on the
seat's observation. (c) The worlds of an observation are drawn as often as they are likely. (d) What others do in a
search does not depend on what they cannot know.

Where nothing is hidden (heart) there is still what no position tells, and what nobody knows: the order in which tiles
came to lie, and the future of chance.

A new game is a few lines in GAMES and a subclass of `Case`, which says what only the rules can tell: how to shuffle
what is hidden and which worlds an observation has. Neither may ask the kernel's own sampling.

A check is a function that raises AssertionError. It passes for every game, and it is shown to fail for cheats: kernels
and services changed by a subclass here, and planted faults, which need the build of `make faults` (`make fairness`).
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import random
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import ocean_cases
import pytest
import sanctuary_cases
from differential import house
from reference.ocean import neighbours
from wire import advisor, play_game

from advisor.faults import Faults
from advisor.games import Setup
from advisor.positions import Loaded, read_position, write_position
from advisor.service import Advisor, Prepared
from advisor.v1 import advice_pb2, heart_pb2, ocean_pb2, position_pb2, sanctuary_pb2
from advisor.v1 import advisor_service_pb2 as pb
from ext import heart, ocean, sanctuary
from ext.engine import OBJECTIVES
from ext.game import CHANCE, OVER, Game, Observation, State
from ext.heart import Heart
from ext.mcts import Mcts
from ext.ocean import Ocean
from ext.sanctuary import Sanctuary

Label = Hashable
Reply = tuple[tuple[int, int], ...]
MOST_WORLDS = 10_000
"""That are written down."""
MOST_MOMENTS = 70
"""Of a game."""
MOST_CELLS = 250
"""Of a chi-square test."""
RARE = 0.004
"""Worlds less likely than this are one cell of it."""


class Posterior(NamedTuple):
    """An observation, and how likely its worlds are as far as `lens` tells them apart; found by enumeration.

    A world is a state and the key whose luck it has.
    """

    what: str
    observation: Observation
    weights: dict[Label, float]
    lens: Callable[[State, int], Label]


class Dilemma(NamedTuple):
    """A simultaneous decision in which the others would answer two moves of the observer differently if they saw."""

    game: Game
    observation: Observation
    moves: tuple[int, int]


class Secret(NamedTuple):
    """Two states that differ in what `seat` alone knows, where nothing that others can still score depends on it."""

    game: Game
    states: tuple[State, State]
    seat: int


class Case(ABC):
    """A game as the fairness tests see it: the contract, and what only its rules can tell."""

    def __init__(self, game: Game) -> None:
        self.game = game

    @abstractmethod
    def hide(self, state: State, seat: int, rng: random.Random, commitments_only: bool = False) -> State:
        """Another full state that `seat` cannot tell from this one: everything hidden from it is dealt again."""

    @abstractmethod
    def posteriors(self, states: list[State], rng: random.Random) -> Iterator[Posterior]:
        """Observations made of these states whose worlds were enumerated."""

    def differ(self, one: State, other: State) -> bool:
        """Whether two states that look alike are different all the same."""
        return self.game.key(one) != self.game.key(other)

    def reworded(self, position: position_pb2.Position, rng: random.Random) -> position_pb2.Position:
        """The same position said in other words."""
        return position


class SecretCase(Case):
    """A game in which seats decide at once and hold what others do not see."""

    @abstractmethod
    def knows_moves(self, state: State, seat: int) -> bool:
        """Whether a seat knows what the others may choose from now."""

    def shared(self, states: list[State]) -> list[State]:
        """Those of the states in which seats decide at once."""
        return states

    @staticmethod
    @abstractmethod
    def dilemmas() -> Iterator[Dilemma]:
        """Some dilemmas of the game."""

    @staticmethod
    @abstractmethod
    def secrets() -> Iterator[Secret]:
        """Some secrets of the game."""


# Ocean.


class OceanCase(SecretCase):
    """Hands, commitments and targets; who has held which hand follows from round and passing (ocean-4)."""

    game: Ocean

    def known_hands(self, seat: int, number: int) -> set[int]:
        """The seats whose hands a seat has held itself by this round."""
        n, passing, at = self.game.seats, self.game.rules["passing"], 0
        moved = [at]
        for before in range(1, number):
            at += 1 if passing == "LEFT" or (passing == "ALTERNATE" and before % 2 == 1) else -1
            moved.append(at)
        held = {(seat - shift) % n for shift in moved}
        return {other for other in range(n) if (other - at) % n in held}

    def hide(self, state: State, seat: int, rng: random.Random, commitments_only: bool = False) -> State:
        position = self.game.dump(state)
        table, referee = position["table"], position["referee"]["seats"]
        others = [other for other in range(self.game.seats) if other != seat]
        if not commitments_only:
            known = self.known_hands(seat, table["round"])
            pool = sorted(set(range(40)) - on_table(table) - {card for s in known for card in referee[s]["hand"]})
            rng.shuffle(pool)
            for other in others:
                if other not in known:
                    referee[other]["hand"] = sorted(pool.pop() for _ in range(table["seats"][other]["hand_size"]))
            if self.game.variant == "targets" and table["phase"] != "OVER":
                pool = sorted(set(range(9 if self.game.rules["promo"] else 8)) - set(referee[seat]["targets"]))
                rng.shuffle(pool)
                for other in others:
                    referee[other]["targets"] = sorted(pool.pop() for _ in range(2))
        for other in others:
            if referee[other]["commitment"] is not None:
                referee[other]["commitment"] = rng.choice(self.choices(table, other, referee[other]["hand"]))
        return self.game.load(position)

    def choices(self, table: dict[str, Any], seat: int, hand: list[int]) -> list[str]:
        """What a seat may choose now, by the rules (ocean-2, ocean-3)."""
        if table["phase"] == "PICK":
            return [f"pick {card}" for card in hand]
        taken = {(entry["cell"]["x"], entry["cell"]["y"]) for entry in table["seats"][seat]["ocean"]}
        free = {cell for x, y in taken for cell in neighbours(self.game.rules["topology"], x, y)} - taken
        return [f"place {x},{y}" for x, y in sorted(free)]

    def knows_moves(self, state: State, seat: int) -> bool:
        table = self.game.dump(state)["table"]
        return table["phase"] == "PLACE" or len(self.known_hands(seat, table["round"])) == self.game.seats

    def posteriors(self, states: list[State], rng: random.Random) -> Iterator[Posterior]:
        wanted = {"hands", "commitments", "three cards"} | ({"targets"} if self.game.variant == "targets" else set())
        found: Counter[str] = Counter()
        for state in rng.sample(states, len(states)):
            for seat in self.game.pending(state):
                observation = self.game.observe(state, seat)
                if found["three cards"] < 4:
                    for posterior in self.many_worlds(observation, rng):
                        found["three cards"] += 1
                        yield posterior
                for posterior in self.few_worlds(observation, rng):
                    parts = posterior.what.split("+")
                    if any(found[part] < 4 for part in parts):
                        found.update(parts)
                        yield posterior
                if all(found[part] >= 4 for part in wanted):
                    return

    def few_worlds(self, observation: Observation, rng: random.Random) -> Iterator[Posterior]:
        """Observations of which a few cards are forgotten, so that all worlds can be written down."""
        seen = self.game.dump_observation(observation)
        table, knowledge = seen["table"], seen["seat_knowledge"]
        seat, hands = knowledge["seat"], knowledge["hands"]
        others = [other for other in range(self.game.seats) if other != seat]
        if all(len(hands[other]["cards"]) == table["seats"][other]["hand_size"] for other in others):
            for other in rng.sample(others, min(len(others), rng.choice([1, 2]))):
                for _ in range(rng.choice([1, 2]) if self.game.seats == 4 else 1):
                    hands[other]["cards"].remove(rng.choice(hands[other]["cards"]))
        worlds = self.worlds(seen)
        if worlds is None:
            return
        forgetful = self.game.load_observation(seen)
        # All that is hidden at once if that is possible, else two things at once, else each by itself.
        varied = [part for part in range(3) if len({world[part] for world in worlds}) > 1]
        for size in range(len(varied), 0, -1):
            fitting = []
            for parts in itertools.combinations(varied, size):
                weights: Counter[Label] = Counter(tuple(world[part] for part in parts) for world in worlds)
                if len(weights) <= MOST_CELLS:
                    what = "+".join(("hands", "commitments", "targets")[part] for part in parts)
                    fitting.append(Posterior(what, forgetful, dict(weights), self.lens(seat, parts)))
            yield from fitting
            if fitting and size > 1:
                return

    def lens(self, seat: int, parts: tuple[int, ...]) -> Callable[[State, int], Label]:
        def look(state: State, key: int) -> Label:
            others = [one for s, one in enumerate(self.game.dump(state)["referee"]["seats"]) if s != seat]
            world = (
                tuple(tuple(one["hand"]) for one in others),
                tuple(one["commitment"] for one in others),
                tuple(tuple(one["targets"]) for one in others),
            )
            return tuple(world[part] for part in parts)

        return look

    def worlds(self, seen: dict[str, Any]) -> list[tuple[Label, Label, Label]] | None:
        """Every labelled deal with every choice of those who have committed; None when there are too many."""
        table, knowledge = seen["table"], seen["seat_knowledge"]
        others = [other for other in range(self.game.seats) if other != knowledge["seat"]]
        known = {other: knowledge["hands"][other]["cards"] for other in others}
        missing = [table["seats"][other]["hand_size"] - len(known[other]) for other in others]
        pool = set(range(40)) - on_table(table) - {card for hand in knowledge["hands"] for card in hand["cards"]}
        if math.prod(math.comb(len(pool) - sum(missing[:i]), size) for i, size in enumerate(missing)) > MOST_WORLDS:
            return None
        deals = [
            tuple(tuple(sorted([*known[other], *part])) for other, part in zip(others, dealt, strict=True))
            for dealt in shared_out(sorted(pool), missing)
        ]
        targets: list[Label] = [tuple(() for _ in others)]
        if self.game.variant == "targets":
            left = sorted(set(range(9 if self.game.rules["promo"] else 8)) - set(knowledge["targets"]))
            targets = list(shared_out(left, [2 for _ in others]))
        found: list[tuple[Label, Label, Label]] = []
        for deal in deals:
            choices: list[list[str | None]] = [
                [*self.choices(table, other, list(hand))] if table["seats"][other]["committed"] else [None]
                for other, hand in zip(others, deal, strict=True)
            ]
            if len(deals) * len(targets) * math.prod(map(len, choices)) > MOST_WORLDS:
                return None
            found += [(deal, chosen, held) for chosen in itertools.product(*choices) for held in targets]
        return found

    def many_worlds(self, observation: Observation, rng: random.Random) -> Iterator[Posterior]:
        """Where three cards are that were never seen: in a hand, or not dealt; every deal alike."""
        seen = self.game.dump_observation(observation)
        table, hands = seen["table"], seen["seat_knowledge"]["hands"]
        pool = set(range(40)) - on_table(table) - {card for hand in hands for card in hand["cards"]}
        room = {other: table["seats"][other]["hand_size"] - len(hand["cards"]) for other, hand in enumerate(hands)}
        room = {other: size for other, size in room.items() if size}
        room[-1] = len(pool) - sum(room.values())
        if len(room) < 2 or len(pool) < 8:
            return
        cards = rng.sample(sorted(pool), 3)
        weights: dict[Label, float] = {}
        for places in itertools.product(room, repeat=3):
            left, ways = dict(room), 1.0
            for place in places:
                ways *= left[place]
                left[place] -= 1
            if ways > 0:
                weights[places] = ways

        def look(state: State, key: int) -> Label:
            dealt = self.game.dump(state)["referee"]["seats"]
            return tuple(next((s for s, one in enumerate(dealt) if card in one["hand"]), -1) for card in cards)

        yield Posterior("three cards", observation, weights, look)

    @staticmethod
    def dilemmas() -> Iterator[Dilemma]:
        """Picks of round 8: seat 1 wins with one card if seat 0 leaves it the tiny one, with another if the medium one.

        One scores 16 beside two tiny ones, the other 13 beside two of medium size; of either seat 1 has laid one.
        """
        catalogue = ocean_cases.catalogue({31: "TWO_TINY", 32: "TWO_MEDIUM", 33: "TWO_CORALS"})
        laid: list[dict[tuple[int, int], int]] = [
            {(x, 0): card for x, card in enumerate(cards)}
            for cards in ([7, 8, 9, 10, 11, 12, 13], [0, 1, 14, 2, 26, 3, 4])
        ]
        for topology in ("SQUARE", "HEX"):
            game = Ocean(2, catalogue, {"topology": topology})
            position = ocean_cases.position(game, laid, hands={0: [5, 15, 27], 1: [31, 32, 33]})
            yield Dilemma(game, game.observe(game.load(position), 0), (15, 27))

    @staticmethod
    def secrets() -> Iterator[Secret]:
        """The last pick. Seat 0 has or lacks a use for either card; whatever it holds, others score the same.

        Targets 0 and 2 ask for a card that only seat 0 has yet to place: every other ocean has it, and all other
        targets never match. So who holds target 0 or 2 beside seat 0 scores as much with the one as with the other.
        """
        shapes = dict.fromkeys(range(8), (10, ocean_cases.NEVER))
        shapes[0] = (10, ocean_cases.pattern((0, 0, "TINY")))
        shapes[2] = (10, ocean_cases.pattern((0, 0, "CARNIVORE")))
        conditions = {card: ("EACH_PLANT", "TWO_CORALS", "EACH_SMALL")[card % 3] for card in range(40)}
        laid: list[dict[tuple[int, int], int]] = [
            {(x, 0): card for x, card in enumerate(cards)}
            for cards in (
                [0, 1, 7, 8, 21, 22, 26, 31],
                [2, 3, 9, 10, 15, 23, 27, 38],
                [4, 5, 11, 12, 16, 24, 28, 39],
            )
        ]
        # Of these the other's cards differ in the bits that the planted cheats look at.
        hands = {0: [14, 37], 1: [32, 18], 2: [25, 34]}
        for seats, topology in ((2, "SQUARE"), (3, "HEX"), (3, "SQUARE_DIAGONAL")):
            catalogue = ocean_cases.catalogue(conditions, targets=shapes)
            game = Ocean(seats, catalogue, {"topology": topology}, "targets")
            held = {seat: hands[seat] for seat in range(seats)}
            yield Secret(
                game,
                (
                    game.load(ocean_cases.position(game, laid[:seats], hands=held, targets={0: [0, 1]})),
                    game.load(ocean_cases.position(game, laid[:seats], hands=held, targets={0: [1, 2]})),
                ),
                0,
            )
            committed = [
                ocean_cases.position(
                    game, laid[:seats], hands=held, targets={0: [0, 2]}, commitments={0: f"pick {card}"}
                )
                for card in hands[0]
            ]
            yield Secret(game, (game.load(committed[0]), game.load(committed[1])), 0)


def on_table(table: dict[str, Any]) -> set[int]:
    """The cards that everybody sees."""
    laid = {entry["card"] for seat in table["seats"] for entry in seat["ocean"]}
    return laid | {seat["revealed_card"] for seat in table["seats"] if seat["revealed_card"] is not None}


def shared_out(pool: list[int], sizes: list[int]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Every way to deal so many of a pool to each."""
    if not sizes:
        yield ()
        return
    for part in itertools.combinations(pool, sizes[0]):
        for rest in shared_out([one for one in pool if one not in part], sizes[1:]):
            yield (part, *rest)


# Heart.


class HeartCase(Case):
    """Everything is open but what chance will bring (heart-22). No position tells how it came about."""

    game: Heart

    def hide(self, state: State, seat: int, rng: random.Random, commitments_only: bool = False) -> State:
        """The same position, come about in another way: read from lists in some order, or played in another order."""
        position = self.game.dump(state)
        table = position["table"]
        for held in table["seats"]:
            rng.shuffle(held["habitat"])
            rng.shuffle(held["photos"])
        for name in ("pile", "discards", "open_photos", "photo_deck", "swum"):
            rng.shuffle(table[name])
        return self.game.load(position)

    def differ(self, one: State, other: State) -> bool:
        return bytes(one) != bytes(other)

    def reworded(self, position: position_pb2.Position, rng: random.Random) -> position_pb2.Position:
        """With every list in another order whose order is no matter (heart.proto)."""
        other = position_pb2.Position()
        other.CopyFrom(position)
        table = other.heart.table
        lists: list[Any] = [table.pile, table.discards, table.open_photos, table.photo_deck, table.swum]
        for held in table.seats:
            lists += [held.habitat, held.photos]
        for entries in lists:
            shuffled = rng.sample(list(entries), len(entries))
            del entries[:]
            entries.extend(shuffled)
        return other

    def posteriors(self, states: list[State], rng: random.Random) -> Iterator[Posterior]:
        """The next chance event, drawn by its components; and two tiles in a row."""
        found: Counter[str] = Counter()
        for state in rng.sample(states, len(states)):
            seat = self.game.turn(state)
            ends = [self.game.play(state, seat, move) for move in self.game.moves(state, seat)]
            by_chance = [end for end in ends if self.game.turn(end) == CHANCE]
            if not by_chance:
                continue
            after = rng.choice(by_chance)
            for what, weights, lens in self.futures(self.game.dump(after)["table"]):
                if found[what] < 3:
                    found[what] += 1
                    yield Posterior(what, self.game.observe(after, seat), weights, lens)

    def futures(self, table: dict[str, Any]) -> Iterator[tuple[str, dict[Label, float], Callable[[State, int], Label]]]:
        """What may come: what it is, how likely, and how it is looked up in a world."""
        phase, game = table["phase"], self.game

        def drawn(state: State, key: int) -> str:
            return game.outcome_notation(game.draw(state, key, 0))

        def two_drawn(state: State, key: int) -> tuple[bool, bool]:
            first = game.draw(state, key, 0)
            second = game.draw(game.happen(state, first), key, 0)
            return is_low(first), is_low(second)

        def is_low(outcome: int) -> bool:
            kind = int(game.outcome_notation(outcome).split()[1])
            return kind <= middle

        if phase == "ROLL_DIE":
            faces = enumerate(game.catalogue["die_faces"])
            yield "die", {f"die {i}": float(face.get("count", 1)) for i, face in faces}, drawn
        elif phase == "DRAW_PHOTO":
            yield "photo", {f"photo {one['photo']}": float(one["count"]) for one in table["photo_deck"]}, drawn
        elif phase == "DRAW_TILE":
            pile = {one["tile"]: float(one["count"]) for one in table["pile"]}
            yield "tile", {f"tile {kind}": count for kind, count in pile.items()}, drawn
            middle: int = sorted(pile)[len(pile) // 2]
            low = sum(count for kind, count in pile.items() if kind <= middle)
            high = sum(pile.values()) - low
            if len(table["columns"][table["refill_column"]]["tiles"]) < 2 and min(low, high) > 2:
                both: dict[Label, float] = {(True, True): low * (low - 1), (False, False): high * (high - 1)}
                both |= {(True, False): low * high, (False, True): high * low}
                yield "two tiles", both, two_drawn

    def transpositions(self, states: list[State]) -> Iterator[tuple[State, State]]:
        """Two turns of a seat in either order, other seats' between them: the same position, by the rules."""
        game, rng = self.game, random.Random(8)
        for state in states:
            table = game.dump(state)["table"]
            if table["phase"] != "TAKE" or table["bonus"]:
                continue
            for _ in range(12):
                one, other, *between = rng.sample(range(3), 3)  # The shark's column would roll the die.
                between *= game.seats - 1
                if any(len(table["columns"][c]["tiles"]) <= n for c, n in Counter([one, other, *between]).items()):
                    continue  # There would be a refill.
                turns: dict[int, list[str]] = {}
                first = self.taken(state, [one, *between, other], turns, rng)
                second = self.taken(state, [other, *between, one], turns, rng)
                if first is not None and second is not None and game.dump(first) == game.dump(second):
                    yield first, second

    def taken(self, state: State, columns: list[int], turns: dict[int, list[str]], rng: random.Random) -> State | None:
        """After turns with tiles of these columns, laid where `turns` has them laid already; no swims and no photos."""
        game, laid = self.game, Counter[int]()
        for column in columns:
            seat = game.turn(state)
            state = game.play(state, seat, game.parse(f"take {column}"))
            texts = [game.notation(move) for move in game.moves(state, seat)]
            places = turns.setdefault(column, [])
            if len(places) == laid[column]:
                places.append(rng.choice(texts))
            if places[laid[column]] not in texts:
                return None
            state = game.play(state, seat, game.parse(places[laid[column]]))
            laid[column] += 1
            if game.turn(state) == seat and game.notation(game.moves(state, seat)[-1]) == "decline":
                state = game.play(state, seat, game.moves(state, seat)[-1])
            if game.turn(state) != (seat + 1) % game.seats:
                return None
        return state


# Sanctuary.

Place = tuple[list[int], int]
"""Of a hand or a stack: the cards that a seat knows, and how many it does not."""


class SanctuaryCase(SecretCase):
    """Hands, stacks and commitments, and what others know of hands; all a seat knows of them is of the draft."""

    game: Sanctuary

    def giver(self, seat: int, number: int) -> int:
        """Whose stacks a seat chooses between: the right neighbour's, in round 2 the left one's (sanctuary-4)."""
        return (seat + (1 if number == 2 else -1)) % self.game.seats

    def view(self, position: dict[str, Any], seat: int) -> dict[str, Any]:
        """What a seat knows of a referee's position."""
        table, secrets = position["table"], position["referee"]["seats"]
        offered = None
        if table["phase"] == "CHOOSE" and not self.game.rules["blind_choice"]:
            offered = secrets[self.giver(seat, table["round"])]["made"]
        return {"table": table, "seat_knowledge": {"seat": seat, **secrets[seat], "offered": offered}}

    def places(self, seen: dict[str, Any]) -> dict[int, list[Place]]:
        """Of each other seat its hand, or its smaller and its larger stack."""
        table, knowledge = seen["table"], seen["seat_knowledge"]
        seat, offered, found = knowledge["seat"], knowledge["offered"], {}
        known: dict[int, list[int]] = {other: [] for other in range(self.game.seats)}
        known[(seat + 1) % self.game.seats] += knowledge["left_hand"]
        known[(seat - 1) % self.game.seats] += knowledge["right_hand"]
        for other, held in enumerate(table["seats"]):
            if other == seat:
                continue
            found[other] = [(known[other], held["hand_size"] - len(known[other]))]
            if table["phase"] == "CHOOSE":
                smaller = held["smaller_stack"]
                found[other] = [([], smaller), ([], 5 - smaller)]
                if offered is not None and other == self.giver(seat, table["round"]):
                    found[other] = [(offered["smaller"], 0), (offered["larger"], 0)]
        return found

    def pool(self, seen: dict[str, Any]) -> Counter[int]:
        """The cards that a seat does not see: in the deck and in places of others."""
        editions = self.game.catalogue["editions"][: 2 if self.game.variant == "scramble" else 1]
        cards = [card for edition in editions for card in edition["cards"]]
        left = Counter({kind: card.get("count") or 1 for kind, card in enumerate(cards)})
        table, knowledge = seen["table"], seen["seat_knowledge"]
        for held in table["seats"]:
            left.subtract([entry["card"] for entry in held["sanctuary"]] + held["tops"])
        for name in ("hand", "left_hand", "right_hand"):
            left.subtract(knowledge[name])
        for stacks in (knowledge["made"], knowledge["offered"]):
            if stacks is not None:
                left.subtract(stacks["smaller"] + stacks["larger"])
        assert min(left.values()) >= 0
        return +left

    @staticmethod
    def choices(phase: str, hand: list[int]) -> list[str]:
        """What a seat may choose now, by the rules (sanctuary-4)."""
        if phase == "CHOOSE":
            return ["keep smaller", "keep larger"]
        stacks = {*itertools.combinations(sorted(hand), 1), *itertools.combinations(sorted(hand), 2)}
        return [f"split {','.join(map(str, stack))}" for stack in sorted(stacks)]

    def hide(self, state: State, seat: int, rng: random.Random, commitments_only: bool = False) -> State:
        position = self.game.dump(state)
        table, secrets = position["table"], position["referee"]["seats"]
        seats = self.game.seats
        others = [other for other in range(seats) if other != seat]
        if not commitments_only:
            seen = self.view(position, seat)
            cards = list(self.pool(seen).elements())
            rng.shuffle(cards)
            for other, places in self.places(seen).items():
                dealt = [sorted([*known, *(cards.pop() for _ in range(missing))]) for known, missing in places]
                if table["phase"] == "CHOOSE":
                    secrets[other]["made"] = {"smaller": dealt[0], "larger": dealt[1]}
                else:
                    secrets[other]["hand"] = dealt[0]
            # What the others know of hands is no business of the seat's, not even what they know of its own.
            for holder in range(seats):
                # No card of a hand is known to both neighbours: one has given it, the other has returned it.
                cards = list(secrets[holder]["hand"])
                knowing = {(holder - 1) % seats: "left_hand", (holder + 1) % seats: "right_hand"}
                for other in sorted(knowing, key=lambda other: other != seat):
                    if other == holder:
                        continue
                    # With two seats either neighbour is the left one.
                    name = "left_hand" if seats == 2 else knowing[other]
                    known = secrets[other][name]
                    if other != seat:
                        # It may have forgotten some.
                        known = secrets[other][name] = sorted(rng.sample(cards, rng.randint(0, len(known))))
                    for card in known:
                        cards.remove(card)
        for other in others:
            if secrets[other]["commitment"] is not None:
                secrets[other]["commitment"] = rng.choice(self.choices(table["phase"], secrets[other]["hand"]))
        return self.game.load(position)

    def knows_moves(self, state: State, seat: int) -> bool:
        # What the others choose between, they know: nodes of theirs are one in all worlds where all stacks are open.
        open_stacks = self.game.seats == 2 and not self.game.rules["blind_choice"]
        return bool(open_stacks and self.game.dump(state)["table"]["phase"] == "CHOOSE")

    def shared(self, states: list[State]) -> list[State]:
        return [state for state in states if self.game.dump(state)["table"]["phase"] in ("SPLIT", "CHOOSE")]

    # Worlds.

    def posteriors(self, states: list[State], rng: random.Random) -> Iterator[Posterior]:
        """With few kinds of card: what some others have and have chosen. With many: two sorts of cards, and chance."""
        few = SanctuaryCase(few_kinds(self.game))
        found: Counter[str] = Counter()
        wanted = {"hands", "commitments"}
        if self.game.seats > 2 or self.game.rules["blind_choice"]:
            wanted.add("stacks")
        for number in itertools.count():
            moments = played(few.game, rng, number, greed=0.5)
            for state in rng.sample(moments, len(moments)):
                seat = rng.choice(few.game.pending(state))
                for posterior in few.dealt(few.remembered(state, seat, rng), rng, lambda kind: kind):
                    parts = posterior.what.split("+")
                    if any(found[part] < 4 for part in parts):
                        found.update(parts)
                        yield posterior
            if all(found[part] >= 4 for part in wanted):
                break
        for state in rng.sample(states, len(states)):
            seat = rng.choice(self.game.pending(state))
            if found["two sorts"] < 4:
                sorts = {kind: rng.randrange(2) for kind in range(180)}
                for posterior in self.dealt(self.remembered(state, seat, rng), rng, sorts.__getitem__):
                    found["two sorts"] += 1
                    yield posterior._replace(what="two sorts")
            for future in self.futures(state):
                if found[future.what] < 3:
                    found[future.what] += 1
                    yield future
        for number in itertools.count():
            # A card is drawn only behind the last decision of a round, which may not be among the states.
            for state in played(self.game, rng, number):
                for future in self.futures(state) if found["card"] + found["manatee"] < 6 else ():
                    if found[future.what] < 3:
                        found[future.what] += 1
                        yield future
            if found["card"] and found["manatee"]:
                return

    def remembered(self, state: State, seat: int, rng: random.Random) -> dict[str, Any]:
        """What a seat knows, of which it may have forgotten some cards of the neighbours' hands."""
        seen = self.game.dump_observation(self.game.observe(state, seat))
        for name in ("left_hand", "right_hand"):
            known = seen["seat_knowledge"][name]
            if known and rng.random() < 0.6:
                seen["seat_knowledge"][name] = sorted(rng.sample(known, rng.randrange(len(known))))
        return seen

    def dealt(self, seen: dict[str, Any], rng: random.Random, sort: Callable[[int], int]) -> Iterator[Posterior]:
        """What one or two others have, card by card as far as `sort` tells them apart, and what they have chosen."""
        table, places = seen["table"], self.places(seen)
        # With all kinds told apart choices are, too.
        plain = all(sort(kind) == kind for kind in range(180))
        hiding = [
            other
            for other, parts in places.items()
            if any(missing for _, missing in parts) or (plain and table["seats"][other]["committed"])
        ]
        if not hiding:
            return
        others = rng.sample(hiding, min(len(hiding), rng.choice([1, 1, 2])))
        pool: Counter[int] = Counter()
        for kind, count in self.pool(seen).items():
            pool[sort(kind)] += count
        sizes = [missing for other in others for _, missing in places[other]]
        weights: dict[tuple[Label, Label], float] = {}
        for parts, ways in labelled_deals(pool, sizes):
            rest, hands = list(parts), []
            for other in others:
                known = [[sort(kind) for kind in held] for held, _ in places[other]]
                hands.append(tuple(tuple(sorted([*held, *rest.pop(0)])) for held in known))
            options: list[list[str | None]] = [
                [*self.choices(table["phase"], list(hand[0]))]
                if plain and table["seats"][other]["committed"]
                else [None]
                for other, hand in zip(others, hands, strict=True)
            ]
            chosen = list(itertools.product(*options))
            if len(weights) + len(chosen) > MOST_WORLDS:
                return
            for choice in chosen:
                weights[tuple(hands), choice] = ways / len(chosen)
        observation = self.game.load_observation(seen)
        # Both at once if that is possible, else each by itself.
        varied = [part for part in range(2) if len({world[part] for world in weights}) > 1]
        names = ("stacks" if table["phase"] == "CHOOSE" else "hands", "commitments")
        for size in range(len(varied), 0, -1):
            fitting = []
            for chosen_parts in itertools.combinations(varied, size):
                cells: dict[Label, float] = {}
                for world, weight in weights.items():
                    cell = tuple(world[part] for part in chosen_parts)
                    cells[cell] = cells.get(cell, 0.0) + weight
                if len(cells) <= MOST_CELLS:
                    what = "+".join(names[part] for part in chosen_parts)
                    look = self.lens(others, sort, chosen_parts)
                    fitting.append(common(Posterior(what, observation, cells, look)))
            yield from fitting
            if fitting and size > 1:
                return

    def lens(
        self, others: list[int], sort: Callable[[int], int], parts: tuple[int, ...]
    ) -> Callable[[State, int], Label]:
        def look(state: State, key: int) -> Label:
            secrets = self.game.dump(state)["referee"]["seats"]
            world: list[Any] = [[], []]
            for other in others:
                made = secrets[other]["made"]
                held = [secrets[other]["hand"]] if made is None else [made["smaller"], made["larger"]]
                world[0].append(tuple(tuple(sorted(map(sort, cards))) for cards in held))
                world[1].append(secrets[other]["commitment"])
            return tuple(tuple(world[part]) for part in parts)

        return look

    def futures(self, state: State) -> Iterator[Posterior]:
        """What chance may bring next after a move, as its seat sees it."""
        game, seat = self.game, self.game.pending(state)[0]
        if game.dump(state)["table"]["phase"] in ("SPLIT", "CHOOSE"):
            return

        def drawn(state: State, key: int) -> str:
            return game.outcome_notation(game.draw(state, key, 0))

        for move in game.moves(state, seat):
            after = game.play(state, seat, move)
            if game.turn(after) == CHANCE:
                weights: dict[Label, float] = {}
                table = game.dump(after)["table"]
                seen = self.view(game.dump(after), seat)
                what = "card"
                if table["phase"] == "DRAW_MANATEE":
                    what, bag = "manatee", table["bags"][0]
                    if len(table["bags"]) > 1:
                        own = int(seat >= (game.seats + 1) // 2)
                        bag = table["bags"][own if any(table["bags"][own].values()) else 1 - own]
                    weights = {f"manatee {colour}": float(count) for colour, count in bag.items() if count}
                else:
                    weights = {f"card {kind}": float(count) for kind, count in self.pool(seen).items()}
                yield common(Posterior(what, game.observe(after, seat), weights, drawn))
                return

    @staticmethod
    def dilemmas() -> Iterator[Dilemma]:
        """Stacks of round 3: what seat 0 returns goes with one of the stacks that seat 1 may keep, or with the other.

        Pink ones with the card that scores for pink ones, yellow ones with the card that does for yellow ones.
        """
        mine = ["RRRR+PINK", "GGGG+YELLOW", "-", "-", "-"]
        theirs = ["ppp", "yy", "-", "-", "-"]
        for order in ("ROUND_ROBIN", "SEAT_BY_SEAT"):
            story = sanctuary_cases.Story(
                mine, theirs, rules={"play_order": order}, phase="SPLIT", number=3, food={0: 30, 1: 30}
            )
            story.play(0, "split RRRR+PINK")
            story.play(1, "split ppp")
            assert story.phase == "CHOOSE"
            one, other = story.game.moves(story.state, 0)
            yield Dilemma(story.game, story.game.observe(story.state, 0), (one, other))

    @staticmethod
    def secrets() -> Iterator[Secret]:
        """The last cards. That of seat 0 comes last and does nothing for anybody, of one kind as little as of another.

        The others do well to lay their cards, which not every random player does.
        """
        hands = [["-"], ["RRRR+PAIRS", "GGGG+PAIRS", "PPPP+PAIRS"], ["GGGG+PAIRS", "PPPP+PAIRS"]]
        # Nothing is harvested where there are no flowers.
        as_little = ("-:2", "-:3", "h", "hh")
        for seats, blind in ((2, True), (3, False), (3, True)):
            story = sanctuary_cases.Story(
                *hands[:seats],
                seats=seats,
                rules={"blind_choice": blind, "play_order": "SEAT_BY_SEAT"},
                number=3,
                turn=1,
                deck=dict.fromkeys(as_little, 2),
                housed=dict.fromkeys(range(1, seats), (4, 0, 0)),
                food=dict.fromkeys(range(seats), 9),
            )
            for card in as_little:
                position = story.game.dump(story.state)
                position["referee"]["seats"][0]["hand"] = [story.kinds.index(card)]
                yield Secret(story.game, (story.state, story.game.load(position)), 0)


def few_kinds(game: Sanctuary) -> Sanctuary:
    """The same game with few kinds of card, so that worlds can be written down."""
    catalogue = house("sanctuary")
    counts = (60, 30) if game.variant == "scramble" else (45, 30, 15)
    for edition in catalogue["editions"]:
        picked = [edition["cards"][kind] for kind in (3, 24, 46)]
        edition["cards"] = [card | {"count": count} for card, count in zip(picked, counts, strict=False)]
    return type(game)(game.seats, catalogue, game.rules, game.variant)


def labelled_deals(pool: Counter[int], sizes: list[int]) -> Iterator[tuple[tuple[tuple[int, ...], ...], float]]:
    """Every way to deal so many cards to each, by kinds, and how many ways there would be if no cards were equal."""
    if not sizes:
        yield (), 1.0
        return
    for part in itertools.combinations_with_replacement(sorted(pool), sizes[0]):
        counts = Counter(part)
        ways = math.prod(math.comb(pool[kind], count) for kind, count in counts.items())
        if ways:
            for rest, more in labelled_deals(pool - counts, sizes[1:]):
                yield (part, *rest), ways * more


def common(posterior: Posterior) -> Posterior:
    """The same with all that is rare taken together."""
    total = sum(posterior.weights.values())
    rare = {label for label, weight in posterior.weights.items() if weight < RARE * total}
    if not rare:
        return posterior
    weights = {label: weight for label, weight in posterior.weights.items() if label not in rare}
    weights["rare"] = sum(posterior.weights[label] for label in rare)

    def look(state: State, key: int) -> Label:
        label = posterior.lens(state, key)
        return "rare" if label in rare else label

    return posterior._replace(weights=weights, lens=look)


CASES: dict[str, type[Case]] = {"heart": HeartCase, "ocean": OceanCase, "sanctuary": SanctuaryCase}
SECRET_CASES: dict[str, type[SecretCase]] = {"ocean": OceanCase, "sanctuary": SanctuaryCase}
KERNELS: dict[str, Callable[..., Game]] = {"heart": Heart, "ocean": Ocean, "sanctuary": Sanctuary}


# The games.


@dataclasses.dataclass(frozen=True)
class Setting:
    """One way to play a game: for kernels made here and for the service alike."""

    game: str
    seats: int
    variant: str
    rules: dict[str, Any]

    def kernel(self, kind: Callable[..., Game] | None = None) -> Game:
        """The rules; `kind` may be a cheat."""
        return (kind or KERNELS[self.game])(self.seats, house(self.game), self.rules, self.variant)

    def request(self) -> pb.NewPositionRequest:
        """What asks the service for it."""
        request = pb.NewPositionRequest(game=self.game, seats=self.seats, variant=self.variant)
        names: dict[str, Any] = {
            option: f"{self.game.upper()}_{option.upper()}_{value}" if isinstance(value, str) else value
            for option, value in self.rules.items()
        }
        if self.game == "ocean":
            request.rules.ocean.CopyFrom(ocean_pb2.OceanRules(**names))
        elif self.game == "heart":
            request.rules.heart.CopyFrom(heart_pb2.HeartRules(**names))
        else:
            request.rules.sanctuary.CopyFrom(sanctuary_pb2.SanctuaryRules(**names))
        return request


GAMES = {
    "ocean-2-base": Setting("ocean", 2, "base", {"topology": "SQUARE_DIAGONAL"}),
    "ocean-2-targets": Setting("ocean", 2, "targets", {"topology": "HEX", "promo": True}),
    "ocean-3-base": Setting("ocean", 3, "base", {"topology": "HEX", "passing": "ALTERNATE", "same_kind_sets": True}),
    "ocean-3-targets": Setting("ocean", 3, "targets", {"mirror_targets": True}),
    "ocean-4-base": Setting("ocean", 4, "base", {"passing": "RIGHT"}),
    "ocean-4-targets": Setting("ocean", 4, "targets", {"passing": "ALTERNATE", "topology": "SQUARE_DIAGONAL"}),
    "heart-2": Setting("heart", 2, "base", {"starting_tile_blocks": True}),
    "heart-3": Setting("heart", 3, "base", {"repeat_swimmers": True, "reshuffle_discards": False}),
    "sanctuary-2": Setting("sanctuary", 2, "base", {"round_bonuses": True}),
    "sanctuary-2-blind": Setting("sanctuary", 2, "base", {"blind_choice": True, "play_order": "SEAT_BY_SEAT"}),
    "sanctuary-3": Setting("sanctuary", 3, "base", {"play_order": "SEAT_BY_SEAT", "pooled_space": True}),
    "sanctuary-3-blind": Setting("sanctuary", 3, "base", {"blind_choice": True, "food_cap": 9}),
    "sanctuary-4": Setting("sanctuary", 4, "base", {"floor_score_at_zero": True}),
    "sanctuary-4-blind": Setting("sanctuary", 4, "base", {"blind_choice": True, "round_bonuses": True}),
    "sanctuary-7-scramble": Setting("sanctuary", 7, "scramble", {}),
    "sanctuary-3-scramble-blind": Setting(
        "sanctuary", 3, "scramble", {"allow_small_scramble": True, "blind_choice": True}
    ),
}
every_game = pytest.mark.parametrize("name", GAMES)
REPLYING = [name for name, setting in GAMES.items() if setting.game == "ocean" or name == "sanctuary-2"]
"""Games in which there are decisions whose choices are known to whoever decides at the same time."""
every_replying_game = pytest.mark.parametrize("name", REPLYING)
every_open_game = pytest.mark.parametrize("name", [name for name in GAMES if GAMES[name].game not in SECRET_CASES])


@cache
def case_of(name: str, cheat: str) -> Case:
    """The game, or a kernel that cheats."""
    setting = GAMES[name]
    return CASES[setting.game](setting.kernel(CHEATS[setting.game][cheat] if cheat else None))


@cache
def moments(name: str, cheat: str) -> list[State]:
    """Decisions of a game in which most moves are sensible: all, or as many as there are in a game of ocean."""
    found = played(case_of(name, cheat).game, random.Random(name), 5, greed=0.7)
    return found if len(found) <= MOST_MOMENTS else spread(found, MOST_MOMENTS)


def played(game: Game, rng: random.Random, deal: int, greed: float = 0.0) -> list[State]:
    """All decisions of a game; seats that decide together commit in random order."""
    state, found = game.deal(deal), []
    while (turn := game.turn(state)) != OVER:
        if turn == CHANCE:
            state = game.happen(state, game.draw(state, rng.getrandbits(64), 0))
            continue
        found.append(state)
        seat = rng.choice(game.pending(state))
        move = rng.choice(game.moves(state, seat))
        if rng.random() < greed:
            move = game.choose(state, seat, rng.getrandbits(64))
        state = game.play(state, seat, move)
    return found


def spread(states: list[State], count: int) -> list[State]:
    return [states[i * (len(states) - 1) // (count - 1)] for i in range(count)] if count > 1 else states[:1]


# Statistics.


def bound(degrees: int) -> float:
    """About the 1 - 1e-5 quantile of chi-square."""
    return degrees + 5 * math.sqrt(2 * degrees) + 8


def fits(counts: Mapping[Label, int], weights: Mapping[Label, float]) -> bool:
    """Whether counts are a sample of the weights, by chi-square."""
    n, total = sum(counts.values()), sum(weights.values())
    if not set(counts) <= set(weights):
        return False
    expected = {label: n * weight / total for label, weight in weights.items()}
    chi2 = sum((counts.get(label, 0) - want) ** 2 / want for label, want in expected.items())
    return chi2 <= bound(len(weights) - 1)


def alike(one: Mapping[Any, int], other: Mapping[Any, int]) -> bool:
    """Whether two samples may be of one distribution, by chi-square; what is rare is taken together."""
    common = [label for label in {*one, *other} if one.get(label, 0) + other.get(label, 0) >= 20]
    rows = []
    for sample in (one, other):
        row = [sample.get(label, 0) for label in common]
        rows.append([*row, sum(sample.values()) - sum(row)])
    sizes = [sum(row) for row in rows]
    columns = [column for column in zip(*rows, strict=True) if sum(column)]
    chi2 = 0.0
    for column in columns:
        for count, size in zip(column, sizes, strict=True):
            want = sum(column) * size / sum(sizes)
            chi2 += (count - want) ** 2 / want
    return chi2 <= bound(len(columns) - 1)


# (a) What a seat is shown.


def check_shown(case: Case, states: list[State]) -> None:
    """Equal bytes however what is hidden is shuffled, by the rules and by the kernel's own sampling."""
    game, rng, different = case.game, random.Random(1), 0
    for state in states:
        for seat in range(game.seats):
            seen = game.observe(state, seat)
            others = [case.hide(state, seat, rng), case.hide(state, seat, rng, commitments_only=True)]
            others += [game.determinize(seen, rng.getrandbits(64))]
            for other in others:
                shown = game.observe(other, seat)
                assert bytes(shown) == bytes(seen), "the observation depends on what is hidden"
                assert shown == seen
                assert game.dump_observation(shown) == game.dump_observation(seen)
                assert game.moves_observation(shown) == game.moves_observation(seen)
                different += case.differ(other, state)
    assert different > len(states) / 2, "hardly anything was hidden"


def check_shown_by_service(service: Advisor, setting: Setting) -> None:
    """The same through messages: equal answers to Observe and ListMoves."""
    setup = service.setup(setting.request())
    case = CASES[setting.game](setup.kernel)
    rng = random.Random(2)
    for state in spread(played(setup.kernel, random.Random(3), 9), 14):
        for seat in range(setting.seats):
            answers = set()
            for other in (state, case.hide(state, seat, rng), case.hide(state, seat, rng, commitments_only=True)):
                position = case.reworded(message(setup, state=other), rng)
                request = pb.ObserveRequest(position=position, seat=seat)
                answers.add(service.observe(request).SerializeToString(deterministic=True))
            assert len(answers) == 1, "Observe depends on what is hidden"
            if seat in setup.kernel.pending(state):
                moves = set()
                for other in (state, case.hide(state, seat, rng)):
                    position = case.reworded(message(setup, state=other), rng)
                    listed = pb.ListMovesRequest(position=position, seat=seat)
                    moves.add(service.list_moves(listed).SerializeToString(deterministic=True))
                assert len(moves) == 1, "ListMoves depends on what is hidden"


def message(setup: Any, *, state: State) -> position_pb2.Position:
    """A referee's position on the wire."""
    position = position_pb2.Position()
    write_position(setup, 0, position, state=state)
    return position


@every_game
def test_what_a_seat_is_shown_does_not_depend_on_what_is_hidden(name: str) -> None:
    check_shown(case_of(name, ""), moments(name, ""))


@every_game
def test_the_service_shows_the_same_whatever_is_hidden(name: str) -> None:
    check_shown_by_service(advisor(), GAMES[name])


# (b) Advice on a referee's position and on an observation.


def check_advice(service: Advisor, setting: Setting) -> None:
    """Equal bytes outside timing: for the referee's position, for others like it, and for what the seat sees."""
    setup = service.setup(setting.request())
    case = CASES[setting.game](setup.kernel)
    rng = random.Random(4)
    states = played(setup.kernel, random.Random(3), 9)
    for state in [states[1], *spread(states[2:-2], 3), states[-2]]:
        seat = rng.choice(setup.kernel.pending(state))
        positions = [message(setup, state=state), message(setup, state=case.hide(state, seat, rng))]
        positions[1] = case.reworded(positions[1], rng)
        positions.append(service.observe(pb.ObserveRequest(position=positions[0], seat=seat)).position)
        for algorithm in list(advice_pb2.Algorithm.DESCRIPTOR.values_by_name):
            options = advice_pb2.AdviceOptions(algorithm=algorithm, trees=2, seed=11)
            limits = advice_pb2.Limits(simulations=40)
            if algorithm == "ALGORITHM_EXPECTIMAX":
                limits = advice_pb2.Limits(simulations=3, depth=1)  # As far as it gets in a time is no number.
            answers = set()
            for position in positions:
                request = pb.AdviseRequest(position=position, seat=seat, limits=limits, options=options)
                answers.add(untimed(service.advise(request)))
            assert len(answers) == 1, f"{algorithm} knows what the seat does not"
        chosen = set()
        for position in positions:
            choice = pb.ChooseMoveRequest(position=position, seat=seat, level=5, seed=3)
            chosen.add(untimed(service.choose_move(choice)))
        assert len(chosen) == 1, "ChooseMove knows what the seat does not"
    # A record, as the referee and as the seat has kept it.
    game = play_game(setting.request(), 2 * setting.seats + 1)
    seat = load(service, game.end).pending[0]
    limits, options = advice_pb2.Limits(simulations=40), advice_pb2.AdviceOptions(seed=5)
    answers = set()
    for record in (game.record(), game.seen_by(seat)):
        answers.add(untimed(service.advise(pb.AdviseRequest(record=record, seat=seat, limits=limits, options=options))))
    assert len(answers) == 1, "advice on a record knows what the seat does not"


def load(service: Advisor, position: position_pb2.Position) -> Loaded:
    """A position as the service reads it."""
    loaded = read_position(service.games, position, Faults())
    assert loaded is not None
    return loaded


def untimed(response: pb.AdviseResponse | pb.ChooseMoveResponse) -> bytes:
    """All of an answer that may not differ."""
    response.ClearField("timing")
    return response.SerializeToString(deterministic=True)


@every_game
def test_advice_on_a_position_is_advice_on_what_the_seat_sees(name: str) -> None:
    check_advice(advisor(), GAMES[name])


# (c) Worlds.


def check_worlds(case: Case, states: list[State]) -> set[str]:
    """Worlds come as often as they are likely; returns what was hidden."""
    what = set()
    for posterior in case.posteriors(states, random.Random(6)):
        n, game = max(1200, 12 * len(posterior.weights)), posterior.observation.game
        worlds = ((game.determinize(posterior.observation, key), key) for key in range(n))
        counts = Counter(posterior.lens(world, key) for world, key in worlds)
        assert fits(counts, posterior.weights), f"{posterior.what}: not as likely as they come"
        what.add(posterior.what)
    return what


@every_game
def test_worlds_come_as_often_as_they_are_likely(name: str) -> None:
    what = check_worlds(case_of(name, ""), moments(name, ""))
    parts = {part for one in what for part in one.split("+")}
    expected = {
        "heart": {"tile", "two tiles", "photo", "die"},
        "ocean": {"hands", "commitments", "three cards"} | ({"targets"} if GAMES[name].variant == "targets" else set()),
        "sanctuary": {"hands", "commitments", "two sorts", "manatee", "card"},
    }
    if name not in ("sanctuary-2",):  # Where all stacks are open.
        expected["sanctuary"].add("stacks")
    assert parts >= expected[GAMES[name].game]


# (d) Others.


def check_others(case: Case, states: list[State]) -> None:
    """What a seat would do is the same, bit by bit, in all states that look the same to it."""
    game, rng = case.game, random.Random(7)
    for state in states:
        for seat in range(game.seats):
            other = case.hide(state, seat, rng)
            assert game.history_key(other, seat) == game.history_key(state, seat), "nodes are told apart by secrets"
            assert game.moves(other, seat) == game.moves(state, seat)
            assert game.priors(other, seat) == game.priors(state, seat), "priors know secrets"
            if seat in game.pending(state):
                for key in range(12):
                    one = game.choose(state, seat, key)
                    assert game.choose(other, seat, key) == one, "choices know secrets"
            # A search decides the others' hidden choices again: none of them is left.
            same = case.hide(state, seat, rng, commitments_only=True)
            opened = game.reopened(state, seat)
            assert game.key(game.reopened(same, seat)) == game.key(opened), "a hidden choice is left"
            assert game.history_key(game.reopened(same, seat), seat) == game.history_key(opened, seat)


def replies(game: Game, observation: Observation, seed: int, simulations: int, objective: str) -> dict[int, Reply]:
    """For each move of the observer what the search expects the others to choose at the same time, unseen."""
    own = game.observer(observation)
    engine = Mcts(game, observation, OBJECTIVES[objective], seed, memory=1 << 22, simulations=simulations)
    engine.step(simulations, 600.0)
    world = game.reopened(game.determinize(observation, 0), own)
    count = len(game.pending(world)) - 1
    answers = {}
    for choice, move in enumerate(engine.moves()):
        line, _ = engine.line(choice)
        answers[move] = tuple(line[1 : 1 + count])
    return answers


def check_history(case: Case, states: list[State]) -> None:
    """Where nothing is hidden, it does not matter how a position came about: to luck, playouts and searches."""
    assert isinstance(case, HeartCase)
    game, rng = case.game, random.Random(9)
    pairs = [(state, case.hide(state, game.turn(state), rng)) for state in spread(states, 12)]
    transposed = list(itertools.islice(case.transpositions(states), 12))
    assert len(transposed) >= 6, "too few positions that came about in two ways"
    assert any(case.differ(*pair) for pair in transposed), "hardly anything was told apart"
    for one, other in pairs + transposed:
        seat = game.turn(one)
        for observer in range(game.seats):
            seen = game.observe(one, observer)
            assert bytes(game.observe(other, observer)) == bytes(seen), "the observation depends on the history"
            assert game.history_key(other, observer) == game.history_key(one, observer), "nodes tell histories apart"
        assert game.priors(other, seat) == game.priors(one, seat), "priors know the history"
        for key in range(12):
            assert game.choose(other, seat, key) == game.choose(one, seat, key), "choices know the history"
        found = []
        for state in (one, other):
            seen = game.observe(state, seat)
            engine = Mcts(game, seen, OBJECTIVES["win"], 1, memory=1 << 22, simulations=60)
            engine.step(60, 600.0)
            world = game.determinize(seen, 3)
            plays = [play(world, key) for play in (game.playout, game.informed_playout) for key in range(6)]
            found.append((engine.sums(), engine.priors(), plays))
        assert found[0] == found[1], "a search knows the history"
    # Luck goes on from the events drawn so far: none in a position that was read back and in a world.
    compared = 0
    for state in states:
        for move in game.moves(state, game.turn(state))[:3]:
            after = game.play(state, game.turn(state), move)
            if game.turn(after) == CHANCE:
                ends = [case.hide(after, 0, rng), game.determinize(game.observe(after, 0), 0)]
                luck = [[game.draw(end, key, 2) for key in range(20)] for end in ends]
                assert luck[0] == luck[1], "luck knows the history"
                compared += 1
    assert compared > 10


def check_replies(case: Case, states: list[State]) -> None:
    """In one search the others' replies are the same whatever the observer has chosen: they do not see it."""
    assert isinstance(case, SecretCase)
    game, tested = case.game, 0
    for state in states:
        for seat in game.pending(state):
            if not case.knows_moves(state, seat):
                continue
            seen = game.observe(state, seat)
            for seed in range(2):
                found = replies(game, seen, seed, 250, "win")
                owing = [other for other in range(game.seats) if other != seat]
                for reply in found.values():
                    assert [other for other, _ in reply] == owing[: len(reply)], "others do not decide again"
                assert any(found.values()), "others do not decide again"
                assert len(set(found.values())) == 1, "replies know the observer's choice"
                tested += 1
    assert tested >= 8


def check_some_replies(case: Case, states: list[State]) -> None:
    assert isinstance(case, SecretCase)
    check_replies(case, spread(case.shared(states), 12))


def check_reply_frequencies(dilemmas: Iterator[Dilemma]) -> None:
    """Over many searches: replies to one choice come as often as to another choice."""
    tested = 0
    for game, observation, (one, other) in dilemmas:
        counts: tuple[Counter[Reply], Counter[Reply]] = (Counter(), Counter())
        for seed in range(100):
            for side, move in enumerate((one, other)):
                counts[side][replies(game, observation, 2 * seed + side, 1000, "score")[move]] += 1
        assert alike(*counts), f"replies to a hidden choice: {counts}"
        assert all(len(reply) == game.seats - 1 for reply in counts[0])
        tested += 1
    assert tested


def check_secrets(secrets: Iterator[Secret]) -> None:
    """Others play alike, in the tree and in playouts, whatever a secret is that they cannot infer."""
    tested = 0
    for game, states, seat in secrets:
        for play in (game.informed_playout, game.playout):
            scores: tuple[Counter[Any], Counter[Any]] = (Counter(), Counter())
            for side, state in enumerate(states):
                for seed in range(600):
                    final = play(state, 2 * seed + side)
                    scores[side][tuple(score for other, score in enumerate(final) if other != seat)] += 1
            assert alike(*scores), "playouts know a secret"
        if seat in game.pending(states[0]):
            counts: tuple[Counter[Any], Counter[Any]] = (Counter(), Counter())
            for side, state in enumerate(states):
                seen = game.observe(state, seat)
                for seed in range(200):
                    found = replies(game, seen, 2 * seed + side, 24, "score")
                    counts[side][next(iter(found.values()))] += 1
            assert alike(*counts), "replies know a secret"
            assert len(counts[0]) > 1, "there is only one reply: too little to tell"
        tested += 1
    assert tested


@every_game
def test_others_act_alike_in_states_that_look_alike(name: str) -> None:
    check_others(case_of(name, ""), moments(name, ""))


@every_open_game
def test_how_a_position_came_about_is_no_matter(name: str) -> None:
    check_history(case_of(name, ""), moments(name, ""))


@every_replying_game
def test_replies_in_a_tree_are_the_same_to_every_hidden_choice(name: str) -> None:
    check_some_replies(case_of(name, ""), moments(name, ""))


@pytest.mark.parametrize("kind", SECRET_CASES)
def test_replies_are_as_frequent_whatever_was_chosen(kind: str) -> None:
    check_reply_frequencies(SECRET_CASES[kind].dilemmas())


@pytest.mark.parametrize("kind", SECRET_CASES)
def test_replies_are_as_frequent_whatever_the_secret(kind: str) -> None:
    check_secrets(SECRET_CASES[kind].secrets())


# Cheats, made here.


class Whisperer(Ocean):
    """Shows a seat a card less of a hand that it knows when somebody else has committed an even card."""

    def observe(self, state: State, seat: int) -> Observation:
        observation = super().observe(state, seat)
        commitments = [one["commitment"] for s, one in enumerate(self.dump(state)["referee"]["seats"]) if s != seat]
        if any(commitment and int(commitment[-1]) % 2 == 0 for commitment in commitments):
            seen = self.dump_observation(observation)
            for other, hand in enumerate(seen["seat_knowledge"]["hands"]):
                if other != seat and hand["cards"]:
                    hand["cards"].pop()
                    return self.load_observation(seen)
        return observation


class Rememberer(Ocean):
    """Its only world of an observation is the state that was last observed."""

    last: State

    def observe(self, state: State, seat: int) -> Observation:
        self.last = state
        return super().observe(state, seat)

    def determinize(self, observation: Observation, key: int) -> State:
        return self.last


class Stubborn(Ocean):
    """Always the same world."""

    def determinize(self, observation: Observation, key: int) -> State:
        return super().determinize(observation, 1)


class Leaning(Rememberer):
    """One world in six is the truth."""

    def determinize(self, observation: Observation, key: int) -> State:
        return self.last if key % 6 == 0 else Ocean.determinize(self, observation, key)


class Grabber(Ocean):
    """Chooses with a look at the next seat's hand."""

    def choose(self, state: State, seat: int, key: int) -> int:
        hand = self.dump(state)["referee"]["seats"][(seat + 1) % self.seats]["hand"]
        return super().choose(state, seat, key + sum(hand))


class Spy(Ocean):
    """Values a move more when the next seat holds a low target, or a low card."""

    def priors(self, state: State, seat: int) -> list[float]:
        held = self.dump(state)["referee"]["seats"][(seat + 1) % self.seats]
        return [gain + min([*held["targets"], *held["hand"]]) for gain in super().priors(state, seat)]


class Sorter(Ocean):
    """Tells nodes apart by what others have committed."""

    def history_key(self, state: State, seat: int) -> int:
        commitments = [one["commitment"] for s, one in enumerate(self.dump(state)["referee"]["seats"]) if s != seat]
        return super().history_key(state, seat) ^ hash(tuple(commitments))


class Keeper(Ocean):
    """Leaves others' choices as they are."""

    def reopened(self, state: State, observer: int) -> State:
        return state


class Historian(Heart):
    """Shows another first player where tiles were laid in a certain order."""

    def observe(self, state: State, seat: int) -> Observation:
        seen = self.dump_observation(super().observe(state, seat))
        if hash(state) % 3 == 0:
            seen["table"]["first_player"] = (seen["table"]["first_player"] + 1) % self.seats
        return self.load_observation(seen)


class Fated(Heart):
    """Has one future."""

    def draw(self, state: State, seed: int, world: int) -> int:
        return super().draw(state, 1, 1)


class Repeating(Heart):
    """Draws the same place in the pile over and over."""

    def draw(self, state: State, seed: int, world: int) -> int:
        outcomes = [code for code, weight in self.outcomes(state) for _ in range(weight)]
        return outcomes[random.Random(seed).randrange(1 << 30) * len(outcomes) >> 30]


class Hopeful(Heart):
    """One time in six the last outcome comes, whatever it is."""

    def draw(self, state: State, seed: int, world: int) -> int:
        return self.outcomes(state)[-1][0] if seed % 6 == 0 else super().draw(state, seed, world)


class Nostalgic(Heart):
    """Chooses by how a position came about."""

    def choose(self, state: State, seat: int, key: int) -> int:
        return super().choose(state, seat, key + hash(state))


class Sentimental(Heart):
    """Values moves by how a position came about."""

    def priors(self, state: State, seat: int) -> list[float]:
        return [gain + hash(state) % 5 for gain in super().priors(state, seat)]


class Genealogist(Heart):
    """Tells nodes apart by how a position came about."""

    def history_key(self, state: State, seat: int) -> int:
        return super().history_key(state, seat) ^ hash(state)


class Hinter(Sanctuary):
    """Shows another score of seats that have even cards, or have chosen the smaller stack."""

    def observe(self, state: State, seat: int) -> Observation:
        seen = self.dump_observation(super().observe(state, seat))
        for other, secret in enumerate(self.dump(state)["referee"]["seats"]):
            made = secret["made"] or {"smaller": [], "larger": []}
            hint = sum(secret["hand"] + made["smaller"]) + (secret["commitment"] == "keep smaller")
            # In the first round every score is known to be that of the start.
            if other != seat and hint % 2 and seen["table"]["round"] > 1:
                seen["table"]["seats"][other]["score"] += 1
        return self.load_observation(seen)


class Reliving(Sanctuary):
    """Its only world of an observation is the state that was last observed."""

    last: State

    def observe(self, state: State, seat: int) -> Observation:
        self.last = state
        return super().observe(state, seat)

    def determinize(self, observation: Observation, key: int) -> State:
        return self.last


class Unbending(Sanctuary):
    """Always the same world."""

    def determinize(self, observation: Observation, key: int) -> State:
        return super().determinize(observation, 1)


class Wishful(Reliving):
    """One world in six is the truth."""

    def determinize(self, observation: Observation, key: int) -> State:
        return self.last if key % 6 == 0 else Sanctuary.determinize(self, observation, key)


class Peeper(Sanctuary):
    """Chooses with a look at the next seat's hand."""

    def choose(self, state: State, seat: int, key: int) -> int:
        hand = self.dump(state)["referee"]["seats"][(seat + 1) % self.seats]["hand"]
        return super().choose(state, seat, key + sum(hand))


class Pricer(Sanctuary):
    """Values a move more when the next seat holds a low card."""

    def priors(self, state: State, seat: int) -> list[float]:
        hand = self.dump(state)["referee"]["seats"][(seat + 1) % self.seats]["hand"]
        return [gain + min(hand, default=0) for gain in super().priors(state, seat)]


class Filer(Sanctuary):
    """Tells nodes apart by what others have committed."""

    def history_key(self, state: State, seat: int) -> int:
        commitments = [one["commitment"] for s, one in enumerate(self.dump(state)["referee"]["seats"]) if s != seat]
        return super().history_key(state, seat) ^ hash(tuple(commitments))


class Hoarder(Sanctuary):
    """Leaves others' choices as they are."""

    def reopened(self, state: State, observer: int) -> State:
        return state


class Gossip(Advisor):
    """Shows a seat what another has committed or holds, or in which order a list was sent."""

    def observe(self, request: pb.ObserveRequest) -> pb.ObserveResponse:
        response = super().observe(request)
        for seat, one in enumerate(request.position.sanctuary.referee.seats):
            if seat != request.seat:
                response.position.sanctuary.seat_knowledge.left_hand[:] = one.hand
        for seat, secret in enumerate(request.position.ocean.referee.seats):
            if seat != request.seat and secret.HasField("commitment"):
                response.position.ocean.seat_knowledge.commitment.CopyFrom(secret.commitment)
        if request.position.HasField("heart"):
            response.position.heart.table.open_photos[:] = request.position.heart.table.open_photos
        return response


class Counterfeiter(Advisor):
    """Searches from a seed that depends on the whole position."""

    def prepare(
        self, request: pb.AdviseRequest, faults: Faults | None = None, familiar: Setup | None = None
    ) -> Prepared:
        prepared = super().prepare(request, faults, familiar)
        state = load(self, request.position).state
        if state is None:
            return prepared
        seed = prepared.options.seed ^ prepared.setup.kernel.key(state)
        return prepared._replace(options=prepared.options._replace(seed=seed))


class Insider(Advisor):
    """Leaves out the move that turns out worst in the true state."""

    def prepare(
        self, request: pb.AdviseRequest, faults: Faults | None = None, familiar: Setup | None = None
    ) -> Prepared:
        prepared = super().prepare(request, faults, familiar)
        kernel, state = prepared.setup.kernel, load(self, request.position).state
        if state is None:
            return prepared

        def worth(move: int) -> int:
            after = kernel.play(state, request.seat, move)
            return sum(kernel.informed_playout(after, seed)[request.seat] for seed in range(10))

        moves = kernel.moves(state, request.seat)
        allowed = frozenset(sorted(moves, key=worth)[1:]) or frozenset(moves)
        return prepared._replace(options=prepared.options._replace(allowed=allowed))


Check = Callable[[Case, list[State]], Any]
CHEATS: dict[str, dict[str, Callable[..., Game]]] = {
    "heart": {
        kind.__name__: kind for kind in (Historian, Fated, Repeating, Hopeful, Nostalgic, Sentimental, Genealogist)
    },
    "ocean": {kind.__name__: kind for kind in (Whisperer, Rememberer, Stubborn, Leaning, Grabber, Spy, Sorter, Keeper)},
    "sanctuary": {
        kind.__name__: kind for kind in (Hinter, Reliving, Unbending, Wishful, Peeper, Pricer, Filer, Hoarder)
    },
}
CAUGHT: dict[str, list[tuple[str, Check, str]]] = {
    "heart": [
        ("Historian", check_shown, "observation depends"),
        ("Fated", check_worlds, "likely"),
        ("Repeating", check_worlds, "two tiles: not as likely"),
        ("Hopeful", check_worlds, "likely"),
        ("Nostalgic", check_others, "choices know"),
        ("Sentimental", check_others, "priors know"),
        ("Genealogist", check_others, "told apart"),
    ],
    "ocean": [
        ("Whisperer", check_shown, "observation depends"),
        ("Rememberer", check_worlds, "likely"),
        ("Stubborn", check_worlds, "likely"),
        ("Leaning", check_worlds, "likely"),
        ("Grabber", check_others, "choices know"),
        ("Spy", check_others, "priors know"),
        ("Sorter", check_others, "told apart"),
        ("Keeper", check_others, "hidden choice is left"),
    ],
    "sanctuary": [
        ("Hinter", check_shown, "observation depends"),
        ("Reliving", check_worlds, "likely"),
        ("Unbending", check_worlds, "likely"),
        ("Wishful", check_worlds, "likely"),
        ("Peeper", check_others, "choices know"),
        ("Pricer", check_others, "priors know"),
        ("Filer", check_others, "told apart"),
        ("Hoarder", check_others, "hidden choice is left"),
    ],
}


@pytest.mark.parametrize(
    ("name", "cheat", "check", "complaint"),
    [
        pytest.param(name, *caught, id=f"{name}-{caught[0]}")
        for name, setting in GAMES.items()
        for caught in CAUGHT[setting.game]
    ],
)
def test_a_cheating_kernel_is_caught(name: str, cheat: str, check: Check, complaint: str) -> None:
    case = case_of(name, cheat)
    with pytest.raises(AssertionError, match=complaint):
        check(case, moments(name, cheat))


@pytest.mark.parametrize(
    ("cheat", "check", "complaint"),
    [
        (Gossip, check_shown_by_service, "Observe depends"),
        (Counterfeiter, check_advice, "knows what the seat does not"),
        (Insider, check_advice, "knows what the seat does not"),
    ],
)
@every_game
def test_a_cheating_service_is_caught(
    name: str, cheat: type[Advisor], check: Callable[[Advisor, Setting], None], complaint: str
) -> None:
    honest = advisor()
    with pytest.raises(AssertionError, match=complaint):
        check(cheat(honest.settings, honest.games), GAMES[name])


# Cheats inside the kernels, for a build with faults.


PLANTED: dict[str, list[tuple[str, int, Check, str]]] = {
    "heart": [
        ("look leaves lists as they came about", 201, check_shown, "observation depends"),
        ("look shows how much was drawn", 205, check_shown, "observation depends"),
        ("luck depends on the order of tiles", 202, check_history, "luck knows"),
        ("policy depends on the order of tiles", 203, check_others, "choices know"),
        ("node_key depends on the order of tiles", 206, check_others, "told apart"),
        ("gains depend on the order of tiles", 207, check_others, "priors know"),
        ("luck ignores its key", 204, check_worlds, "likely"),
        ("each kind of tile comes as often", 208, check_worlds, "tile: not as likely"),
    ],
    "ocean": [
        ("look shows the next hand", 3, check_shown, "observation depends"),
        ("look shows a commitment", 101, check_shown, "observation depends"),
        ("sample ignores its key", 102, check_worlds, "likely"),
        ("sample draws no commitments", 106, check_worlds, "commitments: not as likely"),
        ("sample deals low cards first", 110, check_worlds, "likely"),
        ("policy looks at the next hand", 103, check_others, "choices know"),
        ("node_key has commitments", 104, check_others, "told apart"),
        ("node_key has commitments, in a tree", 104, check_some_replies, "replies know the observer's choice"),
        ("node_key has hands", 111, check_others, "told apart"),
        ("reopen does nothing", 105, check_others, "hidden choice is left"),
        ("reopen does nothing, in a tree", 105, check_replies, "others do not decide again"),
    ],
    "sanctuary": [
        ("look shows how many manatees were drawn", 301, check_shown, "observation depends"),
        ("look shows another's commitment", 303, check_shown, "observation depends"),
        ("look shows what others know", 305, check_shown, "observation depends"),
        ("sample ignores its key", 306, check_worlds, "likely"),
        ("sample draws no commitments", 307, check_worlds, "commitments: not as likely"),
        ("sample takes each kind as often", 308, check_worlds, "likely"),
        ("policy looks at the next hand", 311, check_others, "choices know"),
        ("gains look at the next hand", 312, check_others, "priors know"),
        ("node_key has commitments", 313, check_others, "told apart"),
        ("node_key has hands", 314, check_others, "told apart"),
        ("reopen does nothing", 315, check_others, "hidden choice is left"),
        ("luck ignores its key", 318, check_worlds, "manatee: not as likely"),
        ("the deck is that of the referee", 319, check_shown, "observation depends"),
    ],
}
PLANTED_WITH_TARGETS: list[tuple[str, int, Check, str]] = [
    ("sample draws no targets", 109, check_worlds, "targets: not as likely"),
    ("gains look at targets", 107, check_others, "priors know"),
]
"""What can only be seen where there are targets."""
PLANTED_IN_REPLIES: list[tuple[str, int, Check, str]] = [
    ("node_key has commitments, in a tree", 313, check_some_replies, "replies know the observer's choice"),
    ("reopen does nothing, in a tree", 315, check_some_replies, "others do not decide again"),
]
"""What can only be seen where all stacks are open."""
PLANTED_IN_HANDS: list[tuple[str, int, Check, str]] = [
    ("look shows a card of the next hand", 302, check_shown, "observation depends"),
    ("sample deals known cards anew", 310, check_shown, "observation depends"),
]
"""What can only be seen where hands are hidden in part."""
PLANTED_IN_STACKS: list[tuple[str, int, Check, str]] = [
    ("sample puts low cards into the smaller stack", 309, check_worlds, "likely"),
]
"""What can only be seen where stacks are hidden."""
PLANTED_WHEN_BLIND: list[tuple[str, int, Check, str]] = [
    ("look shows the stacks offered", 304, check_shown, "observation depends"),
    ("gains look into the stacks offered", 317, check_others, "priors know"),
]
"""What can only be seen where stacks are chosen blindly."""
PLANTED_IN_FREQUENCIES: list[tuple[str, str, int, Callable[[], None], str]] = [
    (
        "ocean",
        "node_key has commitments",
        104,
        lambda: check_reply_frequencies(OceanCase.dilemmas()),
        "replies to a hidden",
    ),
    ("ocean", "gains look at targets", 107, lambda: check_secrets(OceanCase.secrets()), "replies know a secret"),
    (
        "ocean",
        "informed playouts look at a commitment",
        108,
        lambda: check_secrets(OceanCase.secrets()),
        "playouts know",
    ),
    (
        "sanctuary",
        "node_key has commitments",
        313,
        lambda: check_reply_frequencies(SanctuaryCase.dilemmas()),
        "replies to a hidden",
    ),
    (
        "sanctuary",
        "informed playouts look at a hand",
        316,
        lambda: check_secrets(SanctuaryCase.secrets()),
        "playouts know",
    ),
]
"""What shows in frequencies."""
with_faults = pytest.mark.planted


def planted(name: str, setting: Setting) -> list[tuple[str, int, Check, str]]:
    """The planted cheats that show in a way to play."""
    found = list(PLANTED[setting.game])
    if setting.variant == "targets":
        found += PLANTED_WITH_TARGETS
    if setting.game == "sanctuary":
        found += PLANTED_IN_REPLIES if name in REPLYING else PLANTED_IN_HANDS + PLANTED_IN_STACKS
    if setting.rules.get("blind_choice"):
        found += PLANTED_WHEN_BLIND
    return found


@pytest.fixture
def plant() -> Iterator[Callable[[str, int], None]]:
    """Plants a fault in a game until the end of the test."""
    kernels = {"heart": heart.plant_fault, "ocean": ocean.plant_fault, "sanctuary": sanctuary.plant_fault}
    yield lambda game, fault: pytest.fail("no faults in this build") if not kernels[game](fault) else None
    for plant_fault in kernels.values():
        plant_fault(0)


@with_faults
@pytest.mark.parametrize(
    ("name", "cheat"),
    [
        pytest.param(name, cheat, id=f"{name}-{cheat[0]}")
        for name, setting in GAMES.items()
        for cheat in planted(name, setting)
    ],
)
def test_a_planted_cheat_is_caught(
    name: str, cheat: tuple[str, int, Check, str], plant: Callable[[str, int], None]
) -> None:
    _, fault, check, complaint = cheat
    case, states = case_of(name, ""), moments(name, "")  # Played by the rules.
    plant(GAMES[name].game, fault)
    with pytest.raises(AssertionError, match=complaint):
        check(case, states)


@with_faults
@pytest.mark.parametrize("cheat", PLANTED_IN_FREQUENCIES, ids=lambda cheat: f"{cheat[0]}-{cheat[1]}")
def test_a_planted_cheat_shows_in_frequencies(
    cheat: tuple[str, str, int, Callable[[], None], str], plant: Callable[[str, int], None]
) -> None:
    game, _, fault, check, complaint = cheat
    plant(game, fault)
    with pytest.raises(AssertionError, match=complaint):
        check()

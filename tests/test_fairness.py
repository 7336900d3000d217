"""Nobody is advised from what it cannot know: four tests for every game, and planted cheats that each must catch.

(a) What a seat is shown does not depend on what is hidden from it. (b) Advice on a referee's position is advice on the
seat's observation. (c) The worlds of an observation are drawn as often as they are likely. (d) What others do in a
search does not depend on what they cannot know.

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
from differential import house
from reference.ocean import neighbours
from wire import advisor, play_game

from advisor.faults import Faults
from advisor.positions import Loaded, read_position, write_position
from advisor.service import Advisor, Prepared
from advisor.v1 import advice_pb2, ocean_pb2, position_pb2
from advisor.v1 import advisor_service_pb2 as pb
from ext.engine import OBJECTIVES
from ext.game import OVER, Game, Observation, State
from ext.mcts import Mcts
from ext.ocean import Ocean, plant_fault

Label = Hashable
Reply = tuple[tuple[int, int], ...]
MOST_WORLDS = 10_000
"""That are written down."""
MOST_CELLS = 250
"""Of a chi-square test."""


class Posterior(NamedTuple):
    """An observation, and how likely its worlds are as far as `lens` tells them apart; found by enumeration."""

    what: str
    observation: Observation
    weights: dict[Label, float]
    lens: Callable[[State], Label]


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

    @abstractmethod
    def knows_moves(self, state: State, seat: int) -> bool:
        """Whether a seat knows what the others may choose from now."""

    @staticmethod
    @abstractmethod
    def dilemmas() -> Iterator[Dilemma]:
        """Some dilemmas of the game."""

    @staticmethod
    @abstractmethod
    def secrets() -> Iterator[Secret]:
        """Some secrets of the game."""


# Ocean.


class OceanCase(Case):
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

    def lens(self, seat: int, parts: tuple[int, ...]) -> Callable[[State], Label]:
        def look(state: State) -> Label:
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

        def look(state: State) -> Label:
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


CASES: dict[str, type[Case]] = {"ocean": OceanCase}


# The games.


@dataclasses.dataclass(frozen=True)
class Setting:
    """One way to play a game: for kernels made here and for the service alike."""

    game: str
    seats: int
    variant: str
    rules: dict[str, Any]

    def kernel(self, kind: type[Ocean] = Ocean) -> Game:
        """The rules; `kind` may be a cheat."""
        return kind(self.seats, house(), self.rules, self.variant)

    def request(self) -> pb.NewPositionRequest:
        """What asks the service for it."""
        request = pb.NewPositionRequest(game=self.game, seats=self.seats, variant=self.variant)
        names: dict[str, Any] = {
            option: f"OCEAN_{option.upper()}_{value}" if isinstance(value, str) else value
            for option, value in self.rules.items()
        }
        request.rules.ocean.CopyFrom(ocean_pb2.OceanRules(**names))
        return request


GAMES = {
    "ocean-2-base": Setting("ocean", 2, "base", {"topology": "SQUARE_DIAGONAL"}),
    "ocean-2-targets": Setting("ocean", 2, "targets", {"topology": "HEX", "promo": True}),
    "ocean-3-base": Setting("ocean", 3, "base", {"topology": "HEX", "passing": "ALTERNATE", "same_kind_sets": True}),
    "ocean-3-targets": Setting("ocean", 3, "targets", {"mirror_targets": True}),
    "ocean-4-base": Setting("ocean", 4, "base", {"passing": "RIGHT"}),
    "ocean-4-targets": Setting("ocean", 4, "targets", {"passing": "ALTERNATE", "topology": "SQUARE_DIAGONAL"}),
}
every_game = pytest.mark.parametrize("name", GAMES)


@cache
def case_of(name: str, cheat: str) -> Case:
    """The game, or a kernel that cheats."""
    return CASES[GAMES[name].game](GAMES[name].kernel(CHEATS[cheat] if cheat else Ocean))


@cache
def moments(name: str, cheat: str) -> list[State]:
    """All decisions of a game in which most moves are sensible; seats that decide together commit in random order."""
    game, rng = case_of(name, cheat).game, random.Random(name)
    state, found = game.deal(5), []
    while game.turn(state) != OVER:
        found.append(state)
        seat = rng.choice(game.pending(state))
        move = rng.choice(game.moves(state, seat))
        if rng.random() < 0.7:
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
                different += game.key(other) != game.key(state)
    assert different > len(states) / 2, "hardly anything was hidden"


def check_shown_by_service(service: Advisor, setting: Setting) -> None:
    """The same through messages: equal answers to Observe and ListMoves."""
    setup = service.setup(setting.request())
    case = CASES[setting.game](setup.kernel)
    rng = random.Random(2)
    for state in spread(played(setup.kernel), 14):
        for seat in range(setting.seats):
            answers = set()
            for other in (state, case.hide(state, seat, rng), case.hide(state, seat, rng, commitments_only=True)):
                request = pb.ObserveRequest(position=message(setup, state=other), seat=seat)
                answers.add(service.observe(request).SerializeToString(deterministic=True))
            assert len(answers) == 1, "Observe depends on what is hidden"
            if seat in setup.kernel.pending(state):
                moves = set()
                for other in (state, case.hide(state, seat, rng)):
                    listed = pb.ListMovesRequest(position=message(setup, state=other), seat=seat)
                    moves.add(service.list_moves(listed).SerializeToString(deterministic=True))
                assert len(moves) == 1, "ListMoves depends on what is hidden"


def played(game: Game) -> list[State]:
    """All decisions of a game at random."""
    rng, state, found = random.Random(3), game.deal(9), []
    while game.turn(state) != OVER:
        found.append(state)
        seat = rng.choice(game.pending(state))
        state = game.play(state, seat, rng.choice(game.moves(state, seat)))
    return found


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
    states = played(setup.kernel)
    for state in [states[1], *spread(states[2:-2], 3), states[-2]]:
        seat = rng.choice(setup.kernel.pending(state))
        positions = [message(setup, state=state), message(setup, state=case.hide(state, seat, rng))]
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
        n = max(1200, 12 * len(posterior.weights))
        worlds = (case.game.determinize(posterior.observation, key) for key in range(n))
        counts = Counter(posterior.lens(world) for world in worlds)
        assert fits(counts, posterior.weights), f"{posterior.what}: not as likely as they come"
        what.add(posterior.what)
    return what


@every_game
def test_worlds_come_as_often_as_they_are_likely(name: str) -> None:
    what = check_worlds(case_of(name, ""), moments(name, ""))
    parts = {part for one in what for part in one.split("+")}
    expected = {"hands", "commitments", "three cards"}
    assert parts >= expected | ({"targets"} if GAMES[name].variant == "targets" else set())


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


def check_replies(case: Case, states: list[State]) -> None:
    """In one search the others' replies are the same whatever the observer has chosen: they do not see it."""
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


@every_game
def test_replies_in_a_tree_are_the_same_to_every_hidden_choice(name: str) -> None:
    check_replies(case_of(name, ""), spread(moments(name, ""), 12))


@pytest.mark.parametrize("kind", CASES)
def test_replies_are_as_frequent_whatever_was_chosen(kind: str) -> None:
    check_reply_frequencies(CASES[kind].dilemmas())


@pytest.mark.parametrize("kind", CASES)
def test_replies_are_as_frequent_whatever_the_secret(kind: str) -> None:
    check_secrets(CASES[kind].secrets())


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


class Gossip(Advisor):
    """Shows a seat what another has committed."""

    def observe(self, request: pb.ObserveRequest) -> pb.ObserveResponse:
        response = super().observe(request)
        for seat, secret in enumerate(request.position.ocean.referee.seats):
            if seat != request.seat and secret.HasField("commitment"):
                response.position.ocean.seat_knowledge.commitment.CopyFrom(secret.commitment)
        return response


class Counterfeiter(Advisor):
    """Searches from a seed that depends on the whole position."""

    def prepare(self, request: pb.AdviseRequest, faults: Faults | None = None) -> Prepared:
        prepared = super().prepare(request, faults)
        state = load(self, request.position).state
        if state is None:
            return prepared
        seed = prepared.options.seed ^ prepared.setup.kernel.key(state)
        return dataclasses.replace(prepared, options=dataclasses.replace(prepared.options, seed=seed))


class Insider(Advisor):
    """Leaves out the move that turns out worst in the true state."""

    def prepare(self, request: pb.AdviseRequest, faults: Faults | None = None) -> Prepared:
        prepared = super().prepare(request, faults)
        kernel, state = prepared.setup.kernel, load(self, request.position).state
        if state is None:
            return prepared

        def worth(move: int) -> int:
            after = kernel.play(state, request.seat, move)
            return sum(kernel.informed_playout(after, seed)[request.seat] for seed in range(10))

        moves = kernel.moves(state, request.seat)
        allowed = frozenset(sorted(moves, key=worth)[1:]) or frozenset(moves)
        return dataclasses.replace(prepared, options=dataclasses.replace(prepared.options, allowed=allowed))


CHEATS: dict[str, type[Ocean]] = {
    kind.__name__: kind for kind in (Whisperer, Rememberer, Stubborn, Leaning, Grabber, Spy, Sorter, Keeper)
}


@pytest.mark.parametrize(
    ("cheat", "check", "complaint"),
    [
        ("Whisperer", check_shown, "observation depends"),
        ("Rememberer", check_worlds, "likely"),
        ("Stubborn", check_worlds, "likely"),
        ("Leaning", check_worlds, "likely"),
        ("Grabber", check_others, "choices know"),
        ("Spy", check_others, "priors know"),
        ("Sorter", check_others, "told apart"),
        ("Keeper", check_others, "hidden choice is left"),
    ],
)
@every_game
def test_a_cheating_kernel_is_caught(
    name: str, cheat: str, check: Callable[[Case, list[State]], Any], complaint: str
) -> None:
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

Check = Callable[[Case, list[State]], Any]


def check_some_replies(case: Case, states: list[State]) -> None:
    check_replies(case, spread(states, 12))


PLANTED: list[tuple[str, int, Check, str]] = [
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
]
PLANTED_WITH_TARGETS: list[tuple[str, int, Check, str]] = [
    ("sample draws no targets", 109, check_worlds, "targets: not as likely"),
    ("gains look at targets", 107, check_others, "priors know"),
]
"""What can only be seen where there are targets."""
PLANTED_IN_OCEAN: list[tuple[str, int, Callable[[], None], str]] = [
    ("node_key has commitments", 104, lambda: check_reply_frequencies(OceanCase.dilemmas()), "replies to a hidden"),
    ("gains look at targets", 107, lambda: check_secrets(OceanCase.secrets()), "replies know a secret"),
    ("informed playouts look at a commitment", 108, lambda: check_secrets(OceanCase.secrets()), "playouts know"),
]
"""What shows in frequencies."""
with_faults = pytest.mark.planted


@pytest.fixture
def plant() -> Iterator[Callable[[int], None]]:
    """Plants a fault until the end of the test."""
    yield lambda fault: pytest.fail("no faults in this build") if not plant_fault(fault) else None
    plant_fault(0)


@with_faults
@pytest.mark.parametrize(
    ("name", "cheat"),
    [
        pytest.param(name, cheat, id=f"{name}-{cheat[0]}")
        for name, setting in GAMES.items()
        for cheat in PLANTED + (PLANTED_WITH_TARGETS if setting.variant == "targets" else [])
    ],
)
def test_a_planted_cheat_is_caught(name: str, cheat: tuple[str, int, Check, str], plant: Callable[[int], None]) -> None:
    _, fault, check, complaint = cheat
    case, states = case_of(name, ""), moments(name, "")  # Played by the rules.
    plant(fault)
    with pytest.raises(AssertionError, match=complaint):
        check(case, states)


@with_faults
@pytest.mark.parametrize("cheat", PLANTED_IN_OCEAN, ids=lambda cheat: cheat[0])
def test_a_planted_cheat_shows_in_frequencies(
    cheat: tuple[str, int, Callable[[], None], str], plant: Callable[[int], None]
) -> None:
    _, fault, check, complaint = cheat
    plant(fault)
    with pytest.raises(AssertionError, match=complaint):
        check()

"""Random games played through the kernel and the reference side by side, compared at every step."""

import json
import random
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from ext.game import OVER, Game, Observation, State

CATALOGUES = Path(__file__).parent.parent / "advisor" / "catalogues"
Event = dict[str, Any]


class Disagreement(AssertionError):
    """Kernel and reference differ, or the kernel breaks its own contract."""


class Reference(Protocol):
    """What a match asks of a reference implementation."""

    @property
    def over(self) -> bool: ...
    def position(self) -> dict[str, Any]: ...
    def observe(self, seat: int) -> dict[str, Any]: ...
    def moves(self, seat: int) -> list[str]: ...
    def play(self, seat: int, notation: str) -> list[Event]: ...
    def scores(self) -> list[int]: ...
    def ranks(self) -> list[int]: ...


def snake(value: Any) -> Any:
    """protobuf JSON with the field names of the .proto file."""
    if isinstance(value, dict):
        return {"".join("_" + c.lower() if c.isupper() else c for c in key): snake(v) for key, v in value.items()}
    return [snake(item) for item in value] if isinstance(value, list) else value


def house(game: str = "ocean") -> dict[str, Any]:
    """The catalogue of a game that ships."""
    catalogue: dict[str, Any] = snake(json.loads((CATALOGUES / f"{game}-house.json").read_text()))
    return catalogue


def expect(name: str, kernel: Any, reference: Any) -> None:
    if kernel != reference:
        raise Disagreement(f"{name}: kernel {kernel!r}, reference {reference!r}")


class Match(ABC):
    """One game in both implementations. Its number decides everything."""

    game: Game
    reference: Reference
    state: State
    watcher: int
    """The seat of a client that keeps nothing but its observation, `kept`, and reports what it is told."""
    kept: Observation
    read_back = 1.0
    """At how many of the steps the position is read back; reading checks much."""

    def __init__(self, number: int) -> None:
        self.rng = random.Random(number)
        self.seats = self.pick_seats()
        self.seen: Counter[str] = Counter()
        """What happened in this game, for the figures of a run."""

    def pick_seats(self) -> int:
        """How many play."""
        return self.rng.randint(2, 4)

    def looked_at(self) -> Sequence[int]:
        """The seats whose observations are compared at this step."""
        return range(self.seats)

    @abstractmethod
    def play(self) -> None:
        """To the end, compared at every step."""

    @abstractmethod
    def pending(self) -> Sequence[int]:
        """The seats that owe a decision, by the reference."""

    def decide(self, seat: int, move: int) -> list[Event]:
        """A seat's move in both; the events."""
        game, notation = self.game, self.game.notation(move)
        expect("notation", game.parse(notation), move)
        after = game.play(self.state, seat, move)
        events = self.reference.play(seat, notation)
        expect("events", game.events(self.state, seat, move, after), events)
        self.state = after
        return events

    def check_kept(self) -> None:
        """What the client keeps is what it would be shown."""
        expect(f"what seat {self.watcher} keeps", self.kept, self.game.observe(self.state, self.watcher))

    def compare(self) -> None:
        game, state, reference, pending = self.game, self.state, self.reference, self.pending()
        position = game.dump(state)
        expect("position", position, reference.position())
        expect("pending", game.pending(state), pending)
        expect("over", game.turn(state) == OVER, reference.over)
        expect("scores", game.score(state), reference.scores())
        for seat in self.looked_at():
            moves = game.moves(state, seat)
            expect("moves", [game.notation(move) for move in moves], reference.moves(seat))
            expect("canonical order", moves, sorted(set(moves)))
            for move in moves:
                expect("canonical", game.canonical(state, seat, move), move)
            observation = game.observe(state, seat)
            seen = game.dump_observation(observation)
            expect(f"observation of {seat}", seen, reference.observe(seat))
            if self.rng.random() < self.read_back / 5:
                expect("observation read back", game.load_observation(seen), observation)
            expect("own moves", game.moves_observation(observation), moves)
            expect("owed", game.pending_observation(observation), pending)
        if self.rng.random() < self.read_back:
            read = game.load(position)
            expect("state read back", (game.key(read), game.dump(read)), (game.key(state), position))
        seat = self.rng.randrange(self.seats)
        world = game.determinize(game.observe(state, seat), self.rng.getrandbits(64))
        expect("a world looks the same", game.observe(world, seat), game.observe(state, seat))
        if reference.over:
            expect("ranks", game.ranks(state), reference.ranks())


def play_match(kind: type[Match], number: int) -> Counter[str]:
    """Plays game `number` and tells what happened in it; raises Disagreement, which names it."""
    try:
        match = kind(number)
        match.play()
    except Exception as error:
        raise Disagreement(f"game {number}: {type(error).__name__}: {error}") from error
    return match.seen

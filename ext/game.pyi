"""The game contract as Python sees it: positions in, positions out. The search calls the same without the GIL."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

CHANCE: int
"""What `Game.turn` gives when a single chance event is next."""
OVER: int
"""What `Game.turn` gives when the game has ended."""
MAX_SEATS: int

class State:
    """A full state, hidden part included. Immutable from Python; equal and hashable by content."""

    @property
    def game(self) -> Game: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    def __bytes__(self) -> bytes: ...

class Observation:
    """What one seat knows and nothing else. Immutable; equal observations have equal bytes."""

    @property
    def game(self) -> Game: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    def __bytes__(self) -> bytes: ...

class Game:
    """Rules, options and catalogue compiled to tables; immutable and shared by all threads.

    Seats are 0 to `seats` - 1. Moves and outcomes are unsigned 32-bit codes, canonical order is ascending.
    """

    name: ClassVar[str]
    kernel_version: ClassVar[int]
    @property
    def seats(self) -> int: ...
    @property
    def max_moves(self) -> int: ...
    @property
    def max_outcomes(self) -> int: ...
    @property
    def max_plies(self) -> int: ...
    @property
    def state_bytes(self) -> int: ...
    @property
    def observation_bytes(self) -> int: ...
    @property
    def aim(self) -> bool:
        """Whether a single seat has something to reach besides points."""
    def start(self) -> State:
        """The position before the first chance event."""
    def deal(self, seed: int) -> State:
        """`start`, with chance drawn until a seat has to decide."""
    def load(self, position: Mapping[str, Any]) -> State:
        """Reads a referee's position (the game's wire message as a mapping); raises `Malformed`."""
    def dump(self, state: State) -> dict[str, Any]: ...
    def load_observation(self, position: Mapping[str, Any]) -> Observation:
        """Reads a seat's observation; raises `Malformed`."""
    def recognize(self, message: bytes) -> Observation | None:
        """Reads the quick way a seat's observation: the game's wire message, as answers write it, in bytes.

        None where anything is wrong or not plain: then `load_observation` reads it, and says what is wrong. The rules
        inside the message are not looked at; they have to be the game's own.
        """
    def dump_observation(self, observation: Observation) -> dict[str, Any]: ...
    def observer(self, observation: Observation) -> int: ...
    def turn(self, state: State) -> int:
        """A seat that owes a decision (the lowest), CHANCE or OVER."""
    def pending(self, state: State) -> list[int]:
        """Every seat that owes a decision now, ascending."""
    def pending_observation(self, observation: Observation) -> list[int]:
        """The same, from an observation."""
    def over_observation(self, observation: Observation) -> bool: ...
    def moves(self, state: State, seat: int) -> list[int]:
        """Representatives of the legal moves of `seat`, ascending; empty when it owes no decision."""
    def moves_observation(self, observation: Observation) -> list[int]:
        """The observer's own legal moves."""
    def before(self, one: int, other: int) -> bool:
        """Whether the notation of one move code comes before the other's in byte order."""
    def legal(self, state: State, seat: int, move: int) -> bool: ...
    def canonical(self, state: State, seat: int, move: int) -> int: ...
    def notation(self, move: int) -> str: ...
    def parse(self, text: str) -> int:
        """Reads a notation; raises ValueError that says what is expected."""
    def play(self, state: State, seat: int, move: int) -> State:
        """Plays a legal move; raises ValueError otherwise."""
    def events(self, before: State, seat: int, move: int, after: State) -> list[dict[str, Any]]:
        """What happened between two states, as the game's event messages; private ones carry "private_to"."""
    def commit(self, observation: Observation, move: int) -> Observation:
        """The observer's own move on its observation; raises ValueError when not legal."""
    def report(self, observation: Observation, events: Sequence[Mapping[str, Any]]) -> Observation:
        """Takes up what the observer has seen happen; raises `Malformed` with paths "events[i]..."."""
    def outcomes(self, state: State) -> list[tuple[int, int]]:
        """(outcome, weight) of the chance event that is next; empty when none is."""
    def draw(self, state: State, seed: int, world: int) -> int: ...
    def happen(self, state: State, outcome: int) -> State: ...
    def chance_events(self, before: State, outcome: int, after: State) -> list[dict[str, Any]]:
        """What an outcome brought, as the game's event messages; none where chance only sets up the game."""
    def outcome_notation(self, outcome: int) -> str: ...
    def parse_outcome(self, text: str) -> int:
        """Reads an outcome's text; raises ValueError that says what is expected."""
    def observe(self, state: State, seat: int) -> Observation: ...
    def determinize(self, observation: Observation, key: int) -> State: ...
    def reopened(self, state: State, observer: int) -> State:
        """The state with every commitment but the observer's taken back, as a search looks at it."""
    def priors(self, state: State, seat: int) -> list[float]:
        """Points each legal move gains at once, in the order of `moves`."""
    def choose(self, state: State, seat: int, key: int) -> int:
        """The informed playout move that the stream of `key` gives."""
    def playout(self, state: State, seed: int) -> list[int]:
        """Final scores after uniformly random play to the end."""
    def informed_playout(self, state: State, seed: int) -> list[int]:
        """Final scores after cheaply informed play to the end."""
    def estimate(self, state: State) -> tuple[list[float], list[float]]:
        """(values, scales): estimated final scores and their standard deviations, in points."""
    def score(self, state: State) -> list[int]: ...
    def score_observation(self, observation: Observation) -> list[int]:
        """Points of each seat as far as the observer knows them."""
    def ranks(self, state: State) -> list[int]: ...
    def reached(self, state: State) -> bool:
        """Whether a single seat has what it aims at, as the position stands; True where it only plays for points."""
    def key(self, state: State) -> int: ...
    def observation_key(self, state: State, seat: int) -> int: ...
    def history_key(self, state: State, seat: int) -> int:
        """64-bit hash of what the search tree of `seat` keys its nodes by."""

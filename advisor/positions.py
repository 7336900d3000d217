"""Reads and writes positions, moves, events and statuses, whatever the game."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from advisor.catalogues import Catalogue
from advisor.converter import Content
from advisor.errors import CATALOGUE_NOT_HELD, AdvisorError, quote
from advisor.faults import Faults, join
from advisor.games import GameEntry, Games, Header, Setup
from advisor.protojson import path_within
from advisor.v1 import game_pb2, position_pb2
from ext.errors import Malformed, Violation
from ext.game import CHANCE, OVER, Observation, State

MAX_CHANCE_EVENTS: Final = 1_000_000
"""Most chance events a position may claim."""
MAX_EVENTS: Final = 300
"""Most events in one report."""
_DIGEST: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)
_EVENT_PATH: Final = re.compile(r"events\[(\d+)\]\.?(.*)", re.DOTALL)


class Loaded(NamedTuple):
    """A position that was read: a referee's state or one seat's observation, and the setup it belongs to."""

    setup: Setup
    chance_events: int
    state: State | None
    observation: Observation | None

    @property
    def observer(self) -> int | None:
        """The observing seat; None for a referee's position."""
        return None if self.observation is None else self.setup.kernel.observer(self.observation)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        kernel = self.setup.kernel
        if self.observation is not None:
            return kernel.over_observation(self.observation)
        assert self.state is not None
        return kernel.turn(self.state) == OVER

    @property
    def pending(self) -> list[int]:
        """Seats that owe a decision, ascending."""
        kernel = self.setup.kernel
        if self.observation is not None:
            return kernel.pending_observation(self.observation)
        assert self.state is not None
        return kernel.pending(self.state)

    @property
    def world(self) -> State:
        """The state, or of an observation any state that fits it; raises ValueError where a reveal is due."""
        if self.state is not None:
            return self.state
        assert self.observation is not None
        return self.setup.kernel.determinize(self.observation, 0)

    @property
    def chance_due(self) -> str | None:
        """Name, among the game's events, of the chance event that is next; None when none is."""
        if self.pending or self.over:
            return None
        try:
            state = self.world
        except ValueError:
            return None
        kernel = self.setup.kernel
        if kernel.turn(state) != CHANCE:
            return None
        outcome, _ = kernel.outcomes(state)[0]
        return event_name(kernel.chance_events(state, outcome, kernel.happen(state, outcome))[0])

    def seen_by(self, seat: int) -> Observation:
        """Return what `seat` knows; of an observation only its own seat may be asked for."""
        if self.observation is not None:
            assert seat == self.observer
            return self.observation
        assert self.state is not None
        return self.setup.kernel.observe(self.state, seat)

    def representative(self, seat: int, code: int) -> int | None:
        """Return the move by which the rules know `code` for a seat that owes a decision; None when it is not legal."""
        kernel = self.setup.kernel
        state = self.world  # What a seat may do depends on what it knows, so that any world tells it.
        return kernel.canonical(state, seat, code) if kernel.legal(state, seat, code) else None


# Games, variants, catalogues.


def read_entry(games: Games, game: str, faults: Faults) -> GameEntry | None:
    """Return the game of that name; None, with a fault, when there is none."""
    entry = games.entries.get(game)
    if entry is None:
        known = ", ".join(games.entries)
        faults.add("game", f"is required; expected {known}" if not game else f"expected {known}, not {quote(game)}")
    return entry


def read_catalogue(games: Games, entry: GameEntry, ref: game_pb2.CatalogueRef, faults: Faults) -> Catalogue | None:
    """Return the catalogue that `ref` names; None, with a fault or a refusal, when it is not held."""
    if ref.digest and not _DIGEST.fullmatch(ref.digest):
        faults.add("digest", f"expected 64 lower-case hex digits, not {quote(ref.digest)}")
        return None
    catalogue = games.catalogue(entry.game, ref.id)
    if catalogue is not None and ref.digest in ("", catalogue.digest):
        return catalogue
    held = games.catalogues(entry.game)
    ids = ", ".join(one.id for one in held)
    named = f"catalogue {quote(ref.id)}" if ref.id else "the default catalogue"
    what = "is not held" if catalogue is None else "is held with other content (its digest differs)"
    faults.refuse(
        AdvisorError(
            CATALOGUE_NOT_HELD,
            f"{faults.prefix}: {named} {what}; this server holds {ids}",
            metadata={"field": faults.prefix, "held": ids, "digests": ", ".join(one.digest for one in held)},
        )
    )
    return None


def write_ref(catalogue: Catalogue, ref: game_pb2.CatalogueRef) -> None:
    """Fill a catalogue reference."""
    ref.id = catalogue.id
    ref.digest = catalogue.digest


def read_variant(
    games: Games, game: str, variant: str, seats: int, faults: Faults
) -> tuple[GameEntry, str, int] | None:
    """Return game, variant and number of seats; None, with every fault, when one is wrong."""
    entry = read_entry(games, game, faults)
    if entry is None:
        return None
    info = entry.variant(variant)
    if info is None:
        known = ", ".join(one.variant for one in entry.variants)
        faults.add("variant", f"expected {known}, not {quote(variant)}")
    low, high = (entry.min_seats, entry.max_seats) if info is None else (info.least_seats, info.max_seats)
    if not low <= seats <= high:
        faults.add("seats", f"expected {low if low == high else f'{low} to {high}'}, not {seats}")
        return None
    return None if info is None else (entry, info.variant, seats)


# Positions.


def read_position(
    games: Games, position: position_pb2.Position, faults: Faults, familiar: Setup | None = None
) -> Loaded | None:
    """Read a position; None, with every fault below the place of `faults`, when it is wrong or cannot be served.

    familiar: its compiled rules, where they were recalled already.
    """
    before = len(faults.found)
    entry = games.entries.get(position.game)
    member = position.WhichOneof("content")
    setup, header = familiar, None
    if entry is not None and member == entry.converter.member and setup is None:
        header = header_of(entry, position)
        setup = games.recall(header)
    # The same words as in a position that was read without a fault need no second look.
    variant = (
        None if setup is not None else read_variant(games, position.game, position.variant, position.seats, faults)
    )
    if not 0 <= position.chance_events <= MAX_CHANCE_EVENTS:
        faults.add("chance_events", f"expected 0 to {MAX_CHANCE_EVENTS:,}, not {position.chance_events}")
    if entry is None:
        return None
    converter = entry.converter
    catalogue = None
    if setup is None:
        catalogue = read_catalogue(games, entry, position.catalogue, faults.under("catalogue"))
    if member is None:
        faults.add(converter.member, "is required")
    elif member != converter.member:
        faults.add(member, f"is not for the game {entry.game}; expected {converter.member}")
    if member != converter.member:
        return None

    message = getattr(position, converter.member)
    if setup is not None and len(faults.found) == before:
        recognized = setup.kernel.recognize(message.SerializeToString())
        if recognized is not None:
            return Loaded(setup, position.chance_events, None, recognized)
    inside = faults.under(converter.member)
    before_rules = len(faults.found)
    rules: Content = {}
    if setup is None:
        rules = converter.read_rules(converter.position_rules(message), inside.under("rules"))
    rules_sound = len(faults.found) == before_rules
    referee = converter.is_referee(message, inside)
    before_content = len(faults.found)
    content = converter.read_position(message, inside)
    # What is wrong inside a list that was cut short is told of the list alone.
    cut = {path for path, _ in faults.found[before_content:]}
    if setup is None:
        if variant is None or catalogue is None or not rules_sound:
            return None
        try:
            setup = games.setup(entry, variant[1], variant[2], rules, catalogue)
        except Malformed as error:
            # The kernel speaks of its arguments: the rules stand inside the game's own message, the rest beside it.
            inside.take(fault for fault in error.violations if fault.path.startswith("rules"))
            faults.take(fault for fault in error.violations if not fault.path.startswith("rules"))
            return None
        assert header is not None
        games.remember(header, setup, rules)
    if referee is None:
        return None
    state = observation = None
    try:
        if referee:
            state = setup.kernel.load(content)
        else:
            observation = setup.kernel.load_observation(content)
    except Malformed as error:
        inside.take(fault for fault in error.violations if not path_within(join(inside.prefix, fault.path), cut))
    if len(faults.found) > before:
        return None
    return Loaded(setup, position.chance_events, state, observation)


def header_of(entry: GameEntry, position: position_pb2.Position) -> Header:
    """Return what of a position of that game decides its setup."""
    converter, ref = entry.converter, position.catalogue
    rules = converter.position_rules(getattr(position, converter.member))
    return position.game, position.variant, position.seats, ref.id, ref.digest, rules.SerializeToString()


def write_position(
    setup: Setup,
    chance_events: int,
    position: position_pb2.Position,
    *,
    state: State | None = None,
    observation: Observation | None = None,
) -> None:
    """Fill a position from a state or an observation, with all options and the catalogue's digest written out."""
    converter = setup.entry.converter
    position.game = setup.entry.game
    position.variant = setup.variant
    position.seats = setup.seats
    position.chance_events = chance_events
    write_ref(setup.catalogue, position.catalogue)
    if observation is not None:
        content = setup.kernel.dump_observation(observation)
    else:
        assert state is not None
        content = setup.kernel.dump(state)
    converter.write_position(content, setup.rules, getattr(position, converter.member))


# Moves.


def read_move(setup: Setup, move: position_pb2.Move, faults: Faults) -> tuple[int, str] | None:
    """Return a move's code and the path, relative to the move, of the field that says it; None with a fault.

    Notation and typed move must agree where both are given.
    """
    before = len(faults.found)
    converter = setup.entry.converter
    member = move.WhichOneof("content")
    typed = None
    if member is not None and member != converter.member:
        faults.add(member, f"is not for the game {setup.entry.game}; expected {converter.member}")
    elif member is not None:
        said = converter.read_move(getattr(move, member), faults.under(member))
        if said is not None:
            typed = _parse(setup, said[0], f"{member}.{said[1]}", faults)
    elif not move.notation:
        faults.add("", f"is required: notation or {converter.member}")
    noted = _parse(setup, move.notation, "notation", faults) if move.notation else None
    if len(faults.found) > before:
        return None
    if typed is not None and noted is not None and typed[0] != noted[0]:
        said_typed = setup.kernel.notation(typed[0])
        faults.add("notation", f'says "{setup.kernel.notation(noted[0])}" but {member} says "{said_typed}"')
        return None
    return typed or noted


def _parse(setup: Setup, notation: str, path: str, faults: Faults) -> tuple[int, str] | None:
    try:
        return setup.kernel.parse(notation), path
    except ValueError as error:
        faults.add(path, str(error))
        return None


def write_move(setup: Setup, code: int, move: position_pb2.Move) -> None:
    """Fill a move, as notation and typed."""
    converter: Any = setup.entry.converter  # hashed by identity, which a Protocol does not say
    move.CopyFrom(move_message(converter, setup.kernel.notation(code)))


@lru_cache(maxsize=1 << 13)
def move_message(converter: Any, notation: str) -> position_pb2.Move:
    """A move's message, made once: an answer names the same few dozen moves again and again. Not to be changed."""
    move = position_pb2.Move(notation=notation)
    converter.write_move(notation, getattr(move, converter.member))
    return move


# Events.


def read_events(
    setup: Setup, events: Sequence[position_pb2.Event], observer: int | None, faults: Faults
) -> list[dict[str, Any]]:
    """Return what a client reports, as the kernel takes it; faults are added as "events[i]..."."""
    if len(events) > MAX_EVENTS:
        faults.add("events", f"expected at most {MAX_EVENTS:,}, not {len(events):,}")
        return []
    converter = setup.entry.converter
    contents = []
    for i, event in enumerate(events):
        here = faults.under(f"events[{i}]")
        # Whose secret it is that chance brought to a referee's position is seen when it happens.
        if event.HasField("private_to") and observer not in (None, event.private_to):
            here.add("private_to", f"expected {observer}, the observer, or nothing, not {event.private_to}")
        member = event.WhichOneof("content")
        if member is None:
            here.add(converter.member, "is required")
        elif member != converter.member:
            here.add(member, f"is not for the game {setup.entry.game}; expected {converter.member}")
        else:
            content = dict(converter.read_event(getattr(event, member), here.under(member)))
            if event.HasField("private_to"):
                content["private_to"] = event.private_to
            contents.append(content)
    return contents


def event_faults(setup: Setup, violations: Iterable[Violation], skipped: int = 0) -> list[Violation]:
    """Return faults of reported events, before which so many were left out, with the paths they have in the request."""
    member = setup.entry.converter.member
    placed = []
    for path, message in violations:
        found = _EVENT_PATH.fullmatch(path)
        if found:
            below = found[2] if found[2] == "private_to" else join(member, found[2])
            path = f"events[{int(found[1]) + skipped}].{below}"
        placed.append(Violation(path, message))
    return placed


def shown_before(contents: Sequence[Content], shown: Sequence[Content]) -> int:
    """Return how many events at the start of a report only say again, in order, what an own move has shown already."""
    left = list(shown)
    for number, content in enumerate(contents):
        if content not in left:
            return number
        del left[: left.index(content) + 1]
    return len(contents)


def chance_among(setup: Setup, contents: Iterable[Content]) -> int:
    """Return the number of chance events among events that happened."""
    return sum(setup.entry.converter.is_chance(content) for content in contents)


def event_name(content: Content) -> str:
    """Return the name of an event among the game's events."""
    return next(name for name in content if name != "private_to")


def write_event(setup: Setup, content: Content, event: position_pb2.Event) -> None:
    """Fill an event: typed, its text, and whom it may be told."""
    if content.get("private_to") is not None:
        event.private_to = content["private_to"]
    setup.entry.converter.write_event(content, event)


# Status.


def write_status(loaded: Loaded, status: position_pb2.Status) -> None:
    """Fill where a game stands."""
    kernel = loaded.setup.kernel
    status.over = loaded.over
    status.pending.extend(loaded.pending)
    if loaded.observation is not None:
        status.scores.extend(kernel.score_observation(loaded.observation))
    else:
        assert loaded.state is not None
        status.scores.extend(kernel.score(loaded.state))
    if status.over:
        # What decides the places of a finished game is open, so every state that fits an observation has the same.
        status.ranks.extend(kernel.ranks(loaded.world))

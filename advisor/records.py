"""Replays records: a start and what happened since, to the position at its end."""

import re
from collections.abc import Sequence
from typing import Any, Final

from advisor.chance import NOT_DUE, read_outcome
from advisor.converter import Content
from advisor.faults import Faults
from advisor.games import Games
from advisor.positions import (
    Loaded,
    chance_among,
    event_faults,
    read_events,
    read_move,
    read_position,
    shown_before,
)
from advisor.v1 import position_pb2
from ext.errors import Malformed, Violation
from ext.game import CHANCE

_EVENT: Final = re.compile(r"events(?:\[(\d+)\])?(.*)", re.DOTALL)


def read_record(games: Games, record: position_pb2.Record, most: int, faults: Faults) -> Loaded | None:
    """Return the position at the end of a record; None, with faults below the place of `faults`, when it is wrong.

    most: how many steps it may have. What is wrong with a step is told of the first such step: behind it nobody knows
    where the game stands.
    """
    steps = record.steps
    if not record.HasField("start"):
        faults.add("start", "is required")
        return None
    loaded = read_position(games, record.start, faults.under("start"))
    if len(steps) > most:
        faults.add("steps", f"expected at most {most:,}, not {len(steps):,}")
        return None
    done = 0
    shown: Sequence[Content] = ()
    while loaded is not None and done < len(steps):
        here = faults.under(f"steps[{done}]")
        match steps[done].WhichOneof("step"):
            case "move":
                loaded, shown = _move(loaded, steps[done].move, here.under("move"))
                done += 1
            case "event":
                # Reported in one go with those that follow: some make sense only together.
                first = done
                while done < len(steps) and steps[done].HasField("event"):
                    done += 1
                loaded = _events(loaded, steps[first:done], first, shown, faults)
            case "chance":
                loaded = _chance(loaded, steps[done].chance, here.under("chance"))
                done += 1
            case _:
                here.add("", "is required: move, event or chance")
                loaded = None
    return loaded


def _move(loaded: Loaded, step: position_pb2.SeatMove, faults: Faults) -> tuple[Loaded | None, Sequence[Content]]:
    """Return what a move leads to, and what it shows the observer by itself."""
    setup, kernel, seat = loaded.setup, loaded.setup.kernel, step.seat
    if not 0 <= seat < setup.seats:
        faults.add("seat", f"expected 0 to {setup.seats - 1}, not {seat}")
    elif loaded.observer not in (None, seat):
        faults.add("seat", f"expected {loaded.observer}, whose observation this is, not {seat}; report events instead")
    elif seat not in loaded.pending:
        due = loaded.chance_due
        why = f"chance is next: {due}" if due else f"seat {seat} owes no decision here"
        faults.add("seat", "the game is over" if loaded.over else why)
    elif not step.HasField("move"):
        faults.add("move", "is required")
    else:
        move = read_move(setup, step.move, faults.under("move"))
        if move is None:
            return None, ()
        code, path = move
        legal = loaded.representative(seat, code)
        if legal is not None:
            before = loaded.observation
            if before is not None:
                after = kernel.commit(before, legal)
                shown = setup.entry.converter.own_move_events(kernel, before, seat, legal, after)
                return loaded._replace(observation=after), shown
            assert loaded.state is not None
            return loaded._replace(state=kernel.play(loaded.state, seat, legal)), ()
        faults.under("move").add(path, f'"{kernel.notation(code)}" is not legal for seat {seat} here')
    return None, ()


def _chance(loaded: Loaded, step: position_pb2.Chance, faults: Faults) -> Loaded | None:
    kernel = loaded.setup.kernel
    if loaded.state is None:
        faults.add("", "is for a record of a referee's position; report events instead")
    elif kernel.turn(loaded.state) != CHANCE:
        faults.add("", NOT_DUE)
    elif not step.outcome:
        faults.add("outcome", "is required")
    else:
        outcome = read_outcome(loaded.setup, loaded.state, step.outcome, faults.under("outcome"))
        if outcome is not None:
            state = kernel.happen(loaded.state, outcome)
            return loaded._replace(state=state, chance_events=loaded.chance_events + 1)
    return None


def _events(
    loaded: Loaded, steps: Sequence[position_pb2.RecordStep], first: int, shown: Sequence[Content], faults: Faults
) -> Loaded | None:
    observer = loaded.observer
    if observer is None or loaded.observation is None:
        faults.add(f"steps[{first}].event", "is for a record of an observation; a referee's has moves and chance")
        return None
    contents: list[dict[str, Any]] = []
    wrong: list[Violation] = []
    for number, step in enumerate(steps):
        one = Faults()
        contents += read_events(loaded.setup, [step.event], observer, one)
        wrong += [Violation(_at(path, first + number, 1), message) for path, message in one.found]
    if not wrong:
        skipped = shown_before(contents, shown)
        chance_events = loaded.chance_events + chance_among(loaded.setup, contents)
        observation = loaded.observation
        try:
            if contents[skipped:]:
                observation = loaded.setup.kernel.report(observation, contents[skipped:])
            return loaded._replace(observation=observation, chance_events=chance_events)
        except Malformed as error:
            wrong = [
                Violation(_at(path, first, len(steps)), message)
                for path, message in event_faults(loaded.setup, error.violations, skipped)
            ]
    faults.take(wrong)
    return None


def _at(path: str, first: int, count: int) -> str:
    """Return where in the record a path of a report lies: "events[2].ocean" in the third of `count` steps.

    What is missing behind all events lies in the last one.
    """
    found = _EVENT.fullmatch(path)
    assert found is not None
    number = count - 1 if found[1] is None else int(found[1])
    return f"steps[{first + number}].event{found[2]}"

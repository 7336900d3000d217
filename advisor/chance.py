"""What chance brings to a referee's position: drawn from a seed, or given by a real table."""

from collections.abc import Sequence
from typing import Final

from advisor.converter import Content
from advisor.faults import Faults
from advisor.games import Setup
from advisor.positions import event_name
from ext.game import CHANCE, Game, State

NOT_DUE: Final = "no chance event is next here: a seat has to decide, or the game is over"
"""What is wrong with an outcome that is given where there can be none."""


def deal(kernel: Game, seed: int, first_seat: int | None) -> tuple[State, int]:
    """Return a game that is dealt, and the number of chance events in the deal.

    first_seat: who begins, in a game that draws its first player. That it is given makes it no event.
    """
    state, events = kernel.start(), 0
    if first_seat is not None:
        given = [outcome for outcome, _ in kernel.outcomes(state)]
        given = [outcome for outcome in given if kernel.outcome_notation(outcome) == f"first {first_seat}"]
        state = kernel.happen(state, given[0]) if given else state
    while kernel.turn(state) == CHANCE:
        state = kernel.happen(state, kernel.draw(state, seed, 0))
        events += 1
    return state, events


def let_happen(
    setup: Setup, state: State, given: Sequence[Content], seed: int, counter: int
) -> tuple[State, list[Content]]:
    """Return the state in which a seat has to decide, and all events on the way to it.

    given: the outcomes at a real table, as events; the others are drawn from the seed and the event counter.
    Raises `AdvisorError` with paths "events[i]" when one is not what comes next.
    """
    kernel, converter = setup.kernel, setup.entry.converter
    faults = Faults()
    happened: list[Content] = []
    number = 0
    while kernel.turn(state) == CHANCE:
        told = given[number] if number < len(given) else None
        here = faults.under(f"events[{number}].{converter.member}")
        if told is None:
            outcome: int | None = kernel.draw(state, seed, counter + number)
        else:
            outcome = read_outcome(setup, state, converter.outcome(told), here)
        faults.raise_if_any()
        assert outcome is not None
        after = kernel.happen(state, outcome)
        brought = kernel.chance_events(state, outcome, after)
        if told is not None:
            _compare(setup, told, brought, faults.under(f"events[{number}]"))
            faults.raise_if_any()
        state = after
        happened += brought
        number += 1
    if number < len(given):
        faults.add(f"events[{number}]", NOT_DUE)
        faults.raise_if_any()
    return state, happened


def read_outcome(setup: Setup, state: State, text: str | None, faults: Faults) -> int | None:
    """Return the outcome of that notation; None, with a fault, when it cannot happen now. Chance must be next."""
    kernel = setup.kernel
    possible = [outcome for outcome, _ in kernel.outcomes(state)]
    example = kernel.outcome_notation(possible[0])
    if text is None:
        faults.add("", f'is no outcome of chance; expected one such as "{example}"')
        return None
    try:
        outcome = kernel.parse_outcome(text)
    except ValueError as error:
        faults.add("", str(error))
        return None
    if outcome not in possible:
        faults.add("", f'"{kernel.outcome_notation(outcome)}" cannot happen now; "{example}" can')
        return None
    return outcome


def _compare(setup: Setup, told: Content, brought: Sequence[Content], faults: Faults) -> None:
    """Check that an event tells its outcome right: whatever else it says has to be true, too."""
    converter = setup.entry.converter
    member, name = converter.member, event_name(told)
    true = next(content for content in brought if converter.outcome(content) is not None)
    if event_name(true) != name:
        faults.add(member, f"expected {event_name(true)} here, not {name}")
        return
    for field, value in true[name].items():
        if told[name][field] != value:
            faults.add(f"{member}.{name}.{field}", f"expected {value}, not {told[name][field]}")
    seat = true.get("private_to")
    if told.get("private_to") not in (None, seat):
        wanted = "nothing" if seat is None else f"{seat} or nothing"
        faults.add("private_to", f"expected {wanted}, not {told['private_to']}")

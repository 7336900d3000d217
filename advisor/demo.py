"""What `make demo` runs: a real server, real games brought to their middle, and advice that a player understands.

Everything goes over gRPC to a server in a process of its own on a free loopback port.
"""

import sys
import time
from collections.abc import Callable
from typing import Final

from advisor.child import ChildError, child_server
from advisor.cli.advise import print_advice
from advisor.cli.common import console, tell
from advisor.errors import AdvisorError
from advisor.remote import RemoteAdvisor
from advisor.render import drawing_of
from advisor.v1 import advice_pb2, advisor_service_pb2, heart_pb2, ocean_pb2, position_pb2, sanctuary_pb2

SEARCH_SECONDS: Final = 1.0
"""Search time of each answer."""


class DemoError(Exception):
    """The demo cannot go on; the text says why."""


def play_to(
    service: RemoteAdvisor,
    new: advisor_service_pb2.NewPositionRequest,
    there: Callable[[position_pb2.Position], bool],
) -> tuple[position_pb2.Position, int]:
    """Set up a game and have the greedy player play it until it is there; return it and the first seat to decide."""
    begun = service.new_position(new)
    position, status = begun.position, begun.status
    while not there(position):
        if status.over:
            raise DemoError("the game ended too early")
        seat = status.pending[0]
        ask = advisor_service_pb2.AdviseRequest(position=position, seat=seat)
        ask.options.algorithm = advice_pb2.ALGORITHM_GREEDY
        ask.options.max_moves = 1
        best = service.advise(ask).moves[0].move
        played = service.apply_move(
            advisor_service_pb2.ApplyMoveRequest(position=position, seat=seat, move=best, seed=new.seed)
        )
        position, status = played.position, played.status
    return position, status.pending[0]


def advise(service: RemoteAdvisor, position: position_pb2.Position, seat: int) -> None:
    """Draw what a seat sees and print advice on it."""
    drawing = drawing_of(service.get_game(advisor_service_pb2.GetGameRequest(game=position.game)).catalogue)
    assert drawing is not None
    seen = service.observe(advisor_service_pb2.ObserveRequest(position=position, seat=seat))
    print(drawing.draw(seen.position, seen.status))
    ask = advisor_service_pb2.AdviseRequest(position=seen.position, seat=seat)
    ask.limits.time.FromMilliseconds(round(SEARCH_SECONDS * 1000))
    ask.options.max_moves = 5
    answer = service.advise(ask)
    if not answer.moves or answer.simulations < 1:
        raise DemoError("the answer is empty")
    print_advice(answer, seat, seen.position, drawing)


def in_round(position: position_pb2.Position, number: int, phase: ocean_pb2.OceanPhase) -> bool:
    """Whether a position of ocean is in that phase of that round."""
    return (position.ocean.table.round, position.ocean.table.phase) == (number, phase)


def halfway(position: position_pb2.Position) -> bool:
    """Whether a position of heart is at the beginning of a turn and every seat has six tiles at least."""
    table = position.heart.table
    return (table.phase, table.bonus) == (heart_pb2.HEART_PHASE_TAKE, False) and all(
        len(seat.habitat) > 6 for seat in table.seats
    )


def drafted(position: position_pb2.Position, phase: sanctuary_pb2.SanctuaryPhase) -> bool:
    """Whether a position of sanctuary is in that phase of the second round."""
    return (position.sanctuary.table.round, position.sanctuary.table.phase) == (2, phase)


def run() -> None:
    """Run the demo; raises `DemoError` or `AdvisorError` when anything fails."""
    out = console()
    with child_server() as address, RemoteAdvisor(address) as service:
        print(f"A server runs at {address}.")

        out.rule("Malaysia's Ocean Heritage with four players: which card to take?")
        new = advisor_service_pb2.NewPositionRequest(game="ocean", seats=4, seed=7)
        position, _ = play_to(service, new, lambda at: in_round(at, 5, ocean_pb2.OCEAN_PHASE_PICK))
        advise(service, position, 0)

        out.rule("Two players, targets and hex cells: where to put the card?")
        new = advisor_service_pb2.NewPositionRequest(game="ocean", variant="targets", seats=2, seed=11)
        new.rules.ocean.topology = ocean_pb2.OCEAN_TOPOLOGY_HEX
        position, _ = play_to(service, new, lambda at: in_round(at, 6, ocean_pb2.OCEAN_PHASE_PLACE))
        advise(service, position, 1)

        out.rule("I Heart Manatees with three players: which tile to take?")
        new = advisor_service_pb2.NewPositionRequest(game="heart", seats=3, seed=7)
        position, seat = play_to(service, new, halfway)
        advise(service, position, seat)

        out.rule("Manatee Sanctuary with three players: which half of which card to play?")
        new = advisor_service_pb2.NewPositionRequest(game="sanctuary", seats=3, seed=7)
        position, seat = play_to(service, new, lambda at: drafted(at, sanctuary_pb2.SANCTUARY_PHASE_PLAY))
        advise(service, position, seat)

        out.rule("Alone, with a challenge: which card to keep?")
        new = advisor_service_pb2.NewPositionRequest(game="sanctuary", variant="solo", seats=1, seed=7)
        new.rules.sanctuary.challenge = sanctuary_pb2.SANCTUARY_CHALLENGE_SHORTAGE
        position, seat = play_to(service, new, lambda at: drafted(at, sanctuary_pb2.SANCTUARY_PHASE_PICK))
        advise(service, position, seat)
    print("\nThe server has stopped.")


def main() -> int:
    """Run the demo; return the exit code."""
    begun = time.monotonic()
    try:
        run()
    except AdvisorError as error:
        tell(error)
        return 1
    except (ChildError, DemoError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"Done in {time.monotonic() - begun:.1f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What `make demo` runs: a real server, two real games brought to their middle, and advice that a player understands.

Everything goes over gRPC to a server in a process of its own on a free loopback port.
"""

import sys
import time
from typing import Final

from advisor.child import ChildError, child_server
from advisor.cli.advise import print_advice
from advisor.cli.common import console, tell
from advisor.errors import AdvisorError
from advisor.remote import RemoteAdvisor
from advisor.render import Names, draw
from advisor.v1 import advice_pb2, advisor_service_pb2, ocean_pb2, position_pb2

SEARCH_SECONDS: Final = 1.0
"""Search time of each answer."""


class DemoError(Exception):
    """The demo cannot go on; the text says why."""


def play_to(
    service: RemoteAdvisor, new: advisor_service_pb2.NewPositionRequest, until_round: int, phase: ocean_pb2.OceanPhase
) -> tuple[position_pb2.Position, position_pb2.Status]:
    """Set up a game and have the greedy player play it to a round and phase."""
    begun = service.new_position(new)
    position, status = begun.position, begun.status
    while (position.ocean.table.round, position.ocean.table.phase) != (until_round, phase):
        if status.over:
            raise DemoError("the game ended too early")
        seat = status.pending[0]
        ask = advisor_service_pb2.AdviseRequest(position=position, seat=seat)
        ask.options.algorithm = advice_pb2.ALGORITHM_GREEDY
        ask.options.max_moves = 1
        best = service.advise(ask).moves[0].move
        played = service.apply_move(advisor_service_pb2.ApplyMoveRequest(position=position, seat=seat, move=best))
        position, status = played.position, played.status
    return position, status


def advise(service: RemoteAdvisor, names: Names, position: position_pb2.Position, seat: int) -> None:
    """Draw what a seat sees and print advice on it."""
    seen = service.observe(advisor_service_pb2.ObserveRequest(position=position, seat=seat))
    print(draw(seen.position, seen.status, names))
    ask = advisor_service_pb2.AdviseRequest(position=seen.position, seat=seat)
    ask.limits.time.FromMilliseconds(round(SEARCH_SECONDS * 1000))
    ask.options.max_moves = 5
    answer = service.advise(ask)
    if not answer.moves or answer.simulations < 1:
        raise DemoError("the answer is empty")
    print_advice(answer, seat, seen.position, names)


def run() -> None:
    """Run the demo; raises `DemoError` or `AdvisorError` when anything fails."""
    out = console()
    with child_server() as address, RemoteAdvisor(address) as service:
        print(f"A server runs at {address}.")
        catalogue = service.get_game(advisor_service_pb2.GetGameRequest(game="ocean")).catalogue
        names = Names(catalogue)

        out.rule("Four players, the basic game: which card to take?")
        new = advisor_service_pb2.NewPositionRequest(game="ocean", seats=4, seed=7)
        position, _ = play_to(service, new, 5, ocean_pb2.OCEAN_PHASE_PICK)
        advise(service, names, position, 0)

        out.rule("Two players, targets and hex cells: where to put the card?")
        new = advisor_service_pb2.NewPositionRequest(game="ocean", variant="targets", seats=2, seed=11)
        new.rules.ocean.topology = ocean_pb2.OCEAN_TOPOLOGY_HEX
        position, _ = play_to(service, new, 6, ocean_pb2.OCEAN_PHASE_PLACE)
        advise(service, names, position, 1)
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

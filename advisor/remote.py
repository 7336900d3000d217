"""The service's methods over gRPC, with the same names, messages and errors as `advisor.service.Advisor`."""

from types import TracebackType
from typing import Final, TypeVar

import grpc
from google.protobuf.message import Message

from advisor.errors import from_rpc_error
from advisor.v1 import advisor_service_pb2, advisor_service_pb2_grpc

TIMEOUT_SECONDS: Final = 30.0
"""Deadline of calls that do not search, in seconds."""
SPARE_SECONDS: Final = 30.0
"""What a search may take beyond its own time limit, waiting for a worker included, in seconds."""
LONGEST_SECONDS: Final = 86_400.0
"""No search takes longer; a time limit beyond it is for the server to refuse."""

Q = TypeVar("Q", bound=Message)
R = TypeVar("R", bound=Message)


class RemoteAdvisor:
    """A client of a running server. Raises `AdvisorError`, of which reason TRANSPORT was made by gRPC itself."""

    def __init__(self, address: str) -> None:
        """Connect lazily to "HOST:PORT"."""
        self._channel = grpc.insecure_channel(address, options=[("grpc.max_receive_message_length", -1)])
        self._stub = advisor_service_pb2_grpc.AdvisorServiceStub(self._channel)

    def __enter__(self) -> "RemoteAdvisor":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._channel.close()

    def list_games(self, request: advisor_service_pb2.ListGamesRequest) -> advisor_service_pb2.ListGamesResponse:
        """Return the games, variants and catalogues held."""
        return self._call(self._stub.ListGames, request)

    def get_game(self, request: advisor_service_pb2.GetGameRequest) -> advisor_service_pb2.GetGameResponse:
        """Return one game with its rule options and a catalogue in full."""
        return self._call(self._stub.GetGame, request)

    def new_position(self, request: advisor_service_pb2.NewPositionRequest) -> advisor_service_pb2.NewPositionResponse:
        """Set up a game."""
        return self._call(self._stub.NewPosition, request)

    def observe(self, request: advisor_service_pb2.ObserveRequest) -> advisor_service_pb2.ObserveResponse:
        """Return the position as one seat sees it."""
        return self._call(self._stub.Observe, request)

    def list_moves(self, request: advisor_service_pb2.ListMovesRequest) -> advisor_service_pb2.ListMovesResponse:
        """Return the legal moves of a seat that owes a decision."""
        return self._call(self._stub.ListMoves, request)

    def apply_move(self, request: advisor_service_pb2.ApplyMoveRequest) -> advisor_service_pb2.ApplyMoveResponse:
        """Play a move, or take up what an observer has seen."""
        return self._call(self._stub.ApplyMove, request)

    def advise(self, request: advisor_service_pb2.AdviseRequest) -> advisor_service_pb2.AdviseResponse:
        """Rank the moves of a seat."""
        # Whatever the limits are, the server's caps bound them; a deadline would cut a long search short.
        timeout = None
        if request.limits.HasField("time"):
            seconds = request.limits.time.seconds + request.limits.time.nanos / 1e9
            timeout = min(max(0.0, seconds), LONGEST_SECONDS) + SPARE_SECONDS
        return self._call(self._stub.Advise, request, timeout)

    def _call(
        self, method: "grpc.UnaryUnaryMultiCallable[Q, R]", request: Q, timeout: float | None = TIMEOUT_SECONDS
    ) -> R:
        try:
            return method(request, timeout=timeout)
        except grpc.RpcError as error:
            raise from_rpc_error(error) from error

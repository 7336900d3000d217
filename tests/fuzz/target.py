"""What is fuzzed: every RPC of the service, inside the process, with limits so small that no answer takes long."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf import message_factory
from google.protobuf.message import DecodeError, Message

from advisor.errors import INTERNAL, INVALID_REQUEST, MAX_STATUS_BYTES, AdvisorError, from_exception
from advisor.service import Advisor, PreparedChoice
from advisor.settings import Settings
from advisor.v1 import advisor_service_pb2 as pb
from advisor.v1 import position_pb2

SERVICE: Final = pb.DESCRIPTOR.services_by_name["AdvisorService"]
GAMES: Final = ("heart", "ocean", "sanctuary")
ANY_GAME: Final = "any"
"""Stands for a game where an RPC knows none."""
SEARCHING: Final = ("Advise", "ChooseMove", "WatchAdvice", "AdviseBatch")
"""RPCs whose method takes a deadline, too."""
NAMES: Final = {"WatchAdvice": "watch"}
"""The service's methods that are not called as their RPC is."""
SEARCH_SECONDS: Final = 0.1
"""After so long a search has to be over."""
SLOW_SECONDS: Final = 1.0
"""An answer that takes longer is a fault, if it does so again."""


class Fault(Exception):
    """What an input has brought to light."""


def limits() -> Settings:
    """Settings of a service that never searches long."""
    return Settings(
        port=0,
        metrics_port=0,
        workers=1,
        kernel_cache=16,
        default_seconds=0.01,
        max_seconds=0.02,
        max_simulations=60,
        default_memory_bytes=1 << 20,
        max_memory_bytes=4 << 20,
        max_threads=2,
    )


@dataclass(frozen=True)
class Target:
    """One RPC: its name, its request's type, and the method of `Advisor` that answers it (None: there is none)."""

    rpc: str
    request: type[Message]
    method: Any

    def parse(self, data: bytes) -> Message | None:
        """The message that the bytes are; None where they are none."""
        try:
            return self.request.FromString(data)
        except DecodeError:
            return None


def targets(advisor: Advisor) -> dict[str, Target]:
    """All RPCs, by name, as the service's description lists them."""
    found = {}
    for method in SERVICE.methods:
        name = NAMES.get(method.name, "".join(f"_{c.lower()}" if c.isupper() else c for c in method.name)[1:])
        request = message_factory.GetMessageClass(method.input_type)
        found[method.name] = Target(method.name, request, getattr(advisor, name, None))
    if "AdviseBatch" in found:
        kind = found["AdviseBatch"].request
        found["AdviseBatch"] = Target("AdviseBatch", kind, lambda *asked: _question(advisor, *asked))
    return found


def _question(advisor: Advisor, request: pb.AdviseBatchRequest, deadline: float) -> Message:
    """Answer one question of a batch. What the stream makes of ids is seen on a socket alone."""
    prepared, _ = advisor.prepare_question(request)
    if isinstance(prepared, PreparedChoice):
        return advisor.choose(prepared, deadline)
    return advisor.search(prepared, deadline).message()


class Runner:
    """Feeds requests to the service, and says what is wrong with its answers."""

    def __init__(self, advisor: Advisor | None = None) -> None:
        self.advisor = Advisor(limits()) if advisor is None else advisor
        self.targets = targets(self.advisor)
        self.slowest = 0.0
        """Seconds that the slowest answer has taken."""

    @property
    def missing(self) -> list[str]:
        """RPCs that no method answers without a network."""
        return [rpc for rpc, target in self.targets.items() if target.method is None]

    def run(self, rpc: str, data: bytes) -> str:
        """Answer a request; the reason that was given, or "" for an answer. Raises `Fault`."""
        begun = time.monotonic()
        reason = self._run(rpc, data)
        seconds = time.monotonic() - begun
        if seconds > SLOW_SECONDS:  # The machine may have had other things to do.
            begun = time.monotonic()
            self._run(rpc, data)
            seconds = min(seconds, time.monotonic() - begun)
            if seconds > SLOW_SECONDS:
                raise Fault(f"took {seconds:.1f} s, twice")
        self.slowest = max(self.slowest, seconds)
        return reason

    def _run(self, rpc: str, data: bytes) -> str:
        target = self.targets[rpc]
        request = target.parse(data)
        if request is None:
            return "UNREADABLE"
        try:
            answers = self._answers(target, request)
        except Exception as caught:
            error = from_exception(caught)
            if error.reason == INTERNAL:
                raise
            _check_error(error)
            return error.reason
        for answer in answers:
            answer.SerializeToString()
        self._check_position(answers[-1])
        return ""

    def _answers(self, target: Target, request: Message) -> list[Message]:
        if target.rpc in SEARCHING:
            answer = target.method(request, time.monotonic() + SEARCH_SECONDS)
        else:
            answer = target.method(request)
        return [answer] if isinstance(answer, Message) else list(answer)

    def _check_position(self, answer: Any) -> None:
        """What the service has written it must be able to read."""
        position = getattr(answer, "position", None)
        if not isinstance(position, position_pb2.Position):
            return
        # Whose observation it is the position says; a request that reports events alone need not.
        content = getattr(position, position.WhichOneof("content") or "")
        seat = content.seat_knowledge.seat if content.HasField("seat_knowledge") else 0
        again = self.advisor.observe(pb.ObserveRequest(position=position, seat=seat))
        if again.status.over != answer.status.over or list(again.status.pending) != list(answer.status.pending):
            raise Fault("the position in the answer does not stand where its status says")


def _check_error(error: AdvisorError) -> None:
    """An error tells what is wrong, in no more bytes than fit."""
    if error.to_status().ByteSize() > MAX_STATUS_BYTES:
        raise Fault("the status is too large")
    if error.reason == INVALID_REQUEST and not error.violations:
        raise Fault("an invalid request without a violation")
    for path, text in error.violations:
        if not text:
            raise Fault(f"no word on {path}")


def cells(rpcs: Iterable[str]) -> list[tuple[str, str]]:
    """What the time is shared among: each RPC with each game."""
    return [(rpc, game) for rpc in rpcs for game in ((ANY_GAME,) if rpc == "ListGames" else GAMES)]

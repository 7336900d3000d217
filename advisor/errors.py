"""Errors as clients see them: one table from reasons and exceptions to gRPC statuses, and the details they carry."""

from collections.abc import Iterable, Mapping
from typing import Final

import grpc
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2

from ext.errors import Malformed, Violation

DOMAIN: Final = "sirenia"
"""`ErrorInfo.domain` of every error."""
MAX_VIOLATIONS: Final = 32
"""Faults named in one status; the total stands in the metadata."""
MAX_STATUS_BYTES: Final = 4096
"""Size of a serialised status. gRPC caps trailers at 8 KiB, and binary ones grow by a third on the wire."""
DETAILS_KEY: Final = "grpc-status-details-bin"
"""Trailer that carries the serialised `google.rpc.Status`."""
PUSHBACK_KEY: Final = "grpc-retry-pushback-ms"
"""Trailer that tells gRPC's own retry policy how long to wait, in milliseconds."""

TOKEN_MISSING: Final = "TOKEN_MISSING"
TOKEN_UNKNOWN: Final = "TOKEN_UNKNOWN"
INVALID_REQUEST: Final = "INVALID_REQUEST"
GAME_OVER: Final = "GAME_OVER"
NO_DECISION_OWED: Final = "NO_DECISION_OWED"
CHANCE_DUE: Final = "CHANCE_DUE"
CATALOGUE_NOT_HELD: Final = "CATALOGUE_NOT_HELD"
QUEUE_FULL: Final = "QUEUE_FULL"
OVERLOADED: Final = "OVERLOADED"
TOO_MANY_CALLS: Final = "TOO_MANY_CALLS"
CLIENT_CALLS: Final = "CLIENT_CALLS"
CLIENT_RATE: Final = "CLIENT_RATE"
OUT_OF_MEMORY: Final = "OUT_OF_MEMORY"
DEADLINE_TOO_SHORT: Final = "DEADLINE_TOO_SHORT"
CANCELLED: Final = "CANCELLED"
SHUTTING_DOWN: Final = "SHUTTING_DOWN"
INTERNAL: Final = "INTERNAL"
TRANSPORT: Final = "TRANSPORT"
"""The error was made by gRPC itself, not by the service."""

STATUS_OF_REASON: Final[Mapping[str, grpc.StatusCode]] = {
    TOKEN_MISSING: grpc.StatusCode.UNAUTHENTICATED,
    TOKEN_UNKNOWN: grpc.StatusCode.UNAUTHENTICATED,
    INVALID_REQUEST: grpc.StatusCode.INVALID_ARGUMENT,
    GAME_OVER: grpc.StatusCode.FAILED_PRECONDITION,
    NO_DECISION_OWED: grpc.StatusCode.FAILED_PRECONDITION,
    CHANCE_DUE: grpc.StatusCode.FAILED_PRECONDITION,
    CATALOGUE_NOT_HELD: grpc.StatusCode.FAILED_PRECONDITION,
    QUEUE_FULL: grpc.StatusCode.RESOURCE_EXHAUSTED,
    OVERLOADED: grpc.StatusCode.RESOURCE_EXHAUSTED,
    TOO_MANY_CALLS: grpc.StatusCode.RESOURCE_EXHAUSTED,
    CLIENT_CALLS: grpc.StatusCode.RESOURCE_EXHAUSTED,
    CLIENT_RATE: grpc.StatusCode.RESOURCE_EXHAUSTED,
    OUT_OF_MEMORY: grpc.StatusCode.RESOURCE_EXHAUSTED,
    DEADLINE_TOO_SHORT: grpc.StatusCode.DEADLINE_EXCEEDED,
    CANCELLED: grpc.StatusCode.CANCELLED,
    SHUTTING_DOWN: grpc.StatusCode.UNAVAILABLE,
    INTERNAL: grpc.StatusCode.INTERNAL,
}
"""The status of every reason that the service gives. Reasons are stable: clients branch on them."""

REASON_OF_EXCEPTION: Final[Mapping[type[BaseException], str]] = {
    Malformed: INVALID_REQUEST,
    MemoryError: OUT_OF_MEMORY,
}
"""Exceptions of the lower floors that are the caller's to hear of; every other one is INTERNAL."""

STATUS_OF_NUMBER: Final[Mapping[int, grpc.StatusCode]] = {code.value[0]: code for code in grpc.StatusCode}


def clip(text: str, length: int) -> str:
    """Shorten `text` to at most `length` bytes of UTF-8, the cut marked."""
    data = text.encode("utf-8", "replace")
    return text if len(data) <= length else data[: length - 3].decode("utf-8", "ignore") + "..."


def quote(text: str, length: int = 60) -> str:
    """Quote what a caller sent: printable ASCII only, about `length` characters at the most."""
    return ascii(clip(text, length))


class AdvisorError(Exception):
    """A request that cannot be answered.

    reason: stable, upper case; decides the status unless `status` is given.
    violations: every fault found, in the order of the fields; empty unless the request is invalid.
    metadata: short facts for programs, such as the catalogues held.
    retry_after: seconds after which it makes sense to try again; None when it never does.
    """

    def __init__(
        self,
        reason: str,
        message: str,
        *,
        status: grpc.StatusCode | None = None,
        violations: Iterable[Violation] = (),
        metadata: Mapping[str, str] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.status = STATUS_OF_REASON[reason] if status is None else status
        self.violations = list(violations)
        self.metadata = dict(metadata or {})
        self.retry_after = retry_after

    def to_status(self) -> status_pb2.Status:
        """Return the status with its details, at most `MAX_STATUS_BYTES` when serialised."""
        named = self.violations[:MAX_VIOLATIONS]
        status = self._status(named)
        while named and status.ByteSize() > MAX_STATUS_BYTES:
            named = named[: len(named) * 3 // 4]
            status = self._status(named)
        return status

    def _status(self, named: list[Violation]) -> status_pb2.Status:
        code: int = self.status.value[0]
        status = status_pb2.Status(code=code, message=clip(self.message, 400))
        info = error_details_pb2.ErrorInfo(reason=self.reason, domain=DOMAIN)
        for key, value in self.metadata.items():
            info.metadata[key] = clip(value, 400)
        if self.violations:
            info.metadata["violations"] = str(len(self.violations))
        _pack(status, info)
        if named:
            fields = [
                error_details_pb2.BadRequest.FieldViolation(field=clip(path, 200), description=clip(message, 300))
                for path, message in named
            ]
            _pack(status, error_details_pb2.BadRequest(field_violations=fields))
        if self.retry_after is not None:
            retry = error_details_pb2.RetryInfo()
            retry.retry_delay.FromMilliseconds(self.retry_milliseconds)
            _pack(status, retry)
        return status

    @property
    def retry_milliseconds(self) -> int:
        """`retry_after` in whole milliseconds, at least 1; 0 when there is none."""
        return 0 if self.retry_after is None else max(1, round(self.retry_after * 1000))

    def trailers(self) -> tuple[tuple[str, str | bytes], ...]:
        """Return the trailing metadata that carries the details."""
        trailers: list[tuple[str, str | bytes]] = [(DETAILS_KEY, self.to_status().SerializeToString())]
        if self.retry_after is not None:
            trailers.append((PUSHBACK_KEY, str(self.retry_milliseconds)))
        return tuple(trailers)


def invalid(violations: Iterable[Violation]) -> AdvisorError:
    """Return the error of an invalid request; `violations` holds at least one fault."""
    found = list(violations)
    first = found[0]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return AdvisorError(INVALID_REQUEST, f"{clip(first.path, 100)}: {clip(first.message, 200)}{more}", violations=found)


def from_exception(error: Exception) -> AdvisorError:
    """Return what a caller hears of `error`; nothing of an unexpected one but that it happened."""
    if isinstance(error, AdvisorError):
        return error
    if isinstance(error, Malformed):
        return invalid(error.violations)
    for kind, reason in REASON_OF_EXCEPTION.items():
        if isinstance(error, kind):
            return AdvisorError(reason, "the server has not enough memory for this request")
    return AdvisorError(INTERNAL, "internal error; the server's log has it under the request id")


def from_rpc_error(error: grpc.RpcError) -> AdvisorError:
    """Return the error that a server sent, details included; of gRPC's own errors the status and the text."""
    call: grpc.Call = error  # type: ignore[assignment]  # every error of a call is the call as well
    reason = TRANSPORT
    violations: list[Violation] = []
    metadata: dict[str, str] = {}
    retry_after = None
    for key, value in call.trailing_metadata() or ():
        if key != DETAILS_KEY or not isinstance(value, bytes):
            continue
        status = status_pb2.Status.FromString(value)
        for detail in status.details:
            info = error_details_pb2.ErrorInfo()
            bad_request = error_details_pb2.BadRequest()
            retry = error_details_pb2.RetryInfo()
            if detail.Unpack(info):
                reason = info.reason
                metadata = dict(info.metadata)
            elif detail.Unpack(bad_request):
                violations = [Violation(entry.field, entry.description) for entry in bad_request.field_violations]
            elif detail.Unpack(retry):
                retry_after = retry.retry_delay.ToMilliseconds() / 1000
    return AdvisorError(
        reason,
        call.details() or "",
        status=call.code(),
        violations=violations,
        metadata=metadata,
        retry_after=retry_after,
    )


def _pack(
    status: status_pb2.Status,
    detail: error_details_pb2.ErrorInfo | error_details_pb2.BadRequest | error_details_pb2.RetryInfo,
) -> None:
    packed = any_pb2.Any()
    packed.Pack(detail)
    status.details.append(packed)

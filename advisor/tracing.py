"""Traces of calls over OTLP, for whoever sets `SIRENIA_TRACES`: a span a call, and below it what its time went into.

The parts of a call are measured anyway, so its spans are made when it has ended. They tell what the metrics and the log
tell: never a position, a seed, a token or an address. OpenTelemetry is imported only when traces are on.
"""

import logging
import os
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol

import grpc

import advisor
from advisor.v1 import advice_pb2, advisor_service_pb2

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
    from opentelemetry.trace import Span

TRACEPARENT: Final = "traceparent"
"""The metadata key of W3C Trace Context."""
FLUSH_SECONDS: Final = 2.0
"""How long the end of a server waits for a collector that does not take the last spans."""
PARTS: Final = ("converted", "queued", "searched")
"""The parts of a call that have spans, in their order."""
FAULTS: Final = frozenset(
    (
        grpc.StatusCode.UNKNOWN,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.UNAVAILABLE,
    )
)
"""The statuses that are the server's fault, as OpenTelemetry's conventions have it; a call with another is no error."""
_TRACEPARENT: Final = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")

Told = advisor_service_pb2.AdviseResponse | advisor_service_pb2.ChooseMoveResponse


class TracingError(Exception):
    """Traces cannot be made; the text says what to do."""


class Traced(Protocol):
    """What is told of a call.

    parts: seconds by what they went into, "total" among them at the end. answer: what a search found.
    """

    rpc: str
    game: str
    algorithm: str
    request_id: str
    parts: dict[str, float]
    answer: Told | None
    traceparent: str
    span: "Span | None"


def traceparent(metadata: Iterable[tuple[str, str | bytes]] | None) -> str:
    """Return what a caller's metadata says of its trace; "" where it says nothing that can be read."""
    for key, value in metadata or ():
        if key == TRACEPARENT and isinstance(value, str) and _TRACEPARENT.fullmatch(value):
            return value
    return ""


def trace_id(call: Traced) -> str:
    """Return the trace that a call belongs to, 32 hex digits; "" when nobody traces it."""
    if call.span is not None:
        return f"{call.span.get_span_context().trace_id:032x}"
    return call.traceparent[3:35]


class Tracing:
    """Makes the spans of calls and sends them to a collector, from a thread of its own."""

    def __init__(self, endpoint: str, ratio: float, log: Any) -> None:
        """Send to `endpoint` ("http://127.0.0.1:4317"); raises `TracingError` where OpenTelemetry is not installed.

        ratio: part of the calls that are traced whose caller does not say; where it does, its word counts.
        """
        try:
            from opentelemetry import trace
            from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import BatchSpanProcessor
            from opentelemetry.sdk.trace.sampling import ParentBasedTraceIdRatio
            from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
        except ImportError:
            raise TracingError("OpenTelemetry is not installed: pip install 'sirenia[tracing]'") from None
        # They tell of a collector that has gone with every try; `_Telling` does it once.
        for library in ("opentelemetry.exporter", "opentelemetry.sdk"):
            logging.getLogger(library).setLevel(logging.CRITICAL)
        name = os.environ.get("OTEL_SERVICE_NAME", "sirenia")
        resource = Resource.create({"service.name": name, "service.version": advisor.__version__})
        self._provider = TracerProvider(
            sampler=ParentBasedTraceIdRatio(ratio), resource=resource, shutdown_on_exit=False
        )
        exporter = _telling(OTLPSpanExporter(endpoint=endpoint), endpoint, log)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("sirenia", advisor.__version__)
        self._propagator = TraceContextTextMapPropagator()
        self._trace = trace

    def begin(self, call: Traced, above: "Span | None" = None) -> None:
        """Begin a call's span, below `above`, or else below its caller's."""
        trace = self._trace
        if above is not None:
            context = trace.set_span_in_context(above)
        else:
            context = self._propagator.extract({TRACEPARENT: call.traceparent})
        call.span = self._tracer.start_span(f"{_SERVICE}/{call.rpc}", context, trace.SpanKind.SERVER)

    def end(self, call: Traced, code: grpc.StatusCode) -> None:
        """End a call's span, with the spans of its parts.

        The parts follow one another; what is left of the call after them is waiting for the event loop and the network.
        """
        span = call.span
        if span is None:
            return
        if span.is_recording():
            begun: int = span.start_time  # type: ignore[attr-defined]  # every span that records has it
            span.set_attributes(_of_call(call, code))
            if code in FAULTS:
                span.set_status(self._trace.StatusCode.ERROR)
            context, at = self._trace.set_span_in_context(span), begun
            for part in PARTS:
                if part in call.parts:
                    attributes = _of_search(call) if part == "searched" else {}
                    below = self._tracer.start_span(part, context, attributes=attributes, start_time=at)
                    at += round(call.parts[part] * 1e9)
                    below.end(at)
            span.end(begun + round(call.parts["total"] * 1e9))

    def close(self) -> None:
        """Send what is left; gives up after `FLUSH_SECONDS`."""
        flush = threading.Thread(target=self._provider.shutdown, name="last-spans", daemon=True)
        flush.start()
        flush.join(FLUSH_SECONDS)


_SERVICE: Final = advisor_service_pb2.DESCRIPTOR.services_by_name["AdvisorService"].full_name


def _of_call(call: Traced, code: grpc.StatusCode) -> Mapping[str, Any]:
    number: int = code.value[0]
    attributes: dict[str, Any] = {
        "rpc.system": "grpc",
        "rpc.service": _SERVICE,
        "rpc.method": call.rpc,
        "rpc.grpc.status_code": number,
        "sirenia.code": code.name,
        "sirenia.game": call.game,
        "sirenia.algorithm": call.algorithm,
        "sirenia.request_id": call.request_id,
    }
    if call.answer is not None:
        attributes["sirenia.cached"] = call.answer.timing.cached
    return attributes


def _of_search(call: Traced) -> Mapping[str, Any]:
    attributes: dict[str, Any] = {"sirenia.paused_seconds": call.parts.get("paused", 0.0)}
    if call.answer is not None:
        reason = advice_pb2.StopReason.Name(call.answer.stop_reason)
        attributes["sirenia.simulations"] = call.answer.simulations
        attributes["sirenia.stop_reason"] = reason.removeprefix("STOP_REASON_").lower()
        attributes["sirenia.threads"] = call.answer.timing.threads
        if isinstance(call.answer, advisor_service_pb2.AdviseResponse):
            attributes["sirenia.nodes"] = call.answer.nodes
    return attributes


def _telling(exporter: "SpanExporter", endpoint: str, log: Any) -> "SpanExporter":
    """Return the exporter, made to log when it begins to fail and when it works again, and nothing in between."""
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

    class Telling(SpanExporter):
        failing = False

        def export(self, spans: "Sequence[ReadableSpan]") -> "SpanExportResult":
            try:
                result = exporter.export(spans)
            except Exception:
                result = SpanExportResult.FAILURE
            failed = result is not SpanExportResult.SUCCESS
            if failed and not self.failing:
                log.warning("traces are lost: the collector does not take them", endpoint=endpoint)
            elif self.failing and not failed:
                log.info("traces are taken again", endpoint=endpoint)
            self.failing = failed
            return result

        def shutdown(self) -> None:
            exporter.shutdown()

    return Telling()

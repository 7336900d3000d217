"""What a client tells a server of the trace that it is in."""

import sys

Metadata = tuple[tuple[str, str], ...]


def with_trace(metadata: Metadata) -> Metadata:
    """Return a call's metadata with what puts it into the current span's trace (W3C Trace Context), if there is a span.

    Whoever has a current span has imported OpenTelemetry, so it is not imported here.
    """
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return metadata
    span = trace.get_current_span().get_span_context()
    if not span.is_valid:
        return metadata
    parent = f"00-{span.trace_id:032x}-{span.span_id:016x}-{span.trace_flags:02x}"
    return (*metadata, ("traceparent", parent))

"""Structured log lines on standard error: one JSON object a line. Never positions, seeds or tokens."""

import contextlib
import logging
import sys
from typing import Any, TextIO

import structlog


class Patient:
    """A text stream on which nothing fails: what cannot be written (a full disk, a reader that is gone) is dropped.

    A server that cannot tell its log of a call must still answer it.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write what can be written; returns the length of all of it."""
        with contextlib.suppress(OSError, ValueError):  # ValueError: the stream is closed
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Pass on what can be passed on."""
        with contextlib.suppress(OSError, ValueError):
            self._stream.flush()


def logger(level: str) -> Any:
    """Return a logger for lines of `level` ("info") and above; structlog's global settings stay as they are."""
    return structlog.wrap_logger(
        structlog.PrintLogger(Patient(sys.stderr)),  # type: ignore[arg-type]  # it writes and flushes
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        cache_logger_on_first_use=True,
    )

"""Structured log lines on standard error: one JSON object a line, or text. Never positions, seeds, tokens or addresses.

A log must not hold up what it tells of: a line that cannot be written at once (a full disk, a reader that has stopped,
a closed standard error) is dropped.
"""

import logging
import os
import select
import sys
import threading
from contextlib import suppress
from typing import Any, Final, TextIO

import structlog

JSON: Final = "json"
TEXT: Final = "text"


class Lines:
    """Writes lines to a file without ever waiting for it; what it does not take is lost."""

    def __init__(self, file: TextIO | None) -> None:
        """`file` is None where the process began without standard error."""
        self._file = file
        self._lock = threading.Lock()
        self._poll = select.poll()
        self._number = -1
        if file is not None:
            with suppress(OSError, ValueError):  # it has no number
                self._number = file.fileno()
                self._poll.register(self._number, select.POLLOUT)

    def msg(self, line: str) -> None:
        """Write a line."""
        with self._lock, suppress(OSError, ValueError):
            if self._number >= 0:
                self._write(f"{line}\n".encode(errors="backslashreplace"))
            elif self._file is not None:
                self._file.write(f"{line}\n")

    debug = info = warning = error = critical = exception = msg

    def _write(self, data: bytes) -> None:
        # Past Python's buffer, in which a line would stay that could not be written. A pipe that is ready has room for
        # so many bytes.
        while data and self._poll.poll(0):
            data = data[os.write(self._number, data[: select.PIPE_BUF]) :]


def logger(level: str, form: str = JSON) -> Any:
    """Return a logger for lines of `level` ("info") and above; structlog's global settings stay as they are."""
    render: list[Any] = [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    if form == TEXT:
        # Its own way to print exceptions shows local values, positions among them.
        plain = structlog.dev.plain_traceback
        render = [structlog.dev.ConsoleRenderer(colors=False, exception_formatter=plain)]
    return structlog.wrap_logger(
        Lines(sys.stderr),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *render,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        cache_logger_on_first_use=True,
    )

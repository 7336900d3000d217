"""Structured log lines on standard error: one JSON object a line. Never positions, seeds or tokens."""

import logging
import sys
from typing import Any

import structlog


def logger(level: str) -> Any:
    """Return a logger for lines of `level` ("info") and above; structlog's global settings stay as they are."""
    return structlog.wrap_logger(
        structlog.PrintLogger(sys.stderr),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        cache_logger_on_first_use=True,
    )

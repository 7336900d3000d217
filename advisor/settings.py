"""Everything about a server that its operator can set, from the environment (SIRENIA_...) or the command line."""

import os
import re
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, SettingsConfigDict

from advisor.machine import machine_memory
from search.run import SEARCH_NICENESS


def cores() -> int:
    """Return the number of cores this process may use, at least 1."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


class Settings(BaseSettings):
    """Settings of a server and of commands that run the service inside their process."""

    model_config = SettingsConfigDict(env_prefix="SIRENIA_", frozen=True, extra="ignore")

    host: str = Field(default="127.0.0.1", min_length=1, description="Address to listen on; 0.0.0.0: all interfaces.")
    port: int = Field(default=50051, ge=0, le=65535, description="TCP port for gRPC; 0 takes a free one.")
    metrics_host: str = Field(default="127.0.0.1", min_length=1, description="Address of the Prometheus endpoint.")
    metrics_port: int = Field(
        default=9464, ge=0, le=65535, description="TCP port of Prometheus metrics; 0: a free one."
    )
    metrics: bool = Field(default=True, description="Serve Prometheus metrics over HTTP.")
    reflection: bool = Field(default=False, description="Let clients ask for the service's description.")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Least severe log lines to write: debug, info, warning or error."
    )
    log_format: Literal["json", "text"] = Field(default="json", description="Form of log lines: json or text.")
    slow_seconds: float = Field(
        default=2.0,
        gt=0,
        le=86_400,
        description="Calls that take longer than this, their search apart, are logged as slow, in seconds.",
    )
    traces: str = Field(default="", description="Where traces go over OTLP, as http://HOST:4317; nowhere when empty.")
    traces_ratio: float = Field(
        default=1.0, ge=0, le=1, description="Part of the calls that are traced where the caller does not say."
    )
    catalogue_dirs: list[Path] = Field(
        default_factory=list,
        description="Directories with more catalogues, files GAME-NAME.json; a JSON list in the environment.",
    )
    tls_certificate: Path | None = Field(
        default=None, description="PEM file with the server's certificate chain; without one it speaks plain text."
    )
    tls_key: Path | None = Field(default=None, description="PEM file with the certificate's private key.")
    tls_client_ca: Path | None = Field(
        default=None, description="PEM file with authorities; clients need a certificate that one of them has signed."
    )
    token_file: Path | None = Field(
        default=None,
        description="File with the hashes of clients' tokens (advisor token); without one nobody needs a token.",
    )
    client_calls: int = Field(
        default=0, ge=0, le=1_000_000, description="Calls that one client may have in flight; 0: no limit of its own."
    )
    client_rate: float = Field(
        default=0.0, ge=0, le=1e6, description="Calls a second that one client may make in the long run; 0: any number."
    )
    client_burst: int = Field(
        default=20, ge=1, le=1_000_000, description="Calls that a client may make at once before client_rate counts."
    )

    max_connections: int = Field(
        default=900, ge=1, le=1_000_000, description="Connections; who comes then is hung up on."
    )
    max_streams: int = Field(
        default=1000, ge=1, le=1_000_000, description="Calls in flight on one connection; more wait in the client."
    )
    max_metadata_bytes: int = Field(
        default=16_384, ge=4096, le=1 << 20, description="Largest metadata of a call, in bytes."
    )
    handshake_seconds: float = Field(
        default=20.0, gt=0, le=3600, description="Time until a new connection must have spoken, in seconds."
    )
    keepalive_seconds: float = Field(
        default=60.0,
        ge=0,
        le=86_400,
        description="After how long a silence a connection is asked whether it lives, in seconds; 0: never.",
    )
    connection_idle_seconds: float = Field(
        default=3600.0,
        ge=0,
        le=86_400,
        description="After how long without a call a connection is closed, in seconds; 0: never.",
    )
    connection_age_seconds: float = Field(
        default=0.0,
        ge=0,
        le=30 * 86_400,
        description="Age at which a connection takes no more calls, so that clients spread anew, in seconds; 0: never.",
    )

    kernel_cache: int = Field(
        default=64,
        ge=1,
        le=100_000,
        description="Rule sets kept compiled, those used last.",
    )

    max_message_bytes: int = Field(
        default=1 << 20,
        ge=1024,
        le=1 << 30,
        description="Largest request; above it gRPC says RESOURCE_EXHAUSTED.",
    )
    max_calls: int = Field(default=1000, ge=1, le=1_000_000, description="Calls in flight, the queue included.")
    converter_threads: int = Field(
        default=4, ge=1, le=256, description="Threads that read and validate requests and answer everything but advice."
    )
    workers: int = Field(default_factory=cores, ge=1, le=1024, description="Searches that run at the same time.")
    niceness: int = Field(
        default=SEARCH_NICENESS,
        ge=0,
        le=19,
        description="How much the threads that search give way to everything else, as nice(1) counts; 0: not at all.",
    )
    queue_length: int = Field(
        default=64,
        ge=0,
        le=4096,
        description="Searches that may wait for a worker; more are refused.",
    )
    max_wait_seconds: float = Field(
        default=600.0,
        gt=0,
        le=86_400,
        description="Longest wait before a search without a deadline, at a guess; beyond it calls are refused.",
    )
    batch_window: int = Field(
        default=64,
        ge=1,
        le=100_000,
        description="Open questions of one batch; beyond them its stream is not read until some are answered.",
    )
    retry_seconds: float = Field(
        default=0.5, gt=0, le=3600, description="When a client that was refused is told to come back, in seconds."
    )

    cache_bytes: int = Field(
        default=16 << 20,
        ge=0,
        le=1 << 40,
        description="Memory for answers that are kept for equal requests, those used last, in bytes; 0: keep none.",
    )

    default_seconds: float = Field(
        default=1.0,
        gt=0,
        le=86_400,
        description="Search time of a request that sets no limit, in seconds.",
    )
    max_seconds: float = Field(default=600.0, gt=0, le=86_400, description="Longest search, in seconds.")
    max_simulations: int = Field(
        default=1_000_000_000, ge=1, le=1_000_000_000_000, description="Most simulations of one request."
    )
    default_memory_bytes: int = Field(
        default=256 << 20, ge=65_536, description="Tree memory of a request that sets none, in bytes."
    )
    max_memory_bytes: int = Field(default=1 << 30, ge=65_536, description="Most tree memory of one request, in bytes.")
    max_total_memory_bytes: int = Field(
        default_factory=lambda: machine_memory() // 2,
        ge=1 << 20,
        description="Tree memory of all searches together, in bytes; by default half of the memory that there is.",
    )
    max_trees: int = Field(default=64, ge=1, le=1024, description="Most trees of one search.")
    max_record_steps: int = Field(default=10_000, ge=0, le=1_000_000, description="Most steps of a record.")
    max_listed_moves: int = Field(
        default=1000,
        ge=1,
        le=100_000,
        description="Most moves in each of a request's lists: allow_moves, avoid_moves, report_moves.",
    )
    max_threads: int = Field(default=16, ge=1, le=1024, description="Most threads of one search.")
    deadline_margin_seconds: float = Field(
        default=0.02, ge=0, le=60, description="Part of a caller's deadline kept for the way back, in seconds."
    )
    notice_seconds: float = Field(
        default=0.0,
        ge=0,
        le=3600,
        description="How long after SIGTERM calls are still taken while health says NOT_SERVING, in seconds.",
    )
    grace_seconds: float = Field(
        default=30.0, ge=0, le=3600, description="How long accepted calls may take after SIGTERM, in seconds."
    )

    @model_validator(mode="after")
    def _check_tls(self) -> Self:
        """What is given of TLS has to be complete: half of it must not end in plain text."""
        for name, needed in (
            ("tls_certificate", "tls_key"),
            ("tls_key", "tls_certificate"),
            ("tls_client_ca", "tls_certificate"),
        ):
            if getattr(self, name) is not None and getattr(self, needed) is None:
                raise PydanticCustomError("incomplete", f"{needed} is required with {name}")
        return self

    @field_validator("traces")
    @classmethod
    def _is_endpoint(cls, value: str) -> str:
        if value and not re.fullmatch(r"https?://[^\s/@?#]+:[0-9]+", value):
            raise PydanticCustomError("endpoint", "expected http://HOST:PORT, or https://HOST:PORT")
        return value

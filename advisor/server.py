"""A server as a process has it: it starts, takes calls on a socket, loads catalogues anew, drains and stops."""

import asyncio
import contextlib
import errno
import json
import signal
import socket
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Final

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from advisor import access, calls, garbage, logs, transport
from advisor.catalogues import CatalogueError
from advisor.games import Games
from advisor.handlers import handlers
from advisor.metrics import Metrics, MetricsServer
from advisor.service import Advisor
from advisor.servicer import AdvisorServicer
from advisor.settings import Settings
from advisor.tls import certificates
from advisor.together import LOOK_SECONDS, Together, answering
from advisor.tokens import TokenFile
from search.binding import unbind

SERVICE: Final = calls.SERVICE.full_name
"""Full name of the service, as health checks ask for it."""
HURRY_SHARE: Final = 0.8
"""Part of the drain's grace after which running searches are answered with what they have."""


def endpoint(host: str, port: int) -> str:
    """Return host and port as gRPC wants them, IPv6 addresses in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def cannot_listen(host: str, port: int, what: str, reason: OSError | None = None) -> OSError:
    """Return the error of a port that could not be had: why, and what to do. `what` is "" or "metrics_".

    reason: what the system said; found out by trying where it is None.
    """
    if reason is None:
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            with socket.socket(family, kind, protocol) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
                probe.listen(1)
        except OSError as error:
            reason = error
    flag, variable = f"--{what}port".replace("_", "-"), f"SIRENIA_{what.upper()}PORT"
    if isinstance(reason, socket.gaierror) or (reason is not None and reason.errno == errno.EADDRNOTAVAIL):
        flag, variable = f"--{what}host".replace("_", "-"), f"SIRENIA_{what.upper()}HOST"
        why = "there is no such host" if isinstance(reason, socket.gaierror) else "this machine has no such address"
    else:
        why = "the system refuses it" if reason is None or not reason.strerror else reason.strerror.lower()
    return OSError(f"cannot listen on {endpoint(host, port)}: {why}; choose another with {flag} or {variable}")


class RunningServer:
    """A server that takes calls; made by `serve`."""

    def __init__(
        self,
        settings: Settings,
        server: grpc.aio.Server,
        servicer: AdvisorServicer,
        checks: health.aio.HealthServicer,
        metrics: Metrics,
        port: int,
        metrics_server: MetricsServer | None,
    ) -> None:
        self.settings = settings
        self.metrics = metrics
        self.port = port
        self._server = server
        self._servicer = servicer
        self._checks = checks
        self._metrics_server = metrics_server
        self._drained = False
        self._log = logs.logger(settings.log_level, settings.log_format)
        self._cut_off = asyncio.Event()
        self.broken = asyncio.Event()
        """Set when searching is no longer possible; the server has stopped saying that it is ready."""

    @property
    def address(self) -> str:
        """Where clients connect: "127.0.0.1:50051"."""
        return endpoint(self.settings.host, self.port)

    @property
    def metrics_port(self) -> int | None:
        """TCP port of the Prometheus endpoint; None when it is off."""
        return None if self._metrics_server is None else self._metrics_server.port

    async def breaks(self) -> None:
        """Say no longer that the server is ready."""
        if not self._drained:
            await self._checks.enter_graceful_shutdown()
        self.broken.set()

    async def reload(self) -> None:
        """Load the catalogues anew; an unusable one leaves everything as it was, and the log has its faults."""
        settings = self.settings
        try:
            games = await asyncio.to_thread(Games, settings.catalogue_dirs, settings.kernel_cache)
        except Exception as error:
            self.metrics.reloads.labels("failed").inc()
            if isinstance(error, CatalogueError):
                self._log.error("catalogues stay as they were", fault=str(error))
            else:
                self._log.error("catalogues stay as they were", exc_info=error)
            return
        self._servicer.use(games)
        self.metrics.reloads.labels("ok").inc()
        held = {game: [one.id for one in games.catalogues(game)] for game in games.entries}
        self._log.info("catalogues loaded", held=held)

    async def stop_now(self) -> None:
        """Cut off what a drain still waits for."""
        self._cut_off.set()
        await self._server.stop(None)

    async def drain(self, grace: float | None = None) -> None:
        """Take no more calls and finish the accepted ones within `grace` seconds.

        With None the settings say how long that may take, and for how long before it calls are still taken, so that
        balancers have noticed by then.
        """
        if self._drained:
            return
        self._drained = True
        seconds = self.settings.grace_seconds if grace is None else grace
        await self._checks.enter_graceful_shutdown()
        if grace is None and self.settings.notice_seconds and not self.broken.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._cut_off.wait(), self.settings.notice_seconds)
        self._servicer.drain()
        hurry = asyncio.get_running_loop().call_later(seconds * HURRY_SHARE, self._servicer.hurry)
        await self._server.stop(seconds)
        hurry.cancel()
        await asyncio.to_thread(self._servicer.close)
        if self._metrics_server is not None:
            await asyncio.to_thread(self._metrics_server.close)


async def start(settings: Settings, advisor: Advisor | None = None) -> RunningServer:
    """Start a server; raises OSError when a port is taken, `UnusableFile` for certificates or tokens."""
    log = logs.logger(settings.log_level, settings.log_format)
    certified = certificates(settings, log)
    tokens = None if settings.token_file is None else TokenFile(settings.token_file, log)
    advisor = Advisor(settings) if advisor is None else advisor
    metrics = Metrics(advisor.games.entries, settings.workers, settings.queue_length)
    loop = asyncio.get_running_loop()
    running: asyncio.Future[RunningServer] = loop.create_future()

    async def breaks() -> None:
        await (await asyncio.shield(running)).breaks()

    def on_broken() -> None:
        work = breaks()
        try:
            asyncio.run_coroutine_threadsafe(work, loop)
        except RuntimeError:  # the loop has ended
            work.close()

    servicer = AdvisorServicer(advisor, metrics, on_broken)
    server = grpc.aio.server(
        interceptors=[] if tokens is None else [access.Guard(tokens, servicer.calls.refuse, metrics)],
        options=transport.channel_options(settings),
    )
    server.add_generic_rpc_handlers((handlers(servicer),))
    checks = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(checks, server)
    if settings.reflection:
        reflection.enable_server_reflection((SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME), server)
    try:
        where = endpoint(settings.host, settings.port)
        if certified is None:
            port = server.add_insecure_port(where)
        else:
            port = server.add_secure_port(where, certified.credentials())
    except RuntimeError as error:
        servicer.close()
        raise cannot_listen(settings.host, settings.port, "") from error
    metrics_server = None
    if settings.metrics:
        try:
            metrics_server = MetricsServer(settings.metrics_host, settings.metrics_port, metrics)
        except OSError as error:
            servicer.close()
            await server.stop(None)
            raise cannot_listen(settings.metrics_host, settings.metrics_port, "metrics_", error) from error
    await server.start()
    for name in ("", SERVICE):
        await checks.set(name, health_pb2.HealthCheckResponse.SERVING)
    running.set_result(RunningServer(settings, server, servicer, checks, metrics, port, metrics_server))
    return running.result()


@contextlib.asynccontextmanager
async def serve(settings: Settings, advisor: Advisor | None = None) -> AsyncIterator[RunningServer]:
    """Run a server for as long as the context lasts; it ends at once, without grace."""
    running = await start(settings, advisor)
    try:
        yield running
    finally:
        await running.drain(0)


class ServerThread:
    """A server on a thread of its own, for callers that are not asynchronous. A context manager."""

    def __init__(self, settings: Settings, advisor: Advisor | None = None) -> None:
        self._settings = settings
        self._advisor = advisor
        self._ready = threading.Event()
        self._error: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._running: RunningServer | None = None
        self._thread = threading.Thread(target=self._run, name="server", daemon=True)

    @property
    def running(self) -> RunningServer:
        """The server."""
        assert self._running is not None
        return self._running

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The event loop that serves."""
        assert self._loop is not None
        return self._loop

    @property
    def port(self) -> int:
        """TCP port for gRPC."""
        return self.running.port

    @property
    def metrics_port(self) -> int | None:
        """TCP port of the Prometheus endpoint."""
        return self.running.metrics_port

    @property
    def address(self) -> str:
        """Where clients connect."""
        return self.running.address

    def __enter__(self) -> "ServerThread":
        self._thread.start()
        self._ready.wait()
        if self._error is not None:
            raise self._error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._loop is not None
        assert self._stop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _run(self) -> None:
        try:
            asyncio.run(self._main())
        except BaseException as error:
            self._error = error
        finally:
            self._ready.set()

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        async with serve(self._settings, self._advisor) as running:
            self._running = running
            self._ready.set()
            await self._stop.wait()


class BrokenServer(Exception):
    """The server has stopped by itself; the text says why."""


async def run_until_signal(settings: Settings, ready: Callable[[RunningServer], None]) -> None:
    """Serve until SIGTERM or SIGINT, then drain; a second signal ends at once. SIGHUP loads the catalogues anew.

    Drains, too, and raises `BrokenServer` when searching is no longer possible. `ready` is called as soon as calls are
    taken.
    """
    stop = asyncio.Event()
    at_once = asyncio.Event()

    def on_signal() -> None:
        (at_once if stop.is_set() else stop).set()

    hung_up = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, on_signal)
    loop.add_signal_handler(signal.SIGHUP, hung_up.set)
    running = await start(settings)

    async def reload() -> None:
        while await hung_up.wait():
            hung_up.clear()
            await running.reload()
            garbage.set_aside()

    async def keep_together() -> None:
        together = Together(answering())
        while True:
            together.look()
            await asyncio.sleep(LOOK_SECONDS)

    # What the loop has done elsewhere is not to be done on the core that it stays on.
    loop.set_default_executor(ThreadPoolExecutor(thread_name_prefix="aside", initializer=unbind))
    reloading, keeping = asyncio.ensure_future(reload()), asyncio.ensure_future(keep_together())
    log = logs.logger(settings.log_level, settings.log_format)
    for warning in access.warnings(settings):
        log.warning(warning)
    garbage.set_aside()
    ready(running)
    signalled = asyncio.ensure_future(stop.wait())
    broken = asyncio.ensure_future(running.broken.wait())
    await asyncio.wait((signalled, broken), return_when=asyncio.FIRST_COMPLETED)
    failed = running.broken.is_set()
    signalled.cancel()
    broken.cancel()
    reloading.cancel()
    stop.set()  # the next signal ends at once
    log.info("draining", grace_seconds=settings.grace_seconds)
    drain = asyncio.ensure_future(running.drain())
    impatient = asyncio.ensure_future(at_once.wait())
    await asyncio.wait((drain, impatient), return_when=asyncio.FIRST_COMPLETED)
    impatient.cancel()
    if not drain.done():
        await running.stop_now()
    await drain
    keeping.cancel()
    log.info("stopped")
    if failed:
        raise BrokenServer("a thread that searches has ended; the log has it")


def ready_line(running: RunningServer) -> str:
    """Return the one line of JSON that a server prints when it takes calls."""
    return json.dumps(
        {
            "event": "ready",
            "host": running.settings.host,
            "port": running.port,
            "metrics_port": running.metrics_port,
            "service": SERVICE,
        }
    )

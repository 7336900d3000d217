"""Inputs over a socket: what no client library would send, and after each batch a sound request that is answered."""

import random
import socket
import struct
import time
from collections import Counter
from typing import Any, Final

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from serving import Served, served

from advisor.v1 import advisor_service_pb2 as pb
from fuzz.engines import mutators_by_game
from fuzz.mutate import MAX_BYTES
from fuzz.seeds import records, requests
from fuzz.target import SERVICE, Runner, cells, limits

BATCH: Final = 40
TIMEOUT: Final = 5.0
PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
BAD: Final = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DATA_LOSS}
"""How no call may end, whatever was sent."""
_SETTINGS, _HEADERS, _DATA = 4, 1, 0


def frame(kind: int, flags: int, stream: int, body: bytes) -> bytes:
    """An HTTP/2 frame."""
    return struct.pack(">I", len(body))[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + body


def headers(*pairs: tuple[str, str]) -> bytes:
    """Header fields as they are, without any table (RFC 7541, 6.2.2); each shorter than 127 bytes."""
    found = b""
    for name, value in pairs:
        found += b"\x00" + bytes((len(name),)) + name.encode() + bytes((len(value),)) + value.encode()
    return found


def call_headers(path: str, kind: str = "application/grpc", method: str = "POST") -> bytes:
    """The header fields of a call."""
    pairs = ((":method", method), (":scheme", "http"), (":path", path), (":authority", "x"), ("content-type", kind))
    return headers(*pairs, ("te", "trailers"))


def odd_connections(rng: random.Random, request: bytes) -> list[bytes]:
    """What a connection may begin with: other protocols, calls that are wrong or cut short."""
    path = f"/{SERVICE.full_name}/ListMoves"
    opening = PREFACE + frame(_SETTINGS, 0, 0, b"")
    message = b"\x00" + struct.pack(">I", len(request)) + request

    def call(fields: bytes, body: bytes, end: int = 1) -> bytes:
        return opening + frame(_HEADERS, 4, 1, fields) + frame(_DATA, end, 1, body)

    good = call_headers(path)
    found = [
        b"",
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + rng.randbytes(100),
        rng.randbytes(rng.choice((1, 24, 500))),
        PREFACE[: rng.randrange(len(PREFACE))],
        opening + rng.randbytes(200),
        opening + frame(rng.randrange(256), rng.randrange(256), rng.randrange(4), rng.randbytes(20)),
        call(call_headers(path, "text/plain"), message),
        call(call_headers(path, "application/json"), b"{}"),
        call(call_headers(path, method="GET"), message),
        call(call_headers("/"), message),
        call(call_headers(f"/{SERVICE.full_name}/"), message),
        call(headers((":path", path)), message),
        call(good, b"\x01" + message[1:]),  # compressed, as it says
        call(good, b"\x00\xff\xff\xff\xff" + request),
        call(good, message[: rng.randrange(len(message))]),
        call(good, message * 3),
        call(good, b""),
        call(good, message, end=0),  # and nothing more
        call(good, message) + frame(3, 0, 1, struct.pack(">I", 8)),  # taken back
        opening + frame(_HEADERS, 0, 1, good[:30]),
        opening + frame(_HEADERS, 4, 1, rng.randbytes(60)),
    ]
    rng.shuffle(found)
    return found


class Clients:
    """Talks to one server."""

    def __init__(self, server: Served, runner: Runner, seed: int) -> None:
        self.by_rpc: Counter[str] = Counter()
        self.slowest = 0.0
        self._server = server
        self._runner = runner
        self._rng = random.Random(seed)
        self._sound = requests()
        self._mutators = mutators_by_game()
        self._order = [cell for cell in cells(runner.targets) if cell in self._sound]
        self._channel = grpc.insecure_channel(server.address, options=[("grpc.max_send_message_length", -1)])
        self._check = pb.ListMovesRequest(position=records()["ocean-4-pick-seen"].start)
        seen = self._check.position.ocean.seat_knowledge
        self._check.seat = seen.seat
        self._expected = runner.advisor.list_moves(self._check)

    def close(self) -> None:
        """Let go of the connection."""
        self._channel.close()

    def batch(self) -> list[tuple[str, bytes, str]]:
        """Send a batch; for each input with which something was wrong the RPC, the bytes, and what."""
        wrong = []
        for _ in range(BATCH):
            rpc, game = self._rng.choice(self._order)
            data = self._body(rpc, game)
            found = self._send(rpc, data)
            if found:
                wrong.append((rpc, data, found))
        request = self._check.SerializeToString()
        for data in odd_connections(self._rng, request):
            self._connect(data)
            self.by_rpc["connections"] += 1
        trouble = self._answers()
        if trouble:
            wrong.append(("", b"", trouble))
        return wrong

    def _body(self, rpc: str, game: str) -> bytes:
        rng = self._rng
        sound = rng.choice(self._sound[rpc, game]).SerializeToString()
        match rng.randrange(6):
            case 0:
                return rng.randbytes(rng.choice((0, 1, 10, 1000, 100_000)))
            case 1:
                return sound[: rng.randrange(len(sound) + 1)]
            case 2 if rng.random() < 0.2:
                return sound + bytes(MAX_BYTES)  # more than the server takes
            case 3:  # another RPC's
                other = rng.choice(self._order)
                return rng.choice(self._sound[other]).SerializeToString()
            case _:
                kind = self._runner.targets[rpc].request
                return self._mutators[game].mutated(kind, sound, rng.getrandbits(32))

    def _send(self, rpc: str, data: bytes) -> str:
        """Send a body; what is wrong with how it ends, "" when nothing is."""
        path = f"/{SERVICE.full_name}/{rpc}"
        method, channel = SERVICE.methods_by_name[rpc], self._channel
        call: Any
        self.by_rpc[rpc] += 1
        begun = time.monotonic()
        try:
            if method.client_streaming:
                # Twice, perhaps: what was said before decides what may be.
                call = channel.stream_stream(path)
                list(call(iter([data] * self._rng.choice((1, 2))), timeout=TIMEOUT))
            elif method.server_streaming:
                call = channel.unary_stream(path)
                list(call(data, timeout=TIMEOUT))
            else:
                call = channel.unary_unary(path)
                call(data, timeout=TIMEOUT)
        except grpc.RpcError as error:
            code = error.code()
            if code in BAD or (code is grpc.StatusCode.DEADLINE_EXCEEDED and time.monotonic() - begun >= TIMEOUT - 0.5):
                return f"ended with {code.name}: {error.details()}"
        finally:
            self.slowest = max(self.slowest, time.monotonic() - begun)
        return ""

    def _connect(self, data: bytes) -> None:
        """Begin a connection, and end it as rudely as it goes."""
        with socket.create_connection((self._server.host, self._server.port), timeout=TIMEOUT) as connection:
            try:
                connection.sendall(data)
                connection.settimeout(0.02)
                connection.recv(4096)
            except OSError:
                pass  # the server may well have hung up
            if self._rng.random() < 0.5:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def _answers(self) -> str:
        """Whether the server is healthy and answers a sound request right; what is wrong, "" when nothing is."""
        if not self._server.alive:
            return f"the server has ended with {self._server.process.returncode}"
        try:
            checks: Any = health_pb2_grpc.HealthStub(self._channel)
            asked = health_pb2.HealthCheckRequest(service=SERVICE.full_name)
            if checks.Check(asked, timeout=TIMEOUT).status != health_pb2.HealthCheckResponse.SERVING:
                return "the server says that it does not serve"
            call: Any = self._channel.unary_unary(f"/{SERVICE.full_name}/ListMoves")
            if (
                pb.ListMovesResponse.FromString(call(self._check.SerializeToString(), timeout=TIMEOUT))
                != self._expected
            ):
                return "a sound request was answered wrong"
        except grpc.RpcError as error:
            return f"a sound request ended with {error.code().name}: {error.details()}"
        return "\n".join(self._server.errors()[:3])


def run(seconds: float, seed: int, most: int | None = None) -> tuple[list[tuple[str, bytes, str]], dict[str, Any]]:
    """Send batches for that long or until `most` inputs are sent, at least one; what was wrong, and figures."""
    end = time.monotonic() + seconds
    settings = limits()
    names = ("default_seconds", "max_seconds", "max_simulations", "default_memory_bytes", "max_memory_bytes")
    env = {f"SIRENIA_{name.upper()}": str(getattr(settings, name)) for name in names}
    wrong: list[tuple[str, bytes, str]] = []
    with served("--workers", "2", "--log-level", "warning", env=env) as server:
        clients = Clients(server, Runner(), seed)
        wrong += clients.batch()
        warm, batches = server.figures() if server.alive else None, 1
        while time.monotonic() < end and not wrong and (most is None or clients.by_rpc.total() < most):
            wrong += clients.batch()
            batches += 1
        growth = server.figures().resident - warm.resident if warm is not None and server.alive else 0
        clients.close()
        figures = {"batches": batches, "by_rpc": dict(clients.by_rpc), "rss_growth_bytes": growth}
        return wrong, {**figures, "slowest": clients.slowest}

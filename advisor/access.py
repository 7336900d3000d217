"""Who calls: a token's client, or who its certificate names, or else an address; and no one without a token."""

import ipaddress
import os
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, Final
from urllib.parse import unquote

import grpc
import grpc.aio

from advisor.errors import TOKEN_MISSING, TOKEN_UNKNOWN, AdvisorError
from advisor.metrics import Metrics
from advisor.settings import Settings
from advisor.tokens import TokenFile

TOKEN_KEY: Final = "authorization"
"""Metadata with a call's token: "Bearer TOKEN"."""
CLIENT: Final[ContextVar[str]] = ContextVar("client", default="")
"""The client of the call that is being answered, everywhere in its task; "" outside of one."""
_OPEN: Final = "/grpc.health.v1.Health/"
"""Methods for which nobody needs a token: a load balancer has none."""
_SUBJECT: Final = ("x509_common_name", "x509_subject_alternative_name", "x509_subject")
_BEARER: Final = re.compile(r"bearer +(\S+)", re.IGNORECASE)

Refuse = Callable[[str, Any, AdvisorError], Awaitable[None]]
"""Ends a call, given its method ("/package.Service/Method"), its context and the reason."""


def client_of(context: Any, certified: bool) -> str:
    """Return who calls: the token's name, else with `certified` the certificate's subject, else the address.

    The subject is its common name, or the first alternative name. An address comes without its port; of IPv6 it is the
    network of 64 bits, since that is what one customer has.
    """
    name = CLIENT.get()
    if name:
        return name
    if certified:
        found = context.auth_context()
        for key in _SUBJECT:
            values = found.get(key)
            if values and values[0]:
                return str(values[0].decode("utf-8", "replace"))
    return address_of(context.peer())


@lru_cache(maxsize=4096)
def address_of(peer: str) -> str:
    """Return the address in gRPC's name of a peer: "ipv4:192.0.2.1:50000", "ipv6:%5B2001:db8::1%5D:50000", "unix:"."""
    kind, _, rest = unquote(peer).partition(":")
    if kind not in ("ipv4", "ipv6"):
        return kind
    text = rest.rpartition(":")[0].strip("[]").partition("%")[0]
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return text
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, 64), strict=False))


def identify(context: Any, certified: bool) -> str:
    """Return who calls, and have the rest of the call's task find it in `CLIENT`. The arguments are `client_of`'s."""
    client = client_of(context, certified)
    CLIENT.set(client)
    return client


def warnings(settings: Settings) -> Iterator[str]:
    """Tell what about a server is less safe than its operator may think."""
    if os.geteuid() == 0:
        yield "the server runs as root, which it has no need of: give it a user of its own"
    exposed = settings.tls_certificate is None and not _is_loopback(settings.host)
    if exposed and settings.token_file is not None:
        yield "tokens travel in plain text: set tls_certificate, or have a proxy in front that speaks TLS"
    if settings.token_file is None and settings.tls_client_ca is None and not _is_loopback(settings.host):
        yield "everybody who reaches the port may call: set token_file or tls_client_ca, or keep the network private"


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Guard(grpc.aio.ServerInterceptor):
    """Lets through who has a token, and health checks. Who has none is refused before its request is read."""

    def __init__(self, tokens: TokenFile, refuse: Refuse, metrics: Metrics) -> None:
        self._tokens = tokens
        self._refuse = refuse
        self._metrics = metrics

    async def intercept_service(self, continuation: Callable[[Any], Awaitable[Any]], handler_call_details: Any) -> Any:
        """Return the handler of a call, or one that refuses it."""
        method = handler_call_details.method
        if not method.startswith(_OPEN):
            try:
                # In the call's own task, so that whoever answers finds it there.
                CLIENT.set(self._client(handler_call_details.invocation_metadata or ()))
            except AdvisorError as error:
                return self._refusal(method, error)
        return await continuation(handler_call_details)

    def _client(self, metadata: Sequence[tuple[str, str | bytes]]) -> str:
        given = [value for key, value in metadata if key == TOKEN_KEY]
        if not given:
            raise AdvisorError(TOKEN_MISSING, f'this server wants a token: metadata "{TOKEN_KEY}: Bearer TOKEN"')
        found = _BEARER.fullmatch(given[0]) if len(given) == 1 and isinstance(given[0], str) else None
        name = self._tokens.client_of(found[1]) if found is not None else None
        if name is None:
            raise AdvisorError(TOKEN_UNKNOWN, "this server does not know the token; ask its operator for one")
        return name

    def _refusal(self, method: str, error: AdvisorError) -> Any:
        self._metrics.rejected.labels(error.reason.lower()).inc()

        async def refuse(requests: Any, context: Any) -> None:
            await self._refuse(method, context, error)

        # Of all kinds of handlers the only one for which gRPC does not read the request first.
        return grpc.stream_stream_rpc_method_handler(refuse)

"""The way of a message from gRPC to the service's RPCs and back."""

from collections.abc import Awaitable, Callable
from typing import Any

import grpc
from google.protobuf import message_factory
from google.protobuf.message import DecodeError, Message

from advisor import access
from advisor.advice import Advice
from advisor.calls import SENT, SERVICE
from advisor.errors import AdvisorError
from advisor.servicer import AdvisorServicer, Unreadable


def handlers(servicer: AdvisorServicer) -> grpc.GenericRpcHandler:
    """Return the service's RPCs. Unlike the generated registration, an unreadable request is the caller's fault."""
    return grpc.method_handlers_generic_handler(
        SERVICE.full_name, {method.name: _handler(servicer, method) for method in SERVICE.methods}
    )


def _handler(servicer: AdvisorServicer, method: Any) -> Any:
    request_type = message_factory.GetMessageClass(method.input_type)
    answer: Callable[[Any, Any], Awaitable[Message | None]] = getattr(servicer, method.name)
    advises = method.name == "Advise"
    certified = servicer.settings.tls_client_ca is not None

    def parse(data: bytes) -> Message | Unreadable:
        try:
            return request_type.FromString(data)
        except DecodeError:
            return Unreadable()

    async def parse_and_answer(data: bytes, context: Any) -> Message | Advice | None:
        SENT.set(data)
        plain = servicer.take_apart(data) if advises else None
        if plain is not None:
            return await servicer.advise_plain(plain, context)
        request = parse(data)
        if isinstance(request, Unreadable):
            return await servicer.unreadable(method.name, context)
        return await answer(request, context)

    async def handle(requests: Any, context: Any) -> Message | Advice | None:
        # Who asks too much is refused before its request is parsed.
        client = access.identify(context, certified)
        try:
            servicer.clients.enter(client)
        except AdvisorError as error:
            await servicer.calls.refuse(method.name, context, error)
        try:
            return await (answer if method.client_streaming else parse_and_answer)(requests, context)
        finally:
            servicer.clients.leave(client)

    def serialize(response: Message | Advice) -> bytes:
        return response.SerializeToString()

    if method.client_streaming:
        return grpc.stream_stream_rpc_method_handler(handle, request_deserializer=parse, response_serializer=serialize)
    kind = grpc.unary_stream_rpc_method_handler if method.server_streaming else grpc.unary_unary_rpc_method_handler
    return kind(handle, response_serializer=serialize)

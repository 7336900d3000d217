"""What a connection may do before and between its calls: the options of gRPC's server."""

from typing import Any, Final

from advisor.settings import Settings

CLIENT_PING_SECONDS: Final = 10.0
"""How far apart a client's pings have to be, in seconds; after three that come sooner it is cut off."""


def channel_options(settings: Settings) -> list[tuple[str, Any]]:
    """Return the options for the settings.

    gRPC itself closes a connection that breaks HTTP/2, or that sends pings more often than is said here.
    """
    milliseconds = {
        # Who connects and then says nothing, in TLS or in HTTP/2.
        "grpc.server_handshake_timeout_ms": settings.handshake_seconds,
        # Who has vanished without a word: its searches are cancelled.
        "grpc.keepalive_time_ms": settings.keepalive_seconds,
        "grpc.keepalive_timeout_ms": min(20.0, settings.keepalive_seconds),
        "grpc.http2.ping_timeout_ms": min(20.0, settings.keepalive_seconds),
        # Who has no call, and who stays: it connects anew, perhaps to another replica.
        "grpc.max_connection_idle_ms": settings.connection_idle_seconds,
        "grpc.max_connection_age_ms": settings.connection_age_seconds,
    }
    options: list[tuple[str, Any]] = [
        ("grpc.max_receive_message_length", settings.max_message_bytes),
        ("grpc.max_send_message_length", -1),
        # Two servers on one port would share its connections, and nobody would notice the mistake.
        ("grpc.so_reuseport", 0),
        ("grpc.max_concurrent_streams", settings.max_streams),
        ("grpc.max_allowed_incoming_connections", settings.max_connections),
        # Below the first all is taken, above the second nothing; in between gRPC would draw lots.
        ("grpc.max_metadata_size", settings.max_metadata_bytes),
        ("grpc.absolute_max_metadata_size", settings.max_metadata_bytes),
        # Pings keep a connection through a network's gear open, with and without a call.
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", round(CLIENT_PING_SECONDS * 1000)),
    ]
    # 0 seconds stand for never, which gRPC has as its default where it makes sense.
    return options + [(name, max(1, round(seconds * 1000))) for name, seconds in milliseconds.items() if seconds]

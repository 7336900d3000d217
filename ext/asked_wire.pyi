"""Requests for advice taken apart."""

def take_asked_apart(
    request: bytes,
) -> tuple[tuple[str, str, int, str, str, bytes], bytes, int, int, int, tuple[bytes, bytes]] | None:
    """An `AdviseRequest` about an observation of ocean: header, content, chance events, seat, seed, and how to search.

    The header is what decides which rules a position has: game, variant, seats, the catalogue's id and digest, rules.
    How: the limits, and the options without the seed. Messages are as they were said, numbers as the wire has them, and
    nothing is judged: not even whether the content is sound. None of any other request, of one with a record or lists
    of moves, and of one that is said in other ways than protobuf's libraries do.
    """

"""Tree memory."""

def measure(capacity: int, fanout: int) -> tuple[int, int]:
    """(bytes of a tree for `capacity` nodes with `fanout` edges each, the capacity that those bytes hold)."""

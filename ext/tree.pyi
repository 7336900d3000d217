"""Tree memory."""

def measure(capacity: int, fanout: int) -> tuple[int, int]:
    """(bytes of a tree for `capacity` nodes with `fanout` edges each, the capacity that those bytes hold)."""

def kept() -> tuple[int, int, int]:
    """(closed trees that are kept, bytes of them that have been touched, the most of these there may be)."""

def forget() -> None:
    """Give all trees that are kept back to the system."""

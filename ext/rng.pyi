"""Random numbers as Python can test them."""

def hash_word(word: int) -> int:
    """The 64-bit hash of one word."""

def hash_words(first: int, second: int) -> int:
    """The 64-bit hash of two words."""

def bounded(key: int, n: int, count: int) -> list[int]:
    """`count` numbers uniform in 0 to n - 1 from the stream of `key`; n at least 1."""

def words(key: int, count: int) -> list[int]:
    """The first `count` words of the stream of `key`."""

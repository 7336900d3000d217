"""Random numbers as Python can test them; the inline functions are in the .pxd."""
from ext.rng cimport Stream, below, mix, mix2, next_word, seed_stream


def hash_words(unsigned long long first, unsigned long long second):
    """The 64-bit hash of two words."""
    return mix2(first, second)


def bounded(unsigned long long key, unsigned int n, int count):
    """`count` numbers uniform in 0 to n - 1 from the stream of `key`; n at least 1."""
    if n < 1:
        raise ValueError("n must be at least 1")
    cdef Stream stream
    seed_stream(&stream, key)
    return [below(&stream, n) for _ in range(count)]


def words(unsigned long long key, int count):
    """The first `count` words of the stream of `key`."""
    cdef Stream stream
    seed_stream(&stream, key)
    return [next_word(&stream) for _ in range(count)]


def hash_word(unsigned long long word):
    """The 64-bit hash of one word."""
    return mix(word)

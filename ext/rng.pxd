"""Random numbers: counter-based hashes for chance events, xoroshiro128++ streams for playouts.

SplitMix64 finaliser: Steele, Lea, Flood 2014. xoroshiro128++: Blackman, Vigna 2019 (public domain design). Bounded
integers without bias: Lemire 2019, "Fast random integer generation in an interval", in 32 bits.
"""
from libc.stdint cimport uint32_t, uint64_t


cdef struct Stream:
    uint64_t a
    uint64_t b


cdef inline uint64_t mix(uint64_t x) noexcept nogil:
    """A bijective hash of 64 bits."""
    x += <uint64_t> 0x9E3779B97F4A7C15
    x = (x ^ (x >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * <uint64_t> 0x94D049BB133111EB
    return x ^ (x >> 31)


cdef inline uint64_t mix2(uint64_t x, uint64_t y) noexcept nogil:
    """A hash of two words; their order matters."""
    return mix(mix(x) + y)


cdef inline uint64_t rotate_left(uint64_t x, int k) noexcept nogil:
    return (x << k) | (x >> (64 - k))


cdef inline void seed_stream(Stream* stream, uint64_t key) noexcept nogil:
    """The stream of a key: two distinct words, never both zero, since `mix` is a bijection."""
    stream.a = mix(key)
    stream.b = mix(key ^ <uint64_t> 0xD1B54A32D192ED03)


cdef inline uint64_t next_word(Stream* stream) noexcept nogil:
    cdef uint64_t a = stream.a
    cdef uint64_t b = stream.b
    cdef uint64_t word = rotate_left(a + b, 17) + a
    b ^= a
    stream.a = rotate_left(a, 49) ^ b ^ (b << 21)
    stream.b = rotate_left(b, 28)
    return word


cdef inline uint32_t scaled(uint32_t half, Stream* stream, uint32_t n) noexcept nogil:
    """Uniform in 0 to n - 1 from 32 uniform bits, more of them taken from the stream where rejected; n at least 1."""
    cdef uint64_t product = <uint64_t> half * n
    cdef uint32_t threshold
    if <uint32_t> product < n:
        threshold = (0 - n) % n
        while <uint32_t> product < threshold:
            product = (next_word(stream) >> 32) * n
    return <uint32_t> (product >> 32)


cdef inline uint32_t below(Stream* stream, uint32_t n) noexcept nogil:
    """Uniform in 0 to n - 1; n at least 1."""
    return scaled(<uint32_t> (next_word(stream) >> 32), stream, n)


cdef inline double unit(Stream* stream) noexcept nogil:
    """Uniform in [0, 1)."""
    return <double> (next_word(stream) >> 11) * (1.0 / 9007199254740992.0)

"""Random numbers: no bias, no two streams alike, and the counter hash is a bijection."""

import math
from collections import Counter

import pytest

from ext.rng import bounded, hash_word, hash_words, words

pytestmark = pytest.mark.kernel

WORD = 1 << 64


def fits(counts: Counter[int], cells: int) -> bool:
    """Whether counts are a sample of `cells` equally likely numbers: chi-square below about its 1 - 1e-6 quantile."""
    assert set(counts) <= set(range(cells))
    expected = counts.total() / cells
    chi2 = sum((counts[cell] - expected) ** 2 / expected for cell in range(cells))
    return chi2 < cells - 1 + 5 * math.sqrt(2 * (cells - 1)) + 10


def mix(word: int) -> int:
    """SplitMix64's step, written out."""
    word = (word + 0x9E3779B97F4A7C15) % WORD
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % WORD
    word = (word ^ word >> 27) * 0x94D049BB133111EB % WORD
    return word ^ word >> 31


def unmix(word: int) -> int:
    """The inverse of `mix`."""

    def unshift(word: int, bits: int) -> int:
        found = word
        for _ in range(64 // bits):
            found = word ^ found >> bits
        return found

    word = unshift(word, 31) * pow(0x94D049BB133111EB, -1, WORD) % WORD
    word = unshift(word, 27) * pow(0xBF58476D1CE4E5B9, -1, WORD) % WORD
    return (unshift(word, 30) - 0x9E3779B97F4A7C15) % WORD


@pytest.mark.parametrize("n", [1, 2, 3, 5, 7, 10, 12, 40, 80, 100, 255])
def test_bounded_numbers_are_uniform(n: int) -> None:
    drawn = bounded(7, n, 60_000)
    assert len(drawn) == 60_000
    assert fits(Counter(drawn), n)
    # So are pairs of neighbours, which a poor generator makes regular.
    m = min(n, 40)
    pairs = Counter(
        a % m * m + b % m for a, b in zip(bounded(8, m, 60_000)[::2], bounded(8, m, 60_000)[1::2], strict=True)
    )
    assert fits(pairs, m * m)


@pytest.mark.parametrize(
    ("n", "cells"),
    [(3 << 30, 3), (0xAAAAAAAB, 4), (0xC0000001, 3), (0xFFFFFFFF, 5), ((1 << 31) + 1, 2), (5 << 29, 5)],
)
def test_large_ranges_have_no_modulo_bias(n: int, cells: int) -> None:
    """Above 2^31 a remainder, or a product without rejection, gives some numbers twice the chance of others.

    Seen by residue (a product favours every so-many-th number) and by size (a remainder favours the low ones).
    """
    drawn = bounded(3, n, 60_000)
    assert all(0 <= number < n for number in drawn)
    assert max(drawn) > n - n // 1000
    if n % cells == 0:
        assert fits(Counter(number % cells for number in drawn), cells)
    assert fits(Counter(number * 64 // n for number in drawn), 64)


def test_rejection_favours_no_residue() -> None:
    """With n = 3 x 2^30 a product that rejects nothing gives one number of each three twice as often."""
    n = 3 << 30
    drawn = bounded(11, n, 90_000)
    assert fits(Counter(number % 3 for number in drawn), 3)
    biased = Counter(((word >> 32) * n >> 32) % 3 for word in words(11, 90_000))
    assert not fits(biased, 3)


def test_a_range_of_one_is_zero_and_of_none_is_refused() -> None:
    assert bounded(1, 1, 5) == [0] * 5
    with pytest.raises(ValueError, match="at least 1"):
        bounded(1, 0, 1)


def test_every_bit_of_a_stream_is_fair_and_independent_of_the_next() -> None:
    drawn = words(1, 20_000)
    for bit in range(64):
        ones = [word >> bit & 1 for word in drawn]
        assert fits(Counter(2 * one + other for one, other in zip(ones[::2], ones[1::2], strict=True)), 4)


def test_streams_differ() -> None:
    """Of neighbouring keys, too: that is what simulations get."""
    keys = [*range(2000), *[key << 32 for key in range(1, 200)], *[WORD - 1 - key for key in range(200)]]
    first: dict[int, int] = {}
    for key in keys:
        for word in words(key, 20):
            assert first.setdefault(word, key) == key, "two streams meet"
    # First words of neighbouring keys are as good as independent.
    for bit in (0, 1, 31, 32, 63):
        assert fits(Counter(words(key, 1)[0] >> bit & 1 for key in range(20_000)), 2)


def test_a_stream_follows_its_key() -> None:
    assert words(5, 50) == words(5, 100)[:50]
    assert bounded(5, 10, 50) == bounded(5, 10, 100)[:50]


def test_no_stream_starts_from_zeros() -> None:
    """xoroshiro from two zero words gives zeros for ever. Its words are hashes of two different words: one is not 0."""
    # These keys make the first, or the second, word of the state zero.
    for key in (unmix(0), unmix(0) ^ 0xD1B54A32D192ED03):
        assert hash_word(unmix(0)) == 0
        assert len(set(words(key, 100))) == 100
        assert sum(word.bit_count() for word in words(key, 1000)[20:]) / 980 == pytest.approx(32, abs=1)


def test_the_hash_is_a_bijection() -> None:
    sample = [*range(3000), *[WORD - 1 - i for i in range(1000)], *[1 << bit for bit in range(64)], *words(3, 2000)]
    hashes = [hash_word(word) for word in sample]
    assert len(set(hashes)) == len(set(sample))
    for word, value in zip(sample, hashes, strict=True):
        assert value == mix(word)
        assert unmix(value) == word


def test_one_flipped_bit_flips_half_of_a_hash() -> None:
    for bit in range(64):
        flips = [(hash_word(word) ^ hash_word(word ^ 1 << bit)).bit_count() for word in range(0, 50_000, 500)]
        assert 28 < sum(flips) / len(flips) < 36


def test_the_order_of_two_words_matters() -> None:
    pairs = [(a, b) for a in range(60) for b in range(60)]
    hashes = {hash_words(a, b) for a, b in pairs}
    assert len(hashes) == len(pairs)
    assert all(hash_words(a, b) == mix((mix(a) + b) % WORD) for a, b in pairs)


def test_words_out_of_range_are_refused() -> None:
    for word in (-1, WORD):
        with pytest.raises(OverflowError):
            hash_word(word)
        with pytest.raises(OverflowError):
            hash_words(0, word)

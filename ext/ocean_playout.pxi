"""Playouts of ocean. Part of ext/ocean.pyx."""
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from ext.rng cimport Stream, below, next_word, scaled

cdef enum:
    TRIES = 4   # of an informed playout, by experiment (docs/performance.md)


cdef inline int roll(
    Ocean game, Table* t, Stream* stream, int32_t* scores, int n_steps, int tries
) noexcept nogil:
    """A playout on plain arrays: hands as lists of cards, boards in place.

    Picks and placements of a round are independent between seats, so a seat's two choices are made together. With one
    try it plays uniformly at random; with more it takes, of so many random pairs of card and cell, one that gains most.
    """
    cdef uint8_t hands[MAX_PLAYERS][HAND + 6]
    cdef uint8_t* hand
    cdef Board* board
    cdef uint64_t word
    cdef int seats = game.seats
    cdef int s, i, j, n, pick, edge, gain, best, best_pick, best_edge, first_round, plies, r = t.round
    cdef bint placing = t.phase == PLACING
    cdef bint chosen
    if t.phase == ENDED:
        game.points(t, scores)
        return 0
    plies = seats * (2 * (PICKS - r) - (r == 0) - placing) - __builtin_popcountll(t.committed)
    if t.phase == DEAL:
        plies += seats * (HAND + (2 if game.n_targets else 0)) - t.dealt
    for s in range(seats):
        hand = hands[game.origin[r][s]]
        n = list_cards(t.hand[s], hand)
        if placing:
            # The revealed card is a hand of one for this round.
            hand[n] = t.revealed[s]
    if t.phase == DEAL:
        deal_rest(game, t, stream, hands)
    first_round = r
    while r < PICKS:
        n = HAND - r
        for s in range(seats):
            board = &t.board[s]
            hand = hands[game.origin[r][s]]
            edge = board.edge
            chosen = r == first_round and t.committed >> s & 1
            best_pick = n - 1
            if chosen and not placing:
                best_pick = 0
                while hand[best_pick] != t.commit[s]:
                    best_pick += 1
            if r == 0:
                if not chosen:
                    best_pick = below(stream, n)
                put(game, board, ORIGIN, hand[best_pick], n_steps)
                hand[best_pick] = hand[n - 1]
                continue
            if chosen and placing:
                place_card(game, board, t.commit[s], hand[n - 1])
                continue
            best = -1
            best_edge = 0
            for _ in range(tries):
                # One word gives both choices: its upper half picks, its lower half places.
                word = next_word(stream)
                pick = best_pick
                if not (chosen or placing):
                    pick = scaled(<uint32_t> (word >> 32), stream, n)
                j = scaled(<uint32_t> word, stream, edge)
                if tries == 1:
                    best_pick = pick
                    best_edge = j
                    continue
                gain = gain_of(game, board, board.frontier[j], hand[pick], n_steps)
                if FAULT(108) and t.committed:
                    gain += 20 * ((hand[pick] ^ t.commit[__builtin_ctzll(t.committed)]) & 1)
                if gain > best:
                    best = gain
                    best_edge = j
                    best_pick = pick
            i = board.frontier[best_edge]
            board.edge = edge - 1
            board.frontier[best_edge] = board.frontier[edge - 1]
            put(game, board, i, hand[best_pick], n_steps)
            hand[best_pick] = hand[n - 1]
        placing = False
        r += 1
    for s in range(seats):
        scores[s] = species_points(game, &t.board[s])
        if game.n_targets:
            scores[s] += target_points(game, &t.board[s], t.targets[s])
    return plies


cdef inline int list_cards(uint64_t set_, uint8_t* cards) noexcept nogil:
    """The members of a set, ascending; returns how many."""
    cdef int n = 0
    while set_:
        cards[n] = __builtin_ctzll(set_)
        set_ &= set_ - 1
        n += 1
    return n


cdef void deal_rest(Ocean game, Table* t, Stream* stream, uint8_t[MAX_PLAYERS][HAND + 6] hands) noexcept nogil:
    """The rest of the deal at once: a partial shuffle of what is left of the two decks, into lists of cards."""
    cdef uint8_t cards[CARDS]
    cdef int n = list_cards(t.deck, cards)
    cdef int s, i, j
    for s in range(game.seats):
        for i in range(__builtin_popcountll(t.hand[s]), HAND):
            j = below(stream, n)
            n -= 1
            hands[s][i] = cards[j]
            cards[j] = cards[n]
    for s in range(game.seats if game.n_targets else 0):
        for _ in range(__builtin_popcountll(t.targets[s]), 2):
            j = nth_bit(t.target_deck, below(stream, __builtin_popcountll(t.target_deck)))
            t.targets[s] |= <uint16_t> bit(j)
            t.target_deck &= <uint16_t> ~bit(j)

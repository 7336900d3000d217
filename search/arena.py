"""Matches between two players, in blocks of common luck, with an interval from block means.

A block is one deal, played once for every seat that player `a` can have; so luck of the deal cancels within it. With
one seat a block is one game, and there is no match: two players of equal seeds meet equal luck, game by game.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import log10, sqrt
from typing import Any

from ext.game import OVER, Game, State
from ext.rng import hash_words
from search.players import Player, parse_spec

NORMAL_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Block:
    """Sums over the games of one deal: share of first place of `a`, and its margin over the mean of the others.

    With one seat `wins` counts the games that met their aim: all of them where there is none.
    """

    games: int
    wins: float
    margin: float
    score: float


PlayBlocks = Callable[[int, Callable[[int], None]], Sequence[Block]]
"""Plays so many blocks, numbered from 0, telling now and then how many are done, and returns them in this order."""


def run_arena(
    make_game: Callable[[], Game],
    a: str,
    b: str | None,
    games: int,
    seed: int,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    elsewhere: PlayBlocks | None = None,
) -> dict[str, Any]:
    """Plays `games`, rounded up to whole blocks, and returns the figures of the arena contract.

    `a` and `b` are SPECs; `b` is None with one seat only, and then there are scores alone, and where the game has an
    aim (a challenge) how often it was met. `progress` gets (games played, games in all). `elsewhere` plays the blocks
    outside of this process, in place of `threads`. Raises ValueError for a SPEC that does not read.
    """
    game = make_game()
    seats = game.seats
    if (b is None) != (seats == 1):
        raise ValueError("give a second player" if b is None else "with one seat there is only one player")
    first, second = parse_spec(a), parse_spec(b) if b is not None else None
    blocks = -(-max(games, 1) // seats)

    def report(done: int) -> None:
        if progress is not None:
            progress(done * seats, blocks * seats)

    def here(blocks: int, report: Callable[[int], None]) -> list[Block]:
        played: list[Block] = []
        with ThreadPoolExecutor(max_workers=threads or os.cpu_count() or 1) as workers:
            for block in workers.map(lambda number: play_block(game, first, second, seed, number), range(blocks)):
                played.append(block)
                report(len(played))
        return played

    played = (elsewhere or here)(blocks, report)
    header = {"game": game.name, "players": seats, "games": blocks * seats, "blocks": blocks, "a": a}
    mean_score, score_interval = mean_interval([block.score / block.games for block in played])
    rate, interval = rate_interval([block.wins / block.games for block in played])
    if b is None:
        met = {"met_rate": rate, "met_interval": interval} if game.aim else {}
        return {**header, "mean_score": mean_score, "mean_score_interval": score_interval, **met}
    return {
        **header,
        "b": b,
        "win_rate": rate,
        "interval": interval,
        "elo": elo(rate) if seats == 2 else None,
        "elo_interval": [elo(bound) for bound in interval] if seats == 2 and elo(rate) is not None else None,
        "mean_margin": sum(block.margin for block in played) / (blocks * seats),
        "mean_score": mean_score,
    }


def play_block(game: Game, first: Player, second: Player | None, seed: int, number: int) -> Block:
    """One deal, `first` once in every seat."""
    luck = hash_words(seed & 0xFFFFFFFFFFFFFFFF, number)
    wins = margin = points = 0.0
    for own in range(game.seats):
        players = [first if seat == own or second is None else second for seat in range(game.seats)]
        end = play_game(game, game.deal(luck), players, hash_words(luck, own + 1), luck)
        scores, ranks = game.score(end), game.ranks(end)
        wins += game.reached(end) if game.seats == 1 else (ranks[own] == 1) / ranks.count(1)
        others = [score for seat, score in enumerate(scores) if seat != own]
        margin += scores[own] - (sum(others) / len(others) if others else 0.0)
        points += scores[own]
    return Block(game.seats, wins, margin, points)


def play_game(game: Game, state: State, players: list[Player], seed: int, luck: int) -> State:
    """Plays to the end; every player sees its own observation and has a seed of its own at every decision.

    `luck` decides what chance brings, whatever is played.
    """
    ply = 0
    while game.turn(state) != OVER:
        pending = game.pending(state)
        if not pending:
            state = game.happen(state, game.draw(state, luck, 0))
            continue
        # Who decides together sees none of the others' choices: the observations are taken before any is made.
        seen = {seat: game.observe(state, seat) for seat in pending}
        for seat in pending:
            move = players[seat].choose(game, seen[seat], hash_words(seed, ply * game.seats + seat))
            state = game.play(state, seat, move)
        ply += 1
    return state


def mean_interval(values: list[float]) -> tuple[float, list[float]]:
    """Mean and 95 % interval of independent values; with fewer than two of them the interval is the mean."""
    n = len(values)
    mean = sum(values) / n
    if n < 2:
        return mean, [mean, mean]
    half = NORMAL_95 * sqrt(sum((value - mean) ** 2 for value in values) / (n - 1) / n)
    return mean, [mean - half, mean + half]


def rate_interval(rates: list[float]) -> tuple[float, list[float]]:
    """Mean and 95 % interval of independent rates between 0 and 1.

    Wilson's interval (1927) on the number of games of chance that would spread as much as the rates do: it stays
    within 0 and 1 and does not shrink to a point when every block was won.
    """
    mean, normal = mean_interval(rates)
    error = (normal[1] - normal[0]) / 2 / NORMAL_95
    n = mean * (1 - mean) / error**2 if error > 1e-9 else float(len(rates))
    z = NORMAL_95**2 / n
    middle, half = (mean + z / 2) / (1 + z), sqrt(z * mean * (1 - mean) + z * z / 4) / (1 + z)
    return mean, [max(middle - half, 0.0), min(middle + half, 1.0)]


def elo(rate: float) -> float | None:
    """Elo difference that gives a win rate; None at 0 and 1."""
    return 400 * log10(rate / (1 - rate)) if 0 < rate < 1 else None

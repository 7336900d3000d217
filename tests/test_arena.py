"""The arena: blocks of common luck, every seat once, and figures that can be trusted."""

import itertools
import json
import math
import statistics
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar

import pytest
from differential import house
from ocean_cases import catalogue

from ext.game import Game, Observation, State
from ext.heart import Heart
from ext.ocean import Ocean
from ext.sanctuary import Sanctuary
from search import arena
from search.arena import Block, elo, mean_interval, run_arena
from search.players import parse_spec

pytestmark = pytest.mark.apart

CONTRACT = {
    "game",
    "players",
    "games",
    "blocks",
    "a",
    "b",
    "win_rate",
    "interval",
    "elo",
    "elo_interval",
    "mean_margin",
}
FACES = catalogue({card: ("EACH_PLANT", "PAIRS", "FLAT", "TWO_CORALS")[card % 4] for card in range(40)})


@cache
def table(seats: int) -> Ocean:
    return Ocean(seats, FACES)


def match(a: str, b: str, games: int, *, seats: int = 2, seed: int = 1, threads: int | None = 1) -> dict[str, Any]:
    return run_arena(lambda: table(seats), a, b, games, seed, threads)


@dataclass
class Recorder:
    """A player that notes what it is asked."""

    asked: list[tuple[int, bytes, int, list[int]]] = field(default_factory=list)

    def choose(self, game: Game, observation: Observation, seed: int) -> int:
        seat = game.observer(observation)
        self.asked.append((seat, bytes(observation), seed, game.pending_observation(observation)))
        return game.moves_observation(observation)[0]


def recorded(monkeypatch: pytest.MonkeyPatch, games: int, seats: int, seed: int = 1) -> tuple[Recorder, Recorder]:
    players = {"a": Recorder(), "b": Recorder()}
    monkeypatch.setattr(arena, "parse_spec", players.__getitem__)
    run_arena(lambda: table(seats), "a", "b", games, seed, 1)
    return players["a"], players["b"]


def with_blocks(monkeypatch: pytest.MonkeyPatch, seats: int, rates: list[float]) -> dict[str, Any]:
    """The figures of a match whose blocks were won at these rates."""
    monkeypatch.setattr(
        arena, "play_block", lambda game, a, b, seed, number: Block(seats, rates[number] * seats, 0.0, 0.0)
    )
    return run_arena(lambda: table(seats), "random", "random", seats * len(rates), 1, 1)


# Players.


@pytest.mark.parametrize(
    "spec", ["random", "greedy", "flat:1", "flat:200", "uct:2000", "mcts:1", "mcts:100000", "mcts:250ms", "uct:2s"]
)
def test_specs_that_read(spec: str) -> None:
    assert parse_spec(spec) == parse_spec(spec)
    game = table(2)
    if spec.endswith("s") or len(spec) > 8:
        return
    seen = game.observe(game.deal(1), 0)
    assert parse_spec(spec).choose(game, seen, 1) in game.moves_observation(seen)


def test_different_specs_are_different_players() -> None:
    specs = ["random", "greedy", "flat:9", "uct:9", "mcts:9", "mcts:10", "mcts:9ms", "mcts:9s"]
    players = [parse_spec(spec) for spec in specs]
    assert all(players.count(player) == 1 for player in players)


@pytest.mark.parametrize(
    "spec",
    [
        "",
        " random",
        "random ",
        "Random",
        "greedy:3",
        "random:1",
        "flat",
        "flat:",
        "mcts:0",
        "mcts:-5",
        "mcts:01",
        "mcts:1.5",
        "mcts:1e3",
        "mcts:5m",
        "mcts:5 ms",
        "mcts:5\n",
        "uct:\u0663",
        "uct:12345678901",
        "nobody:5",
    ],
)
def test_specs_that_do_not(spec: str) -> None:
    with pytest.raises(ValueError, match="is no player"):
        parse_spec(spec)
    with pytest.raises(ValueError, match="is no player"):
        match("random", spec, 2)


# Blocks.


@pytest.mark.parametrize(
    ("seats", "games", "played"), [(2, 1, 2), (2, 4, 4), (3, 4, 6), (4, 5, 8), (4, 8, 8), (2, 0, 2)]
)
def test_games_are_rounded_up_to_whole_blocks(seats: int, games: int, played: int) -> None:
    progress: list[tuple[int, int]] = []
    found = run_arena(
        lambda: table(seats), "random", "greedy", games, 1, 1, lambda done, of: progress.append((done, of))
    )
    assert (found["games"], found["blocks"], found["players"]) == (played, played // seats, seats)
    assert progress == [(seats * (block + 1), played) for block in range(played // seats)]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_in_a_block_a_has_every_seat_once_with_the_same_luck(monkeypatch: pytest.MonkeyPatch, seats: int) -> None:
    blocks = 3
    a, b = recorded(monkeypatch, blocks * seats, seats)
    decisions = 17
    assert len(a.asked) == blocks * seats * decisions
    assert len(b.asked) == (seats - 1) * len(a.asked)
    # `a` sits through whole games, one seat after the other.
    sat = [seat for seat, *_ in a.asked]
    assert sat == [seat for _ in range(blocks) for seat in range(seats) for _ in range(decisions)]
    # All games of a block begin with the same hands; other blocks have other ones.
    for seat in range(seats):
        looks = []
        for game in range(blocks * seats):
            theirs = (seats - 1) * decisions * game
            calls = [a.asked[decisions * game], *b.asked[theirs : theirs + seats - 1]]
            looks += [seen for who, seen, *_ in calls if who == seat]
        assert looks == [looks[seats * block] for block in range(blocks) for _ in range(seats)]
        assert len(set(looks)) == blocks


def test_who_decides_together_sees_none_of_the_others_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = recorded(monkeypatch, 3, 3)
    for _, _, _, pending in a.asked + b.asked:
        assert pending == [0, 1, 2]


def test_every_decision_has_a_seed_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = recorded(monkeypatch, 12, 3)
    seeds = [seed for _, _, seed, _ in a.asked + b.asked]
    assert len(set(seeds)) == len(seeds)


# Figures.


@pytest.mark.parametrize("seats", [2, 3])
def test_the_keys_of_the_contract_and_their_types(seats: int) -> None:
    found = match("greedy", "random", 12, seats=seats)
    assert set(found) >= CONTRACT
    assert json.loads(json.dumps(found)) == found
    assert (found["game"], found["players"], found["games"], found["blocks"]) == ("ocean", seats, 12, 12 // seats)
    assert (found["a"], found["b"]) == ("greedy", "random")
    low, high = found["interval"]
    assert 0 <= low <= found["win_rate"] <= high <= 1
    assert low < high
    if seats > 2:
        assert found["elo"] is found["elo_interval"] is None


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_figures_follow_from_the_games(monkeypatch: pytest.MonkeyPatch, seats: int) -> None:
    played: list[tuple[int, list[int]]] = []
    play_game = arena.play_game

    def watched(game: Game, state: State, players: list[Any], seed: int, luck: int) -> State:
        end = play_game(game, state, players, seed, luck)
        played.append((players.index(parse_spec("greedy")), game.score(end)))
        return end

    monkeypatch.setattr(arena, "play_game", watched)
    found = match("greedy", "random", 3 * seats, seats=seats, seed=4)
    assert len(played) == 3 * seats
    margins, shares = [], []
    for own, scores in played:
        others = [score for seat, score in enumerate(scores) if seat != own]
        margins.append(scores[own] - sum(others) / len(others))
        shares.append(float(scores[own] == max(scores)) / scores.count(max(scores)))
    assert found["mean_margin"] == pytest.approx(statistics.fmean(margins))
    assert found["win_rate"] == pytest.approx(statistics.fmean(shares))
    assert found["mean_score"] == pytest.approx(statistics.fmean(scores[own] for own, scores in played))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_shared_wins_count_their_share(seats: int) -> None:
    """With a flat 4 on every card all games end in a tie of all."""
    game = Ocean(seats, catalogue())
    found = run_arena(lambda: game, "greedy", "random", 2 * seats, 1, 1)
    assert found["win_rate"] == pytest.approx(1 / seats)
    assert found["mean_margin"] == 0


def test_two_equal_players_win_half_each() -> None:
    found = match("random", "random", 200)
    low, high = found["interval"]
    assert low < 0.5 < high
    assert 0.02 < high - low < 0.2
    assert found["win_rate"] != 0.5, "200 random games that end even: the dice look tied"
    a, b = found["elo_interval"]
    assert a < 0 < b
    four = match("random", "random", 80, seats=4)
    assert four["interval"][0] < 0.25 < four["interval"][1]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_player_without_chance_against_itself_gets_its_share_exactly(
    monkeypatch: pytest.MonkeyPatch, seats: int
) -> None:
    """All games of a block are then one game, and `a` has each of its seats once: the shares add up to one win."""

    class First:
        """Plays the move that is listed first."""

        def choose(self, game: Game, observation: Observation, seed: int) -> int:
            return game.moves_observation(observation)[0]

    monkeypatch.setattr(arena, "parse_spec", lambda spec: First())
    found = match("first", "first", 8 * seats, seats=seats)
    assert found["win_rate"] == pytest.approx(1 / seats, abs=1e-12)
    assert found["mean_margin"] == pytest.approx(0, abs=1e-9)
    if seats == 2:
        assert found["win_rate"] == 0.5
        assert found["elo"] == 0


def test_margins_change_sign_with_the_sides() -> None:
    """Against a player without chance, too, `a` and `b` may change places: the same games, seen from the other side."""
    one, other = match("flat:20", "greedy", 6), match("greedy", "flat:20", 6)
    assert one["mean_margin"] * other["mean_margin"] < 0


def test_greedy_beats_random() -> None:
    for seats in (2, 4):
        found = match("greedy", "random", 24, seats=seats)
        assert found["interval"][0] > 1 / seats
        assert found["mean_margin"] > 5
    assert match("random", "greedy", 40)["win_rate"] < 0.5


def test_searching_beats_random() -> None:
    for spec in ("mcts:30", "uct:60", "flat:60"):
        assert match(spec, "random", 12)["win_rate"] > 0.7


def test_one_seed_gives_the_same_figures_on_any_number_of_threads() -> None:
    for a, b in (("random", "greedy"), ("mcts:12", "uct:12")):
        found = [match(a, b, 6, seats=3, threads=threads) for threads in (1, 2, 4, None, 1)]
        assert all(figures == found[0] for figures in found)
    assert match("random", "greedy", 6, seed=2) != match("random", "greedy", 6, seed=1)
    # Seeds are taken whole, and modulo 2^64.
    wide = [match("random", "greedy", 6, seed=seed) for seed in (5, 5 + (1 << 32), (1 << 63) + 5, -5)]
    assert all(wide.count(figures) == 1 for figures in wide)
    assert match("random", "greedy", 6, seed=5 + (1 << 64)) == wide[0]


def test_a_second_player_is_needed_by_every_game_with_seats_for_it() -> None:
    with pytest.raises(ValueError, match="second player"):
        run_arena(lambda: table(2), "random", None, 2, 1)


# A game whose chance comes between decisions.


class Watched(Heart):
    """Notes what the die showed, game by game."""

    rolls: ClassVar[list[list[str]]] = []

    def deal(self, seed: int) -> State:
        self.rolls.append([])
        return super().deal(seed)

    def draw(self, state: State, seed: int, world: int) -> int:
        drawn = super().draw(state, seed, world)
        text = self.outcome_notation(drawn)
        if text.startswith("die"):
            self.rolls[-1].append(text)
        return drawn


@pytest.mark.parametrize("seats", [2, 3])
def test_heart_is_played_with_the_same_figures_on_any_number_of_threads(seats: int) -> None:
    game = Heart(seats, house("heart"))
    found = run_arena(lambda: game, "greedy", "random", 4 * seats, 1, 1)
    assert set(found) >= CONTRACT
    assert (found["game"], found["players"], found["games"], found["blocks"]) == ("heart", seats, 4 * seats, 4)
    assert found["mean_margin"] > 3
    assert run_arena(lambda: game, "greedy", "random", 4 * seats, 1, 3) == found
    assert run_arena(lambda: game, "greedy", "random", 4 * seats, 2, 1) != found


def test_in_a_block_the_die_falls_the_same_whatever_is_played() -> None:
    game = Watched(3, house("heart"))
    Watched.rolls.clear()
    run_arena(lambda: game, "greedy", "random", 6, 1, 1)
    blocks = Watched.rolls[:3], Watched.rolls[3:]
    assert len(blocks[1]) == 3
    for one, other in itertools.combinations(Watched.rolls, 2):
        n = min(len(one), len(other), 5)
        assert n == 5, "too few rolls to tell"
        assert (one[:n] == other[:n]) == any(one in block and other in block for block in blocks)
    assert len({tuple(rolls) for rolls in Watched.rolls}) == len(Watched.rolls)


# A game for one seat.


class Lucky(Sanctuary):
    """Notes what chance brought, game by game: cards, and how many manatees were drawn before."""

    luck: ClassVar[list[list[str]]] = []

    def deal(self, seed: int) -> State:
        self.luck.append([])
        return super().deal(seed)

    def draw(self, state: State, seed: int, world: int) -> int:
        drawn = super().draw(state, seed, world)
        self.luck[-1].append(self.outcome_notation(drawn))
        return drawn


@cache
def solo(challenge: str = "NONE") -> Sanctuary:
    return Sanctuary(1, house("sanctuary"), {"challenge": challenge}, "solo")


def alone(spec: str, games: int, challenge: str = "NONE", seed: int = 1, threads: int | None = 1) -> dict[str, Any]:
    return run_arena(lambda: solo(challenge), spec, None, games, seed, threads)


def test_alone_there_are_scores_and_nobody_to_win_against() -> None:
    progress: list[tuple[int, int]] = []
    found = run_arena(solo, "greedy", None, 7, 1, 1, lambda done, of: progress.append((done, of)))
    assert set(found) == {"game", "players", "games", "blocks", "a", "mean_score", "mean_score_interval"}
    assert (found["game"], found["players"], found["games"], found["blocks"]) == ("sanctuary", 1, 7, 7)
    assert json.loads(json.dumps(found)) == found
    assert progress == [(game + 1, 7) for game in range(7)]
    low, high = found["mean_score_interval"]
    assert low < found["mean_score"] < high
    for threads in (2, None):
        assert alone("greedy", 7, threads=threads) == found
    assert alone("greedy", 7, seed=2) != found
    with pytest.raises(ValueError, match="only one player"):
        run_arena(solo, "greedy", "random", 2, 1)


@pytest.mark.parametrize("challenge", ["NONE", "SHORTAGE", "HARVESTER"])
def test_the_figures_of_one_seat_follow_from_its_games(monkeypatch: pytest.MonkeyPatch, challenge: str) -> None:
    ends: list[tuple[int, bool]] = []
    play_game = arena.play_game

    def watched(game: Game, state: State, players: list[Any], seed: int, luck: int) -> State:
        end = play_game(game, state, players, seed, luck)
        assert len(players) == 1
        table = solo(challenge).dump(end)["table"]
        flowers = count_flowers(table["seats"][0]["sanctuary"])
        met = table["seats"][0]["score"] >= 71 and (
            flowers <= 6 if challenge == "SHORTAGE" else table["seats"][0]["food"] >= 40
        )
        ends.append((table["seats"][0]["score"], met))
        return end

    monkeypatch.setattr(arena, "play_game", watched)
    found = alone("greedy", 30, challenge)
    assert len(ends) == 30
    scores = [score for score, _ in ends]
    mean, interval = mean_interval([float(score) for score in scores])
    assert found["mean_score"] == pytest.approx(mean)
    assert found["mean_score_interval"] == pytest.approx(interval)
    if challenge == "NONE":
        assert "met_rate" not in found
    else:
        assert found["met_rate"] == pytest.approx(statistics.fmean(met for _, met in ends))
        low, high = found["met_interval"]
        assert 0 <= low <= found["met_rate"] <= high <= 1
        assert low < high, "30 games make nothing certain"
    if challenge == "SHORTAGE":
        assert 0 < found["met_rate"] < 1


def count_flowers(sanctuary: list[dict[str, Any]]) -> int:
    """Completed flowers, counted from the catalogue."""
    edition = house("sanctuary")["editions"][0]
    laid = {(0, 0): edition["starting_tile"]["edges"]}
    for one in sanctuary:
        edges, turns = edition["cards"][one["card"]]["edges"], one["rotation"]
        laid[one["cell"]["x"], one["cell"]["y"]] = edges[4 - turns :] + edges[: 4 - turns]
    pairs = [(edges[1], laid[x + 1, y][3]) for (x, y), edges in laid.items() if (x + 1, y) in laid]
    pairs += [(edges[2], laid[x, y + 1][0]) for (x, y), edges in laid.items() if (x, y + 1) in laid]
    assert all(one == other for one, other in pairs)
    return sum(not one.endswith("WALL") for one, _ in pairs)


def test_two_players_alone_meet_the_same_luck() -> None:
    """The same cards come in the same order whatever is kept and played; the first manatee, too."""
    game = Lucky(1, house("sanctuary"), {"round_bonuses": True}, "solo")
    Lucky.luck.clear()
    for spec in ("random", "greedy", "mcts:5"):
        run_arena(lambda: game, spec, None, 4, 3, 1)
    cards = [[one for one in luck if one.startswith(("card", "bonus"))] for luck in Lucky.luck]
    assert all(len(drawn) >= 20 for drawn in cards), "the rest was dealt before the first decision"
    for one, other in itertools.combinations(range(12), 2):
        assert (cards[one] == cards[other]) == (one % 4 == other % 4)


def test_who_plays_alone_plays_for_points_or_for_its_challenge() -> None:
    scores = [alone(spec, 16)["mean_score"] for spec in ("random", "greedy", "mcts:60")]
    assert scores[0] + 10 < scores[1]
    assert scores[1] + 5 < scores[2]
    # Greed does not lay shapes.
    rates = [alone(spec, 8, "ARCHITECT")["met_rate"] for spec in ("greedy", "mcts:60")]
    assert rates[0] < 0.3
    assert rates[1] > 0.5


# Statistics.


def test_the_mean_and_its_interval_on_known_numbers() -> None:
    mean, (low, high) = mean_interval([1.0, 2.0, 3.0, 4.0, 5.0])
    # Standard deviation 1.5811, of the mean 0.70711.
    assert mean == 3
    assert (low, high) == pytest.approx((3 - 1.959964 * 0.7071068, 3 + 1.959964 * 0.7071068))
    assert mean_interval([2.5]) == (2.5, [2.5, 2.5])
    assert mean_interval([4.0, 4.0, 4.0]) == (4, [4, 4])
    # Four times the values: half the width.
    _, (narrow_low, narrow_high) = mean_interval([1.0, 2.0, 3.0, 4.0, 5.0] * 16)
    assert (high - low) / (narrow_high - narrow_low) == pytest.approx(4 * math.sqrt(79 / 80 * 5 / 4), rel=1e-6)


def test_the_elo_of_known_rates() -> None:
    assert elo(0.5) == 0
    assert elo(10 / 11) == pytest.approx(400)
    assert elo(0.75) == pytest.approx(190.848502)
    assert elo(0.25) == pytest.approx(-190.848502)
    assert elo(0.0) is elo(1.0) is None


def test_a_match_won_outright_has_no_elo_and_is_not_certain(monkeypatch: pytest.MonkeyPatch) -> None:
    before = 0.0
    for blocks in (1, 2, 5, 50):
        found = with_blocks(monkeypatch, 2, [1.0] * blocks)
        low, high = found["interval"]
        assert found["win_rate"] == 1
        assert before < low < 1
        assert high == pytest.approx(1)
        assert found["elo"] is found["elo_interval"] is None
        before = low
        lost = with_blocks(monkeypatch, 2, [0.0] * blocks)
        assert lost["win_rate"] == 0
        assert lost["interval"][0] == pytest.approx(0)
        assert lost["interval"][1] == pytest.approx(1 - low)
    assert before > 0.9


@pytest.mark.parametrize("rate", [0.25, 0.5, 0.1, 1 / 3, 0.7, 0.9])
def test_blocks_that_end_alike_are_not_certain_either(monkeypatch: pytest.MonkeyPatch, rate: float) -> None:
    """Nor does a rounding error in the last place make them."""
    low, high = with_blocks(monkeypatch, 4, [rate] * 10)["interval"]
    assert 0 <= low < rate < high <= 1
    assert high - low > 0.2


def test_the_interval_narrows_with_the_blocks_and_widens_with_their_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    def width(rates: list[float]) -> float:
        found = with_blocks(monkeypatch, 2, rates)
        low, high = found["interval"]
        assert 0 <= low <= statistics.fmean(rates) <= high <= 1
        assert found["win_rate"] == pytest.approx(statistics.fmean(rates))
        return float(high - low)

    spread = [0.5, 1.0, 0.0, 1.0, 0.5]
    assert 0.35 < width(spread * 20) / width(spread * 4) < 0.55
    assert width([0.5, 0.5, 0.5, 0.5, 1.0] * 20) < width([0.0, 1.0, 0.5, 0.5, 1.0] * 20)
    # Of a hundred blocks it is close to the normal interval of their mean.
    normal = mean_interval(spread * 20)[1]
    assert width(spread * 20) == pytest.approx(normal[1] - normal[0], rel=0.1)


def test_elo_follows_the_rate_and_its_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    found = with_blocks(monkeypatch, 2, [0.5, 1.0, 1.0, 0.0] * 10)
    assert found["elo"] == pytest.approx(elo(0.625))
    assert found["elo_interval"] == pytest.approx([elo(bound) for bound in found["interval"]])
    assert with_blocks(monkeypatch, 3, [0.5, 1.0])["elo"] is None

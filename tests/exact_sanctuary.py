"""Late positions of solo sanctuary, answered by `auto` and solved by brute force.

Positions come from self-play in every setting of the solo game: each challenge, round bonuses, and neither, with the
other options mixed. They are of round 3 with three cards left at the most; which kind of decision it is goes by turns
(`MOMENTS`), and one is taken of a game. Then points, food and manatees are changed a little, so that what the
challenge asks for hangs on the last cards. What is too large for brute force, and what `auto` does not try, is counted
and left out.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from differential import house
from reference.sanctuary import BAG, CHALLENGES, COLOURS, DEFAULT_RULES, GRAY, ReferenceSanctuary, number
from reference.sanctuary_solver import BruteForce, best_move
from test_reference_sanctuary import CATALOGUE

from ext.engine import OBJECTIVES
from ext.expectimax import Expectimax
from ext.game import CHANCE, OVER, State
from ext.sanctuary import Sanctuary
from search.exact import AUTO_NODES, HOPELESS
from search.request import Algorithm, Answer, Limits, Objective, Options
from search.run import Search

MOST_STATES = 100_000
"""Below a position that is solved, and different ones that are looked at."""
BONUSES = "BONUSES"
SETTINGS = (*CHALLENGES, BONUSES)
MOMENTS = ("PLAY 3", "PLAY 2", "RETURN", "PLAY 1", "FEED", "PLAY 2")
"""The decision that is due, and with how many cards in hand a card is played."""
LEANINGS = {
    "SHORTAGE": "top",
    "COLOUR_COORDINATED": "bottom",
    "ARCHITECT": "bottom",
    "TIGHT_FIT": "bottom",
    "SAVIOUR": "bottom",
}
"""What is played in a setting more often than elsewhere."""
POINTS_TO_WIN = 71
FOOD_TO_WIN = 40
MANATEES_TO_WIN = 24
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Late:
    """A late position in both implementations, and how it was found."""

    number: int
    setting: str
    moment: str
    game: Sanctuary
    state: State
    reference: ReferenceSanctuary
    late: int
    too_large: int
    declined: int


@dataclass
class Figures:
    """What has been looked at, and the largest differences found."""

    answers: int = 0
    states: int = 0
    nodes: int = 0
    decisive: int = 0
    """Answers in which moves meet the challenge with different probabilities."""
    late: int = 0
    too_large: int = 0
    declined: int = 0
    value_error: float = 0.0
    score_error: float = 0.0
    met_error: float = 0.0

    def add(self, other: "Figures") -> None:
        """Take up what another position has shown."""
        for name in ("answers", "states", "nodes", "decisive", "late", "too_large", "declined"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("value_error", "score_error", "met_error"):
            setattr(self, name, max(getattr(self, name), getattr(other, name)))

    def report(self) -> dict[str, Any]:
        """For the JSON line."""
        return {
            "answers": self.answers,
            "states": self.states,
            "different_states": self.nodes,
            "challenge_hangs_on_the_move": self.decisive,
            "late_decisions": self.late,
            "rejected_as_too_large": round(self.too_large / max(self.late, 1), 4),
            "rejected_by_estimate": self.declined,
            "largest_value_error": self.value_error,
            "largest_score_error": self.score_error,
            "largest_probability_error": self.met_error,
        }


def rules_of(setting: str, rng: random.Random) -> dict[str, Any]:
    """Rules of a setting, with the other options of the solo game drawn."""
    rules: dict[str, Any] = {
        "pooled_space": rng.random() < 0.3,
        "food_cap": 0 if setting == "HARVESTER" else rng.choice([0, 0, 0, 6, 12]),
        "floor_score_at_zero": rng.random() < 0.3,
        "mirror_shapes": rng.random() < 0.5,
        "round_bonuses": setting == BONUSES,
        "challenge": "NONE" if setting == BONUSES else setting,
    }
    assert set(rules) <= set(DEFAULT_RULES)
    return rules


def self_play(game: Sanctuary, setting: str, moment: str, rng: random.Random) -> Iterator[tuple[State, str]]:
    """A game: every state before the end, and what happens there, a move or an outcome.

    Where something is to go back, cards are played for their tops in the last round.
    """
    state, greed = game.start(), rng.choice([0.2, 0.6, 0.9])
    crowd = moment in ("RETURN", "FEED")
    while (turn := game.turn(state)) != OVER:
        if turn == CHANCE:
            outcome = game.draw(state, rng.getrandbits(64), 0)
            yield state, game.outcome_notation(outcome)
            state = game.happen(state, outcome)
            continue
        moves = game.moves(state, turn)
        wanted = LEANINGS.get(setting, "?")
        if crowd:
            wanted = "top" if game.dump(state)["table"]["round"] == 3 else "?"
        leaning = [move for move in moves if game.notation(move).startswith(wanted)]
        if leaning and rng.random() < 0.6:
            move = rng.choice(leaning)
        else:
            move = game.choose(state, turn, rng.getrandbits(64)) if rng.random() < greed else rng.choice(moves)
        yield state, game.notation(move)
        state = game.play(state, turn, move)


def moment_of(game: Sanctuary, state: State) -> str:
    """The decision that is due, if it is a late one."""
    table = game.dump(state)["table"]
    phase, cards = str(table["phase"]), table["seats"][0]["hand_size"]
    if table["round"] < 3 or phase not in ("PLAY", "RETURN", "FEED") or cards > 3:
        return ""
    return f"{phase} {cards}" if phase == "PLAY" else phase


def replay(game: Sanctuary, course: list[str]) -> ReferenceSanctuary:
    """The same course of a game in the reference."""
    reference = ReferenceSanctuary(dict(game.catalogue), game.seats, game.rules, game.variant)
    reference.start()
    for step in course:
        if reference.chance() is not None:
            reference.happen(step)
        else:
            reference.play(0, step)
    return reference


def tune(game: Sanctuary, reference: ReferenceSanctuary, rng: random.Random) -> State:
    """Changes points, food and manatees so that the challenge hangs on what comes; the position in the kernel."""
    setting, feeding = reference.challenge, reference.phase == "FEED"
    if setting == "HARVESTER" and not feeding:
        meals = sum(count * (2 if colour == "PINK" else 1) for colour, count in reference.housed[0].items())
        reference.food[0] = FOOD_TO_WIN + meals + rng.randint(-8, 2)
    if setting == "SAVIOUR" and not feeding:
        wanted = MANATEES_TO_WIN - rng.randint(0, 4) - number(reference.newcomers)
        while number(reference.housed[0]) < wanted and reference.bags[0][GRAY] > 1:
            more = {**reference.housed[0], GRAY: reference.housed[0][GRAY] + 1}
            if not reference._can_house(0, more):
                break
            reference.housed[0] = more
            reference.bags[0][GRAY] -= 1
        cap = reference.rules["food_cap"] or 99
        reference.food[0] = min(cap, number(reference.housed[0]) * 2 + rng.randint(-4, 8))
        reference.food[0] = max(reference.food[0], 0)
    state = game.load(reference.position())
    if setting != "NONE" and rng.random() < 0.9:
        ends = [game.informed_playout(state, seed)[0] for seed in range(20)]
        reference.score[0] += POINTS_TO_WIN - sum(ends) // len(ends) + rng.randint(-3, 3)
    elif reference.rules["floor_score_at_zero"]:
        reference.score[0] = rng.randint(0, 3)
    if reference.rules["floor_score_at_zero"]:
        reference.score[0] = max(reference.score[0], 0)
    assert all(
        sum(part[colour] for part in (reference.bags[0], reference.housed[0], reference.newcomers)) == BAG[colour]
        for colour in COLOURS
    )
    return game.load(reference.position())


def size(game: Sanctuary, state: State, most: int) -> int:
    """States below this one, at most some more than `most`."""
    count, stack = 0, [state]
    while stack and count <= most:
        here = stack.pop()
        if game.turn(here) == CHANCE:
            below = [game.happen(here, outcome) for outcome, _ in game.outcomes(here)]
        else:
            below = [game.play(here, 0, move) for move in game.moves(here, 0)]
        count += len(below)
        stack += below
    return count


def is_declined(game: Sanctuary, state: State) -> bool:
    """Whether `auto` does not try: along one line there seem to be too many states."""
    return Expectimax(game, game.observe(state, 0), OBJECTIVES["win"]).size(HOPELESS * AUTO_NODES) > (
        HOPELESS * AUTO_NODES
    )


def late(number: int, most: int = MOST_STATES) -> Late:
    """The first fitting position of the games that belong to a number."""
    rng = random.Random(f"sanctuary {number}")
    setting = SETTINGS[number % len(SETTINGS)]
    wanted = MOMENTS[number // len(SETTINGS) % len(MOMENTS)]
    seen = too_large = declined = 0
    while True:
        small = rng.random() < (0.8 if setting == "ARCHITECT" else 0.4)
        game = Sanctuary(1, CATALOGUE if small else house("sanctuary"), rules_of(setting, rng), "solo")
        course = list(self_play(game, setting, wanted, rng))
        fitting = [i for i, (state, _) in enumerate(course) if moment_of(game, state) == wanted]
        if not fitting:
            continue
        reference = replay(game, [step for _, step in course[: rng.choice(fitting)]])
        state = tune(game, reference, rng)
        if moment_of(game, state) != wanted or len(game.moves(state, 0)) < 2:
            continue
        seen += 1
        if size(game, state, most) > most:
            too_large += 1
        elif is_declined(game, state):
            declined += 1
        else:
            return Late(number, setting, wanted, game, state, reference, seen, too_large, declined)


def advise(position: Late, objective: str) -> Answer:
    """What `auto` answers."""
    game = position.game
    options = Options(algorithm=Algorithm.AUTO, objective=Objective[objective], seed=position.number)
    return Search(game, game.observe(position.state, 0), Limits(simulations=100), options).run()


def error_of(what: str, found: list[float], expected: list[Any]) -> float:
    """How far numbers are apart at the most; raises AssertionError when that is too far."""
    error = max(abs(one - float(other)) for one, other in zip(found, expected, strict=True))
    assert error <= TOLERANCE, f"{what}: found {found}, by brute force {[float(other) for other in expected]}"
    return error


def check(position: Late, answer: Answer, solution: BruteForce, objective: str) -> Figures:
    """Hold an answer to the brute force; raises AssertionError where they differ."""
    game, figures = position.game, Figures(answers=1)
    assert answer.exact, "the answer does not claim to be exact"
    assert answer.algorithm is Algorithm.EXPECTIMAX, answer.algorithm
    assert not answer.mixes
    if position.reference.challenge == "NONE":
        # To win is then no aim: what is advised is the highest score.
        objective = "SCORE"
    ranked = {game.notation(move.move): move for move in answer.moves}
    assert sorted(ranked) == sorted(solution.moves), "not all moves are ranked"
    assert len(ranked) == len(answer.moves) == answer.legal_moves
    for move, found in ranked.items():
        value, met, score = solution.moves[move][objective]
        figures.value_error = max(figures.value_error, error_of(f"value of {move}", [found.value], [value]))
        figures.met_error = max(figures.met_error, error_of(f"challenge after {move}", found.win_share, [met]))
        figures.score_error = max(figures.score_error, error_of(f"score after {move}", found.expected_score, [score]))
    figures.decisive = len({prospects[objective].met for prospects in solution.moves.values()}) > 1
    best = best_move(objective, solution.moves)
    assert next(iter(ranked)) == best, f"{next(iter(ranked))} comes first, {best} is the best"
    assert all(one.value >= other.value - TOLERANCE for one, other in zip(answer.moves, answer.moves[1:], strict=False))
    error_of("score", answer.expected_score, [solution.moves[best][objective].score])
    error_of("challenge", answer.win_share, [solution.moves[best][objective].met])
    return figures


def check_position(number: int, most: int = MOST_STATES) -> Figures:
    """Solve and advise late position `number`; raises AssertionError that names it."""
    position = late(number, most)
    game, state = position.game, position.state
    figures = Figures(late=position.late, too_large=position.too_large, declined=position.declined)
    try:
        assert game.dump(state) == position.reference.position(), "the two implementations differ"
        solution = BruteForce(position.reference, most)
        count = size(game, state, most)
        assert solution.states == count, f"{solution.states} states, in the kernel {count}"
        figures.states, figures.nodes = count, solution.nodes
        for objective in ("WIN", "SCORE"):
            figures.add(check(position, advise(position, objective), solution, objective))
    except AssertionError as error:
        where = f"position {number} of sanctuary ({position.setting}, {position.moment})"
        raise AssertionError(f"{where}: {error}") from error
    return figures

"""The rule decisions of ocean on the kernel, each as a small story (`docs/rules-ocean.md` has their text).

Cards of the catalogue made by hand: plants 0-6, corals 7-13, tiny 14-16, invertebrates 17-20, small 21-25, medium
26-30, giants 31-36, carnivores 37-39; a card scores a flat 4 unless the story says otherwise.
"""

import itertools
from typing import Any

import pytest
from ocean_cases import (
    CARDS_OF,
    KIND_OF,
    RING,
    Cell,
    all_play,
    catalogue,
    choices,
    dealt,
    pattern,
    position,
    scored,
)

from ext.errors import Malformed
from ext.game import CHANCE, OVER, State
from ext.ocean import Ocean

pytestmark = pytest.mark.kernel


def seat_view(game: Ocean, state: State, seat: int) -> dict[str, Any]:
    return game.dump_observation(game.observe(state, seat))


def hand(game: Ocean, state: State, seat: int) -> list[int]:
    cards: list[int] = game.dump(state)["referee"]["seats"][seat]["hand"]
    return cards


def around(centre: int, *neighbours: int) -> dict[Cell, int]:
    """A card at (0, 0) and up to eight around it."""
    return {(0, 0): centre, **dict(zip(RING, neighbours, strict=False))}


def scorer_points(condition: str, *neighbours: int, scorer: int = 26, **rules: Any) -> int:
    """What one card scores among its neighbours, all eight cells around it being adjacent."""
    assert scorer not in neighbours
    game = Ocean(2, catalogue({scorer: condition}), {"topology": "SQUARE_DIAGONAL", **rules})
    return scored(game, around(scorer, *neighbours)) - 4 * len(neighbours)


def some(**counts: int) -> list[int]:
    """So many cards of each kind."""
    for kind, count in counts.items():
        assert count <= len(CARDS_OF[kind])
    return [card for kind, count in counts.items() for card in CARDS_OF[kind][:count]]


def play_lowest(game: Ocean, state: State, picks: int = 9) -> State:
    """Rounds in which every seat takes its first choice."""
    for _ in range(picks):
        state = all_play(game, state, *[choices(game, state, seat)[0] for seat in range(game.seats)])
        if game.turn(state) != OVER and game.dump(state)["table"]["phase"] == "PLACE":
            state = all_play(game, state, *[choices(game, state, seat)[0] for seat in range(game.seats)])
    return state


# ocean-1: which cells are adjacent.


@pytest.mark.parametrize(
    ("topology", "adjacent"),
    [
        ("SQUARE", {(0, -1), (1, 0), (0, 1), (-1, 0)}),
        ("SQUARE_DIAGONAL", {(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)}),
        ("HEX", {(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)}),
    ],
)
def test_ocean_1_topology_says_which_cells_are_adjacent(topology: str, adjacent: set[Cell]) -> None:
    game = Ocean(2, catalogue({26: "EACH_PLANT"}), {"topology": topology})
    one = game.load(position(game, [{(0, 0): 26}], phase="PLACE", revealed={0: 0}))
    assert set(choices(game, one, 0)) == {f"place {x},{y}" for x, y in adjacent}
    # Seven plants around the scorer, all but (1, 1), and an eighth card at (1, 1) that is no plant.
    ring = dict(zip([cell for cell in RING if cell != (1, 1)], CARDS_OF["PLANT"], strict=True))
    plants = len(adjacent - {(1, 1)})
    assert scored(game, {(0, 0): 26, **ring, (1, 1): 30}) == 3 * plants + 4 * 8


def test_ocean_1_square_is_the_default() -> None:
    assert Ocean(2, catalogue()).rules["topology"] == "SQUARE"


# ocean-2: the first card is the origin, later ones go beside an own card.


def test_ocean_2_the_first_card_lies_at_the_origin_without_a_decision() -> None:
    game = Ocean(2, catalogue())
    state = all_play(game, dealt(game), "pick 3", "pick 12")
    table = game.dump(state)["table"]
    assert (table["round"], table["phase"]) == (2, "PICK")
    assert [seat["ocean"] for seat in table["seats"]] == [
        [{"card": 3, "cell": {"x": 0, "y": 0}}],
        [{"card": 12, "cell": {"x": 0, "y": 0}}],
    ]


def test_ocean_2_later_cards_go_to_every_free_cell_beside_an_own_card_and_nowhere_else() -> None:
    game = Ocean(2, catalogue())
    bend = {(0, 0): 0, (1, 0): 1, (1, 1): 2}
    state = game.load(position(game, [bend], phase="PLACE", revealed={0: 21}))
    free = {(0, -1), (1, -1), (2, 0), (2, 1), (1, 2), (0, 1), (-1, 0)}
    assert set(choices(game, state, 0)) == {f"place {x},{y}" for x, y in free}
    for x, y in set(itertools.product(range(-8, 9), repeat=2)) - free:
        move = game.parse(f"place {x},{y}")
        assert not game.legal(state, 0, move)
    with pytest.raises(ValueError, match="not a legal move"):
        game.play(state, 0, game.parse("place 1,1"))


def test_ocean_2_a_placed_card_stays_and_an_ocean_may_stretch_as_far_as_nine_cards_do() -> None:
    game = Ocean(2, catalogue())
    for step in [(1, 0), (-1, 0), (0, 1), (0, -1)]:
        row = {(step[0] * i, step[1] * i): i for i in range(8)}
        state = game.load(position(game, [row], phase="PLACE", revealed={0: 21}))
        state = all_play(game, state, f"place {8 * step[0]},{8 * step[1]}", choices(game, state, 1)[0])
        cells = {(c["cell"]["x"], c["cell"]["y"]): c["card"] for c in game.dump(state)["table"]["seats"][0]["ocean"]}
        assert cells == row | {(8 * step[0], 8 * step[1]): 21}


# ocean-3: choose, reveal, place, pass.


def test_ocean_3_others_see_that_a_seat_has_chosen_and_not_what() -> None:
    game = Ocean(3, catalogue())
    start = dealt(game)
    one, other = game.play(start, 1, game.parse("pick 12")), game.play(start, 1, game.parse("pick 17"))
    for seat in (0, 2):
        assert game.observe(one, seat) == game.observe(other, seat)
        assert game.observe(one, seat) != game.observe(start, seat)
        assert [s["committed"] for s in seat_view(game, one, seat)["table"]["seats"]] == [False, True, False]
        assert seat_view(game, one, seat)["seat_knowledge"]["commitment"] is None
    # Its owner sees it; until the reveal the card counts in the hand and in its size.
    view = seat_view(game, one, 1)
    assert view["seat_knowledge"]["commitment"] == "pick 12"
    assert view["seat_knowledge"]["hands"][1]["cards"] == list(range(10, 20))
    assert view["table"]["seats"][1]["hand_size"] == 10
    assert hand(game, one, 1) == list(range(10, 20))


def test_ocean_3_a_commit_is_final() -> None:
    game = Ocean(2, catalogue())
    state = game.play(dealt(game), 0, game.parse("pick 4"))
    assert game.pending(state) == [1]
    assert game.moves(state, 0) == []
    for text in ("pick 4", "pick 5"):
        with pytest.raises(ValueError, match="not a legal move"):
            game.play(state, 0, game.parse(text))


def test_ocean_3_seats_commit_in_any_order() -> None:
    game = Ocean(3, catalogue())
    ends = set()
    for order in itertools.permutations(range(3)):
        state = play_lowest(game, dealt(game), 2)
        for moves in (["pick 4", "pick 14", "pick 22"], None):
            picks = moves or ["place 0,1", "place -1,0", "place 0,1"]
            for seat in order:
                legal = choices(game, state, seat)
                state = game.play(state, seat, game.parse(picks[seat] if picks[seat] in legal else legal[-1]))
        ends.add(game.key(state))
    assert len(ends) == 1


def test_ocean_3_all_reveal_then_place_hidden_too_then_hands_pass() -> None:
    game = Ocean(2, catalogue())
    state = all_play(game, dealt(game), "pick 3", "pick 12")
    # Round 1: hands pass at the reveal.
    assert hand(game, state, 0) == [10, 11, *range(13, 20)]
    state = game.play(state, 1, game.parse("pick 0"))
    assert seat_view(game, state, 0)["table"]["seats"][1]["revealed_card"] is None
    state = game.play(state, 0, game.parse("pick 19"))
    table = game.dump(state)["table"]
    assert (table["phase"], [seat["revealed_card"] for seat in table["seats"]]) == ("PLACE", [19, 0])
    # A revealed card has left its hand, which stays until all have placed.
    assert [seat["hand_size"] for seat in table["seats"]] == [8, 8]
    assert hand(game, state, 0) == [10, 11, *range(13, 19)]
    assert game.pending(state) == [0, 1]
    placed = game.play(state, 1, game.parse("place 1,0"))
    elsewhere = game.play(state, 1, game.parse("place 0,1"))
    assert game.observe(placed, 0) == game.observe(elsewhere, 0)
    assert seat_view(game, placed, 1)["seat_knowledge"]["commitment"] == "place 1,0"
    assert len(game.dump(placed)["table"]["seats"][1]["ocean"]) == 1
    state = game.play(placed, 0, game.parse("place -1,0"))
    table = game.dump(state)["table"]
    assert (table["round"], table["phase"]) == (3, "PICK")
    assert table["seats"][1]["ocean"][-1] == {"card": 0, "cell": {"x": 1, "y": 0}}
    assert hand(game, state, 1) == [10, 11, *range(13, 19)]


def test_ocean_3_a_hand_is_known_to_those_who_have_held_it() -> None:
    game = Ocean(3, catalogue())

    def known(state: State, seat: int) -> list[list[int]]:
        return [entry["cards"] for entry in seat_view(game, state, seat)["seat_knowledge"]["hands"]]

    state = dealt(game)
    assert known(state, 0) == [list(range(10)), [], []]
    assert known(state, 2) == [[], [], list(range(20, 30))]
    # Each plays its lowest card; hands pass to the left.
    state = play_lowest(game, state, 1)
    assert known(state, 0) == [list(range(21, 30)), list(range(1, 10)), []]
    assert known(state, 2) == [list(range(21, 30)), [], list(range(11, 20))]
    # Seat 1 plays card 1 from the hand that was seat 0's; it passes to seat 2, less that card.
    state = play_lowest(game, state, 1)
    assert known(state, 0) == [list(range(12, 20)), list(range(22, 30)), list(range(2, 10))]


def test_ocean_3_a_player_makes_nine_choices_and_eight_placements() -> None:
    game = Ocean(2, catalogue())
    state, made = dealt(game), []
    while game.turn(state) != OVER:
        move = choices(game, state, game.turn(state))[0]
        if game.turn(state) == 1:
            made.append(move.split()[0])
        state = game.play(state, game.turn(state), game.parse(move))
    assert made == ["pick"] + ["pick", "place"] * 8


def test_ocean_3_cards_are_told_apart_by_id_even_where_alike() -> None:
    game = Ocean(2, catalogue())
    # Cards 0 to 6 differ in nothing but their id.
    assert choices(game, dealt(game), 0) == [f"pick {card}" for card in range(10)]


# ocean-4: which way hands pass.


@pytest.mark.parametrize(
    ("passing", "steps"),
    [("LEFT", [1] * 8), ("RIGHT", [-1] * 8), ("ALTERNATE", [1, -1, 1, -1, 1, -1, 1, -1])],
)
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_ocean_4_hands_pass_after_every_pick(passing: str, steps: list[int], seats: int) -> None:
    game = Ocean(seats, catalogue(), {"passing": passing})
    state = dealt(game)
    at = list(range(seats))  # which seat has the hand that was dealt to each
    for step in steps:
        state = play_lowest(game, state, 1)
        at = [(seat + step) % seats for seat in at]
        for owner, seat in enumerate(at):
            assert set(hand(game, state, seat)) <= set(range(10 * owner, 10 * owner + 10))
    assert Ocean(2, catalogue()).rules["passing"] == "LEFT"


# ocean-5: nine picks, the tenth card is left over.


def test_ocean_5_the_tenth_card_is_not_passed_and_scores_nothing() -> None:
    game = Ocean(2, catalogue({10: "PAIRS"}))
    row = {(x, 0): x for x in range(8)}
    state = game.load(position(game, [row], hands={0: [21, 22], 1: [10, 11]}))
    state = all_play(game, state, "pick 21", "pick 11")
    state = all_play(game, state, "place 8,0", "place 8,0")
    assert game.turn(state) == OVER
    assert [hand(game, state, seat) for seat in (0, 1)] == [[22], [10]]
    assert game.score(state) == [4 * 9, 4 * 9]
    assert [seat["hand_size"] for seat in game.dump(state)["table"]["seats"]] == [1, 1]


def test_ocean_5_who_held_the_hand_knows_its_last_card_and_nobody_else() -> None:
    game = Ocean(3, catalogue(), {"passing": "ALTERNATE"})
    # The hand dealt to a seat goes to its left neighbour and back, eight times: it ends where it began.
    state = play_lowest(game, dealt(game))
    for seat in range(3):
        known = [entry["cards"] for entry in seat_view(game, state, seat)["seat_knowledge"]["hands"]]
        for owner in range(3):
            held = owner in (seat, (seat - 1) % 3)
            assert known[owner] == (hand(game, state, owner) if held else [])


# ocean-6: the deal.


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("variant", ["base", "targets"])
def test_ocean_6_seats_are_dealt_ten_cards_each_and_then_two_targets_each(seats: int, variant: str) -> None:
    game = Ocean(seats, catalogue(), variant=variant)
    deck, targets = [(7 * i + 3) % 40 for i in range(40)], [5, 0, 7, 2, 1, 6, 3, 4]
    state = game.start()
    for outcome in [*deck[: 10 * seats], *(targets[: 2 * seats] if variant == "targets" else [])]:
        assert game.turn(state) == CHANCE
        state = game.happen(state, outcome)
    assert game.turn(state) == 0
    for seat in range(seats):
        secrets = game.dump(state)["referee"]["seats"][seat]
        assert secrets["hand"] == sorted(deck[10 * seat : 10 * seat + 10])
        assert secrets["targets"] == (sorted(targets[2 * seat : 2 * seat + 2]) if variant == "targets" else [])


@pytest.mark.parametrize(("seats", "unseen"), [(2, 20), (3, 10), (4, 0)])
def test_ocean_6_undealt_cards_stay_unseen(seats: int, unseen: int) -> None:
    game = Ocean(seats, catalogue())
    start = dealt(game)
    ends, placed = play_lowest(game, start), set()
    for seat in game.dump(ends)["table"]["seats"]:
        placed |= {entry["card"] for entry in seat["ocean"]}
    assert 40 - len(placed) - seats == unseen
    assert not placed & set(range(10 * seats, 40))
    # A player cannot tell undealt cards from cards in a hand it has not held: in its worlds they may be in either.
    worlds = [game.determinize(game.observe(start, 0), key) for key in range(60)]
    in_hands = {card for world in worlds for card in hand(game, world, 1)}
    assert in_hands == set(range(10, 40))


# ocean-7: tiny is Mikrob Kecil.


def test_ocean_7_each_tiny_counts_tiny_species_and_not_small_marine_life() -> None:
    assert scorer_points("EACH_TINY", *some(TINY=3)) == 6
    assert scorer_points("EACH_TINY", *some(SMALL=3)) == 0
    assert scorer_points("EACH_SMALL", *some(TINY=3)) == 0


# ocean-8: from the neighbours, never from itself; a neighbour serves any number of scorers.


def test_ocean_8_a_card_does_not_score_from_itself() -> None:
    assert scorer_points("EACH_PLANT", *some(CORAL=4), scorer=0) == 0
    assert scorer_points("TWO_PLANTS", 1, *some(CORAL=3), scorer=0) == 0
    assert scorer_points("PAIRS", *some(GIANT=4), scorer=0) == 0
    assert scorer_points("EACH_PLANT", 1, *some(CORAL=3), scorer=0) == 3


def test_ocean_8_one_neighbour_serves_any_number_of_scorers() -> None:
    game = Ocean(2, catalogue(dict.fromkeys([26, 27, 28, 29], "EACH_PLANT")))
    assert scored(game, around(0, 26, 27, 28, 29)) == 4 + 4 * 3


# ocean-9: within one scorer a neighbour is used once; floor(n / k) without a cap.


def test_ocean_9_every_k_is_rounded_down_without_a_cap() -> None:
    for n in range(8):
        assert scorer_points("TWO_PLANTS", *some(PLANT=n)) == 12 * (n // 2)
        assert scorer_points("THREE_PLANTS", *some(PLANT=n)) == 23 * (n // 3)
        assert scorer_points("EACH_PLANT", *some(PLANT=n)) == 3 * n
        assert scorer_points("TWO_CORALS", *some(CORAL=n)) == 8 * (n // 2)
    assert scorer_points("TWO_SMALL_OR_INVERTEBRATE", *some(SMALL=4, INVERTEBRATE=4)) == 48


# ocean-10: "either A or B" mixes freely, or not.


@pytest.mark.parametrize(
    ("condition", "neighbours", "mixed", "apart"),
    [
        ("TWO_SMALL_OR_INVERTEBRATE", some(SMALL=1, INVERTEBRATE=1), 12, 0),
        ("TWO_SMALL_OR_INVERTEBRATE", some(SMALL=2, INVERTEBRATE=2), 24, 24),
        ("TWO_SMALL_OR_INVERTEBRATE", some(SMALL=3, INVERTEBRATE=1), 24, 12),
        ("TWO_SMALL_OR_INVERTEBRATE", some(SMALL=5, INVERTEBRATE=3), 48, 36),
        ("TWO_TINY_OR_INVERTEBRATE", some(TINY=1, INVERTEBRATE=3), 28, 14),
        ("TWO_TINY_OR_INVERTEBRATE", some(TINY=3, INVERTEBRATE=4), 42, 42),
        ("THREE_SMALL_OR_INVERTEBRATE", some(SMALL=2, INVERTEBRATE=1), 21, 0),
        ("THREE_SMALL_OR_INVERTEBRATE", some(SMALL=4, INVERTEBRATE=4), 42, 42),
        ("THREE_SMALL_OR_INVERTEBRATE", some(SMALL=5, INVERTEBRATE=2), 42, 21),
        # Conditions of single cards, of one kind, and the set condition are untouched.
        ("EACH_PLANT_OR_CORAL", some(PLANT=1, CORAL=2), 6, 6),
        ("EACH_TINY_OR_CORAL", some(TINY=2, CORAL=1), 9, 9),
        ("EACH_GIANT_OR_CARNIVORE", some(GIANT=1, CARNIVORE=1), 10, 10),
        ("TWO_PLANTS", some(PLANT=3, CORAL=1), 12, 12),
        ("PAIRS", some(PLANT=1, CORAL=1), 10, 10),
        ("PAIRS", some(PLANT=1, CORAL=2, INVERTEBRATE=1), 20, 20),
    ],
)
def test_ocean_10_either_kind_mixes_unless_same_kind_sets(
    condition: str, neighbours: list[int], mixed: int, apart: int
) -> None:
    assert scorer_points(condition, *neighbours) == mixed
    assert scorer_points(condition, *neighbours, same_kind_sets=False) == mixed
    assert scorer_points(condition, *neighbours, same_kind_sets=True) == apart


# ocean-11: the set condition.


def most_pairs(plants: int, corals: int, invertebrates: int) -> int:
    """By trying every pair."""
    found = 0
    if plants >= 2:
        found = 1 + most_pairs(plants - 2, corals, invertebrates)
    if plants and corals:
        found = max(found, 1 + most_pairs(plants - 1, corals - 1, invertebrates))
    if plants and invertebrates:
        found = max(found, 1 + most_pairs(plants - 1, corals, invertebrates - 1))
    if corals and invertebrates:
        found = max(found, 1 + most_pairs(plants, corals - 1, invertebrates - 1))
    return found


@pytest.mark.parametrize("n", range(9))
def test_ocean_11_the_table_of_the_set_condition(n: int) -> None:
    for plants, corals, invertebrates in itertools.product(range(8), range(8), range(5)):
        if plants + corals + invertebrates == n:
            pairs = min(n // 2, n - max(corals, invertebrates))
            assert pairs == most_pairs(plants, corals, invertebrates)
            neighbours = some(PLANT=plants, CORAL=corals, INVERTEBRATE=invertebrates)
            assert scorer_points("PAIRS", *neighbours) == 10 * pairs


def test_ocean_11_other_kinds_make_no_pairs() -> None:
    assert scorer_points("PAIRS", *some(TINY=1, SMALL=2, GIANT=2, CARNIVORE=1), 27, 28) == 0
    assert scorer_points("PAIRS", *some(PLANT=1, TINY=1, SMALL=2, GIANT=2, CARNIVORE=2)) == 0


# ocean-12: the seventeen conditions, in the rulebook's order.

KINDS = list(CARDS_OF)
SEVENTEEN: list[tuple[str, int, int, tuple[str, ...]]] = [
    ("EACH_TINY", 1, 2, ("TINY",)),
    ("EACH_PLANT", 1, 3, ("PLANT",)),
    ("EACH_PLANT_OR_CORAL", 1, 2, ("PLANT", "CORAL")),
    ("EACH_INVERTEBRATE", 1, 3, ("INVERTEBRATE",)),
    ("EACH_SMALL", 1, 6, ("SMALL",)),
    ("EACH_TINY_OR_CORAL", 1, 3, ("TINY", "CORAL")),
    ("EACH_GIANT_OR_CARNIVORE", 1, 5, ("GIANT", "CARNIVORE")),
    ("TWO_PLANTS", 2, 12, ("PLANT",)),
    ("TWO_CORALS", 2, 8, ("CORAL",)),
    ("TWO_SMALL_OR_INVERTEBRATE", 2, 12, ("SMALL", "INVERTEBRATE")),
    ("TWO_TINY", 2, 16, ("TINY",)),
    ("THREE_PLANTS", 3, 23, ("PLANT",)),
    ("TWO_TINY_OR_INVERTEBRATE", 2, 14, ("TINY", "INVERTEBRATE")),
    ("THREE_SMALL_OR_INVERTEBRATE", 3, 21, ("SMALL", "INVERTEBRATE")),
    ("TWO_MEDIUM", 2, 13, ("MEDIUM",)),
]


@pytest.mark.parametrize(("condition", "per", "points", "kinds"), SEVENTEEN)
def test_ocean_12_what_each_condition_scores(condition: str, per: int, points: int, kinds: tuple[str, ...]) -> None:
    for kind in KINDS:
        for count in range(4):
            neighbours = [card for card in CARDS_OF[kind] if card != 26][:count]
            worth = points * (count // per) if kind in kinds else 0
            assert scorer_points(condition, *neighbours) == worth
    if len(kinds) == 2:
        assert scorer_points(condition, *some(**dict.fromkeys(kinds, 3))) == points * (6 // per)


def test_ocean_12_flat_scores_four_alone_and_in_company() -> None:
    assert scorer_points("FLAT") == 4
    assert scorer_points("FLAT", *some(PLANT=3, TINY=2, SMALL=2, GIANT=1)) == 4


def test_ocean_12_every_condition_is_there() -> None:
    assert len(SEVENTEEN) + len(["FLAT", "PAIRS"]) == 17


# ocean-13: the cards' faces are data.


def test_ocean_13_any_catalogue_with_the_rulebooks_counts_plays() -> None:
    flat, plants = Ocean(2, catalogue()), Ocean(2, catalogue(dict.fromkeys(range(40), "EACH_PLANT")))
    ocean = around(7, 0, 1, 2, 3)
    assert scored(flat, ocean) == 20
    assert scored(plants, ocean) == 12
    wrong = catalogue()
    wrong["cards"][0]["kind"] = "OCEAN_KIND_CORAL"
    with pytest.raises(Malformed) as error:
        Ocean(2, wrong)
    assert {violation.path for violation in error.value.violations} == {"catalogue.cards"}


# ocean-14: two of eight targets each, secret to the end.

PLANT_AND_ANY = pattern((0, 0, "PLANT"), (1, 0, ""))
TWO_CORALS = pattern((0, 0, "CORAL"), (1, 0, "CORAL"))


def test_ocean_14_both_targets_may_score_and_each_at_most_once() -> None:
    game = Ocean(2, catalogue(targets={2: (9, PLANT_AND_ANY), 5: (13, TWO_CORALS)}), variant="targets")
    # Plants beside plants and corals beside corals: each pattern lies there many times over.
    ocean = {(x, y): [0, 7, 3][y] + x for y in range(3) for x in range(3)}
    assert scored(game, ocean, [2, 5]) == 36 + 9 + 13
    assert scored(game, ocean, [2, 3]) == 36 + 9
    assert scored(game, ocean, [3, 5]) == 36 + 13
    assert scored(game, ocean, [3, 4]) == 36


def test_ocean_14_targets_are_secret_until_the_game_is_over() -> None:
    game = Ocean(2, catalogue(targets={2: (9, PLANT_AND_ANY)}), variant="targets")
    row = {(x, 0): x for x in range(8)}
    state = game.load(position(game, [row], targets={0: [1, 2], 1: [0, 7]}))
    other = game.load(position(game, [row], targets={0: [1, 3], 1: [0, 7]}))
    assert game.observe(state, 1) == game.observe(other, 1)
    assert game.observe(state, 0) != game.observe(other, 0)
    assert seat_view(game, state, 0)["seat_knowledge"]["targets"] == [1, 2]
    assert [seat["targets"] for seat in seat_view(game, state, 1)["table"]["seats"]] == [[], []]
    # Who does not know them counts none.
    assert game.score_observation(game.observe(state, 1))[0] == game.score(state)[0] - 9
    state = all_play(game, state, choices(game, state, 0)[0], choices(game, state, 1)[0])
    state = all_play(game, state, "place 0,1", "place 0,1")
    assert game.turn(state) == OVER
    for seat in (0, 1):
        view = seat_view(game, state, seat)
        assert [entry["targets"] for entry in view["table"]["seats"]] == [[1, 2], [0, 7]]
        assert game.score_observation(game.observe(state, seat)) == game.score(state)
        # Leftover targets are never open: nothing in the view tells of them.
        assert view["seat_knowledge"]["targets"] == []


def test_ocean_14_without_targets_there_are_none() -> None:
    game = Ocean(2, catalogue(targets={0: (9, PLANT_AND_ANY)}))
    assert scored(game, around(7, 0, 1, 2)) == 16
    assert all(seat["targets"] == [] for seat in game.dump(dealt(game))["referee"]["seats"])


def test_ocean_14_fifty_seven_and_ten_are_sixty_seven() -> None:
    nursery = pattern((1, 0, "PLANT"), (0, 1, "PLANT"), (1, 1, "SMALL"), (2, 1, "PLANT"))
    conditions = {8: "EACH_PLANT", 9: "EACH_PLANT_OR_CORAL", 21: "THREE_PLANTS", 6: "EACH_PLANT", 26: "EACH_SMALL"}
    faces = catalogue(conditions | {13: "EACH_PLANT"}, targets={3: (10, nursery), 7: (5, pattern((0, 0, "TINY")))})
    game = Ocean(2, faces, variant="targets")
    #  coral 8   plant 0   coral 9
    #  plant 1   small 21  plant 2
    #  plant 6   medium 26 coral 13
    rows = [[8, 0, 9], [1, 21, 2], [6, 26, 13]]
    ocean = {(x, y): rows[y][x] for y in range(3) for x in range(3)}
    species = 6 + 4 + 4 + 4 + 23 + 4 + 3 + 6 + 3
    assert species == 57
    assert scored(game, ocean, [1, 7]) == 57
    # The nursery lies in it; there is no tiny species for the other target.
    assert scored(game, ocean, [3, 7]) == 67


# ocean-15: contained, or the whole shape.


def target_scores(shape: list[dict[str, Any]], ocean: dict[Cell, int], topology: str = "SQUARE", **rules: Any) -> bool:
    """Whether a target with this pattern scores."""
    game = Ocean(2, catalogue(targets={0: (99, shape)}), {"topology": topology, **rules}, "targets")
    points = scored(game, ocean, [0, 1]) - 4 * len(ocean)
    assert points in (0, 99)
    return points == 99


BLOCK = {(x, y): 3 * y + x for y in range(3) for x in range(3)}
"""Plants 0 to 6 and corals 7 and 8."""


def test_ocean_15_a_pattern_matches_wherever_the_ocean_contains_it() -> None:
    shape = pattern((0, 0, "CORAL"), (1, 0, "CORAL"))
    assert target_scores(shape, BLOCK)
    assert target_scores(shape, {(0, 0): 0, (-1, 0): 1, (-2, 0): 7, (-3, 0): 8})
    assert not target_scores(shape, {(0, 0): 7, (1, 0): 0, (2, 0): 8})
    # Its cells need not touch, and what lies between is not asked.
    apart = pattern((0, 0, "CORAL"), (2, 0, "CORAL"))
    assert target_scores(apart, {(0, 0): 7, (1, 0): 0, (2, 0): 8})
    assert target_scores(apart, {(0, 0): 7, (0, 1): 0, (1, 1): 1, (2, 1): 2, (2, 0): 8})
    assert not target_scores(apart, BLOCK)


def test_ocean_15_a_cell_demands_a_kind_or_one_of_several_or_any_card_and_is_never_empty() -> None:
    pair = {(0, 0): 7, (1, 0): 21}
    assert target_scores(pattern((0, 0, "CORAL"), (1, 0, "SMALL")), pair)
    assert target_scores(pattern((0, 0, "PLANT CORAL"), (1, 0, "SMALL GIANT TINY")), pair)
    assert not target_scores(pattern((0, 0, "PLANT GIANT"), (1, 0, "SMALL GIANT TINY")), pair)
    assert target_scores(pattern((0, 0, ""), (1, 0, "")), pair)
    assert not target_scores(pattern((0, 0, ""), (1, 0, ""), (2, 0, "")), pair)


def test_ocean_15_whole_shape_wants_the_nine_cards_footprint_and_the_kinds() -> None:
    any_block = pattern(*[(x, y, "") for x, y in BLOCK])
    kinds_hold = pattern(*[(x, y, "CORAL" if y == 2 and x > 0 else "PLANT") for x, y in BLOCK])
    kinds_fail = pattern(*[(x, y, "CORAL" if y == 2 else "") for x, y in BLOCK])
    row = {(x, 0): x for x in range(9)}
    for match in ("CONTAINED", "WHOLE_SHAPE"):
        assert target_scores(any_block, BLOCK, target_match=match)
        assert target_scores(kinds_hold, BLOCK, target_match=match)
        assert not target_scores(kinds_fail, BLOCK, target_match=match)
        assert not target_scores(any_block, row, target_match=match)
        assert target_scores(pattern(*[(0, y, "") for y in range(9)]), row, target_match=match)


def test_ocean_15_whole_shape_never_matches_a_pattern_of_other_than_nine_cells() -> None:
    for cells in (1, 3, 8):
        shape = pattern(*[(x, y, "") for x, y in list(BLOCK)[:cells]])
        for ocean in (BLOCK, dict(list(BLOCK.items())[:cells])):
            assert target_scores(shape, ocean)
            assert not target_scores(shape, ocean, target_match="WHOLE_SHAPE")
    assert Ocean(2, catalogue()).rules["target_match"] == "CONTAINED"


# ocean-16: patterns rotate, and mirror only with the option.

HOOK = pattern((0, 0, "CORAL"), (1, 0, ""), (2, 0, ""), (2, 1, ""))
"""Two steps from a coral, and one to the side: no image of it is its own mirror image."""


def images(topology: str, mirrored: bool) -> list[list[Cell]]:
    """The hook turned by hand: two steps in a direction, then one in the next but clockwise (or anticlockwise)."""
    if topology == "HEX":
        around_clockwise = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)]
    else:
        around_clockwise = [(1, 0), (0, 1), (-1, 0), (0, -1)]
    turns = len(around_clockwise)
    found = []
    for turn in range(turns):
        x, y = around_clockwise[turn]
        side = around_clockwise[(turn + (-1 if mirrored else 1)) % turns]
        found.append([(0, 0), (x, y), (2 * x, 2 * y), (2 * x + side[0], 2 * y + side[1])])
    return found


@pytest.mark.parametrize(("topology", "turns"), [("SQUARE", 4), ("SQUARE_DIAGONAL", 4), ("HEX", 6)])
def test_ocean_16_patterns_rotate_and_mirror_only_with_the_option(topology: str, turns: int) -> None:
    for mirrored in (False, True):
        shapes = images(topology, mirrored)
        assert len(shapes) == turns
        for cells in shapes:
            ocean = dict(zip(cells, [7, 0, 1, 2], strict=True))
            assert target_scores(HOOK, ocean, topology) != mirrored
            assert target_scores(HOOK, ocean, topology, mirror_targets=False) != mirrored
            assert target_scores(HOOK, ocean, topology, mirror_targets=True)
            # The same cells with the coral at the other end are another pattern.
            assert not target_scores(HOOK, dict(zip(cells, [0, 1, 2, 7], strict=True)), topology, mirror_targets=True)


def test_ocean_16_square_diagonal_uses_the_square_pattern_and_no_eighth_turns() -> None:
    line = pattern((0, 0, ""), (1, 0, ""), (2, 0, ""))
    assert target_scores(line, {(0, 0): 0, (0, 1): 1, (0, 2): 2}, "SQUARE_DIAGONAL")
    assert not target_scores(line, {(0, 0): 0, (1, 1): 1, (2, 2): 2}, "SQUARE_DIAGONAL")


def test_ocean_16_hex_has_patterns_of_its_own() -> None:
    faces = catalogue(targets={0: (50, TWO_CORALS)})
    faces["targets"][0]["hex"] = pattern((0, 0, "PLANT"), (1, 0, "PLANT"))
    corals, plants = {(0, 0): 7, (1, 0): 8}, {(0, 0): 0, (1, 0): 1}
    for topology in ("SQUARE", "SQUARE_DIAGONAL", "HEX"):
        game = Ocean(2, faces, {"topology": topology}, "targets")
        hexagons = topology == "HEX"
        assert scored(game, corals, [0, 1]) == 8 + (0 if hexagons else 50)
        assert scored(game, plants, [0, 1]) == 8 + (50 if hexagons else 0)


# ocean-17: the promo scores distinct categories.

PROMO = 8
CATEGORIES = [
    "LEAST_CONCERN",
    "NEAR_THREATENED",
    "VULNERABLE",
    "ENDANGERED",
    "CRITICALLY_ENDANGERED",
    "DATA_DEFICIENT",
    "NOT_EVALUATED",
    "NO_CATEGORY",
]


def promo_points(*categories: str, **rules: Any) -> int:
    """What the promo scores on an ocean of cards of these categories."""
    faces = catalogue(categories=dict(enumerate(categories)))
    game = Ocean(2, faces, {"promo": True, **rules}, "targets")
    cards = len(categories)
    return scored(game, {(x, 0): x for x in range(cards)}, [0, PROMO]) - 4 * cards


@pytest.mark.parametrize(("distinct", "points"), [(1, 0), (2, 0), (3, 3), (4, 7), (5, 12), (6, 18), (7, 18)])
@pytest.mark.parametrize("target_match", ["CONTAINED", "WHOLE_SHAPE"])
def test_ocean_17_distinct_categories_score_whatever_target_match_says(
    distinct: int, points: int, target_match: str
) -> None:
    for first in range(len(CATEGORIES)):
        categories = [CATEGORIES[(first + i) % len(CATEGORIES)] for i in range(distinct)]
        assert promo_points(*categories, target_match=target_match) == points
        # Nine cards: more of the same change nothing.
        nine = [categories[i % distinct] for i in range(9)]
        assert promo_points(*nine, target_match=target_match) == points


def test_ocean_17_the_promo_is_a_ninth_target_only_with_the_option() -> None:
    for promo, cards in ((False, 8), (True, 9)):
        game = Ocean(2, catalogue(), {"promo": promo}, "targets")
        state = game.start()
        for card in range(20):
            state = game.happen(state, card)
        assert [outcome for outcome, _ in game.outcomes(state)] == list(range(cards))
    assert Ocean(2, catalogue(), variant="targets").rules["promo"] is False


def test_ocean_17_the_promo_needs_targets() -> None:
    with pytest.raises(Malformed) as error:
        Ocean(2, catalogue(), {"promo": True})
    assert [violation.path for violation in error.value.violations] == ["rules.promo"]
    # The other options of targets are idle without them.
    idle = Ocean(2, catalogue(), {"target_match": "WHOLE_SHAPE", "mirror_targets": True, "no_category_counts": False})
    assert scored(idle, BLOCK) == 36


# ocean-18: "no category" counts as one, or not.


@pytest.mark.parametrize(
    ("categories", "counting", "not_counting"),
    [
        (["NO_CATEGORY", "NO_CATEGORY", "LEAST_CONCERN", "VULNERABLE"], 3, 0),
        (["NO_CATEGORY", "LEAST_CONCERN", "VULNERABLE", "ENDANGERED"], 7, 3),
        # Data Deficient and Not Evaluated are categories of their own.
        (["DATA_DEFICIENT", "NOT_EVALUATED", "LEAST_CONCERN"], 3, 3),
        (["DATA_DEFICIENT", "NOT_EVALUATED", "NO_CATEGORY"], 3, 0),
        (["DATA_DEFICIENT", "NOT_EVALUATED", "NO_CATEGORY", "LEAST_CONCERN", "VULNERABLE", "ENDANGERED"], 18, 12),
        (CATEGORIES, 18, 18),
    ],
)
def test_ocean_18_no_category_counts_unless_switched_off(
    categories: list[str], counting: int, not_counting: int
) -> None:
    assert promo_points(*categories) == counting
    assert promo_points(*categories, no_category_counts=True) == counting
    assert promo_points(*categories, no_category_counts=False) == not_counting


# ocean-19: most points win, a tie is shared.


def test_ocean_19_most_points_win_and_a_tie_is_shared() -> None:
    game = Ocean(4, catalogue(dict.fromkeys([35, 36], "EACH_TINY")))
    rows = [{(x, 0): 9 * seat + x for x in range(9)} for seat in range(4)]
    state = game.load(position(game, rows, phase="OVER"))
    # Cards 35 and 36 have no tiny neighbour; the last seat has one of them, 27 to 35.
    assert game.score(state) == [36, 36, 36, 32]
    assert game.ranks(state) == [1, 1, 1, 4]
    one_below = [{**rows[0], (8, 0): 36}, *rows[1:]]
    state = game.load(position(game, one_below, phase="OVER"))
    assert game.score(state) == [32, 36, 36, 32]
    assert game.ranks(state) == [3, 1, 1, 3]
    assert KIND_OF[36] == "GIANT"

"""The reference implementation of ocean, held to positions that were worked out by hand."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
from reference.ocean import (
    ReferenceOcean,
    condition_points,
    iucn_points,
    neighbours,
    target_matches,
)

PLANT = "OCEAN_KIND_PLANT"
CORAL = "OCEAN_KIND_CORAL"
TINY = "OCEAN_KIND_TINY"
INVERTEBRATE = "OCEAN_KIND_INVERTEBRATE"
SMALL = "OCEAN_KIND_SMALL"
MEDIUM = "OCEAN_KIND_MEDIUM"
GIANT = "OCEAN_KIND_GIANT"
CARNIVORE = "OCEAN_KIND_CARNIVORE"

# Every card of the small catalogue below: id, kind, condition, category.
CARDS = """
 0 PLANT FLAT LEAST_CONCERN
 1 PLANT FLAT LEAST_CONCERN
 2 PLANT FLAT LEAST_CONCERN
 3 PLANT FLAT LEAST_CONCERN
 4 PLANT FLAT LEAST_CONCERN
 5 PLANT EACH_TINY LEAST_CONCERN
 6 PLANT EACH_PLANT LEAST_CONCERN
 7 CORAL EACH_TINY NEAR_THREATENED
 8 CORAL EACH_PLANT NEAR_THREATENED
 9 CORAL EACH_PLANT_OR_CORAL NEAR_THREATENED
10 CORAL TWO_TINY VULNERABLE
11 CORAL EACH_TINY_OR_CORAL VULNERABLE
12 CORAL FLAT VULNERABLE
13 CORAL EACH_PLANT VULNERABLE
14 TINY FLAT NOT_EVALUATED
15 TINY TWO_PLANTS NOT_EVALUATED
16 TINY FLAT NOT_EVALUATED
17 INVERTEBRATE EACH_PLANT_OR_CORAL NO_CATEGORY
18 INVERTEBRATE TWO_CORALS NO_CATEGORY
19 INVERTEBRATE TWO_TINY NO_CATEGORY
20 INVERTEBRATE PAIRS NO_CATEGORY
21 SMALL THREE_PLANTS LEAST_CONCERN
22 SMALL TWO_TINY_OR_INVERTEBRATE LEAST_CONCERN
23 SMALL EACH_INVERTEBRATE LEAST_CONCERN
24 SMALL PAIRS LEAST_CONCERN
25 SMALL EACH_TINY_OR_CORAL LEAST_CONCERN
26 MEDIUM EACH_SMALL DATA_DEFICIENT
27 MEDIUM TWO_SMALL_OR_INVERTEBRATE DATA_DEFICIENT
28 MEDIUM THREE_SMALL_OR_INVERTEBRATE DATA_DEFICIENT
29 MEDIUM TWO_SMALL_OR_INVERTEBRATE DATA_DEFICIENT
30 MEDIUM PAIRS DATA_DEFICIENT
31 GIANT TWO_MEDIUM ENDANGERED
32 GIANT EACH_SMALL ENDANGERED
33 GIANT EACH_GIANT_OR_CARNIVORE ENDANGERED
34 GIANT TWO_SMALL_OR_INVERTEBRATE ENDANGERED
35 GIANT FLAT ENDANGERED
36 GIANT TWO_MEDIUM ENDANGERED
37 CARNIVORE EACH_GIANT_OR_CARNIVORE CRITICALLY_ENDANGERED
38 CARNIVORE TWO_MEDIUM CRITICALLY_ENDANGERED
39 CARNIVORE EACH_SMALL CRITICALLY_ENDANGERED
"""


def cell(x: int, y: int, *kinds: str) -> dict[str, Any]:
    """Return a pattern cell as protobuf JSON writes it: zeros and empty lists are absent."""
    entry: dict[str, Any] = {}
    if x:
        entry["x"] = x
    if y:
        entry["y"] = y
    if kinds:
        entry["kinds"] = list(kinds)
    return entry


HOOK = [cell(0, 0), cell(1, 0), cell(2, 0), cell(2, 1)]
NINE_IN_A_ROW = [cell(x, 0) for x in range(9)]
BLOCK = [cell(x, y, *([SMALL] if (x, y) == (1, 1) else [])) for y in range(3) for x in range(3)]
LINE = [cell(0, 0), cell(1, 0), cell(2, 0)]
FAR_CORALS = [cell(0, 0, CORAL), cell(2, 0, CORAL)]
NURSERY = [cell(1, 0, PLANT), cell(0, 1, PLANT), cell(1, 1, SMALL), cell(2, 1, PLANT)]
HUNT = [cell(0, 0, GIANT, CARNIVORE), cell(1, 0, MEDIUM)]
ONE_TINY = [cell(0, 0, TINY)]

TARGETS = [
    {"name": "Line", "points": 7, "square": LINE, "hex": LINE},
    {"name": "Hook", "points": 8, "square": HOOK, "hex": HOOK},
    {"name": "Far corals", "points": 6, "square": FAR_CORALS, "hex": FAR_CORALS},
    {"name": "Nursery", "points": 10, "square": NURSERY, "hex": NURSERY},
    {"name": "Block", "points": 12, "square": BLOCK, "hex": BLOCK},
    {"name": "Hunt", "points": 9, "square": HUNT, "hex": HUNT},
    {"name": "Row", "points": 15, "square": NINE_IN_A_ROW, "hex": NINE_IN_A_ROW},
    {"name": "Speck", "points": 5, "square": ONE_TINY, "hex": ONE_TINY},
]


def make_catalogue() -> dict[str, Any]:
    """Return a catalogue with the rulebook's counts of kinds, and conditions made for these tests."""
    cards = []
    for line in CARDS.strip().splitlines():
        number, kind, condition, category = line.split()
        cards.append(
            {
                "name": f"Card {number}",
                "kind": f"OCEAN_KIND_{kind}",
                "condition": f"OCEAN_CONDITION_{condition}",
                "iucn_category": f"OCEAN_IUCN_CATEGORY_{category}",
            }
        )
    return {"id": "test", "about": "For tests.", "cards": cards, "targets": TARGETS, "promo_name": "Promo"}


CATALOGUE = make_catalogue()
DECK = list(range(40))


def new_game(seats: int = 2, targets: bool = False, **rules: Any) -> ReferenceOcean:
    """Return a game dealt in the order of the ids: seat 0 has cards 0 to 9 and targets 0 and 1, and so on."""
    game = ReferenceOcean(CATALOGUE, seats, rules, targets)
    target_order = list(range(9 if rules.get("promo") else 8)) if targets else []
    game.deal(DECK, target_order)
    return game


def play_all(game: ReferenceOcean, *notations: str) -> list[dict[str, Any]]:
    """Commit one choice a seat, in seat order, and return the events of the last commit."""
    events: list[dict[str, Any]] = []
    for seat, notation in enumerate(notations):
        events = game.play(seat, notation)
    return events


def play_lowest_round(game: ReferenceOcean) -> list[dict[str, Any]]:
    """Play a round with each seat's first choice and return the events of its last commit."""
    events = play_all(game, *[game.moves(seat)[0] for seat in range(game.seats)])
    if game.phase == "PLACE":
        events = play_all(game, *[game.moves(seat)[0] for seat in range(game.seats)])
    return events


def points_of(cells: dict[tuple[int, int], int], targets: bool = False, **rules: Any) -> int:
    """Return the species points of one ocean."""
    game = new_game(targets=targets, **rules)
    game.oceans[0] = cells
    return game.species_points(0)


# ocean-1


def test_square_has_four_neighbours() -> None:
    assert set(neighbours("SQUARE", 2, -1)) == {(2, -2), (3, -1), (2, 0), (1, -1)}


def test_square_diagonal_has_eight_neighbours() -> None:
    around = {(x, y) for x in (1, 2, 3) for y in (-2, -1, 0)} - {(2, -1)}
    assert set(neighbours("SQUARE_DIAGONAL", 2, -1)) == around


def test_hex_has_six_axial_neighbours() -> None:
    assert set(neighbours("HEX", 0, 0)) == {(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)}
    assert set(neighbours("HEX", 2, 3)) == {(3, 3), (3, 2), (2, 2), (1, 3), (1, 4), (2, 4)}


def test_topology_decides_which_cards_score() -> None:
    # Coral 8 (3 for each plant) has plant 0 north east and plant 1 south east of it, both FLAT 4.
    ocean = {(0, 0): 8, (1, -1): 0, (1, 1): 1}
    assert points_of(ocean) == 8
    assert points_of(ocean, topology="SQUARE_DIAGONAL") == 8 + 6
    assert points_of(ocean, topology="HEX") == 8 + 3


# ocean-2


def test_second_card_goes_next_to_the_first() -> None:
    game = new_game()
    play_all(game, "pick 0", "pick 10")
    play_all(game, "pick 11", "pick 1")
    assert game.moves(0) == ["place 0,-1", "place -1,0", "place 1,0", "place 0,1"]


@pytest.mark.parametrize(("topology", "count"), [("SQUARE", 4), ("SQUARE_DIAGONAL", 8), ("HEX", 6)])
def test_second_card_has_a_place_for_each_neighbour(topology: str, count: int) -> None:
    game = new_game(topology=topology)
    play_all(game, "pick 0", "pick 10")
    play_all(game, "pick 11", "pick 1")
    assert len(game.moves(0)) == count


def test_no_stacking_and_no_gap() -> None:
    game = new_game()
    play_all(game, "pick 0", "pick 10")
    play_all(game, "pick 11", "pick 1")
    play_all(game, "place 1,0", "place 0,-1")
    play_all(game, "pick 2", "pick 12")
    assert game.moves(0) == ["place 0,-1", "place 1,-1", "place -1,0", "place 2,0", "place 0,1", "place 1,1"]
    for refused in ("place 0,0", "place 3,0", "place 1, 1", "pick 3"):
        with pytest.raises(ValueError, match="may not play"):
            game.play(0, refused)


def test_an_ocean_may_stretch_to_nine_in_a_row() -> None:
    game = new_game()
    play_lowest_round(game)
    for distance in range(1, 9):
        play_all(game, game.moves(0)[0], game.moves(1)[0])
        play_all(game, f"place {distance},0", f"place 0,{-distance}")
    assert game.over
    assert set(game.oceans[0]) == {(x, 0) for x in range(9)}
    assert set(game.oceans[1]) == {(0, -y) for y in range(9)}


# ocean-3


def test_choices_are_hidden_until_all_have_chosen() -> None:
    game = new_game()
    assert game.pending() == [0, 1]
    assert game.play(1, "pick 13") == [{"committed": {"seat": 1}}]
    assert game.pending() == [0]
    assert game.moves(1) == []
    # The table tells that seat 1 has chosen, and its hand still counts ten cards.
    seen = game.observe(0)
    assert seen["table"]["seats"][1] == {
        "ocean": [],
        "hand_size": 10,
        "committed": True,
        "revealed_card": None,
        "targets": [],
    }
    assert seen["seat_knowledge"]["commitment"] is None
    assert game.observe(1)["seat_knowledge"]["commitment"] == "pick 13"
    assert game.observe(1)["seat_knowledge"]["hands"][1]["cards"] == list(range(10, 20))
    assert [s["commitment"] for s in game.position()["referee"]["seats"]] == [None, "pick 13"]


def test_a_commit_is_final() -> None:
    game = new_game()
    game.play(1, "pick 13")
    with pytest.raises(ValueError, match="may not play"):
        game.play(1, "pick 14")
    with pytest.raises(ValueError, match="may not play"):
        game.play(0, "pick 13")


def test_the_first_round_has_no_placement() -> None:
    game = new_game()
    game.play(1, "pick 13")
    assert game.play(0, "pick 4") == [
        {"committed": {"seat": 0}},
        {"revealed": {"moves": [{"seat": 0, "move": "pick 4"}, {"seat": 1, "move": "pick 13"}]}},
        {"passed": {"direction": "LEFT"}},
        {"private_to": 0, "received": {"seat": 0, "cards": [10, 11, 12, 14, 15, 16, 17, 18, 19]}},
        {"private_to": 1, "received": {"seat": 1, "cards": [0, 1, 2, 3, 5, 6, 7, 8, 9]}},
    ]
    assert (game.round, game.phase) == (2, "PICK")
    assert game.oceans == [{(0, 0): 4}, {(0, 0): 13}]


def test_later_rounds_reveal_then_place_then_pass() -> None:
    game = new_game()
    play_all(game, "pick 4", "pick 13")
    assert play_all(game, "pick 10", "pick 0") == [
        {"committed": {"seat": 1}},
        {"revealed": {"moves": [{"seat": 0, "move": "pick 10"}, {"seat": 1, "move": "pick 0"}]}},
    ]
    assert (game.round, game.phase, game.pending()) == (2, "PLACE", [0, 1])
    game.play(0, "place 0,1")
    # The placement is hidden too: the card is still in front of the ocean.
    table = game.observe(1)["table"]
    assert table["seats"][0] == {
        "ocean": [{"card": 4, "cell": {"x": 0, "y": 0}}],
        "hand_size": 8,
        "committed": True,
        "revealed_card": 10,
        "targets": [],
    }
    assert game.observe(0)["seat_knowledge"]["commitment"] == "place 0,1"
    events = game.play(1, "place -1,0")
    assert [next(iter(event)) for event in events] == ["committed", "revealed", "passed", "private_to", "private_to"]
    assert events[1] == {"revealed": {"moves": [{"seat": 0, "move": "place 0,1"}, {"seat": 1, "move": "place -1,0"}]}}
    assert game.oceans == [{(0, 0): 4, (0, 1): 10}, {(0, 0): 13, (-1, 0): 0}]
    assert game.position()["table"]["seats"][1]["ocean"] == [
        {"card": 0, "cell": {"x": -1, "y": 0}},
        {"card": 13, "cell": {"x": 0, "y": 0}},
    ]
    assert (game.round, game.phase) == (3, "PICK")


def test_oceans_are_listed_by_row_then_column() -> None:
    game = new_game()
    game.oceans[0] = {(0, 0): 0, (-1, 1): 1, (1, 0): 2, (0, 1): 3, (1, -1): 4}
    listed = [placed["card"] for placed in game.observe(1)["table"]["seats"][0]["ocean"]]
    assert listed == [4, 0, 2, 1, 3]


def test_nine_choices_and_eight_placements() -> None:
    game = new_game(seats=3)
    picks = placements = 0
    while not game.over:
        notation = game.moves(game.pending()[0])[0]
        picks += notation.startswith("pick")
        placements += notation.startswith("place")
        game.play(game.pending()[0], notation)
    assert (picks, placements) == (27, 24)


# ocean-4


@pytest.mark.parametrize(
    ("passing", "directions"),
    [("LEFT", "LLLLLLLL"), ("RIGHT", "RRRRRRRR"), ("ALTERNATE", "LRLRLRLR")],
)
def test_hands_pass_after_every_pick_but_the_last(passing: str, directions: str) -> None:
    game = new_game(seats=3, passing=passing)
    seen = ""
    while not game.over:
        for event in play_lowest_round(game):
            if "passed" in event:
                seen += event["passed"]["direction"][0]
    assert seen == directions


def test_left_is_the_next_seat() -> None:
    game = new_game(seats=3, passing="LEFT")
    play_all(game, "pick 0", "pick 10", "pick 20")
    assert game.hands == [set(range(21, 30)), set(range(1, 10)), set(range(11, 20))]


def test_right_is_the_seat_before() -> None:
    game = new_game(seats=3, passing="RIGHT")
    play_all(game, "pick 0", "pick 10", "pick 20")
    assert game.hands == [set(range(11, 20)), set(range(21, 30)), set(range(1, 10))]


# ocean-5


def test_the_tenth_card_is_left_over_and_scores_nothing() -> None:
    game = new_game(seats=3)
    sizes = []
    events: list[dict[str, Any]] = []
    while not game.over:
        sizes.append(len(game.hands[0]))
        events = play_lowest_round(game)
    assert sizes == [10, 9, 8, 7, 6, 5, 4, 3, 2]
    assert events[-1] == {"ended": {"targets": []}}
    assert (game.round, game.phase) == (9, "OVER")
    for seat in range(3):
        assert game.moves(seat) == []
        assert game.position()["table"]["seats"][seat]["hand_size"] == 1
        assert len(game.oceans[seat]) == 9
    before = game.scores()
    game.hands = [set(), set(), set()]
    assert game.scores() == before


def test_who_held_a_hand_knows_its_last_card() -> None:
    # Left and right in turn with four players: seat 0 only ever holds its own hand and that of seat 3.
    game = new_game(seats=4, passing="ALTERNATE")
    while not game.over:
        play_lowest_round(game)
    known = [entry["cards"] for entry in game.observe(0)["seat_knowledge"]["hands"]]
    assert known == [[9], [], [], [39]]


# ocean-6


def test_the_deal_with_three_players() -> None:
    game = ReferenceOcean(CATALOGUE, 3, {}, True)
    game.deal(list(reversed(range(40))), [7, 2, 5, 4, 0, 1, 3, 6])
    assert game.hands == [set(range(30, 40)), set(range(20, 30)), set(range(10, 20))]
    assert game.held_targets == [[2, 7], [4, 5], [0, 1]]
    # Cards 0 to 9 stay unseen.
    for seat in range(3):
        for entry in game.observe(seat)["seat_knowledge"]["hands"]:
            assert not set(entry["cards"]) & set(range(10))


def test_a_deck_that_is_not_the_forty_cards_is_refused() -> None:
    game = ReferenceOcean(CATALOGUE, 2, {}, False)
    with pytest.raises(ValueError, match="each of the 40 cards"):
        game.deal([0, *range(39)], [])
    with pytest.raises(ValueError, match="no targets"):
        game.deal(DECK, [0, 1, 2, 3])


# ocean-7 to ocean-12


def test_tiny_is_the_tiny_species_not_small_marine_life() -> None:
    assert condition_points("OCEAN_CONDITION_EACH_TINY", [TINY, SMALL, SMALL], False) == 2
    assert condition_points("OCEAN_CONDITION_EACH_SMALL", [TINY, SMALL, SMALL], False) == 12


def test_a_card_scores_from_its_neighbours_and_never_from_itself() -> None:
    # Plant 6 scores 3 for each plant: alone it scores nothing, next to plant 0 (FLAT 4) it scores 3.
    assert points_of({(0, 0): 6}) == 0
    assert points_of({(0, 0): 6, (1, 0): 0}) == 3 + 4


def test_one_neighbour_serves_many_scorers() -> None:
    # Plant 0 (FLAT 4) lies between plant 6 and coral 8, which each score 3 for it, and south of coral 9: 2.
    assert points_of({(0, 0): 0, (-1, 0): 6, (1, 0): 8, (0, -1): 9}) == 4 + 3 + 3 + 2


def test_every_k_rounds_down_without_a_cap() -> None:
    for plants, points in [(0, 0), (2, 0), (3, 23), (5, 23), (6, 46), (7, 46)]:
        assert condition_points("OCEAN_CONDITION_THREE_PLANTS", [PLANT] * plants, False) == points
    for plants, points in [(1, 0), (2, 12), (3, 12), (4, 24), (7, 36)]:
        assert condition_points("OCEAN_CONDITION_TWO_PLANTS", [PLANT] * plants, False) == points


@pytest.mark.parametrize(
    ("condition", "adjacent", "mixed", "apart"),
    [
        ("TWO_SMALL_OR_INVERTEBRATE", [SMALL, INVERTEBRATE], 12, 0),
        ("TWO_SMALL_OR_INVERTEBRATE", [SMALL, SMALL, INVERTEBRATE, INVERTEBRATE], 24, 24),
        ("TWO_TINY_OR_INVERTEBRATE", [TINY, INVERTEBRATE, TINY, TINY], 28, 14),
        ("THREE_SMALL_OR_INVERTEBRATE", [SMALL, INVERTEBRATE, INVERTEBRATE], 21, 0),
        ("THREE_SMALL_OR_INVERTEBRATE", [SMALL] * 4 + [INVERTEBRATE] * 2, 42, 21),
        # Sets of one mix in any case, and the set condition is untouched.
        ("EACH_PLANT_OR_CORAL", [PLANT, CORAL], 4, 4),
        ("PAIRS", [CORAL, INVERTEBRATE], 10, 10),
    ],
)
def test_sets_of_either_kind(condition: str, adjacent: list[str], mixed: int, apart: int) -> None:
    assert condition_points(f"OCEAN_CONDITION_{condition}", adjacent, False) == mixed
    assert condition_points(f"OCEAN_CONDITION_{condition}", adjacent, True) == apart


def test_same_kind_sets_in_an_ocean() -> None:
    # Medium 27 (12 for each 2 of small or invertebrate) between small 24 and invertebrate 17, which score nothing.
    ocean = {(0, 0): 27, (1, 0): 24, (-1, 0): 17}
    assert points_of(ocean) == 12
    assert points_of(ocean, same_kind_sets=True) == 0


@pytest.mark.parametrize(
    ("adjacent", "pairs"),
    [
        ([CORAL, INVERTEBRATE], 1),
        ([CORAL, PLANT], 1),
        ([PLANT, INVERTEBRATE], 1),
        ([PLANT, PLANT], 1),
        ([CORAL, CORAL], 0),
        ([INVERTEBRATE, INVERTEBRATE], 0),
        ([PLANT, TINY], 0),
        ([PLANT, CORAL, INVERTEBRATE, PLANT], 2),
        ([PLANT, CORAL, CORAL, CORAL], 1),
        ([PLANT, PLANT, PLANT], 1),
        ([PLANT, PLANT, CORAL, CORAL, INVERTEBRATE, SMALL, GIANT], 2),
    ],
)
def test_the_set_condition(adjacent: list[str], pairs: int) -> None:
    assert condition_points("OCEAN_CONDITION_PAIRS", adjacent, False) == 10 * pairs


def most_pairs_by_choosing_edges(kinds: list[str]) -> int:
    """Return the size of the largest matching: the largest choice of allowed pairs in which no card occurs twice."""
    allowed = [
        (a, b)
        for a, b in itertools.combinations(range(len(kinds)), 2)
        if kinds[a] != kinds[b] or kinds[a] == kinds[b] == PLANT
    ]
    for size in range(len(kinds) // 2, 0, -1):
        for chosen in itertools.combinations(allowed, size):
            if len({card for pair in chosen for card in pair}) == 2 * size:
                return size
    return 0


def test_the_table_of_the_set_condition() -> None:
    # Every number of plants, corals and invertebrates among at most 8 neighbours: 165 entries.
    entries = 0
    for plants, corals, invertebrates in itertools.product(range(9), repeat=3):
        n = plants + corals + invertebrates
        if n > 8:
            continue
        entries += 1
        kinds = [PLANT] * plants + [CORAL] * corals + [INVERTEBRATE] * invertebrates
        decided = min(n // 2, n - max(corals, invertebrates))
        assert condition_points("OCEAN_CONDITION_PAIRS", kinds, False) == 10 * decided
        assert most_pairs_by_choosing_edges(kinds) == decided
    assert entries == 165


# One neighbour of each kind, then two, then three: what each of the 17 conditions scores.
@pytest.mark.parametrize(
    ("condition", "one", "two", "three"),
    [
        ("FLAT", 4, 4, 4),
        ("EACH_TINY", 2, 4, 6),
        ("EACH_PLANT", 3, 6, 9),
        ("EACH_PLANT_OR_CORAL", 4, 8, 12),
        ("EACH_INVERTEBRATE", 3, 6, 9),
        ("EACH_SMALL", 6, 12, 18),
        ("EACH_TINY_OR_CORAL", 6, 12, 18),
        ("EACH_GIANT_OR_CARNIVORE", 10, 20, 30),
        ("TWO_PLANTS", 0, 12, 12),
        ("TWO_CORALS", 0, 8, 8),
        ("PAIRS", 10, 30, 40),
        ("TWO_SMALL_OR_INVERTEBRATE", 12, 24, 36),
        ("TWO_TINY", 0, 16, 16),
        ("THREE_PLANTS", 0, 0, 23),
        ("TWO_TINY_OR_INVERTEBRATE", 14, 28, 42),
        ("THREE_SMALL_OR_INVERTEBRATE", 0, 21, 42),
        ("TWO_MEDIUM", 0, 13, 13),
    ],
)
def test_the_seventeen_conditions(condition: str, one: int, two: int, three: int) -> None:
    each = [PLANT, CORAL, TINY, INVERTEBRATE, SMALL, MEDIUM, GIANT, CARNIVORE]
    name = f"OCEAN_CONDITION_{condition}"
    assert condition_points(name, [], False) == (4 if condition == "FLAT" else 0)
    assert condition_points(name, each, False) == one
    assert condition_points(name, each * 2, False) == two
    assert condition_points(name, each * 3, False) == three


def test_an_unknown_condition_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown condition"):
        condition_points("OCEAN_CONDITION_UNSPECIFIED", [], False)


# ocean-13


def test_a_catalogue_without_the_rulebooks_counts_is_refused() -> None:
    catalogue = make_catalogue()
    catalogue["cards"][0]["kind"] = CORAL
    with pytest.raises(ValueError, match="counts of kinds"):
        ReferenceOcean(catalogue, 2, {}, False)


def test_targets_need_eight_targets_in_the_catalogue() -> None:
    catalogue = make_catalogue()
    del catalogue["targets"]
    ReferenceOcean(catalogue, 2, {}, False)
    with pytest.raises(ValueError, match="8 targets"):
        ReferenceOcean(catalogue, 2, {}, True)


# ocean-14


def test_targets_are_secret_to_the_end_and_open_then() -> None:
    game = new_game(seats=2, targets=True)
    assert game.observe(0)["seat_knowledge"]["targets"] == [0, 1]
    assert game.observe(1)["seat_knowledge"]["targets"] == [2, 3]
    assert [s["targets"] for s in game.position()["referee"]["seats"]] == [[0, 1], [2, 3]]
    assert [s["targets"] for s in game.position()["table"]["seats"]] == [[], []]
    events: list[dict[str, Any]] = []
    while not game.over:
        events = play_lowest_round(game)
    assert events[-1] == {"ended": {"targets": [{"targets": [0, 1]}, {"targets": [2, 3]}]}}
    assert [s["targets"] for s in game.observe(1)["table"]["seats"]] == [[0, 1], [2, 3]]
    assert game.observe(1)["seat_knowledge"]["targets"] == []
    assert [s["targets"] for s in game.position()["referee"]["seats"]] == [[], []]


def test_both_targets_may_score_and_each_at_most_once() -> None:
    # Two lines of three and a hook that uses cards of both.
    game = new_game(targets=True)
    game.oceans[0] = {(0, 0): 0, (1, 0): 1, (2, 0): 2, (2, 1): 3, (0, 1): 4, (1, 1): 5}
    assert game.target_points(0) == 7 + 8
    # The base game has none.
    base = new_game()
    base.oceans[0] = dict(game.oceans[0])
    assert base.target_points(0) == 0


def test_fifty_seven_and_ten_are_sixty_seven() -> None:
    # Seat 0 takes the first card from its own hand, the next from seat 1's, and so on in turn.
    mine = [8, 9, 21, 6, 13, 3, 4, 5, 7, 10]
    theirs = [0, 1, 2, 26, 14, 31, 32, 35, 36, 37]
    unseen = [card for card in range(40) if card not in mine + theirs]
    game = ReferenceOcean(CATALOGUE, 2, {}, True)
    game.deal(mine + theirs + unseen, [3, 7, 0, 6, 1, 2, 4, 5])
    #    8  0  9
    #    1 21  2
    #    6 26 13
    plan = [
        (8, (0, 0)),
        (0, (1, 0)),
        (9, (2, 0)),
        (1, (0, 1)),
        (21, (1, 1)),
        (2, (2, 1)),
        (6, (0, 2)),
        (26, (1, 2)),
        (13, (2, 2)),
    ]
    row = [14, 3, 31, 4, 32, 5, 35, 7, 36]
    play_all(game, "pick 8", "pick 14")
    for x in range(1, 9):
        card, (to_x, to_y) = plan[x]
        play_all(game, f"pick {card}", f"pick {row[x]}")
        play_all(game, f"place {to_x},{to_y}", f"place {x},0")
    assert game.over
    # Coral 8: two plants 6. Plant 0: 4. Coral 9: two plants, 4. Plant 1: 4. Small 21: three plants, 23.
    # Plant 2: 4. Plant 6: one plant, 3. Medium 26: one small, 6. Coral 13: one plant, 3.
    assert 6 + 4 + 4 + 4 + 23 + 4 + 3 + 6 + 3 == 57
    assert game.species_points(0) == 57
    # Nursery matches (10), Speck does not: no tiny species was placed.
    assert game.target_points(0) == 10
    # Seat 1: flat 14, 3, 4 and 35 in a row of nine; it holds Line (7) and Row (15).
    assert (game.species_points(1), game.target_points(1)) == (16, 22)
    assert game.scores() == [67, 38]
    assert game.ranks() == [1, 2]
    # Eight passes bring both hands home; 10 and 37 are left over.
    assert game.hands == [{10}, {37}]


# ocean-15


def matches(
    pattern: list[dict[str, Any]],
    ocean: dict[tuple[int, int], str],
    topology: str = "SQUARE",
    target_match: str = "CONTAINED",
    mirror: bool = False,
) -> bool:
    return target_matches(topology, pattern, ocean, target_match, mirror)


def test_a_pattern_is_contained_wherever_it_lies() -> None:
    assert matches(HUNT, {(-3, 4): CORAL, (-4, 4): GIANT, (-3, 3): GIANT, (-2, 3): MEDIUM})
    assert matches(HUNT, {(0, 0): CARNIVORE, (1, 0): MEDIUM})
    assert not matches(HUNT, {(0, 0): CARNIVORE, (1, 1): MEDIUM})
    assert not matches(HUNT, {(0, 0): SMALL, (1, 0): MEDIUM})


def test_a_pattern_cell_is_never_empty_though_any_card_may_do() -> None:
    assert matches(LINE, {(0, 0): TINY, (1, 0): GIANT, (2, 0): PLANT})
    assert not matches(LINE, {(0, 0): TINY, (1, 0): GIANT, (3, 0): PLANT})


def test_the_cells_of_a_pattern_need_not_touch() -> None:
    # What lies between the corals is not asked, not even whether anything does.
    assert matches(FAR_CORALS, {(0, 0): CORAL, (1, 0): SMALL, (2, 0): CORAL})
    assert matches(FAR_CORALS, {(0, 0): CORAL, (0, 1): SMALL, (1, 1): SMALL, (2, 1): SMALL, (2, 0): CORAL})
    assert not matches(FAR_CORALS, {(0, 0): CORAL, (1, 0): CORAL})


def block(centre: str, other: str) -> dict[tuple[int, int], str]:
    ocean = {(x, y): other for x in (-1, 0, 1) for y in (-2, -1, 0)}
    ocean[(0, -1)] = centre
    return ocean


def test_whole_shape_wants_the_nine_cards_footprint_and_the_kinds() -> None:
    assert matches(BLOCK, block(SMALL, PLANT), target_match="WHOLE_SHAPE")
    assert not matches(BLOCK, block(PLANT, SMALL), target_match="WHOLE_SHAPE")
    row = {(x, 0): SMALL for x in range(9)}
    assert not matches(BLOCK, row, target_match="WHOLE_SHAPE")
    assert matches(NINE_IN_A_ROW, row, target_match="WHOLE_SHAPE")
    assert matches(NINE_IN_A_ROW, {(0, -y): CORAL for y in range(9)}, target_match="WHOLE_SHAPE")


def test_whole_shape_never_matches_a_pattern_of_other_than_nine_cells() -> None:
    ocean = block(SMALL, PLANT)
    assert matches(LINE, ocean)
    assert not matches(LINE, ocean, target_match="WHOLE_SHAPE")
    # Nor an unfinished ocean, though it has the pattern's shape.
    assert not matches(LINE, {(0, 0): TINY, (1, 0): GIANT, (2, 0): PLANT}, target_match="WHOLE_SHAPE")


def test_target_match_is_idle_without_targets() -> None:
    game = new_game(target_match="WHOLE_SHAPE", mirror_targets=True)
    assert game.scores() == [0, 0]


# ocean-16

SQUARE_HOOKS = [
    {(0, 0), (1, 0), (2, 0), (2, 1)},
    {(0, 0), (0, 1), (0, 2), (-1, 2)},
    {(0, 0), (-1, 0), (-2, 0), (-2, -1)},
    {(0, 0), (0, -1), (0, -2), (1, -2)},
]
SQUARE_MIRRORED_HOOKS = [
    {(0, 0), (1, 0), (2, 0), (2, -1)},
    {(0, 0), (0, 1), (0, 2), (1, 2)},
    {(0, 0), (-1, 0), (-2, 0), (-2, 1)},
    {(0, 0), (0, -1), (0, -2), (-1, -2)},
]
# Two steps in one of the six directions, then one step a sixth to the right (to the left when mirrored).
HEX_HOOKS = [
    {(0, 0), (1, 0), (2, 0), (2, 1)},
    {(0, 0), (0, 1), (0, 2), (-1, 3)},
    {(0, 0), (-1, 1), (-2, 2), (-3, 2)},
    {(0, 0), (-1, 0), (-2, 0), (-2, -1)},
    {(0, 0), (0, -1), (0, -2), (1, -3)},
    {(0, 0), (1, -1), (2, -2), (3, -2)},
]
HEX_MIRRORED_HOOKS = [
    {(0, 0), (1, 0), (2, 0), (3, -1)},
    {(0, 0), (0, 1), (0, 2), (1, 2)},
    {(0, 0), (-1, 1), (-2, 2), (-2, 3)},
    {(0, 0), (-1, 0), (-2, 0), (-3, 1)},
    {(0, 0), (0, -1), (0, -2), (-1, -2)},
    {(0, 0), (1, -1), (2, -2), (2, -3)},
]


@pytest.mark.parametrize(
    ("topology", "plain", "mirror_images"),
    [
        ("SQUARE", SQUARE_HOOKS, SQUARE_MIRRORED_HOOKS),
        ("SQUARE_DIAGONAL", SQUARE_HOOKS, SQUARE_MIRRORED_HOOKS),
        ("HEX", HEX_HOOKS, HEX_MIRRORED_HOOKS),
    ],
)
def test_patterns_rotate_and_mirror_only_with_the_option(
    topology: str, plain: list[set[tuple[int, int]]], mirror_images: list[set[tuple[int, int]]]
) -> None:
    for shape in plain:
        ocean = {(x - 3, y + 1): PLANT for x, y in shape}
        assert matches(HOOK, ocean, topology, mirror=False)
        assert matches(HOOK, ocean, topology, mirror=True)
    for shape in mirror_images:
        ocean = {(x + 2, y - 5): PLANT for x, y in shape}
        assert not matches(HOOK, ocean, topology, mirror=False)
        assert matches(HOOK, ocean, topology, mirror=True)


def test_square_diagonal_has_no_eighth_turns() -> None:
    assert not matches(LINE, {(0, 0): PLANT, (1, 1): PLANT, (2, 2): PLANT}, "SQUARE_DIAGONAL")


def test_hex_has_patterns_of_its_own() -> None:
    catalogue = make_catalogue()
    catalogue["targets"][0] = {"name": "Line", "points": 7, "square": LINE, "hex": ONE_TINY}
    catalogue["targets"][1] = {"name": "Hook", "points": 8, "square": NINE_IN_A_ROW, "hex": NINE_IN_A_ROW}
    for topology, points in [("SQUARE", 7), ("SQUARE_DIAGONAL", 7), ("HEX", 0)]:
        game = ReferenceOcean(catalogue, 2, {"topology": topology}, True)
        game.deal(DECK, list(range(8)))
        game.oceans[0] = {(0, 0): 0, (1, 0): 1, (2, 0): 2}
        assert game.target_points(0) == points


# ocean-17 and ocean-18


def categories(*names: str) -> list[str]:
    return [f"OCEAN_IUCN_CATEGORY_{name}" for name in names]


def test_distinct_categories_score() -> None:
    each = categories(
        "LEAST_CONCERN",
        "NEAR_THREATENED",
        "VULNERABLE",
        "ENDANGERED",
        "CRITICALLY_ENDANGERED",
        "DATA_DEFICIENT",
        "NOT_EVALUATED",
        "NO_CATEGORY",
    )
    for count, points in enumerate([0, 0, 0, 3, 7, 12, 18, 18, 18]):
        assert iucn_points(each[:count], True) == points
        assert iucn_points(each[:count] * 2, True) == points


def test_no_category_counts_as_one_category_unless_switched_off() -> None:
    held = categories("LEAST_CONCERN", "VULNERABLE", "NO_CATEGORY", "NO_CATEGORY")
    assert iucn_points(held, True) == 3
    assert iucn_points(held, False) == 0


def test_data_deficient_and_not_evaluated_are_categories_of_their_own() -> None:
    held = categories("DATA_DEFICIENT", "NOT_EVALUATED", "NO_CATEGORY", "LEAST_CONCERN")
    assert iucn_points(held, True) == 7
    assert iucn_points(held, False) == 3


@pytest.mark.parametrize("target_match", ["CONTAINED", "WHOLE_SHAPE"])
@pytest.mark.parametrize(("no_category_counts", "points"), [(True, 12), (False, 7)])
def test_the_promo_in_a_game(target_match: str, no_category_counts: bool, points: int) -> None:
    rules = {"promo": True, "target_match": target_match, "no_category_counts": no_category_counts}
    game = ReferenceOcean(CATALOGUE, 2, rules, True)
    game.deal(DECK, [8, 6, 0, 1, 2, 3, 4, 5, 7])
    assert game.held_targets == [[6, 8], [0, 1]]
    # Least concern (0, 21), vulnerable (12), not evaluated (14), no category (17, 18), data deficient (26).
    game.oceans[0] = {(0, 0): 0, (1, 0): 21, (2, 0): 12, (3, 0): 14, (4, 0): 17, (5, 0): 18, (6, 0): 26}
    assert game.target_points(0) == points


def test_the_promo_is_refused_without_targets() -> None:
    with pytest.raises(ValueError, match="promo needs TARGETS"):
        ReferenceOcean(CATALOGUE, 2, {"promo": True}, False)


def test_the_promo_is_dealt_only_with_the_option() -> None:
    game = ReferenceOcean(CATALOGUE, 2, {}, True)
    with pytest.raises(ValueError, match="each target"):
        game.deal(DECK, [8, 0, 1, 2, 3, 4, 5, 6])


# ocean-19


def test_ties_are_shared() -> None:
    game = new_game(seats=4)
    # 0: alone plant 6 scores nothing. 1: two flat cards, 8. 2: one flat card, 4. 3: two flat cards, 8.
    game.oceans = [{(0, 0): 6}, {(0, 0): 0, (1, 0): 1}, {(0, 0): 2}, {(0, 0): 3, (0, 1): 4}]
    assert game.scores() == [0, 8, 4, 8]
    assert game.ranks() == [4, 1, 3, 1]


# What an observer knows


def test_a_passed_hand_is_known_from_then_on() -> None:
    game = new_game(seats=4)

    def known(seat: int) -> list[list[int]]:
        return [entry["cards"] for entry in game.observe(seat)["seat_knowledge"]["hands"]]

    assert known(0) == [list(range(10)), [], [], []]
    play_all(game, "pick 0", "pick 10", "pick 20", "pick 30")
    # Seat 0 holds what seat 3 had, and knows what it passed to seat 1.
    assert known(0) == [list(range(31, 40)), list(range(1, 10)), [], []]
    play_all(game, "pick 31", "pick 1", "pick 11", "pick 21")
    # Seat 1 has shown card 1 of the hand that seat 0 passed to it.
    assert known(0) == [list(range(32, 40)), list(range(2, 10)), [], []]
    play_all(game, "place 1,0", "place 1,0", "place 1,0", "place 1,0")
    # With four players the rest follows by elimination for the fourth hand; that is not added.
    assert known(0) == [list(range(22, 30)), list(range(32, 40)), list(range(2, 10)), []]
    play_lowest_round(game)
    assert known(0) == [list(range(13, 20)), list(range(23, 30)), list(range(33, 40)), list(range(3, 10))]


def test_a_clone_is_independent() -> None:
    game = new_game(targets=True)
    play_lowest_round(game)
    before = game.position()
    other = game.clone()
    assert other.position() == before
    play_lowest_round(other)
    assert game.position() == before
    assert game.round == 2
    assert other.round == 3


# Whole games


@pytest.mark.parametrize("seed", range(50))
def test_random_games_run_through_and_conserve_cards(seed: int) -> None:
    rng = random.Random(seed)
    seats = rng.randint(2, 4)
    with_targets = rng.random() < 0.6
    rules = {
        "topology": rng.choice(["SQUARE", "SQUARE_DIAGONAL", "HEX"]),
        "passing": rng.choice(["LEFT", "RIGHT", "ALTERNATE"]),
        "same_kind_sets": rng.random() < 0.5,
        "target_match": rng.choice(["CONTAINED", "WHOLE_SHAPE"]),
        "mirror_targets": rng.random() < 0.5,
        "promo": with_targets and rng.random() < 0.5,
        "no_category_counts": rng.random() < 0.5,
    }
    game = ReferenceOcean(CATALOGUE, seats, rules, with_targets)
    deck = rng.sample(DECK, 40)
    target_order: list[int] = []
    if with_targets:
        target_order = list(range(9 if rules["promo"] else 8))
        rng.shuffle(target_order)
    game.deal(deck, target_order)
    # Each dealt hand is a packet that travels: where it is, and who has held it.
    packets = list(range(seats))
    holders = [{seat} for seat in range(seats)]
    decisions = 0

    while not game.over:
        position = game.position()
        everywhere = list(deck[10 * seats :])
        for seat in range(seats):
            table_seat = position["table"]["seats"][seat]
            hand = position["referee"]["seats"][seat]["hand"]
            everywhere += hand
            everywhere += [placed["card"] for placed in table_seat["ocean"]]
            if table_seat["revealed_card"] is not None:
                everywhere.append(table_seat["revealed_card"])
            assert table_seat["hand_size"] == len(hand) == (11 if game.phase == "PICK" else 10) - game.round
            assert (table_seat["revealed_card"] is not None) == (game.phase == "PLACE")
        assert sorted(everywhere) == DECK
        for seat in range(seats):
            observation = game.observe(seat)
            assert observation["table"] == position["table"]
            for other in range(seats):
                whole = position["referee"]["seats"][other]["hand"]
                known = observation["seat_knowledge"]["hands"][other]["cards"]
                assert known == (whole if seat in holders[packets[other]] else [])

        seat = rng.choice(game.pending())
        events = game.play(seat, rng.choice(game.moves(seat)))
        decisions += 1
        assert events[0] == {"committed": {"seat": seat}}
        for event in events:
            if "passed" in event:
                step = 1 if event["passed"]["direction"] == "LEFT" else -1
                packets = [packets[(s - step) % seats] for s in range(seats)]
                for s in range(seats):
                    holders[packets[s]].add(s)

    assert decisions == 17 * seats
    assert game.pending() == []
    left = list(deck[10 * seats :])
    for seat in range(seats):
        assert len(game.oceans[seat]) == 9
        assert (0, 0) in game.oceans[seat]
        assert len(game.hands[seat]) == 1
        left += [*game.oceans[seat].values(), *game.hands[seat]]
    assert sorted(left) == DECK
    assert game.scores() == [game.species_points(s) + game.target_points(s) for s in range(seats)]
    assert min(game.ranks()) == 1

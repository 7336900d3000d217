"""ocean-13: the house catalogue that ships. Faces of cards are data; what the rulebook does say of them must hold."""

import json
import random
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from differential import CATALOGUES, house
from differential_ocean import CONDITIONS
from ocean_cases import Cell, position, scored

from ext import ocean_catalogue
from ext.ocean import Ocean
from ext.ocean_position import neighbours

CARDS: list[dict[str, Any]] = house()["cards"]
TARGETS: list[dict[str, Any]] = house()["targets"]
COUNTS = {"PLANT": 7, "CORAL": 7, "TINY": 3, "INVERTEBRATE": 4, "SMALL": 5, "MEDIUM": 5, "GIANT": 6, "CARNIVORE": 3}


def kind(card: int) -> str:
    return str(CARDS[card]["kind"]).removeprefix("OCEAN_KIND_")


def condition(card: int) -> str:
    return str(CARDS[card]["condition"]).removeprefix("OCEAN_CONDITION_")


def category(card: int) -> str:
    return str(CARDS[card]["iucn_category"]).removeprefix("OCEAN_IUCN_CATEGORY_")


def card(name: str) -> int:
    return [entry["name"] for entry in CARDS].index(name)


# What it is.


def test_it_says_what_it_is() -> None:
    catalogue = house()
    assert catalogue["id"] == "ocean-house"
    about = catalogue["about"].lower()
    assert "house catalogue" in about
    assert "not the published components" in about
    assert "invented" in about


def test_the_document_says_the_same() -> None:
    text = (Path(__file__).parents[1] / "docs" / "catalogue-ocean.md").read_text()
    assert "**not** the published components" in text
    rows = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("|")][2:]
    assert [(int(row[0]), row[1].strip()) for row in rows] == [(i, entry["name"]) for i, entry in enumerate(CARDS)]
    assert [row[3].strip() for row in rows] == [kind(i).lower() for i in range(40)]
    short = {
        "NO_CATEGORY": "none",
        "NOT_EVALUATED": "NE",
        "DATA_DEFICIENT": "DD",
        "LEAST_CONCERN": "LC",
        "NEAR_THREATENED": "NT",
        "VULNERABLE": "VU",
        "ENDANGERED": "EN",
        "CRITICALLY_ENDANGERED": "CR",
    }
    assert [row[5].strip() for row in rows] == [short[category(i)] for i in range(40)]
    for number, target in enumerate(TARGETS):
        assert f"{number}  {target['name']}, {target['points']} points" in text


def test_it_is_sound_for_every_variant() -> None:
    for targets, promo in ((False, False), (True, False), (True, True)):
        assert ocean_catalogue.check(house(), targets=targets, promo=promo) == []
    Ocean(4, house())
    for promo in (False, True):
        for topology in ("SQUARE", "SQUARE_DIAGONAL", "HEX"):
            Ocean(4, house(), {"promo": promo, "topology": topology}, "targets")


def test_the_only_odd_thing_is_that_no_pattern_has_nine_cells() -> None:
    odd = ocean_catalogue.warnings(house())
    assert len(odd) == 16
    assert all("WHOLE_SHAPE" in message for _, message in odd)


def test_the_file_is_protobuf_json_with_nothing_unknown() -> None:
    raw = json.loads((CATALOGUES / "ocean-house.json").read_text())
    assert set(raw) == {"id", "about", "cards", "targets", "promoName"}
    names = {"name", "scientificName", "kind", "condition", "iucnCategory", "note"}
    assert all(set(entry) == names for entry in raw["cards"])
    assert all(set(entry) == {"name", "points", "square", "hex"} for entry in raw["targets"])


# Cards.


def test_forty_cards_with_the_rulebooks_counts() -> None:
    assert len(CARDS) == 40
    assert Counter(kind(i) for i in range(40)) == COUNTS


def test_every_one_of_the_seventeen_conditions_is_there() -> None:
    assert len(CONDITIONS) == 17
    assert {condition(i) for i in range(40)} == set(CONDITIONS)


def test_names_are_unique_and_every_card_says_what_is_invented() -> None:
    for key in ("name", "scientific_name", "note"):
        texts = [str(entry[key]).strip().casefold() for entry in CARDS]
        assert all(texts)
        assert len(set(texts)) == 40
    names = [entry["name"] for entry in CARDS + TARGETS] + [house()["promo_name"]]
    assert len({name.casefold() for name in names}) == 49


def test_the_four_group_cards_are_the_four_invertebrates_and_alone_without_category() -> None:
    groups = {i for i in range(40) if kind(i) == "INVERTEBRATE"}
    assert {CARDS[i]["name"] for i in groups} == {"Molluscs", "Crustaceans", "Echinoderms", "Cephalopods"}
    assert {i for i in range(40) if category(i) == "NO_CATEGORY"} == groups
    # Species have two-part names, groups one.
    assert {i for i in range(40) if len(CARDS[i]["scientific_name"].split()) == 1} == groups


def test_the_promo_can_reach_every_value() -> None:
    """Eight distinct categories; a player with one card of each of six scores 18."""
    assert len({category(i) for i in range(40)}) == 8
    first = {category(i): i for i in reversed(range(40))}
    base, promo = Ocean(2, house()), Ocean(2, house(), {"promo": True}, "targets")
    values = []
    for distinct in range(1, 9):
        row = {(x, 0): i for x, i in enumerate(list(first.values())[:distinct])}
        values.append(scored(promo, row, [8, unmatched(row)]) - scored(base, row))
    assert values == [0, 0, 3, 7, 12, 18, 18, 18]


def unmatched(ocean: dict[Cell, int]) -> int:
    """A target that this ocean does not meet."""
    base, game = Ocean(2, house()), Ocean(2, house(), {}, "targets")
    points = scored(base, ocean)
    pairs = [(t, (t + 1) % 8) for t in range(8)]
    return next(pair[0] for pair in pairs if scored(game, ocean, pair) == points)


@pytest.mark.parametrize(
    ("name", "eats"),
    [
        ("Green turtle", {"PLANT"}),  # seagrass and algae
        ("Dugong", {"PLANT"}),  # seagrass
        ("Whale shark", {"TINY"}),  # plankton
        ("Giant sea fan", {"TINY"}),
        ("Calanoid copepod", {"TINY"}),
        ("Longnose filefish", {"CORAL"}),  # polyps
        ("Jewelled blenny", {"PLANT"}),
        ("Irrawaddy dolphin", {"SMALL"}),
        ("Humphead wrasse", {"SMALL", "INVERTEBRATE"}),
        ("Bluespotted ribbontail ray", {"SMALL", "INVERTEBRATE"}),
        ("Scalloped hammerhead", {"SMALL"}),
        ("Tiger shark", {"GIANT", "CARNIVORE"}),
        ("Saltwater crocodile", {"MEDIUM"}),
        ("Cephalopods", {"SMALL", "INVERTEBRATE"}),
        ("Molluscs", {"TINY", "INVERTEBRATE"}),
        ("Bluestreak cleaner wrasse", {"GIANT", "CARNIVORE"}),  # parasites from big fish
        ("Hawksbill turtle", {"CORAL", "INVERTEBRATE", "PLANT"}),
        ("Tape seagrass", set()),  # sunlight
        ("Zigzag diatom", set()),
    ],
)
def test_who_eats_what_scores_what(name: str, eats: set[str]) -> None:
    """Among neighbours of one kind (of every kind that it eats, for sets) a card gains exactly from what it eats."""
    game = Ocean(2, house(), {"topology": "SQUARE_DIAGONAL"})
    centre = card(name)
    alone = lone_points(game, centre, [])
    ring = {k: [i for i in range(40) if kind(i) == k and i != centre][:3] for k in COUNTS}
    if condition(centre) == "PAIRS":
        others = [i for k in set(COUNTS) - eats for i in ring[k][:1]]
        assert lone_points(game, centre, [ring["PLANT"][0], ring["CORAL"][0]]) == 10
        assert lone_points(game, centre, [ring["INVERTEBRATE"][0], ring["CORAL"][0]]) == 10
        assert lone_points(game, centre, others) == 0
        return
    gains = {k for k, cards in ring.items() if lone_points(game, centre, cards) > alone}
    assert gains == eats


def lone_points(game: Ocean, centre: int, around: list[int]) -> int:
    """What one card scores among its neighbours: the ocean's points, with the others' conditions taken off."""
    cells = [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)]
    faces = house()
    for i in around:
        faces["cards"][i]["condition"] = "OCEAN_CONDITION_FLAT"
    game = Ocean(2, faces, game.rules)
    return scored(game, {(0, 0): centre, **dict(zip(cells, around, strict=False))}) - 4 * len(around)


# Targets.


def test_there_are_eight_targets_of_rising_points_and_one_of_ten() -> None:
    points = [target["points"] for target in TARGETS]
    assert len(points) == 8
    # The one value that the rulebook shows is 10.
    assert 10 in points
    assert points == sorted(set(points))


@cache
def game_with(topology: str) -> Ocean:
    return Ocean(2, house(), {"topology": topology}, "targets")


def met(topology: str, ocean: dict[Cell, int], target: int) -> bool:
    """Whether a finished ocean meets a target; two others, both ways, tell it apart from them."""
    one, two = [t for t in range(8) if t != target][:2]
    pairs = [(target, one), (target, two), (one, two)]
    first, second, rest = (scored(game_with(topology), ocean, pair) for pair in pairs)
    species = scored(Ocean(2, house(), {"topology": topology}), ocean)
    points = (first + second - rest - species) / 2
    assert points in (0, TARGETS[target]["points"])
    return points > 0


@pytest.mark.parametrize("topology", ["SQUARE", "SQUARE_DIAGONAL", "HEX"])
@pytest.mark.parametrize("target", range(8))
def test_every_target_can_be_met_with_the_cards_there_are(topology: str, target: int) -> None:
    """Its cells hold cards of the demanded kinds, they hang together, and any cards fill the nine."""
    shape = TARGETS[target]["hex" if topology == "HEX" else "square"]
    ocean: dict[Cell, int] = {}
    left = list(range(40))
    for entry in sorted(shape, key=lambda entry: len(entry.get("kinds", [])) or 9):
        wanted = entry.get("kinds") or [f"OCEAN_KIND_{k}" for k in COUNTS]
        chosen = next(i for i in left if CARDS[i]["kind"] in wanted)
        left.remove(chosen)
        ocean[entry.get("x", 0) - shape[0].get("x", 0), entry.get("y", 0) - shape[0].get("y", 0)] = chosen
    steps = neighbours(topology)
    while len(ocean) < 9:
        free = {(x + dx, y + dy) for x, y in ocean for dx, dy in steps} - set(ocean)
        ocean[min(free)] = left.pop()
    assert met(topology, ocean, target)
    # Without the kinds that one of its cells demands it is not met.
    wanted = min((entry["kinds"] for entry in shape if entry.get("kinds")), key=len)
    rest = [i for i in range(40) if CARDS[i]["kind"] not in wanted]
    assert not met(topology, dict(zip(ocean, rest, strict=False)), target)


def test_sensible_players_meet_targets_by_themselves() -> None:
    """The patterns are not out of reach: in a few games without a thought for targets, most are met somewhere."""
    found: Counter[int] = Counter()
    game, base = Ocean(4, house(), {}, "targets"), Ocean(4, house())
    for seed in range(60):
        rng = random.Random(seed)
        state = game.deal(seed)
        while (seat := game.turn(state)) >= 0:
            state = game.play(state, seat, game.choose(state, seat, rng.getrandbits(64)))
        table = game.dump(state)["table"]["seats"]
        oceans = [{(c["cell"]["x"], c["cell"]["y"]): c["card"] for c in entry["ocean"]} for entry in table]
        hands = {s: entry["hand"] for s, entry in enumerate(game.dump(state)["referee"]["seats"])}
        species = base.score(base.load(position(base, oceans, phase="OVER", hands=hands)))
        for entry, points, with_targets in zip(table, species, game.score(state), strict=True):
            one, two = entry["targets"]
            worth = {(): 0, (one,): TARGETS[one]["points"], (two,): TARGETS[two]["points"]}
            worth[one, two] = sum(worth.values())
            found.update(next(met for met, gain in worth.items() if gain == with_targets - points))
    assert len(found) >= 5

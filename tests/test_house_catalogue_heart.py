"""heart-2: the house catalogue that ships. Faces are data; what the rules ask of them, and how they play, must hold."""

import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from differential import snake

from advisor import catalogues
from advisor.v1 import heart_pb2
from ext import heart_catalogue
from ext.errors import Violation
from ext.game import CHANCE, OVER, State
from ext.heart import Heart

HOUSE = Path(__file__).parents[1] / "advisor" / "catalogues" / "heart-house.json"
DOCUMENT = (Path(__file__).parents[1] / "docs" / "catalogue-heart.md").read_text()
CATALOGUE: dict[str, Any] = snake(json.loads(HOUSE.read_text()))
TILES: list[dict[str, Any]] = CATALOGUE["tiles"]
PHOTOS: list[dict[str, Any]] = CATALOGUE["photos"]
LETTERS = dict(zip(heart_catalogue.ICONS, ".FDICRS", strict=True))
SEATS = (2, 3, 4)


def letters(tile: Mapping[str, Any]) -> str:
    """The edges as the document writes them."""
    return "".join(LETTERS[icon] for icon in tile["edges"])


def deck() -> Iterator[str]:
    """Every one of the 90 tiles."""
    for tile in TILES:
        yield from [letters(tile)] * tile.get("count", 1)


def patterns() -> Iterator[dict[str, Any]]:
    for photo in PHOTOS:
        yield from (demand["pattern"] for demand in photo["requirement"] if "pattern" in demand)


# What it is.


def test_it_says_what_it_is() -> None:
    assert CATALOGUE["id"] == "heart-house"
    about = CATALOGUE["about"].lower()
    assert "house catalogue" in about
    assert "not the published components" in about
    assert "invented" in about


def test_it_is_sound_and_nothing_in_it_is_odd() -> None:
    assert heart_catalogue.check(CATALOGUE) == []
    assert heart_catalogue.warnings(CATALOGUE) == []
    for seats in SEATS:
        Heart(seats, CATALOGUE)


class HeartRules:
    """What the loader of catalogues asks about a game."""

    catalogue_type = heart_pb2.HeartCatalogue

    def check_catalogue(self, catalogue: Mapping[str, Any]) -> list[Violation]:
        return heart_catalogue.check(catalogue)

    def catalogue_warnings(self, catalogue: Mapping[str, Any]) -> list[Violation]:
        return heart_catalogue.warnings(catalogue)


def test_the_loader_takes_the_file_and_gives_the_same_game() -> None:
    """The loader writes every field out, absent ones as 0: these are the same components."""
    report = catalogues.inspect(HOUSE.read_bytes(), "heart", HeartRules())
    assert (report.faults, report.warnings) == ([], [])
    assert report.catalogue is not None
    bare, full = Heart(2, CATALOGUE), Heart(2, report.catalogue.content)
    assert full.dump(full.start()) == bare.dump(bare.start())
    (_, one), (_, other) = played(full, 1), played(bare, 1)
    assert full.dump(one) == bare.dump(other)


# Components.


def test_ninety_tiles_with_every_icon_and_food_the_commonest() -> None:
    assert len(list(deck())) == 90
    assert 45 <= len(TILES) <= 70
    icons = Counter("".join(deck()))
    assert set(icons) == set(LETTERS.values())
    assert max(set(icons) - {"."}, key=icons.__getitem__) == "F"


def test_one_tile_in_five_has_three_or_four_icons_and_none_is_empty() -> None:
    sizes = Counter(4 - tile.count(".") for tile in deck())
    assert 5 * (sizes[3] + sizes[4]) >= 90
    assert sizes[0] == 0


def test_starting_tiles_are_alike_in_what_they_offer() -> None:
    tiles = [letters(tile) for tile in CATALOGUE["starting_tiles"]]
    assert len(tiles) == 4
    assert all(re.fullmatch(r"[DIC]{2}\.S", tile) for tile in tiles)


def test_half_of_the_photos_are_green_and_worth_more_the_more_they_ask() -> None:
    assert len(PHOTOS) == 24
    green = [photo for photo in PHOTOS if photo["colour"] == "HEART_COLOUR_GREEN"]
    assert len(green) == 12
    points = [photo["points"] for photo in green]
    assert points == sorted(points)
    assert (points[0], points[-1]) == (1, 4)


def test_photos_ask_for_patterns_attractions_and_food() -> None:
    sizes = Counter(len(pattern["cells"]) for pattern in patterns())
    assert set(sizes) == {2, 3, 4}
    asked = Counter(demand["icons"]["icon"] for photo in PHOTOS for demand in photo["requirement"] if "icons" in demand)
    assert asked.keys() >= {*heart_catalogue.ATTRACTIONS, "HEART_ICON_FOOD"}
    assert all(photo["requirement"] for photo in PHOTOS)


def test_orange_photos_count_every_icon_and_manatees_and_tiles() -> None:
    scorings = [photo["scoring"] for photo in PHOTOS if "scoring" in photo]
    assert {scoring["counted"] for scoring in scorings} == set(heart_catalogue.COUNTED)
    assert {scoring["icon"] for scoring in scorings if "icon" in scoring} == set(heart_catalogue.HALF_ICONS)


def test_the_cells_of_a_pattern_hang_together() -> None:
    for pattern in patterns():
        cells = {(cell.get("x", 0), cell.get("y", 0)) for cell in pattern["cells"]}
        reached = {min(cells)}
        for _ in cells:
            reached |= {(x, y) for x, y in cells for a, b in reached if abs(a - x) + abs(b - y) == 1}
        assert reached == cells


def test_the_die_has_six_sides_with_relocate_and_every_attraction() -> None:
    faces = CATALOGUE["die_faces"]
    assert sum(face.get("count", 1) for face in faces) == 6
    assert any(face.get("relocate", False) for face in faces)
    assert {icon for face in faces for icon in face.get("attractions", [])} == set(heart_catalogue.ATTRACTIONS)


# The document.


def test_the_document_lists_the_same_tiles() -> None:
    assert "**not** the published components" in DOCUMENT
    listed = re.findall(r"(\d+) ([.FDICRS]{4}) x(\d)", DOCUMENT)
    assert [(int(kind), shown, int(count)) for kind, shown, count in listed] == [
        (kind, letters(tile), tile.get("count", 1)) for kind, tile in enumerate(TILES)
    ]
    starting = re.findall(r"seat (\d)  ([.FDICRS]{4})", DOCUMENT)
    assert [shown for _, shown in starting] == [letters(tile) for tile in CATALOGUE["starting_tiles"]]


def table(first: str) -> list[list[str]]:
    """The rows of the document's table whose first column is headed so."""
    lines = DOCUMENT[DOCUMENT.index(f"| {first} |") :].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[2:]]


def worth(photo: Mapping[str, Any]) -> str:
    """What a photo card scores, as the document writes it."""
    if "scoring" not in photo:
        return str(photo["points"])
    scoring = photo["scoring"]
    per = scoring.get("per", 1)
    what = scoring.get("icon", scoring["counted"]).split("_")[-1].lower()
    if "icon" not in scoring and per == 1:
        what = what.removesuffix("s")
    return f"{photo['points']} per {what if per == 1 else f'{per} {what}'}"


def asks(photo: Mapping[str, Any]) -> str:
    """The requirement of a photo card, as the document writes it."""
    demands = []
    for demand in photo["requirement"]:
        if "icons" in demand:
            icon = demand["icons"]["icon"].removeprefix("HEART_ICON_").lower()
            demands.append(f"{demand['icons'].get('at_least', 1)} {icon}")
        else:
            manatees = demand["pattern"].get("manatees", 0)
            plural = "s" if manatees > 1 else ""
            demands.append(f"pattern with {manatees} manatee{plural}" if manatees else "pattern")
    return " and ".join(demands)


def test_the_document_lists_the_same_photos() -> None:
    assert table("Id") == [
        [str(kind), photo["name"], photo["colour"].split("_")[-1].lower(), asks(photo), worth(photo)]
        for kind, photo in enumerate(PHOTOS)
    ]


def drawing(pattern: Mapping[str, Any]) -> list[str]:
    """A pattern as the document draws it: cells with the demanded icons between them."""
    cells = [(cell.get("x", 0), cell.get("y", 0)) for cell in pattern["cells"]]
    signs = {(4 * x + i, 2 * y): sign for x, y in cells for i, sign in enumerate("[ ]")}
    for edge in pattern.get("edges", []):
        (x, y), (a, b) = cells[edge.get("first_cell", 0)], cells[edge.get("second_cell", 0)]
        signs[(4 * min(x, a) + 3, 2 * y) if y == b else (4 * x + 1, 2 * min(y, b) + 1)] = LETTERS[edge["icon"]]
    right, low = max(x for x, _ in signs), max(y for _, y in signs)
    return ["".join(signs.get((x, y), " ") for x in range(right + 1)).rstrip() for y in range(low + 1)]


def test_the_document_draws_the_same_patterns() -> None:
    drawn = DOCUMENT[DOCUMENT.index("The patterns:") :].split("```")[1].rstrip().removeprefix("text\n")
    expected = []
    for kind, photo in enumerate(PHOTOS):
        for demand in photo["requirement"]:
            if "pattern" in demand:
                first, *rest = drawing(demand["pattern"])
                expected.append(f"{kind:2}  {photo['name']}".ljust(28) + first)
                expected += [" " * 28 + line if line else "" for line in rest]
                expected.append("")
    assert drawn.splitlines() == expected[:-1]


# How it plays.


def chance(game: Heart, state: State, rng: random.Random) -> State:
    """Goes on to the next decision or the end."""
    while game.turn(state) == CHANCE:
        state = game.happen(state, game.draw(state, rng.getrandbits(64), 0))
    return state


def played(game: Heart, seed: int) -> tuple[Counter[str], State]:
    """A game of uniformly random moves: how many of each sort, and how it ended."""
    rng = random.Random(seed)
    moves: Counter[str] = Counter()
    state = chance(game, game.start(), rng)
    while (seat := game.turn(state)) != OVER:
        move = rng.choice(game.moves(state, seat))
        moves[game.notation(move).split()[0]] += 1
        state = chance(game, game.play(state, seat, move), rng)
    return moves, state


@pytest.mark.parametrize("seats", SEATS)
def test_hardly_a_tile_fits_nowhere(seats: int) -> None:
    game = Heart(seats, CATALOGUE)
    moves: Counter[str] = Counter()
    for seed in range(60):
        moves += played(game, seed)[0]
    assert moves["take"] == moves["place"] + moves["discard"]
    assert moves["discard"] < 0.05 * moves["take"]


def greedy(game: Heart, seed: int) -> tuple[int, State]:
    """A game of players who always make a move that gains the most points at once: turns, and how it ended."""
    rng = random.Random(seed)
    turns, last = 0, OVER
    state = chance(game, game.start(), rng)
    while (seat := game.turn(state)) != OVER:
        # Turns go round, so that the next one is another seat's.
        turns += seat != last
        last = seat
        gains = game.priors(state, seat)
        best = [move for move, gain in zip(game.moves(state, seat), gains, strict=True) if gain == max(gains)]
        state = chance(game, game.play(state, seat, rng.choice(best)), rng)
    return turns, state


def fed(habitat: list[dict[str, Any]], seat: int) -> int:
    """Points from manatees beside food (heart-19)."""
    edges = {}
    for tile in habitat:
        printed = (CATALOGUE["starting_tiles"][seat] if tile["tile"] is None else TILES[tile["tile"]])["edges"]
        edges[tile["cell"]["x"], tile["cell"]["y"]] = [printed[(side - tile["rotation"]) % 4] for side in range(4)]
    points = 0
    for tile in habitat:
        x, y = tile["cell"]["x"], tile["cell"]["y"]
        for side, cell in enumerate([(x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)]):
            if cell in edges and edges[x, y][side] == "HEART_ICON_FOOD":
                points += tile["manatees"]
    return points


def test_greedy_games_last_ten_to_twenty_five_turns_and_take_every_photo() -> None:
    """And go as the document says, which is of many more games."""
    taken: Counter[int] = Counter()
    for seats, row in zip(SEATS, table("Seats"), strict=True):
        game = Heart(seats, CATALOGUE)
        turns = []
        food = points = 0
        for seed in range(150):
            total, state = greedy(game, seed)
            turns.append(total / seats)
            points += sum(game.score(state))
            for seat, side in enumerate(game.dump(state)["table"]["seats"]):
                taken.update(side["photos"])
                food += fed(side["habitat"], seat)
        mean = sum(turns) / len(turns)
        within = 100 * sum(10 <= length <= 25 for length in turns) / len(turns)
        assert 10 <= mean <= 25
        assert within >= 80
        written = [float(cell.removesuffix(" %")) for cell in row if " to " not in cell]
        assert written == [
            seats,
            pytest.approx(mean, abs=1.5),
            pytest.approx(within, abs=8),
            pytest.approx(100 * sum(length < 10 for length in turns) / len(turns), abs=5),
            pytest.approx(100 * sum(length > 25 for length in turns) / len(turns), abs=8),
            pytest.approx(points / len(turns) / seats, abs=1),
            pytest.approx(100 * food / points, abs=3),
        ]
        assert written[2] >= 85
        assert 35 <= written[6] <= 50
    assert len(taken) == len(PHOTOS)

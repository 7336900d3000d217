"""Habitats as wide and as uneven as 90 tiles allow: kernel and reference agree on them at every step."""

import random
from typing import Any

import pytest
from differential import house
from differential_heart import HeartMatch, QuickReference, lingers
from reference.heart import (
    BLANK,
    COLUMN_SIZE,
    CORAL,
    FOOD,
    HOME,
    OPEN_PHOTOS,
    RESCUE,
    STEPS,
    SWIM,
    TILES,
    Cell,
)

pytestmark = pytest.mark.kernel

ALL_ICONS = [BLANK, FOOD, CORAL, RESCUE, SWIM]


def line(step: Cell, tiles: int) -> list[Cell]:
    """A habitat with the most free cells around it."""
    return [(step[0] * i, step[1] * i) for i in range(1, tiles + 1)]


def comb(tiles: int) -> list[Cell]:
    """Every other tile of a line has one above it."""
    return [(2 * (i // 3) + min(i % 3, 1), -(i % 3 == 2)) for i in range(1, tiles + 1)]


def block(tiles: int) -> list[Cell]:
    """A habitat with many complete icons."""
    cells = [(x, y) for x in range(-9, 10) for y in range(-9, 10)]
    return sorted(cells, key=lambda cell: abs(cell[0]) + abs(cell[1]))[1 : tiles + 1]


def scene(icon: str, *shapes: list[Cell], rng: random.Random, turn: int = 0, **rules: bool) -> QuickReference:
    """A take of a seat, in a game where all tiles fit everywhere and many manatees lie about."""
    catalogue: dict[str, Any] = house("heart") | {
        "tiles": [{"count": TILES, "edges": [icon] * 4}],
        "starting_tiles": [{"edges": [icon] * 4}] * 4,
    }
    game = QuickReference(catalogue, len(shapes), rules)
    game.start(turn)
    for habitat, shape in zip(game.habitats, shapes, strict=True):
        for cell in shape:
            habitat.lay(cell, 0, [icon] * 4, 0)
    left = TILES - sum(map(len, shapes))
    for column in game.columns:
        column += [0] * min(COLUMN_SIZE, left)
        left -= len(column)
    game.pile = [left]
    for _ in range(OPEN_PHOTOS):
        kind = rng.choice([kind for kind, count in enumerate(game.photo_deck) if count])
        game.photo_deck[kind] -= 1
        game.open_photos.append(kind)
    beds = [(habitat, cell) for habitat in game.habitats for cell in habitat.edges if cell != HOME]
    for habitat, cell in rng.sample(beds, min(game.supply - 1, len(beds) // 2)):
        habitat.manatees[cell] = 1
        game.supply -= 1
    game.die_face, game.refill_column, game.phase = 0, None, "TAKE"
    game.check()
    return game


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("icon", [SWIM, RESCUE])
def test_a_line_of_ninety_tiles_in_every_direction(step: Cell, icon: str) -> None:
    match = HeartMatch(1, scene(icon, [], line(step, TILES - 1), rng=random.Random(1), turn=1))
    end = (TILES * step[0], TILES * step[1])
    for text in ("take 0", f"place {end[0]},{end[1]} r0"):
        match.compare()
        match.probe()
        match.tell(match.decide(1, match.game.parse(text)))
    assert end in match.reference.habitats[1].edges
    match.play()


def sizes(seats: int, rng: random.Random) -> list[int]:
    """One seat has most of the tiles, others few."""
    small = [rng.choice([0, 0, 1, 2, 5]) for _ in range(seats - 1)]
    return [*small, TILES - sum(small) - rng.choice([1, 7, 20])]


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("most", [0, 1, -1])
@pytest.mark.parametrize("shape", ["line", "comb", "block"])
def test_one_seat_has_nearly_all_tiles(seats: int, most: int, shape: str) -> None:
    rng = random.Random(f"{seats} {most} {shape}")
    tiles = sizes(seats, rng)
    tiles[most], tiles[-1] = tiles[-1], tiles[most]
    shapes = [
        line(rng.choice(STEPS), number) if shape == "line" else comb(number) if shape == "comb" else block(number)
        for number in tiles
    ]
    rules = {"repeat_swimmers": rng.random() < 0.5, "starting_tile_blocks": rng.random() < 0.5}
    HeartMatch(seats, scene(rng.choice(ALL_ICONS), *shapes, rng=rng, turn=rng.randrange(seats), **rules)).play()


@pytest.mark.parametrize(
    "tiles", [(44, 45), (29, 29, 29), (22, 22, 22, 22), (84, 0, 5, 0), (0, 0, 88, 1), (1, 0, 0, 88), (0, 5, 0, 84)]
)
def test_lines_have_the_most_free_cells_together(tiles: tuple[int, ...]) -> None:
    shapes = [line(step, number) for step, number in zip(STEPS, tiles, strict=False)]
    match = HeartMatch(sum(tiles), scene(FOOD, *shapes, rng=random.Random(1)))
    match.styles = [lingers] * len(tiles)
    match.play()
    assert match.seen["ended NO_TILES"]

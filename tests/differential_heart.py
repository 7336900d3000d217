"""Random games of heart through the kernel and the reference side by side, compared at every step."""

import copy
import random
from collections.abc import Callable
from typing import Any

from differential import Disagreement, Event, Match, expect, house
from reference.heart import (
    ACTION_PHOTO,
    ACTION_RESCUE,
    ACTION_SHARK,
    ACTION_SWIM,
    ACTIONS,
    ATTRACTIONS,
    BLANK,
    CHANCE,
    DEFAULT_RULES,
    GREEN,
    HOME,
    ICONS,
    OPEN_PHOTOS,
    ORANGE,
    PHOTOS,
    PHOTOS_THAT_END,
    STARTING_TILE_ROOM,
    TILES,
    Cell,
    Habitat,
    ReferenceHeart,
    cell_of,
    neighbours,
    pattern_images,
    text_of,
    turned,
)

from ext.heart import Heart

Entry = dict[str, Any]
AUTOMATIC = {"rescued", "relocated", "reshuffled", "end_triggered", "ended"}
"""Events that follow of themselves from the one before."""


def random_rules(rng: random.Random) -> dict[str, bool]:
    return {option: default != (rng.random() < 0.4) for option, default in DEFAULT_RULES.items()}


# Catalogues rich in everything.


def shares(rng: random.Random, total: int, kinds: int) -> list[int]:
    """A total in so many parts of 1 or more."""
    cuts = sorted(rng.sample(range(1, total), kinds - 1))
    return [high - low for low, high in zip([0, *cuts], [*cuts, total], strict=True)]


def random_tiles(rng: random.Random, palette: list[str], kinds: int) -> list[list[str]]:
    """Edges of different tiles, fewer than asked for when there are no more."""
    found: dict[tuple[str, ...], list[str]] = {}
    for _ in range(4 * kinds):
        edges = [rng.choice(palette) for _ in range(4)]
        found.setdefault(min(tuple(turned(edges, r)) for r in range(4)), edges)
    return list(found.values())[:kinds]


def random_pattern(rng: random.Random, palette: list[str]) -> Entry:
    """Mostly small and connected, now and then of many cells, or of cells that do not touch."""
    cells = [HOME]
    for _ in range(rng.choice([0, 1, 1, 1, 2, 2, 3, 7])):
        near = [cell for cell in neighbours(rng.choice(cells)) if cell not in cells]
        if rng.random() < 0.1:
            near = [cell for cell in [(rng.randint(-2, 2), rng.randint(-2, 2))] if cell not in cells]
        cells += near and [rng.choice(near)]
    return pattern_of(rng, cells, lambda one, other: rng.choice(palette), rng.choice([0, 0, 0, 1, 1, 2]))


def pattern_of(rng: random.Random, cells: list[Cell], icon: Callable[[Cell, Cell], str], manatees: int) -> Entry:
    """A pattern of cells, given as they lie, with some of the icons between them demanded."""
    edges = []
    for i, one in enumerate(cells):
        for j, other in enumerate(cells[:i]):
            if other in neighbours(one) and icon(one, other) != BLANK and rng.random() < 0.6:
                first, second = rng.choice([(i, j), (j, i)])
                edges.append({"first_cell": first, "second_cell": second, "icon": icon(one, other)})
    entries = [{"x": x, "y": y} for x, y in cells]
    return {"pattern": {"cells": entries, "edges": edges, "manatees": manatees}}


def random_photo(rng: random.Random, number: int, count: int, requirement: list[Entry]) -> Entry:
    """A photo card like no other: none has as many points."""
    photo: Entry = {"name": f"Photo {number}", "count": count, "colour": GREEN, "points": number + 1}
    if rng.random() < 0.4:
        counted = rng.choice(["ICONS", "MANATEES", "TILES"])
        scoring: Entry = {"counted": f"HEART_COUNTED_{counted}", "per": rng.randint(1, 3)}
        if counted == "ICONS":
            scoring["icon"] = rng.choice(ICONS)
        photo |= {"colour": ORANGE, "scoring": scoring}
    return photo | {"requirement": requirement}


def random_requirement(rng: random.Random, palette: list[str]) -> list[Entry]:
    return [
        {"icons": {"icon": rng.choice(palette), "at_least": rng.choice([1, 1, 2, 3])}}
        if rng.random() < 0.4
        else random_pattern(rng, palette)
        for _ in range(rng.choice([0, 1, 1, 1, 2, 3]))
    ]


def random_faces(rng: random.Random) -> list[Entry]:
    sets = {tuple(sorted(rng.sample(ATTRACTIONS, rng.choice([1, 2, 2, 3])))) for _ in range(rng.randint(1, 5))}
    faces: list[Entry] = [{"count": rng.randint(1, 2), "attractions": list(icons)} for icons in sorted(sets)]
    return [*faces, {"count": rng.randint(1, 3), "relocate": True}]


def random_catalogue(rng: random.Random) -> Entry:
    """Few icons, so that much fits; or many tiles with icons that no tile else has, which mostly fit nowhere."""
    palette = rng.sample(ICONS, rng.randint(1, 5))
    tiles = random_tiles(rng, palette + [BLANK] * rng.choice([0, 1, len(palette)]), rng.choice([1, 5, 20, 60]))
    counts = shares(rng, TILES, len(tiles))
    if len(palette) < 5 and rng.random() < 0.5:
        tiles = tiles[:20]
        strange = random_tiles(rng, [icon for icon in ICONS if icon not in palette], rng.choice([1, 4, 12]))
        homely = rng.randint(len(tiles), rng.choice([25, 65]))
        counts = shares(rng, homely, len(tiles)) + shares(rng, TILES - homely, len(strange))
        tiles += strange
    photos = [
        random_photo(rng, i, count, random_requirement(rng, palette))
        for i, count in enumerate(shares(rng, PHOTOS, rng.randint(1, PHOTOS)))
    ]
    starts = random_tiles(rng, palette, 4)
    return {
        "id": "random",
        "about": "For tests.",
        "tiles": [{"count": count, "edges": edges} for count, edges in zip(counts, tiles, strict=True)],
        "starting_tiles": [{"edges": rng.choice(starts)} for _ in range(4)],
        "photos": photos,
        "die_faces": random_faces(rng),
        "actions": rng.sample(ACTIONS, 4),
    }


def cut_photos(rng: random.Random, catalogue: Entry, habitats: list[Habitat]) -> Entry:
    """The catalogue with patterns cut out of habitats, turned and mirrored: many match, some do not."""
    catalogue = copy.deepcopy(catalogue)
    for number, photo in enumerate(catalogue["photos"]):
        cut = cut_pattern(rng, rng.choice(habitats))
        photo["points"] = number + 1
        photo["requirement"] = [cut, *random_requirement(rng, [rng.choice(ICONS)])[: rng.random() < 0.1]]
    return catalogue


def cut_pattern(rng: random.Random, habitat: Habitat) -> Entry:
    cells = [rng.choice(habitat.cells())]
    for _ in range(rng.choice([0, 1, 2, 3, 5, 7])):
        beside = {other for cell in cells for other in neighbours(cell)}
        near = [c for c in habitat.cells() if c not in cells and within_reach([*cells, c])]
        near = [c for c in near if c in beside] if rng.random() < 0.9 else near
        cells += near and [rng.choice(near)]
    wrong = rng.random() < 0.15
    there = sum(habitat.manatees[cell] for cell in cells)
    cut = pattern_of(
        rng,
        cells,
        lambda one, other: rng.choice(ICONS) if wrong else habitat.complete(one, other),
        rng.choice([0, there, there, there + 1]),
    )
    image = rng.choice(pattern_images(cells, True))
    left, top = min(x for x, _ in image), min(y for _, y in image)
    cut["pattern"]["cells"] = [{"x": x - left, "y": y - top} for x, y in image]
    return cut


def within_reach(cells: list[Cell]) -> bool:
    """Whether cells can be those of one pattern: at most 8 apart."""
    return all(max(axis) - min(axis) <= 8 for axis in zip(*cells, strict=True))


# Styles of play, so that every end and every shortage comes: which moves a seat likes.


def action_of(match: "HeartMatch", notation: str) -> str | None:
    """The action that a normal take leads to."""
    word, *rest = notation.split()
    return match.reference.actions[int(rest[0])] if word == "take" and not match.reference.bonus else None


def fits(match: "HeartMatch", seat: int, notation: str) -> bool:
    """Whether the tile that is taken fits somewhere."""
    reference = match.reference
    tile = reference.columns[int(notation.split()[1])][0]
    habitat, edges = reference.habitats[seat], reference.tiles[tile]["edges"]
    beside = {other for cell in habitat.edges for other in neighbours(cell)}
    return any(habitat.fits(cell, turned(edges, r)) for cell in beside for r in range(4))


def lingers(match: "HeartMatch", seat: int, notation: str) -> bool:
    """Does what does not end the game, and places tiles."""
    return not notation.startswith("photo") and action_of(match, notation) in (None, ACTION_SWIM, ACTION_SHARK)


def rescues(match: "HeartMatch", seat: int, notation: str) -> bool:
    """Rescues while the starting tile has room, and swims away from there."""
    if notation.startswith("take"):
        room = match.reference.habitats[seat].manatees[HOME] < STARTING_TILE_ROOM - 1
        return action_of(match, notation) in (None, ACTION_RESCUE if room else ACTION_SWIM)
    return notation != "decline" and (not notation.startswith("swim") or notation.startswith("swim 0,0"))


def collects(match: "HeartMatch", seat: int, notation: str) -> bool:
    """Takes photo cards, but waits with the fifth until every seat has four."""
    held = [len(taken) for taken in match.reference.photos_taken]
    if held[seat] >= PHOTOS_THAT_END - 1 > min(held):
        return lingers(match, seat, notation)
    return notation != "decline" and action_of(match, notation) in (None, ACTION_PHOTO)


def hurries(match: "HeartMatch", seat: int, notation: str) -> bool:
    """Takes every photo card."""
    return notation != "decline" and action_of(match, notation) in (None, ACTION_PHOTO)


def wastes(match: "HeartMatch", seat: int, notation: str) -> bool:
    """Takes tiles that fit nowhere."""
    return not notation.startswith("take") or not fits(match, seat, notation)


def hunts(match: "HeartMatch", seat: int, notation: str) -> bool:
    """Has the shark, but in a shortage leaves it the last tile, behind which no bonus is to be found."""
    scarce = sum(map(len, match.reference.columns)) < 6
    return notation != "decline" and (action_of(match, notation) in (None, ACTION_SHARK)) != scarce


def wanders(match: "HeartMatch", seat: int, notation: str) -> bool:
    return True


Style = Callable[["HeartMatch", int, str], bool]
# In the final turns everybody wanders.
STYLES: list[Style] = [lingers, rescues, rescues, collects, collects, hurries, wastes, wastes, hunts, hunts, wanders]


class QuickReference(ReferenceHeart):
    """The reference, which lists the moves of a position once."""

    def __init__(self, catalogue: Entry, seats: int, rules: dict[str, Any]) -> None:
        super().__init__(catalogue, seats, rules)
        self.listed: dict[int, list[str]] = {}

    def moves(self, seat: int) -> list[str]:
        if seat not in self.listed:
            self.listed[seat] = super().moves(seat)
        return self.listed[seat]

    def play(self, seat: int, notation: str) -> list[Event]:
        events = super().play(seat, notation)
        self.listed = {}
        return events

    def happen(self, outcome: str) -> list[Event]:
        self.listed = {}
        return super().happen(outcome)

    def change_photos(self, catalogue: Entry) -> None:
        self.listed = {}
        self.catalogue, self.photos = catalogue, catalogue["photos"]


class HeartMatch(Match):
    """One game of heart in both implementations, from the start or from a position of the reference."""

    game: Heart
    reference: QuickReference
    read_back = 0.3

    def __init__(self, number: int, position: QuickReference | None = None) -> None:
        super().__init__(number)
        rng = self.rng
        if position is None:
            catalogue = house("heart") if rng.random() < 0.3 else random_catalogue(rng)
            position = QuickReference(catalogue, self.seats, random_rules(rng))
            position.start()
        self.reference, self.seats = position, position.seats
        self.watcher = rng.randrange(self.seats)
        self.told: list[Event] = []
        self.greed = rng.choice([0.0, 0.0, 0.5, 0.9])
        style = rng.choice(STYLES)
        self.styles = [style if rng.random() < 0.85 else rng.choice(STYLES) for _ in range(self.seats)]
        self.take_up()

    def take_up(self) -> None:
        """The kernel reads the reference's position, with its catalogue."""
        self.game = Heart(self.seats, self.reference.catalogue, self.reference.rules)
        self.state = self.game.load(self.reference.position())
        self.kept = self.game.load_observation(self.reference.observe(self.watcher))

    def pending(self) -> list[int]:
        return [seat for seat in range(self.seats) if seat == self.reference.turn]

    def play(self) -> None:
        if self.reference.phase == "DRAW_FIRST":
            self.state = self.game.start()
        self.compare()
        while not self.reference.over:
            if self.reference.turn == CHANCE:
                self.chance()
            else:
                if self.rng.random() < 0.5:
                    self.probe()
                self.move(self.reference.turn)
            self.compare()
            if self.reference.phase == "PLACE" and self.due() == ACTION_PHOTO and self.rng.random() < 0.3:
                self.recut()
        self.hear()
        self.seen["fewer photos open"] += len(self.reference.open_photos) < OPEN_PHOTOS

    def due(self) -> str | None:
        """The action of this turn, if it is not a bonus that is due."""
        column = self.reference.action_column
        return None if column is None or self.reference.bonus else self.reference.actions[column]

    def chance(self) -> None:
        game, state = self.game, self.state
        offered = game.outcomes(state)
        named = [(game.outcome_notation(outcome), weight) for outcome, weight in offered]
        expect("outcomes", named, list((self.reference.chance() or {}).items()))
        if game.draw(state, self.rng.getrandbits(64), 0) not in dict(offered):
            raise Disagreement("an outcome is drawn that is not offered")
        [(outcome, _)] = self.rng.choices(offered, [weight for _, weight in offered])
        expect("outcome read back", game.parse_outcome(game.outcome_notation(outcome)), outcome)
        self.state = game.happen(state, outcome)
        events = self.reference.happen(game.outcome_notation(outcome))
        expect("chance events", game.chance_events(state, outcome, self.state), events)
        self.tell(events)

    def move(self, seat: int) -> None:
        """A move in the seat's style; its client commits it, or is told of it like the others."""
        rng, game = self.rng, self.game
        moves = game.moves(self.state, seat)
        gains = game.priors(self.state, seat)
        expect("a gain a move", len(gains), len(moves))
        style = self.styles[seat] if self.reference.trigger_seat is None else wanders
        liked = [move for move in moves if style(self, seat, game.notation(move))]
        move = rng.choice(liked if liked and rng.random() < 0.9 else moves)
        if rng.random() < self.greed:
            move = max((gain, move) for gain, move in zip(gains, moves, strict=True) if move in (liked or moves))[1]
        before, due = self.reference.clone(), self.due()
        if seat == self.watcher and rng.random() < 0.5:
            self.hear()
            self.kept = game.commit(self.kept, move)
            self.note(self.decide(seat, move))
            self.check_kept()
        else:
            self.tell(self.decide(seat, move))
        if before.phase == "PLACE" and due == ACTION_SHARK and self.reference.phase == "ROLL_DIE":
            self.seen["shark with nowhere to go"] += not before._shark_tiles(seat)

    def note(self, events: list[Event]) -> None:
        for event in events:
            [(name, told)] = event.items()
            self.seen[f"{name} {told['reason']}" if "reason" in told else name] += 1
            self.seen["rescued none"] += name == "rescued" and told["manatees"] == 0

    def tell(self, events: list[Event]) -> None:
        """The client is told sooner or later; what follows of itself it may not be told at all."""
        self.note(events)
        self.told += [event for event in events if not (event.keys() <= AUTOMATIC and self.rng.random() < 0.3)]
        if self.rng.random() < 0.5:
            self.hear()

    def hear(self) -> None:
        self.kept = self.game.report(self.kept, self.told)
        self.told = []
        self.check_kept()

    def probe(self) -> None:
        """Moves that may be legal or not, and placements that look like others."""
        rng, game, reference = self.rng, self.game, self.reference
        seat = reference.turn
        habitat = reference.habitats[rng.choice([seat, seat, rng.randrange(self.seats)])]
        cells = [*habitat.cells(), *(other for cell in habitat.cells() for other in neighbours(cell))]
        one, other, far = rng.choice(cells), rng.choice(cells), (rng.randint(-90, 90), rng.randint(-90, 90))
        listed = [cell_of(move.split()[1]) for move in reference.moves(seat)[:2] if move.startswith("place")]
        tried = [f"place {text_of(cell)} r{r}" for cell in (one, far, *listed) for r in range(4)]
        tried += [f"swim {text_of(a)} {text_of(b)}" for a, b in ((one, other), (HOME, one), (one, HOME), (far, one))]
        tried += [f"shark {rng.randrange(4)}:{text_of(cell)}" for cell in (HOME, one, other, far)]
        tried += [f"photo {kind}" for kind in (*reference.open_photos, rng.randrange(PHOTOS))]
        for text in [*tried, "take 0", "take 1", "take 2", "take 3", "discard", "decline"]:
            move = game.parse(text)
            legal = reference.legal(seat, text)
            expect(f"{text} is legal", game.legal(self.state, seat, move), legal)
            expect("legal for another", game.legal(self.state, (seat + 1) % self.seats, move), False)
            if legal:
                expect(text, game.notation(game.canonical(self.state, seat, move)), reference.canonical(seat, text))

    def recut(self) -> None:
        """The game goes on with other photo cards, as many of each kind."""
        self.hear()
        self.reference.change_photos(cut_photos(self.rng, self.reference.catalogue, self.reference.habitats))
        self.take_up()
        self.compare()

"""I Heart Manatees, written to be read next to the decided rules (heart-1 to heart-23).

Nothing here is fast. Icons are counted by looking at every tile again, swims are found by flooding the habitat,
patterns by trying every image at every place, and legal placements by trying every cell and every rotation.
"""

from __future__ import annotations

import re
from typing import Any

Cell = tuple[int, int]
Event = dict[str, Any]

BLANK = "HEART_ICON_BLANK"
FOOD = "HEART_ICON_FOOD"
DIVER = "HEART_ICON_DIVER"
FISH = "HEART_ICON_FISH"
CORAL = "HEART_ICON_CORAL"
RESCUE = "HEART_ICON_RESCUE"
SWIM = "HEART_ICON_SWIM"
ATTRACTIONS = (DIVER, FISH, CORAL)
ICONS = (FOOD, DIVER, FISH, CORAL, RESCUE, SWIM)

ACTION_RESCUE = "HEART_ACTION_RESCUE"
ACTION_SWIM = "HEART_ACTION_SWIM"
ACTION_PHOTO = "HEART_ACTION_PHOTO"
ACTION_SHARK = "HEART_ACTION_SHARK"
ACTIONS = (ACTION_RESCUE, ACTION_SWIM, ACTION_PHOTO, ACTION_SHARK)

GREEN = "HEART_COLOUR_GREEN"
ORANGE = "HEART_COLOUR_ORANGE"

TILES = 90
MANATEES = 30
PHOTOS = 24
COLUMNS = 4
COLUMN_SIZE = 3
OPEN_PHOTOS = 4
STARTING_TILES = 4
STARTING_TILE_ROOM = 4
PHOTOS_THAT_END = 5

HOME: Cell = (0, 0)  # The starting tile's cell.
START = -1  # Stands for a kind of tile where the starting tile lies.

CHANCE = -1
OVER = -2

# The side steps in the order of the edges: north, east, south, west; y points down.
STEPS: list[Cell] = [(0, -1), (1, 0), (0, 1), (-1, 0)]

DEFAULT_RULES: dict[str, bool] = {
    "reshuffle_discards": True,  # heart-7
    "repeat_swimmers": False,  # heart-10
    "swims_mandatory": False,  # heart-10
    "starting_tile_blocks": False,  # heart-11
    "orange_needs_requirement": True,  # heart-12
    "mirror_patterns": False,  # heart-13
    "bonus_tile_optional": False,  # heart-16
}

PLACE_TEXT = re.compile(r"place (-?[0-9]+),(-?[0-9]+) r([0-3])")


def by_row(cell: Cell) -> tuple[int, int]:
    """Return the key that sorts cells by row, then column."""
    x, y = cell
    return (y, x)


def text_of(cell: Cell) -> str:
    """Return a cell as notations write it."""
    return f"{cell[0]},{cell[1]}"


def cell_of(text: str) -> Cell:
    """Return the cell that a notation writes."""
    x, y = text.split(",")
    return (int(x), int(y))


def cell_entry(cell: Cell) -> dict[str, int]:
    """Return a cell as positions and events hold it."""
    return {"x": cell[0], "y": cell[1]}


def count_of(entry: dict[str, Any]) -> int:
    """Return the count of a kind in the catalogue; an absent one is 1."""
    return int(entry.get("count", 1))


def neighbours(cell: Cell) -> list[Cell]:
    """Return the four cells that share an edge with a cell, in the order of its edges."""
    return [(cell[0] + dx, cell[1] + dy) for dx, dy in STEPS]


def turned(edges: list[str], rotation: int) -> list[str]:
    """Return the edges of a tile after so many clockwise quarter turns: what was north is then east (heart-4)."""
    for _ in range(rotation):
        edges = [edges[3], edges[0], edges[1], edges[2]]
    return edges


def fewest_turns(edges: list[str], rotation: int) -> int:
    """Return the fewest turns that make a tile look as `rotation` does (heart-4)."""
    for fewer in range(rotation):
        if turned(edges, fewer) == turned(edges, rotation):
            return fewer
    return rotation


def pattern_images(cells: list[Cell], mirror_patterns: bool) -> list[list[Cell]]:
    """Return a pattern's cells in each of its 4 rotations, or 8 with mirror images (heart-13).

    The cells of an image keep the order of the pattern's cells.
    """
    starts = [cells]
    if mirror_patterns:
        starts.append([(-x, y) for x, y in cells])
    images = []
    for start in starts:
        image = start
        for _ in range(4):
            images.append(image)
            image = [(-y, x) for x, y in image]
    return images


class Habitat:
    """The tiles and manatees of one seat."""

    def __init__(self, starting_edges: list[str]) -> None:
        """Begin with the starting tile, unturned, and one manatee on it (heart-2)."""
        self.edges: dict[Cell, list[str]] = {HOME: starting_edges}  # As they lie, turned.
        self.kinds: dict[Cell, int] = {HOME: START}
        self.rotations: dict[Cell, int] = {HOME: 0}
        self.manatees: dict[Cell, int] = {HOME: 1}

    def clone(self) -> Habitat:
        """Return a copy."""
        other = Habitat.__new__(Habitat)
        other.edges = dict(self.edges)
        other.kinds = dict(self.kinds)
        other.rotations = dict(self.rotations)
        other.manatees = dict(self.manatees)
        return other

    def lay(self, cell: Cell, kind: int, edges: list[str], rotation: int) -> None:
        """Put a tile, whose printed edges are given, on a free cell."""
        self.edges[cell] = turned(edges, rotation)
        self.kinds[cell] = kind
        self.rotations[cell] = rotation
        self.manatees[cell] = 0

    def cells(self) -> list[Cell]:
        """Return the cells with a tile, by row, then column."""
        return sorted(self.edges, key=by_row)

    def fits(self, cell: Cell, edges: list[str]) -> bool:
        """Tell whether a tile with these edges may lie on a cell: free, beside a tile, all touching edges equal."""
        if cell in self.edges:
            return False
        touching = 0
        for side, other in enumerate(neighbours(cell)):
            if other in self.edges:
                touching += 1
                # The other tile's side that faces this one. Blank fits blank only (heart-5).
                if self.edges[other][(side + 2) % 4] != edges[side]:
                    return False
        return touching > 0  # Corners do not count (heart-4).

    def complete(self, one: Cell, other: Cell) -> str:
        """Return the icon on the edge that two cells share, BLANK if there is none.

        An icon is one shared edge (heart-19).
        """
        if one not in self.edges or other not in self.edges:
            return BLANK
        side = neighbours(one).index(other)
        return self.edges[one][side]

    def icons_on(self, cell: Cell, icon: str) -> int:
        """Return how many complete icons of a kind a tile has on its edges."""
        return sum(self.complete(cell, other) == icon for other in neighbours(cell))

    def icons(self, icon: str) -> int:
        """Return how many complete icons of a kind the habitat has; the shark hinders none of them (heart-18)."""
        # Seen from the tile on either side, so every icon twice.
        return sum(self.icons_on(cell, icon) for cell in self.edges) // 2

    def manatee_count(self) -> int:
        """Return how many manatees there are."""
        return sum(self.manatees.values())

    def has_pattern(self, pattern: dict[str, Any], mirror_patterns: bool) -> bool:
        """Tell whether a pattern lies somewhere in the habitat, the starting tile included (heart-13)."""
        cells = [(int(cell.get("x", 0)), int(cell.get("y", 0))) for cell in pattern["cells"]]
        for image in pattern_images(cells, mirror_patterns):
            # The image's first cell lies on some tile: trying each in turn tries every place that can match.
            for tile_x, tile_y in self.edges:
                shift_x = tile_x - image[0][0]
                shift_y = tile_y - image[0][1]
                place = [(x + shift_x, y + shift_y) for x, y in image]
                if any(cell not in self.edges for cell in place):
                    continue
                # Named inner edges must have their icon; outer ones, and inner ones without a name, are irrelevant.
                edges_hold = True
                for edge in pattern.get("edges", []):
                    one = place[int(edge.get("first_cell", 0))]
                    other = place[int(edge.get("second_cell", 0))]
                    if self.complete(one, other) != edge["icon"]:
                        edges_hold = False
                manatees = sum(self.manatees[cell] for cell in place)
                if edges_hold and manatees >= int(pattern.get("manatees", 0)):
                    return True
        return False

    def meets(self, requirement: list[dict[str, Any]], mirror_patterns: bool) -> bool:
        """Tell whether all demands of a requirement hold; an empty one is met (heart-13)."""
        for demand in requirement:
            if "icons" in demand:
                if self.icons(demand["icons"]["icon"]) < int(demand["icons"].get("at_least", 1)):
                    return False
            elif not self.has_pattern(demand["pattern"], mirror_patterns):
                return False
        return True

    def photo_points(self, photo: dict[str, Any]) -> int:
        """Return what a photo card is worth with this habitat (heart-12, heart-13)."""
        points = int(photo["points"])
        if photo["colour"] == GREEN:
            return points
        scoring = photo["scoring"]
        if scoring["counted"] == "HEART_COUNTED_ICONS":
            count = self.icons(scoring["icon"])
        elif scoring["counted"] == "HEART_COUNTED_MANATEES":
            count = self.manatee_count()
        else:
            count = len(self.edges)  # The starting tile is one.
        return points * (count // int(scoring.get("per", 1)))

    def happy_points(self) -> int:
        """Return the points of manatees beside food.

        Each manatee scores each complete food icon on its tile: one icon serves the manatees on both its sides, and
        every manatee on the starting tile scores that tile's icons (heart-19).
        """
        return sum(manatees * self.icons_on(cell, FOOD) for cell, manatees in self.manatees.items())

    def reachable(self, origin: Cell, shark: Cell | None, starting_tile_blocks: bool) -> set[Cell]:
        """Return the tiles to which the manatee on `origin` can swim (heart-11)."""
        reached = {origin}  # Leaving is always allowed.
        grown = True
        while grown:
            grown = False
            for cell in list(reached):
                for other in neighbours(cell):
                    if other in reached or other not in self.edges or other == shark:
                        continue
                    room = STARTING_TILE_ROOM if other == HOME and not starting_tile_blocks else 1
                    if self.manatees[other] < room:
                        reached.add(other)
                        grown = True
        reached.remove(origin)  # A swim goes to another tile (heart-10).
        return reached


class ReferenceHeart:
    """One game, seen by the referee. Call `start` before anything else, then `happen` while it is chance's turn."""

    def __init__(self, catalogue: dict[str, Any], seats: int, rules: dict[str, Any]) -> None:
        """Take up the components (heart-1, heart-2)."""
        if not 2 <= seats <= 4:
            raise ValueError("2 to 4 players (heart-1)")
        for key in rules:
            if key not in DEFAULT_RULES:
                raise ValueError(f"unknown rule option {key!r}")
        self.rules: dict[str, bool] = {**DEFAULT_RULES, **rules}
        self.seats = seats

        # The catalogue (heart-2). A kind's id is its index.
        self.catalogue = catalogue
        self.tiles: list[dict[str, Any]] = catalogue["tiles"]
        self.photos: list[dict[str, Any]] = catalogue["photos"]
        self.die_faces: list[dict[str, Any]] = catalogue["die_faces"]
        self.actions: list[str] = catalogue["actions"]
        if sum(count_of(tile) for tile in self.tiles) != TILES:
            raise ValueError("90 tiles")
        if len(catalogue["starting_tiles"]) != STARTING_TILES:
            raise ValueError("4 starting tiles")
        if sum(count_of(photo) for photo in self.photos) != PHOTOS:
            raise ValueError("24 photo cards")
        if sorted(self.actions) != sorted(ACTIONS):
            raise ValueError("each action has exactly one column (heart-2)")
        for one in range(len(self.tiles)):
            for other in range(one):
                if any(turned(self.tiles[one]["edges"], r) == self.tiles[other]["edges"] for r in range(4)):
                    raise ValueError(f"tile kinds {other} and {one} are rotations of each other (heart-4)")
        for face in self.die_faces:
            attractions = face.get("attractions", [])
            if bool(face.get("relocate", False)) == bool(attractions) or any(a not in ATTRACTIONS for a in attractions):
                raise ValueError("a die face is Relocate or a set of attractions (heart-3)")
        # Equal components are one kind.
        for name, kinds in (("photo cards", self.photos), ("die faces", self.die_faces)):
            bare = [{key: kind[key] for key in kind if key not in ("name", "count")} for kind in kinds]
            if any(bare[i] == bare[j] for i in range(len(bare)) for j in range(i)):
                raise ValueError(f"two kinds of {name} are equal")

        self._clear()

    def _clear(self) -> None:
        """Put everything where it is before the first draw."""
        # Orders that nobody knows are not kept: pile, discards and deck are how many there are of each kind.
        self.pile = [count_of(tile) for tile in self.tiles]
        self.discards = [0 for _ in self.tiles]
        self.columns: list[list[int]] = [[] for _ in range(COLUMNS)]  # The beach end first.
        self.photo_deck = [count_of(photo) for photo in self.photos]
        self.open_photos: list[int] = []
        # Seat s has the s-th starting tile, unturned, without chance, and a manatee on it (heart-2).
        starting_tiles = self.catalogue["starting_tiles"]
        self.habitats = [Habitat(list(starting_tiles[seat]["edges"])) for seat in range(self.seats)]
        self.photos_taken: list[list[int]] = [[] for _ in range(self.seats)]
        self.supply = MANATEES - self.seats
        self.shark: tuple[int, Cell] | None = None  # On the ocean board.
        self.die_face: int | None = None  # Not rolled yet: the game is being set up.

        # What a position carries beside the components (heart-22).
        self.phase = "DRAW_FIRST"
        self.first_player: int | None = None
        self.current: int | None = None  # Whose turn it is, also while chance is at work.
        self.tile_in_hand: int | None = None
        self.action_column: int | None = None
        self.bonus = False
        self.refill_column: int | None = None
        self.swims_left = 0
        self.swum: set[Cell] = set()
        self.swum_on_starting_tile = 0
        self.nothing_placed_since_reshuffle = False  # The first reshuffle never ends the game (heart-23).
        self.trigger_seat: int | None = None
        self.turns_left = 0

    def start(self, first: int | None = None) -> None:
        """Start the game. The first player is given, or else drawn as the first event (heart-1)."""
        self._clear()
        if first is not None:
            if not 0 <= first < self.seats:
                raise ValueError("first player")
            self._begin_setup(first)

    def clone(self) -> ReferenceHeart:
        """Return a copy that can be played on without changing this game."""
        other = ReferenceHeart.__new__(ReferenceHeart)
        other.__dict__.update(self.__dict__)
        other.pile = list(self.pile)
        other.discards = list(self.discards)
        other.columns = [list(column) for column in self.columns]
        other.photo_deck = list(self.photo_deck)
        other.open_photos = list(self.open_photos)
        other.habitats = [habitat.clone() for habitat in self.habitats]
        other.photos_taken = [list(taken) for taken in self.photos_taken]
        other.swum = set(self.swum)
        return other

    # Whose move it is.

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.phase == "OVER"

    @property
    def turn(self) -> int:
        """The seat that decides, CHANCE or OVER."""
        if self.over:
            return OVER
        if self.chance() is not None:
            return CHANCE
        assert self.current is not None
        return self.current

    # Chance, one event at a time.

    def chance(self) -> dict[str, int] | None:
        """Return what may happen next, with its weight; None if it is not chance's turn.

        Equal components are one kind, weighted by its count. A certain draw is still an event.
        """
        if self.phase == "DRAW_FIRST":
            return {f"first {seat}": 1 for seat in range(self.seats)}
        if self.phase == "DRAW_TILE":
            return {f"tile {kind}": count for kind, count in enumerate(self.pile) if count > 0}
        if self.phase == "DRAW_PHOTO":
            return {f"photo {kind}": count for kind, count in enumerate(self.photo_deck) if count > 0}
        if self.phase == "ROLL_DIE":
            return {f"die {kind}": count_of(face) for kind, face in enumerate(self.die_faces)}
        return None

    def happen(self, outcome: str) -> list[Event]:
        """Let one of the outcomes of `chance` happen and return all events that follow."""
        outcomes = self.chance()
        if outcomes is None or outcome not in outcomes:
            raise ValueError(f"{outcome!r} cannot happen")
        word, number = outcome.split()
        kind = int(number)
        events: list[Event] = []
        if word == "first":
            events.append({"first_drawn": {"seat": kind}})
            self._begin_setup(kind)
        elif word == "tile":
            assert self.refill_column is not None
            self.pile[kind] -= 1
            self.columns[self.refill_column].append(kind)  # The first comes to the beach end (heart-7).
            events.append({"tile_drawn": {"tile": kind, "column": self.refill_column}})
            self._refill_or_go_on(events)
        elif word == "photo":
            self.photo_deck[kind] -= 1
            self.open_photos.append(kind)
            events.append({"photo_drawn": {"photo": kind}})
            if self.die_face is not None:
                self._end_turn(events)
            elif len(self.open_photos) == OPEN_PHOTOS:
                self.phase = "ROLL_DIE"
        else:
            in_setup = self.die_face is None
            self.die_face = kind
            events.append({"die_rolled": {"face": kind}})
            if in_setup:
                assert self.first_player is not None
                self._begin_turn(self.first_player, events)
            else:
                self._end_turn(events)
        return events

    def _begin_setup(self, first: int) -> None:
        """Go on to the setup's draws: columns left to right, four photos, the die (heart-2)."""
        self.first_player = first
        self.current = first
        self.refill_column = 0
        self.phase = "DRAW_TILE"

    def _tiles_to_draw(self) -> bool:
        """Tell whether a tile can be drawn, perhaps after a reshuffle (heart-7)."""
        return sum(self.pile) > 0 or (self.rules["reshuffle_discards"] and sum(self.discards) > 0)

    def _refill_or_go_on(self, events: list[Event]) -> None:
        """Draw the next tile for `refill_column`; when it has three, or no tile is left, go on."""
        assert self.refill_column is not None
        column = self.columns[self.refill_column]
        if len(column) < COLUMN_SIZE and self._tiles_to_draw():
            if sum(self.pile) == 0:
                # A reshuffle falls due.
                if self.nothing_placed_since_reshuffle:
                    # Not a second one without a placement between them (heart-23).
                    self._end_game("NOTHING_PLACED", events)
                    return
                # The tile in hand is not among the discards (heart-7).
                events.append({"reshuffled": {"tiles": sum(self.discards)}})
                self.pile = self.discards
                self.discards = [0 for _ in self.tiles]
                self.nothing_placed_since_reshuffle = True
            self.phase = "DRAW_TILE"
            return

        filled = self.refill_column
        self.refill_column = None
        if self.die_face is None:
            # Setup: the next column, and after the last the photos (heart-2).
            if filled + 1 < COLUMNS:
                self.refill_column = filled + 1
                self.phase = "DRAW_TILE"
            else:
                self.phase = "DRAW_PHOTO"
        elif self.tile_in_hand is not None:
            self.phase = "PLACE"  # The refill came before the placement (heart-7).
        else:
            self._refill_at_start_of_turn(events)

    # The turn.

    def _begin_turn(self, seat: int, events: list[Event]) -> None:
        self.current = seat
        self._refill_at_start_of_turn(events)

    def _refill_at_start_of_turn(self, events: list[Event]) -> None:
        """Refill columns that stayed empty, the lowest first, then ask for the take (heart-7, heart-8)."""
        empty = [column for column in range(COLUMNS) if not self.columns[column]]
        if empty and self._tiles_to_draw():
            self.refill_column = empty[0]
            self._refill_or_go_on(events)
        elif len(empty) == COLUMNS:
            self._end_game("NO_TILES", events)  # Final turns included (heart-8).
        else:
            self.phase = "TAKE"

    def _end_turn(self, events: list[Event]) -> None:
        assert self.current is not None
        self._clear_turn()
        if self.trigger_seat is not None:
            if self.turns_left == 0:
                self._end_game("LAST_TURN", events)
                return
            self.turns_left -= 1
        self._begin_turn((self.current + 1) % self.seats, events)

    def _clear_turn(self) -> None:
        """Forget what belongs to one turn, but not a tile in hand."""
        self.action_column = None
        self.bonus = False
        self.refill_column = None
        self._clear_swims()

    def _clear_swims(self) -> None:
        self.swims_left = 0
        self.swum = set()
        self.swum_on_starting_tile = 0

    def _trigger_end(self, reason: str, events: list[Event]) -> None:
        """Trigger the end: each seat has one more turn after this one, the present seat the last (heart-20)."""
        assert self.current is not None
        if self.trigger_seat is not None:
            return  # Later triggers change nothing.
        self.trigger_seat = self.current
        self.turns_left = self.seats
        events.append({"end_triggered": {"seat": self.current, "reason": reason}})

    def _end_game(self, reason: str, events: list[Event]) -> None:
        """End the game at once. A tile in hand stays there, unscored; action and die lapse (heart-23)."""
        self._clear_turn()
        self.phase = "OVER"
        events.append({"ended": {"reason": reason}})

    # Decisions.

    def moves(self, seat: int) -> list[str]:
        """Return a seat's legal moves, one for each position that they lead to, none if it owes none.

        In canonical order: takes by column; placements by row, column, rotation; swims by row and column of the
        origin, then of the destination; photos by kind; shark moves by seat, row, column; "decline" last.
        """
        if seat not in range(self.seats) or self.turn != seat:
            return []
        moves: list[str]
        if self.phase == "TAKE":
            moves = [f"take {column}" for column in range(COLUMNS) if self.columns[column]]
            if self.bonus and self.rules["bonus_tile_optional"]:
                moves.append("decline")  # Otherwise the bonus is mandatory (heart-16).
            return moves
        if self.phase == "PLACE":
            # What fits anywhere must be placed (heart-6).
            return self._placements(seat) or ["discard"]
        if self.phase == "SWIM":
            moves = self._swims(seat)
            if not self.rules["swims_mandatory"]:
                moves.append("decline")  # heart-10
            return moves
        if self.phase == "PHOTO":
            return [f"photo {kind}" for kind in self._photos_to_take(seat)] + ["decline"]  # heart-13
        assert self.phase == "SHARK"
        return [f"shark {host}:{text_of(cell)}" for host, cell in self._shark_tiles(seat)]

    def _placements(self, seat: int) -> list[str]:
        """Return every placement of the tile in hand, by trying every cell and every distinct rotation (heart-4)."""
        assert self.tile_in_hand is not None
        habitat = self.habitats[seat]
        edges = self.tiles[self.tile_in_hand]["edges"]
        beside = set()
        for cell in habitat.cells():
            beside.update(neighbours(cell))
        distinct = [rotation for rotation in range(4) if fewest_turns(edges, rotation) == rotation]
        moves = []
        for cell in sorted(beside, key=by_row):
            for rotation in distinct:
                if habitat.fits(cell, turned(edges, rotation)):
                    moves.append(f"place {text_of(cell)} r{rotation}")
        return moves

    def _swims(self, seat: int) -> list[str]:
        """Return every swim, told by its two cells, not by its path (heart-10, heart-11)."""
        habitat = self.habitats[seat]
        shark = None
        if self.shark is not None and self.shark[0] == seat:
            shark = self.shark[1]
        moves: list[str] = []
        for origin in habitat.cells():
            able = habitat.manatees[origin]
            if origin == HOME:
                able -= self.swum_on_starting_tile  # Manatees there are alike (heart-10).
            elif origin in self.swum:
                able = 0
            if able > 0:
                reached = habitat.reachable(origin, shark, self.rules["starting_tile_blocks"])
                moves.extend(f"swim {text_of(origin)} {text_of(to)}" for to in sorted(reached, key=by_row))
        return moves

    def _photos_to_take(self, seat: int) -> list[int]:
        """Return the open kinds of photo card whose requirement the habitat meets (heart-12)."""
        kinds = []
        for kind in sorted(set(self.open_photos)):  # Equal ones are one move.
            photo = self.photos[kind]
            free = photo["colour"] == ORANGE and not self.rules["orange_needs_requirement"]
            if free or self.habitats[seat].meets(photo.get("requirement", []), self.rules["mirror_patterns"]):
                kinds.append(kind)
        return kinds

    def _shark_tiles(self, seat: int) -> list[tuple[int, Cell]]:
        """Return where a seat may move the shark (heart-14)."""
        tiles = []
        for host in range(self.seats):
            if host == seat:
                continue
            for cell in self.habitats[host].cells():
                if cell != HOME and self.habitats[host].manatees[cell] == 0 and self.shark != (host, cell):
                    tiles.append((host, cell))
        return tiles

    def canonical(self, seat: int, notation: str) -> str:
        """Return the move of `moves` that leads to the same position as a legal notation."""
        move = notation
        placement = PLACE_TEXT.fullmatch(notation)
        if placement is not None and self.phase == "PLACE":
            assert self.tile_in_hand is not None
            x, y, turns = placement.groups()
            # A rotation that looks the same is the same move (heart-4).
            move = f"place {x},{y} r{fewest_turns(self.tiles[self.tile_in_hand]['edges'], int(turns))}"
        if move not in self.moves(seat):
            raise ValueError(f"seat {seat} may not play {notation!r}")
        return move

    def legal(self, seat: int, notation: str) -> bool:
        """Tell whether a notation is a rules-legal way to say a move."""
        try:
            self.canonical(seat, notation)
        except ValueError:
            return False
        return True

    def play(self, seat: int, notation: str) -> list[Event]:
        """Make a seat's move and return what happens up to the next decision or chance event."""
        word, *rest = self.canonical(seat, notation).split()
        events: list[Event] = []
        if word == "take":
            self._take(seat, int(rest[0]), events)
        elif word == "place":
            self._place(seat, cell_of(rest[0]), int(rest[1].removeprefix("r")), events)
        elif word == "discard":
            self._discard(seat, events)
        elif word == "swim":
            self._swim(seat, cell_of(rest[0]), cell_of(rest[1]), events)
        elif word == "photo":
            self._take_photo(seat, int(rest[0]), events)
        elif word == "shark":
            host, cell = rest[0].split(":")
            self._move_shark(seat, int(host), cell_of(cell), events)
        else:
            events.append({"declined": {"seat": seat}})
            if self.bonus:
                self._roll_die()
            else:
                self._end_turn(events)  # Of swims, no more of them (heart-10).
        return events

    def _take(self, seat: int, column: int, events: list[Event]) -> None:
        tile = self.columns[column].pop(0)  # The beach end.
        self.tile_in_hand = tile
        events.append({"taken": {"seat": seat, "column": column, "tile": tile}})
        if not self.bonus:
            self.action_column = column
        self.phase = "PLACE"
        if not self.columns[column]:
            # Refilled at once; a column with one or two tiles is never topped up (heart-7).
            self.refill_column = column
            self._refill_or_go_on(events)

    def _place(self, seat: int, cell: Cell, rotation: int, events: list[Event]) -> None:
        tile = self.tile_in_hand
        assert tile is not None
        self.habitats[seat].lay(cell, tile, self.tiles[tile]["edges"], rotation)
        self.tile_in_hand = None
        self.nothing_placed_since_reshuffle = False  # heart-23
        events.append({"placed": {"seat": seat, "tile": tile, "cell": cell_entry(cell), "rotation": rotation}})
        if self.bonus:
            self._roll_die()  # No action, no further bonus (heart-16).
            return
        assert self.action_column is not None
        action = self.actions[self.action_column]
        if action == ACTION_RESCUE:
            self._rescue(seat, events)
        elif action == ACTION_SWIM:
            self.swims_left = 1 + self.habitats[seat].icons(SWIM)  # heart-10
            self._ask_for_swim(seat, events)
        elif action == ACTION_PHOTO:
            if self._photos_to_take(seat):
                self.phase = "PHOTO"
            else:
                self._end_turn(events)
        elif self._shark_tiles(seat):
            self.phase = "SHARK"
        else:
            self._shark_second_part(seat, None, events)  # The shark stays where it is (heart-14).

    def _discard(self, seat: int, events: list[Event]) -> None:
        tile = self.tile_in_hand
        assert tile is not None
        self.discards[tile] += 1
        self.tile_in_hand = None
        events.append({"discarded": {"seat": seat, "tile": tile}})
        if self.bonus:
            self._roll_die()  # heart-16, heart-17
        else:
            self._end_turn(events)  # Without an action (heart-6).

    def _rescue(self, seat: int, events: list[Event]) -> None:
        """Rescue as many as possible; the tile just placed counts (heart-9)."""
        habitat = self.habitats[seat]
        wanted = 1 + habitat.icons(RESCUE)
        room = STARTING_TILE_ROOM - habitat.manatees[HOME]
        rescued = min(wanted, room, self.supply)
        habitat.manatees[HOME] += rescued
        self.supply -= rescued
        events.append({"rescued": {"seat": seat, "manatees": rescued}})
        if self.supply == 0:
            self._trigger_end("SUPPLY", events)  # heart-20
        self._end_turn(events)

    def _ask_for_swim(self, seat: int, events: list[Event]) -> None:
        """Ask for the next swim, if there is one to make."""
        if self.swims_left > 0 and self._swims(seat):
            self.phase = "SWIM"
        else:
            self._end_turn(events)

    def _swim(self, seat: int, origin: Cell, destination: Cell, events: list[Event]) -> None:
        habitat = self.habitats[seat]
        habitat.manatees[origin] -= 1
        habitat.manatees[destination] += 1
        self.swims_left -= 1
        if not self.rules["repeat_swimmers"]:
            # Each swim is by a different manatee (heart-10).
            if destination == HOME:
                self.swum_on_starting_tile += 1
            else:
                self.swum.add(destination)
        events.append({"swam": {"seat": seat, "origin": cell_entry(origin), "destination": cell_entry(destination)}})
        self._ask_for_swim(seat, events)

    def _take_photo(self, seat: int, kind: int, events: list[Event]) -> None:
        self.open_photos.remove(kind)
        self.photos_taken[seat].append(kind)  # Nothing is used up in the habitat (heart-13).
        events.append({"photo_taken": {"seat": seat, "photo": kind}})
        if len(self.photos_taken[seat]) == PHOTOS_THAT_END:
            self._trigger_end("PHOTOS", events)  # heart-20
        if sum(self.photo_deck) > 0:
            self.phase = "DRAW_PHOTO"  # At once (heart-12), even when it no longer matters (heart-22).
        else:
            self._end_turn(events)

    def _move_shark(self, seat: int, host: int, cell: Cell, events: list[Event]) -> None:
        self.shark = (host, cell)
        events.append({"shark_moved": {"seat": seat, "host": host, "cell": cell_entry(cell)}})
        self._shark_second_part(seat, host, events)

    def _shark_second_part(self, seat: int, host: int | None, events: list[Event]) -> None:
        """Do what the die shows; `host` is where the shark was placed this turn, None if it could not be."""
        assert self.die_face is not None
        face = self.die_faces[self.die_face]
        if face.get("relocate", False):
            # Automatic, and impossible without a host, a manatee there and room here (heart-15).
            if host is not None:
                theirs = self.habitats[host].manatees
                ours = self.habitats[seat].manatees
                if theirs[HOME] > 0 and ours[HOME] < STARTING_TILE_ROOM:
                    theirs[HOME] -= 1
                    ours[HOME] += 1
                    events.append({"relocated": {"seat": seat, "host": host}})
            self._roll_die()
            return
        # Any one of the face's attractions suffices (heart-3), also when the shark could not move (heart-16).
        if any(self.habitats[seat].icons(attraction) > 0 for attraction in face["attractions"]) and any(self.columns):
            self.bonus = True
            self.phase = "TAKE"
            return
        self._roll_die()  # A bonus that finds no tile is skipped (heart-8).

    def _roll_die(self) -> None:
        """Roll the die again, whether or not it gave anything (heart-17); then the turn ends."""
        self.bonus = False
        self.phase = "ROLL_DIE"

    # What is seen.

    def _table(self) -> dict[str, Any]:
        seats = []
        for seat in range(self.seats):
            habitat = self.habitats[seat]
            tiles = []
            for cell in habitat.cells():
                tiles.append(
                    {
                        "tile": None if cell == HOME else habitat.kinds[cell],
                        "cell": cell_entry(cell),
                        "rotation": habitat.rotations[cell],
                        "manatees": habitat.manatees[cell],
                    }
                )
            seats.append({"habitat": tiles, "photos": sorted(self.photos_taken[seat])})
        shark = None
        if self.shark is not None:
            shark = {"seat": self.shark[0], "cell": cell_entry(self.shark[1])}
        return {
            "phase": self.phase,
            "first_player": self.first_player,
            "turn": self.current,
            "seats": seats,
            "shark": shark,
            "supply": self.supply,
            "pile": [{"tile": kind, "count": count} for kind, count in enumerate(self.pile) if count > 0],
            "discards": [{"tile": kind, "count": count} for kind, count in enumerate(self.discards) if count > 0],
            "columns": [{"tiles": list(column)} for column in self.columns],
            "open_photos": sorted(self.open_photos),
            "photo_deck": [{"photo": kind, "count": count} for kind, count in enumerate(self.photo_deck) if count > 0],
            "die_face": self.die_face,
            "tile_in_hand": self.tile_in_hand,
            "action_column": self.action_column,
            "bonus": self.bonus,
            "refill_column": self.refill_column,
            "swims_left": self.swims_left,
            "swum": [cell_entry(cell) for cell in sorted(self.swum, key=by_row)],
            "swum_on_starting_tile": self.swum_on_starting_tile,
            "nothing_placed_since_reshuffle": self.nothing_placed_since_reshuffle,
            "trigger_seat": self.trigger_seat,
            "turns_left": self.turns_left,
        }

    def position(self) -> dict[str, Any]:
        """Return everything: the referee's position, without the rules."""
        return {"table": self._table(), "referee": {}}

    def observe(self, seat: int) -> dict[str, Any]:
        """Return what one seat knows: all of it, since only orders and the future are hidden (heart-22)."""
        return {"table": self._table(), "seat_knowledge": {"seat": seat}}

    def check(self) -> None:
        """Raise a ValueError unless every component is somewhere exactly once and heart-22's refusals hold."""
        for kind, tile in enumerate(self.tiles):
            places = self.pile[kind] + self.discards[kind] + (1 if self.tile_in_hand == kind else 0)
            places += sum(column.count(kind) for column in self.columns)
            places += sum(list(habitat.kinds.values()).count(kind) for habitat in self.habitats)
            if places != count_of(tile) or self.pile[kind] < 0 or self.discards[kind] < 0:
                raise ValueError(f"tiles of kind {kind}")
        for kind, photo in enumerate(self.photos):
            places = self.photo_deck[kind] + self.open_photos.count(kind)
            places += sum(taken.count(kind) for taken in self.photos_taken)
            if places != count_of(photo) or self.photo_deck[kind] < 0:
                raise ValueError(f"photos of kind {kind}")
        if self.supply < 0 or self.supply + sum(habitat.manatee_count() for habitat in self.habitats) != MANATEES:
            raise ValueError("manatees")
        for seat, habitat in enumerate(self.habitats):
            for cell, manatees in habitat.manatees.items():
                if not 0 <= manatees <= (STARTING_TILE_ROOM if cell == HOME else 1):
                    raise ValueError("manatees on a tile")
                if self.shark == (seat, cell) and (manatees > 0 or cell == HOME):
                    raise ValueError("the shark's tile")
                if cell != HOME and not self._lies_well(habitat, cell):
                    raise ValueError("a tile does not fit")
        reasons = self.supply == 0 or any(len(taken) >= PHOTOS_THAT_END for taken in self.photos_taken)
        if reasons != (self.trigger_seat is not None):
            raise ValueError("a trigger without a reason, or a reason without a trigger (heart-22)")
        if self.over or self.chance() is not None:
            return
        if not all(self.columns) and self._tiles_to_draw():
            raise ValueError("an empty column while tiles could fill it (heart-22)")
        if len(self.open_photos) < OPEN_PHOTOS and sum(self.photo_deck) > 0:
            raise ValueError("fewer than four photos open while the deck has cards (heart-22)")

    def _lies_well(self, habitat: Habitat, cell: Cell) -> bool:
        """Tell whether a tile equals its neighbours on every touching edge and has at least one."""
        others = habitat.clone()
        edges = others.edges.pop(cell)
        return others.fits(cell, edges)

    # Scoring.

    def scores(self) -> list[int]:
        """Return each seat's points as the position stands: happy manatees and photos (heart-12, heart-19)."""
        scores = []
        for habitat, taken in zip(self.habitats, self.photos_taken, strict=True):
            points = habitat.happy_points()
            points += sum(habitat.photo_points(self.photos[kind]) for kind in taken)
            scores.append(points)
        return scores

    def ranks(self) -> list[int]:
        """Return each seat's rank: most points, then most manatees, then shared, 1, 1, 3 (heart-21)."""
        manatees = [habitat.manatee_count() for habitat in self.habitats]
        standings = list(zip(self.scores(), manatees, strict=True))
        return [1 + sum(other > standing for other in standings) for standing in standings]

"""The games a server knows. Adding a game is one entry here and one converter file."""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from advisor import catalogues
from advisor.catalogues import Catalogue, CatalogueError
from advisor.convert_heart import HeartConverter
from advisor.convert_ocean import OceanConverter
from advisor.convert_sanctuary import SanctuaryConverter
from advisor.converter import Content, Converter
from ext.game import Game


@dataclass(frozen=True)
class VariantInfo:
    """A variant: identifier, one sentence a player understands, fewest and most seats.

    with_option: fewest seats where a rule option allows fewer than `min_seats`; None where none does.
    """

    variant: str
    description: str
    min_seats: int
    max_seats: int
    with_option: int | None = None

    @property
    def least_seats(self) -> int:
        """Fewest seats under any rule options."""
        return self.min_seats if self.with_option is None else self.with_option


@dataclass(frozen=True)
class OptionInfo:
    """A rule option: the rules message's field, what it does, its values as on a command line, and what it settles.

    values: each one, or of numbers a range, "1 to 999".
    variants: where it has an effect; empty means everywhere. decisions: the numbered rule decisions.
    """

    name: str
    description: str
    values: tuple[str, ...]
    default: str
    variants: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()


@dataclass(frozen=True)
class GameEntry:
    """A game: what clients are told of it, and the converter that reads and writes its messages.

    The first variant is the default one.
    """

    game: str
    title: str
    variants: tuple[VariantInfo, ...]
    options: tuple[OptionInfo, ...]
    converter: Converter

    @property
    def min_seats(self) -> int:
        """Fewest seats of any variant."""
        return min(variant.min_seats for variant in self.variants)

    @property
    def max_seats(self) -> int:
        """Most seats of any variant."""
        return max(variant.max_seats for variant in self.variants)

    def variant(self, name: str) -> VariantInfo | None:
        """Return the variant of that name, the default one for an empty name, None for an unknown one."""
        if not name:
            return self.variants[0]
        return next((variant for variant in self.variants if variant.variant == name), None)


_BOOLEAN: Final = ("false", "true")

HEART: Final = GameEntry(
    game="heart",
    title="I Heart Manatees",
    variants=(VariantInfo("base", "The game as in the box: tiles, manatees, photo cards and the shark.", 2, 4),),
    options=(
        OptionInfo(
            "reshuffle_discards",
            "When the pile runs out, the discarded tiles are shuffled into a new one.",
            _BOOLEAN,
            "true",
            decisions=("heart-7", "heart-23"),
        ),
        OptionInfo(
            "repeat_swimmers",
            "A manatee may swim more than once in one action.",
            _BOOLEAN,
            "false",
            decisions=("heart-10",),
        ),
        OptionInfo(
            "swims_mandatory",
            "Swims may not be declined: they go on while any is legal.",
            _BOOLEAN,
            "false",
            decisions=("heart-10",),
        ),
        OptionInfo(
            "starting_tile_blocks",
            "Any manatee on the starting tile blocks entering and crossing it, instead of four.",
            _BOOLEAN,
            "false",
            decisions=("heart-11",),
        ),
        OptionInfo(
            "orange_needs_requirement",
            "Orange photo cards must have their requirement met, as green ones must.",
            _BOOLEAN,
            "true",
            decisions=("heart-12",),
        ),
        OptionInfo(
            "mirror_patterns",
            "Patterns of photo cards may be mirrored as well as rotated.",
            _BOOLEAN,
            "false",
            decisions=("heart-13",),
        ),
        OptionInfo(
            "bonus_tile_optional",
            "The bonus tile that the die gives may be declined.",
            _BOOLEAN,
            "false",
            decisions=("heart-16",),
        ),
    ),
    converter=HeartConverter(),
)

OCEAN: Final = GameEntry(
    game="ocean",
    title="Malaysia's Ocean Heritage",
    variants=(
        VariantInfo("base", "The basic game: nine species cards each, placed side by side.", 2, 4),
        VariantInfo("targets", "The advanced game: everybody also gets two secret target cards.", 2, 4),
    ),
    options=(
        OptionInfo(
            "topology",
            "Which cells are adjacent: 4 neighbours, 8 neighbours or 6.",
            ("SQUARE", "SQUARE_DIAGONAL", "HEX"),
            "SQUARE",
            decisions=("ocean-1", "ocean-2", "ocean-16"),
        ),
        OptionInfo(
            "passing",
            "Which way hands pass: left, right, or left after odd rounds and right after even ones.",
            ("LEFT", "RIGHT", "ALTERNATE"),
            "LEFT",
            decisions=("ocean-4",),
        ),
        OptionInfo(
            "same_kind_sets",
            '"Every k of either A or B" needs k of one kind instead of mixing them freely.',
            _BOOLEAN,
            "false",
            decisions=("ocean-10",),
        ),
        OptionInfo(
            "target_match",
            "A target matches when its pattern is contained in the ocean, or only when it covers all nine cards.",
            ("CONTAINED", "WHOLE_SHAPE"),
            "CONTAINED",
            variants=("targets",),
            decisions=("ocean-15",),
        ),
        OptionInfo(
            "mirror_targets",
            "Target patterns may be mirrored as well as rotated.",
            _BOOLEAN,
            "false",
            variants=("targets",),
            decisions=("ocean-16",),
        ),
        OptionInfo(
            "promo",
            "The promo target, which scores different IUCN categories, is shuffled in.",
            _BOOLEAN,
            "false",
            variants=("targets",),
            decisions=("ocean-17",),
        ),
        OptionInfo(
            "no_category_counts",
            'For the promo target "no category" counts as one category among the others.',
            _BOOLEAN,
            "true",
            variants=("targets",),
            decisions=("ocean-18",),
        ),
    ),
    converter=OceanConverter(),
)

SANCTUARY: Final = GameEntry(
    game="sanctuary",
    title="Manatee Sanctuary",
    variants=(
        VariantInfo("base", "The game as in the box: three rounds of drafting, playing cards and feeding.", 2, 6),
        VariantInfo("solo", "One player keeps one of two cards, five times a round, and beats a score.", 1, 1),
        VariantInfo("scramble", "Two editions shuffled together, with a bag of manatees for each half.", 7, 12, 2),
    ),
    options=(
        OptionInfo(
            "allow_small_scramble",
            "Scramble may be played by 2 to 6 players, too.",
            _BOOLEAN,
            "false",
            variants=("scramble",),
            decisions=("sanctuary-1",),
        ),
        OptionInfo(
            "blind_choice",
            "Who chooses between two stacks sees only how many cards they have.",
            _BOOLEAN,
            "false",
            variants=("base", "scramble"),
            decisions=("sanctuary-4", "sanctuary-5"),
        ),
        OptionInfo(
            "pooled_space",
            "Spaces for yellow manatees add up across cards.",
            _BOOLEAN,
            "false",
            decisions=("sanctuary-10",),
        ),
        OptionInfo(
            "play_order",
            "Players take turns playing a card each, or each plays all cards before the next begins.",
            ("ROUND_ROBIN", "SEAT_BY_SEAT"),
            "ROUND_ROBIN",
            variants=("base", "scramble"),
            decisions=("sanctuary-15",),
        ),
        OptionInfo(
            "food_cap",
            "The most food a player can have; 0 is no limit.",
            ("0", "1 to 999"),
            "0",
            decisions=("sanctuary-16",),
        ),
        OptionInfo(
            "floor_score_at_zero",
            "A score never falls below 0.",
            _BOOLEAN,
            "false",
            decisions=("sanctuary-18",),
        ),
        OptionInfo(
            "round_bonuses",
            "Each round has a bonus card that everybody can score.",
            _BOOLEAN,
            "false",
            decisions=("sanctuary-20", "sanctuary-22"),
        ),
        OptionInfo(
            "mirror_shapes",
            "Shapes of bonus cards and of the challenge architect may be mirrored as well as rotated.",
            _BOOLEAN,
            "false",
            decisions=("sanctuary-20", "sanctuary-23"),
        ),
        OptionInfo(
            "challenge",
            "What a solo player must achieve besides 71 points. Not together with round_bonuses.",
            (
                "NONE",
                "HARVESTER",
                "TIGHT_FIT",
                "COLOUR_COORDINATED",
                "SHORTAGE",
                "POWER_CAP",
                "WEAK_CUT",
                "ARCHITECT",
                "SAVIOUR",
            ),
            "NONE",
            variants=("solo",),
            decisions=("sanctuary-23",),
        ),
    ),
    converter=SanctuaryConverter(),
)

ENTRIES: Final = (HEART, OCEAN, SANCTUARY)
"""Every game, in alphabetical order."""


Header = tuple[str, str, int, str, str, bytes]
"""What of a position decides its setup, as sent: game, variant, seats, the catalogue's id and digest, the rules."""
MAX_HEADER_RULES: Final = 256
"""Bytes of rules that are remembered; only such with fields of a later version have more."""


@dataclass(frozen=True)
class Setup:
    """One way to play: a game with its seats, variant, rules and catalogue, compiled."""

    entry: GameEntry
    variant: str
    seats: int
    catalogue: Catalogue
    kernel: Game

    @property
    def rules(self) -> Content:
        """Every rule option, defaults included."""
        return self.entry.converter.rules_of(self.kernel)

    @cached_property
    def identity(self) -> tuple[object, ...]:
        """What tells it from any other way to play, versions included: plain values with an exact `repr`."""
        rules = tuple(sorted(self.rules.items()))
        version = self.kernel.kernel_version
        return self.entry.game, self.variant, self.seats, rules, self.catalogue.digest, version

    @cached_property
    def spelt(self) -> dict[int, bytes]:
        """Messages of moves as `advisor.advice` writes them, by code: few, and met again and again."""
        return {}

    @cached_property
    def digest(self) -> bytes:
        """SHA-256 of the identity."""
        return hashlib.sha256(repr(self.identity).encode()).digest()


class Games:
    """The games and catalogues of one server, with the compiled rules that were used last. Safe from any thread."""

    def __init__(self, folders: Iterable[Path] = (), cache_size: int = 64) -> None:
        """Load all catalogues; raises `CatalogueError` when one is unusable. `cache_size` counts compiled rules."""
        self.entries: dict[str, GameEntry] = {entry.game: entry for entry in ENTRIES}
        self._catalogues: dict[str, dict[str, Catalogue]] = {}
        self._cache: OrderedDict[object, Setup] = OrderedDict()
        self._cache_size = cache_size
        self._headers: OrderedDict[Header, object] = OrderedDict()
        self._latest: tuple[Header, Setup] | None = None
        """What was recalled last: as a rule what is asked for next."""
        self._lock = threading.Lock()
        folders = list(folders)
        for entry in ENTRIES:
            held: dict[str, Catalogue] = {}
            loaded = catalogues.built_in(entry.game, entry.converter)
            loaded += catalogues.from_folders(folders, entry.game, entry.converter)
            for catalogue in loaded:
                other = held.setdefault(catalogue.id, catalogue)
                if other.digest != catalogue.digest:
                    raise CatalogueError(f"two different catalogues of {entry.game} have the id {catalogue.id}")
            self._catalogues[entry.game] = held

    def catalogues(self, game: str) -> list[Catalogue]:
        """Return the catalogues held for a game, the default one first."""
        return list(self._catalogues[game].values())

    def catalogue(self, game: str, identifier: str) -> Catalogue | None:
        """Return a catalogue by id, the default one for an empty id, None when it is not held."""
        held = self._catalogues[game]
        return next(iter(held.values())) if not identifier else held.get(identifier)

    def setup(self, entry: GameEntry, variant: str, seats: int, rules: Content, catalogue: Catalogue) -> Setup:
        """Return the compiled rules; raises `ext.errors.Malformed` as the kernel does."""
        key = _key(entry, variant, seats, rules, catalogue)
        with self._lock:
            known = self._cache.get(key)
            if known is not None:
                self._cache.move_to_end(key)
                return known
        # Compiled outside the lock: two threads may do the same work once, but nobody waits for another game's.
        made = Setup(entry, variant, seats, catalogue, entry.converter.kernel(seats, variant, rules, catalogue.content))
        with self._lock:
            self._use_latest()
            self._cache[key] = made
            while len(self._cache) > self._cache_size:
                self._cache.popitem(last=False)
        return made

    def recall(self, header: Header) -> Setup | None:
        """Return the compiled rules that a position with this header was read with lately; None when it was not."""
        latest = self._latest
        if latest is not None and latest[0] == header:
            return latest[1]
        with self._lock:
            self._use_latest()
            known = self._cache.get(self._headers.get(header))
            if known is not None:
                self._latest = header, known
                self._use_latest()
            return known

    def _use_latest(self) -> None:
        """Count what was recalled last as used until now; called under the lock, before anything else counts so."""
        if self._latest is None:
            return
        header, setup = self._latest
        key = self._headers.get(header)
        if self._cache.get(key) is setup:
            self._headers.move_to_end(header)
            self._cache.move_to_end(key)
        else:
            self._latest = None

    def remember(self, header: Header, setup: Setup, rules: Content) -> None:
        """Note what a position with this header, which has no fault, was read with; `rules` as `setup` was given."""
        if len(header[-1]) > MAX_HEADER_RULES:
            return
        with self._lock:
            self._use_latest()
            self._headers[header] = _key(setup.entry, setup.variant, setup.seats, rules, setup.catalogue)
            while len(self._headers) > self._cache_size:
                self._headers.popitem(last=False)


def _key(entry: GameEntry, variant: str, seats: int, rules: Content, catalogue: Catalogue) -> object:
    return entry.game, variant, seats, tuple(sorted(rules.items())), catalogue.digest

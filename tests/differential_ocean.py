"""Random games of ocean through the kernel and the reference side by side, compared at every step."""

import copy
import random
from typing import Any

from differential import Disagreement, Match, expect, house
from reference.ocean import ReferenceOcean, pattern_images

from ext.game import CHANCE, Observation, State
from ext.ocean import Ocean

CONDITIONS = [
    "FLAT",
    "EACH_TINY",
    "EACH_PLANT",
    "EACH_PLANT_OR_CORAL",
    "EACH_INVERTEBRATE",
    "EACH_SMALL",
    "EACH_TINY_OR_CORAL",
    "EACH_GIANT_OR_CARNIVORE",
    "TWO_PLANTS",
    "TWO_CORALS",
    "PAIRS",
    "TWO_SMALL_OR_INVERTEBRATE",
    "TWO_TINY",
    "THREE_PLANTS",
    "TWO_TINY_OR_INVERTEBRATE",
    "THREE_SMALL_OR_INVERTEBRATE",
    "TWO_MEDIUM",
]
KINDS = ["PLANT", "CORAL", "TINY", "INVERTEBRATE", "SMALL", "MEDIUM", "GIANT", "CARNIVORE"]
CATEGORIES = [
    "NO_CATEGORY",
    "NOT_EVALUATED",
    "DATA_DEFICIENT",
    "LEAST_CONCERN",
    "NEAR_THREATENED",
    "VULNERABLE",
    "ENDANGERED",
    "CRITICALLY_ENDANGERED",
]


def random_rules(rng: random.Random, variant: str) -> dict[str, Any]:
    return {
        "topology": rng.choice(["SQUARE", "SQUARE", "SQUARE_DIAGONAL", "HEX"]),
        "passing": rng.choice(["LEFT", "RIGHT", "ALTERNATE"]),
        "same_kind_sets": rng.random() < 0.5,
        "target_match": rng.choice(["CONTAINED", "CONTAINED", "WHOLE_SHAPE"]),
        "mirror_targets": rng.random() < 0.5,
        "promo": variant == "targets" and rng.random() < 0.5,
        "no_category_counts": rng.random() < 0.5,
    }


def random_catalogue(rng: random.Random) -> dict[str, Any]:
    """The house catalogue with other conditions, categories and patterns; small patterns, so that many match."""
    catalogue = house()
    for card in catalogue["cards"]:
        card["condition"] = "OCEAN_CONDITION_" + rng.choice(CONDITIONS)
        card["iucn_category"] = "OCEAN_IUCN_CATEGORY_" + rng.choice(CATEGORIES)
    for target in catalogue["targets"]:
        for shape in ("square", "hex"):
            cells = [(rng.randint(-2, 2), rng.randint(-2, 2)) for _ in range(rng.randint(1, 4))]
            target[shape] = [
                {"x": x, "y": y, "kinds": ["OCEAN_KIND_" + k for k in rng.sample(KINDS, rng.choice([0, 0, 2, 4]))]}
                for x, y in dict.fromkeys(cells)
            ]
    return catalogue


class OceanMatch(Match):
    """One game of ocean in both implementations."""

    game: Ocean
    reference: ReferenceOcean

    def __init__(self, number: int) -> None:
        super().__init__(number)
        rng = self.rng
        self.variant = rng.choice(["base", "targets"])
        self.rules = random_rules(rng, self.variant)
        self.catalogue = house() if rng.random() < 0.4 else random_catalogue(rng)
        self.game = Ocean(self.seats, self.catalogue, self.rules, self.variant)
        self.reference = ReferenceOcean(self.catalogue, self.seats, self.rules, self.variant == "targets")
        self.state = self.deal()
        self.watcher = rng.randrange(self.seats)
        self.kept: Observation = self.game.observe(self.state, self.watcher)
        self.greed = rng.choice([0.0, 0.5, 0.9])

    def deal(self) -> State:
        rng, game = self.rng, self.game
        cards = rng.sample(range(40), 40)
        targets = rng.sample(range(9 if self.rules["promo"] else 8), 8) if self.variant == "targets" else []
        order = cards[: 10 * self.seats] + targets[: 2 * self.seats]
        state = game.start()
        for outcome in order:
            expect("a chance event is next", game.turn(state), CHANCE)
            offered = dict(game.outcomes(state))
            expect("equal weights", set(offered.values()), {1})
            expect("nobody decides", game.pending(state), [])
            drawn = game.draw(state, self.rng.getrandbits(64), 0)
            if drawn not in offered or outcome not in offered:
                raise Disagreement(f"outcome {outcome} or {drawn} is not offered")
            state = game.happen(state, outcome)
        self.reference.deal(cards, targets)
        return state

    def pending(self) -> list[int]:
        return self.reference.pending()

    def play(self) -> None:
        self.compare()
        while not self.reference.over:
            seat = self.rng.choice(self.pending())
            moves = self.game.moves(self.state, seat)
            move = self.rng.choice(moves)
            if self.rng.random() < self.greed:
                gains = self.game.priors(self.state, seat)
                move = max(zip(gains, moves, strict=True))[1]
            self.step(seat, move)
        self.crafted_targets()

    def step(self, seat: int, move: int) -> None:
        events = self.decide(seat, move)
        told = [event for event in events if event.get("private_to", self.watcher) == self.watcher]
        if self.watcher == seat:
            self.kept = self.game.commit(self.kept, move)
        self.kept = self.game.report(self.kept, told)
        self.check_kept()
        self.compare()

    def crafted_targets(self) -> None:
        """Targets cut out of the oceans that were built, turned and mirrored: many must match, some must not."""
        rng = self.rng
        topology = self.rules["topology"]
        shape = "hex" if topology == "HEX" else "square"
        catalogue = copy.deepcopy(self.catalogue)
        for target in catalogue["targets"]:
            ocean = rng.choice(self.reference.oceans)
            cells = rng.sample(sorted(ocean), rng.choice([1, 2, 3, 5, 9, 9]))
            kinds = [[catalogue["cards"][ocean[cell]]["kind"]] if rng.random() < 0.6 else [] for cell in cells]
            if rng.random() < 0.2:
                kinds[0] = ["OCEAN_KIND_" + rng.choice(KINDS)]
            image = rng.choice(pattern_images(topology, cells, True))
            # Bring the image back into the range of a pattern's coordinates.
            left, top = min(x for x, _ in image), min(y for _, y in image)
            target[shape] = [
                {"x": x - left, "y": y - top, "kinds": kind} for (x, y), kind in zip(image, kinds, strict=True)
            ]
        rules = random_rules(rng, "targets") | {"topology": topology}
        game = Ocean(self.seats, catalogue, rules, "targets")
        reference = ReferenceOcean(catalogue, self.seats, rules, True)
        deck = rng.sample(range(9), 9) if rules["promo"] else rng.sample(range(8), 8)
        reference.deal(list(range(40)), deck)
        reference.phase, reference.round = "OVER", 9
        reference.oceans, reference.hands = self.reference.oceans, self.reference.hands
        state = game.load(reference.position())
        expect("crafted targets", game.score(state), reference.scores())
        expect("crafted ranks", game.ranks(state), reference.ranks())

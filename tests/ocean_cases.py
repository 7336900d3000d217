"""Positions of ocean made by hand, with a catalogue whose cards are told apart by kind and score what a test says."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from ext.game import State
from ext.ocean import Ocean

Cell = tuple[int, int]
Laid = Mapping[Cell, int]
"""One ocean: the card on each cell."""

CARDS_OF: dict[str, list[int]] = {
    "PLANT": list(range(0, 7)),
    "CORAL": list(range(7, 14)),
    "TINY": list(range(14, 17)),
    "INVERTEBRATE": list(range(17, 21)),
    "SMALL": list(range(21, 26)),
    "MEDIUM": list(range(26, 31)),
    "GIANT": list(range(31, 37)),
    "CARNIVORE": list(range(37, 40)),
}
KIND_OF = {card: kind for kind, cards in CARDS_OF.items() for card in cards}
RING: list[Cell] = [(0, -1), (1, 0), (0, 1), (-1, 0), (1, -1), (1, 1), (-1, 1), (-1, -1)]
"""The eight cells around (0, 0); the first four share an edge with it."""


def pattern(*cells: tuple[int, int, str]) -> list[dict[str, Any]]:
    """A target's pattern: (x, y, kinds apart by spaces); no kinds: any card."""
    return [{"x": x, "y": y, "kinds": ["OCEAN_KIND_" + kind for kind in kinds.split()]} for x, y, kinds in cells]


NEVER = pattern(*[(x, 0, "CARNIVORE") for x in range(4)])
"""There are three carnivores."""


def catalogue(
    conditions: Mapping[int, str] | None = None,
    categories: Mapping[int, str] | None = None,
    targets: Mapping[int, tuple[int, list[dict[str, Any]]]] | None = None,
) -> dict[str, Any]:
    """Every card scores a flat 4 and is of least concern, no target ever matches, save for what is given.

    `targets` gives points and pattern, for square and hex alike.
    """
    conditions, categories, targets = conditions or {}, categories or {}, targets or {}
    return {
        "id": "by-hand",
        "about": "For tests.",
        "cards": [
            {
                "name": f"Card {card}",
                "kind": f"OCEAN_KIND_{KIND_OF[card]}",
                "condition": "OCEAN_CONDITION_" + conditions.get(card, "FLAT"),
                "iucn_category": "OCEAN_IUCN_CATEGORY_" + categories.get(card, "LEAST_CONCERN"),
            }
            for card in range(40)
        ],
        "targets": [
            {"name": f"Target {t}", "points": points, "square": shape, "hex": shape}
            for t, (points, shape) in enumerate(targets.get(t, (10 + t, NEVER)) for t in range(8))
        ],
        "promo_name": "Promo",
    }


def position(
    game: Ocean,
    oceans: Sequence[Laid],
    *,
    phase: str = "PICK",
    hands: Mapping[int, Sequence[int]] | None = None,
    revealed: Mapping[int, int] | None = None,
    commitments: Mapping[int, str] | None = None,
    targets: Mapping[int, Sequence[int]] | None = None,
) -> dict[str, Any]:
    """A referee's position: what is not given is filled with cards that are not used, ascending.

    The first ocean decides the round; seats without one get a row of cards to the right.
    """
    hands, revealed, commitments = dict(hands or {}), dict(revealed or {}), commitments or {}
    laid = [dict(ocean) for ocean in oceans]
    placed = len(laid[0])
    number = 9 if phase == "OVER" else placed + 1
    size = {"PICK": 11 - number, "PLACE": 10 - number, "OVER": 1}[phase]
    used = {card for ocean in laid for card in ocean.values()} | set(revealed.values())
    used |= {card for hand in hands.values() for card in hand}
    free = [card for card in range(40) if card not in used]
    while len(laid) < game.seats:
        laid.append({(x, 0): free.pop(0) for x in range(placed)})
    for seat in range(game.seats):
        if phase == "PLACE":
            revealed.setdefault(seat, -1)
            if revealed[seat] < 0:
                revealed[seat] = free.pop(0)
        given = list(hands.get(seat, []))
        hands[seat] = sorted(given + [free.pop(0) for _ in range(size - len(given))])
    dealt: dict[int, list[int]] = {seat: [] for seat in range(game.seats)}
    if game.variant == "targets":
        dealt = {seat: list((targets or {}).get(seat, [])) for seat in dealt}
        rest = [t for t in range(8) if all(t not in held for held in dealt.values())]
        for held in dealt.values():
            held.extend(rest.pop(0) for _ in range(2 - len(held)))
    return {
        "table": {
            "round": number,
            "phase": phase,
            "seats": [
                {
                    "ocean": [{"card": card, "cell": {"x": x, "y": y}} for (x, y), card in laid[seat].items()],
                    "hand_size": size,
                    "committed": seat in commitments,
                    "revealed_card": revealed.get(seat),
                    "targets": dealt[seat] if phase == "OVER" else [],
                }
                for seat in range(game.seats)
            ],
        },
        "referee": {
            "seats": [
                {
                    "hand": hands[seat],
                    "targets": [] if phase == "OVER" else dealt[seat],
                    "commitment": commitments.get(seat),
                }
                for seat in range(game.seats)
            ]
        },
    }


def scored(game: Ocean, ocean: Laid, targets: Sequence[int] = ()) -> int:
    """Points of seat 0 with this ocean, finished or not."""
    phase = "OVER" if len(ocean) == 9 else "PICK"
    return game.score(game.load(position(game, [ocean], phase=phase, targets={0: targets})))[0]


def dealt(game: Ocean, cards: Sequence[int] = range(40), targets: Sequence[int] = range(8)) -> State:
    """The deal in this order (ocean-6)."""
    state = game.start()
    order = [*cards[: 10 * game.seats], *(targets[: 2 * game.seats] if game.variant == "targets" else ())]
    for outcome in order:
        state = game.happen(state, outcome)
    return state


def all_play(game: Ocean, state: State, *notations: str) -> State:
    """The seats that owe a decision make these choices, in seat order."""
    for seat, notation in zip(game.pending(state), notations, strict=True):
        state = game.play(state, seat, game.parse(notation))
    return state


def choices(game: Ocean, state: State, seat: int) -> list[str]:
    """Legal moves as notation."""
    return [game.notation(move) for move in game.moves(state, seat)]


def play_on(game: Ocean, state: State, rng: random.Random, moves: int) -> State:
    """So many decisions more, at random, of seats in random order."""
    for _ in range(moves):
        seat = rng.choice(game.pending(state))
        state = game.play(state, seat, rng.choice(game.moves(state, seat)))
    return state

"""Random games of sanctuary through the kernel and the reference side by side, compared at every step."""

import copy
import random
from collections.abc import Callable, Sequence
from typing import Any

from differential import Disagreement, Event, Match, expect, house
from reference.sanctuary import (
    BONUS_CARDS,
    BOTTOM_TEXT,
    CARDS,
    CHALLENGES,
    CHANCE,
    COLOURS,
    FLOWERS,
    GRAY,
    PINK,
    PLAY_ORDERS,
    ROUNDS,
    WALL,
    YELLOW,
    Cell,
    ReferenceSanctuary,
    manatees_of,
    neighbours,
    number,
    shape_images,
    text_of,
    turned,
)

from ext.sanctuary import Sanctuary

Entry = dict[str, Any]
AUTOMATIC = {"housed", "fed", "scored", "round_begun", "ended"}
"""Events that follow of themselves from the one before."""

END_GAMES = [f"SANCTUARY_END_GAME_{name}" for name in ("PAIRS", "PINK", "YELLOW")]
GOALS = ["YELLOW", "PINK", "MANATEES", "RED_FLOWERS", "GREEN_FLOWERS", "PURPLE_FLOWERS", "LITTLE_FOOD", "SHAPE"]


def random_rules(rng: random.Random, variant: str) -> Entry:
    bonuses = rng.random() < 0.5
    challenge = "NONE" if variant != "solo" or bonuses else rng.choice(CHALLENGES[1:])
    return {
        "allow_small_scramble": rng.random() < 0.3,
        "blind_choice": rng.random() < 0.4,
        "pooled_space": rng.random() < 0.4,
        "play_order": rng.choice(PLAY_ORDERS),
        "food_cap": rng.choice([0, 0, 0, rng.randint(1, 9), rng.randint(10, 60), 999]),
        "floor_score_at_zero": rng.random() < 0.4,
        "round_bonuses": bonuses,
        "mirror_shapes": rng.random() < 0.4,
        "challenge": challenge,
    }


# Catalogues rich in everything.


def shares(rng: random.Random, total: int, kinds: int) -> list[int]:
    """A total in so many parts of 1 or more."""
    cuts = sorted(rng.sample(range(1, total), kinds - 1))
    return [high - low for low, high in zip([0, *cuts], [*cuts, total], strict=True)]


def random_edges(rng: random.Random, palette: list[str]) -> list[str]:
    """Now and then the same after half a turn or any."""
    kind = rng.random()
    if kind < 0.15:
        return [rng.choice(palette)] * 4
    if kind < 0.35:
        return rng.choices(palette, k=2) * 2
    return rng.choices(palette, k=4)


def random_card(rng: random.Random, palette: list[str], most: int, spaces: int) -> Entry:
    """A card with up to so many icons of a sort, and up to so many spaces; nine of them are mostly there."""
    card: Entry = {"strength": rng.randint(1, 3), "edges": random_edges(rng, palette)}
    if rng.random() < 0.7:
        icons = rng.choices([*COLOURS, "?"], [2, 1, 1, 2], k=rng.randint(1, most))
        named = {colour.lower(): icons.count(colour) for colour in COLOURS if colour in icons or rng.random() < 0.1}
        card |= {"rescues": named} if named else {}
        card |= {"random_rescues": icons.count("?")} if "?" in icons else {}
    if rng.random() < 0.5:
        card["harvests"] = rng.randint(1, most)
    if rng.random() < 0.2:
        return card | {"end_game": rng.choice(END_GAMES)}
    return card | {"capacity": spaces if spaces == 9 and rng.random() < 0.8 else rng.randint(1, spaces)}


def random_edition(rng: random.Random, name: str) -> Entry:
    """Few colours, so that much fits, or all of them; many kinds or few; modest cards or ones that empty the bag."""
    palette = rng.sample(FLOWERS, rng.choice([1, 2, 2, 3])) + [WALL] * rng.choice([0, 1, 1, 3])
    most, spaces = rng.choice([2, 3, 3, 5, 9]), rng.choice([1, 3, 5, 9, 9, 9])
    different: dict[str, Entry] = {}
    for _ in range(rng.choice([1, 4, 12, 40, 200])):
        card = random_card(rng, palette, most, spaces)
        different.setdefault(str(look(card)), card)
    cards = list(different.values())[:CARDS]
    tile: Entry = {"edges": random_edges(rng, palette)}
    if (capacity := rng.choice([0, 1, 3, 4, 9, 9])) > 0:
        tile["capacity"] = capacity
    counts = shares(rng, CARDS, len(cards))
    return {
        "name": name,
        "cards": [card | {"count": count} for card, count in zip(cards, counts, strict=True)],
        "starting_tile": tile,
    }


def look(card: Entry) -> list[Any]:
    """What two kinds of an edition must not have in common."""
    named = manatees_of(card.get("rescues", {}))
    return [
        named,
        *(card.get(field, 0) for field in ("strength", "random_rescues", "harvests", "edges", "capacity")),
        card.get("end_game"),
    ]


def random_shape(rng: random.Random) -> Entry:
    """Mostly small and connected, now and then of cells that do not touch."""
    cells = [(rng.randint(-2, 2), rng.randint(-2, 2))]
    for _ in range(rng.choice([0, 1, 2, 2, 3, 5])):
        near = [cell for cell in neighbours(rng.choice(cells)) if cell not in cells]
        if rng.random() < 0.1:
            near = [cell for cell in [(rng.randint(-3, 3), rng.randint(-3, 3))] if cell not in cells]
        cells += near and [rng.choice(near)]
    return shape_of(rng.sample(cells, len(cells)))


def shape_of(cells: Sequence[Cell]) -> Entry:
    return {"cells": [{"x": x, "y": y} for x, y in cells]}


def shape_face(shape: Entry, points: int) -> Entry:
    return {"goal": "SANCTUARY_GOAL_SHAPE", "shape": shape, "points": points}


def random_bonuses(rng: random.Random) -> list[Entry]:
    """Ten cards. Points differ from shape to shape, so that no two kinds are alike."""
    different: dict[str, Entry] = {}
    for n in range(rng.randint(1, BONUS_CARDS)):
        goals = rng.choices(GOALS, [2, 2, 2, 2, 2, 2, 6, 6], k=3)
        faces = [
            shape_face(random_shape(rng), 3 * n + i + 1) if goal == "SHAPE" else {"goal": f"SANCTUARY_GOAL_{goal}"}
            for i, goal in enumerate(goals)
        ]
        different.setdefault(str([(face["goal"], face.get("points")) for face in faces]), {"faces": faces})
    counts = shares(rng, BONUS_CARDS, len(different))
    return [bonus | {"count": count} for bonus, count in zip(different.values(), counts, strict=True)]


def random_track(rng: random.Random) -> Entry:
    places = rng.choice([1, 2, 3, 7, 41])
    return {"values": [rng.randint(-20, 40) for _ in range(places)], "start": rng.randrange(places)}


def random_catalogue(rng: random.Random) -> Entry:
    return {
        "id": "random",
        "about": "For tests.",
        "editions": [random_edition(rng, name) for name in ("One", "Two")],
        "bonuses": random_bonuses(rng),
        "solo_track": random_track(rng),
        "challenge_shape": random_shape(rng),
    }


def cut_shape(rng: random.Random, cells: list[Cell]) -> Entry:
    """Cells of a sanctuary, turned and mirrored: must be found, if it may be mirrored or is not. Or with one more."""
    chosen = rng.sample(cells, min(len(cells), rng.choice([1, 2, 4, 4, 6, 12])))
    if rng.random() < 0.3:
        chosen += [cell for cell in neighbours(rng.choice(chosen)) if cell not in chosen][: 12 - len(chosen)][:1]
    image = rng.choice(shape_images(chosen, mirror_shapes=True))
    left, top = min(x for x, _ in image), min(y for _, y in image)
    x, y = rng.randint(-3, 0), rng.randint(-3, 0)
    moved = [(cell[0] - left + x, cell[1] - top + y) for cell in image]
    small = [cell for cell in moved if max(cell) <= 12]
    return shape_of(small)


# What a match plays towards. Each style says of a move whether the seat likes it.


def word_of(notation: str) -> str:
    return notation.split()[0]


def top_of(match: "SanctuaryMatch", notation: str) -> Entry | None:
    """The card of a move that plays a top."""
    return match.reference.cards[int(notation.split()[1])] if word_of(notation) == "top" else None


def icons(card: Entry) -> int:
    return number(manatees_of(card.get("rescues", {}))) + int(card.get("random_rescues", 0))


def wanders(match: "SanctuaryMatch", seat: int, notation: str) -> bool:
    return True


def builds(match: "SanctuaryMatch", seat: int, notation: str) -> bool:
    """Lays bottoms."""
    return word_of(notation) != "top"


def crowds(match: "SanctuaryMatch", seat: int, notation: str) -> bool:
    """Rescues more than it can house or feed."""
    card = top_of(match, notation)
    return card is None or icons(card) > 0


def settles(match: "SanctuaryMatch", seat: int, notation: str) -> bool:
    """Rescues while there is room and food for all that may come, harvests and builds otherwise."""
    card = top_of(match, notation)
    if card is None or not icons(card):
        return True
    reference = match.reference
    housed = reference.housed[seat]
    coming = icons(card) + housed[YELLOW]
    worst = {**housed, YELLOW: housed[YELLOW] + coming}
    hungry = {**housed, PINK: housed[PINK] + coming}
    return reference._can_house(seat, worst) and reference._meals(hungry) <= reference.food[seat]


def harvests(match: "SanctuaryMatch", seat: int, notation: str) -> bool:
    """Builds a little, then harvests."""
    card = top_of(match, notation)
    if match.reference.sanctuaries[seat].completed() < 4:
        return card is None
    return card is not None and card.get("harvests", 0) > 0


def hoards(match: "SanctuaryMatch", seat: int, notation: str) -> bool:
    """Makes room in the first round and crowds it afterwards, so that the bags run empty."""
    return builds(match, seat, notation) if match.reference.round == 1 else crowds(match, seat, notation)


Style = Callable[["SanctuaryMatch", int, str], bool]
STYLES: list[Style] = [wanders, builds, crowds, settles, settles, harvests, hoards, hoards]


class QuickReference(ReferenceSanctuary):
    """The reference, which lists the moves of a position once."""

    def __init__(self, catalogue: Entry, seats: int, rules: Entry, variant: str) -> None:
        super().__init__(catalogue, seats, rules, variant)
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

    def change_shapes(self, catalogue: Entry) -> None:
        self.catalogue, self.bonus_cards = catalogue, catalogue["bonuses"]


class SanctuaryMatch(Match):
    """One game of sanctuary in both implementations."""

    game: Sanctuary
    reference: QuickReference
    read_back = 0.2

    def __init__(self, number: int) -> None:
        super().__init__(number)
        rng = self.rng
        rules = random_rules(rng, self.variant)
        if self.variant == "scramble" and self.seats < 7:
            rules["allow_small_scramble"] = True
        catalogue = house("sanctuary") if rng.random() < 0.3 else random_catalogue(rng)
        self.reference = QuickReference(catalogue, self.seats, rules, self.variant)
        self.reference.start()
        self.game = Sanctuary(self.seats, catalogue, rules, self.variant)
        self.state = self.game.start()
        self.watcher = rng.randrange(self.seats)
        self.kept = self.game.observe(self.state, self.watcher)
        self.told: list[Event] = []
        self.greed = rng.choice([0.0, 0.0, 0.5, 0.9])
        style = rng.choice(STYLES)
        self.styles = [style if rng.random() < 0.8 else rng.choice(STYLES) for _ in range(self.seats)]
        self.seen[self.variant] += 1
        self.seen[f"challenge {rules['challenge']}"] += self.variant == "solo"

    def pick_seats(self) -> int:
        """Of the variants, too; large tables take long and are rare."""
        rng = self.rng
        self.variant = rng.choices(["base", "solo", "scramble"], [4, 4, 3])[0]
        if self.variant == "solo":
            return 1
        if self.variant == "base":
            return rng.choices(range(2, 7), [4, 3, 2, 1, 1])[0]
        return rng.choices(range(2, 13), [9, 6, 3, 1, 1, 2, 1, 1, 1, 1, 1])[0]

    def looked_at(self) -> Sequence[int]:
        """All seats of a small table; of a large one some, and one of those that decide."""
        if self.seats <= 2:
            return range(self.seats)
        deciding = self.reference.pending()[-1:] if self.rng.random() < 0.5 else self.reference.pending()[:1]
        return sorted({*deciding, *self.rng.sample(range(self.seats), 2 - len(deciding))})

    def take_up(self) -> None:
        """The kernel reads the reference's position, with its catalogue."""
        self.game = Sanctuary(self.seats, self.reference.catalogue, self.reference.rules, self.variant)
        self.state = self.game.load(self.reference.position())
        self.kept = self.game.load_observation(self.reference.observe(self.watcher))

    def pending(self) -> list[int]:
        return self.reference.pending()

    def play(self) -> None:
        rng, reference = self.rng, self.reference
        self.check_seats()
        self.compare()
        while not reference.over:
            if reference.turn == CHANCE:
                self.chance()
            else:
                if rng.random() < 0.3:
                    self.probe()
                self.move(rng.choice(reference.pending()))
            # A deal is long and all alike.
            if reference.phase != "DRAW_CARD" or self.seats == 1 or rng.random() < 1 / self.seats:
                self.compare()
            if reference.phase in ("PLAY", "FEED") and rng.random() < 0.3 / (self.seats + 3):
                self.recut()
            # Before the last card of a round, so that what is scored then is at the edge of what counts.
            last = sum(map(len, reference.hands)) == 1
            if reference.phase == "PLAY" and rng.random() < (0.3 if last else 0.3 / (self.seats + 3)):
                self.crowd()
        self.compare()
        self.hear()
        if self.variant == "solo":
            self.seen[f"tier {reference.tier()}"] += 1
            if won := reference.challenge_won():
                self.seen[f"won {reference.challenge}"] += won

    def compare(self) -> None:
        super().compare()
        seen = self.game.observe(self.state, self.watcher)
        expect("scores seen", self.game.score_observation(seen), self.reference.scores())
        expect("over as seen", self.game.over_observation(seen), self.reference.over)
        expect("whose turn", self.game.turn(self.state), self.reference.turn)
        # At the end ties are rare, and challenges won.
        expect("ranks as it stands", self.game.ranks(self.state), self.reference.ranks())
        expect("challenge met", self.game.reached(self.state), self.reference.challenge_won() is not False)

    def check_seats(self) -> None:
        """Both refuse the same numbers of seats."""
        seats, rules, catalogue = self.rng.randint(0, 13), self.reference.rules, self.reference.catalogue
        makers: list[Callable[[], object]] = [
            lambda: Sanctuary(seats, catalogue, rules, self.variant),
            lambda: ReferenceSanctuary(catalogue, seats, rules, self.variant),
        ]
        allowed = []
        for make in makers:
            try:
                make()
                allowed.append(True)
            except ValueError:
                allowed.append(False)
        expect(f"{self.variant} for {seats} seats", *allowed)

    # Chance.

    def chance(self) -> None:
        game, state, reference = self.game, self.state, self.reference
        offered = game.outcomes(state)
        if reference.phase != "DRAW_CARD" or self.rng.random() < 0.3:
            named = [(game.outcome_notation(outcome), weight) for outcome, weight in offered]
            expect("outcomes", named, list((reference.chance() or {}).items()))
        if game.draw(state, self.rng.getrandbits(64), 0) not in dict(offered):
            raise Disagreement("an outcome is drawn that is not offered")
        [(outcome, _)] = self.rng.choices(offered, [weight for _, weight in offered])
        expect("outcome read back", game.parse_outcome(game.outcome_notation(outcome)), outcome)
        self.note_draw()
        self.state = game.happen(state, outcome)
        events = reference.happen(game.outcome_notation(outcome))
        expect("chance events", game.chance_events(state, outcome, self.state), events)
        self.tell(events)

    def note_draw(self) -> None:
        reference = self.reference
        if reference.phase == "DRAW_MANATEE" and reference.current is not None:
            own = reference.bags[reference.bag_of(reference.current)]
            self.seen["drawn from the other bag"] += number(own) == 0
            self.seen["drawing ends early"] += reference.draws_left > 1 and sum(map(number, reference.bags)) == 1

    # Decisions.

    def move(self, seat: int) -> None:
        """A move in the seat's style; its client commits it, or is told of it like the others."""
        rng, game, reference = self.rng, self.game, self.reference
        moves = game.moves(self.state, seat)
        gains = game.priors(self.state, seat)
        expect("a gain a move", len(gains), len(moves))
        liked = [move for move in moves if self.styles[seat](self, seat, game.notation(move))]
        move = rng.choice(liked if liked and rng.random() < 0.9 else moves)
        if rng.random() < self.greed:
            move = max((gain, move) for gain, move in zip(gains, moves, strict=True) if move in (liked or moves))[1]
        self.note_move(seat, game.notation(move))
        scores = reference.scores()
        hidden = reference.phase in ("SPLIT", "CHOOSE")
        if seat == self.watcher and (hidden or rng.random() < 0.5):
            self.hear()
            self.kept = game.commit(self.kept, move)
            if hidden:
                self.tell(self.decide(seat, move))
            else:
                self.note(self.decide(seat, move))
                self.check_kept()
        else:
            self.tell(self.decide(seat, move))
        self.seen["below 0"] += any(score < 0 <= before for score, before in zip(reference.score, scores, strict=True))

    def note_move(self, seat: int, notation: str) -> None:
        reference, word = self.reference, word_of(notation)
        self.seen[f"{word} {reference.phase}" if word == "return" else word] += 1
        if (card := top_of(self, notation)) is not None:
            own, named = reference.bags[reference.bag_of(seat)], manatees_of(card.get("rescues", {}))
            self.seen["colour skipped"] += any(own[colour] < named[colour] for colour in COLOURS) and number(own) > 0
            self.seen["own bag empty"] += number(own) == 0
            self.seen["bags empty"] += not any(map(number, reference.bags))
        if word == "return" and len(reference.moves(seat)) > 1:
            self.seen[f"ways to return {reference.phase}"] += 1
        if (found := BOTTOM_TEXT.fullmatch(notation)) is not None:
            edges = reference.cards[int(found[1])]["edges"]
            self.seen["bottom alike turned"] += turned(edges, 2) == edges

    def note(self, events: list[Event]) -> None:
        reference = self.reference
        for event in events:
            name = next(name for name in event if name != "private_to")
            told = event[name]
            self.seen[f"{name} {told['reason']}" if "reason" in told else name] += 1
            if name == "scored":
                for part in ("bonus", "track", "end_game"):
                    self.seen[f"scored {part}"] += told[part] != 0
                self.seen["floor held"] += reference.rules["floor_score_at_zero"] and told["score"] == 0
            if name == "picked":
                track = reference.catalogue["solo_track"]
                start, last = track.get("start", 0), len(track["values"]) - 1
                self.seen["token at an end"] += told["token"] + start in (0, last)
        cap = reference.rules["food_cap"]
        self.seen["food at its cap"] += cap > 0 and max(reference.food) == cap

    def tell(self, events: list[Event]) -> None:
        """The client is told sooner or later; what follows of itself it may not be told at all."""
        self.note(events)
        for event in events:
            if event.get("private_to", self.watcher) != self.watcher:
                continue
            if not (event.keys() <= AUTOMATIC and self.rng.random() < 0.3):
                self.told.append(event)
        if self.rng.random() < 0.5:
            self.hear()

    def hear(self) -> None:
        self.kept = self.game.report(self.kept, self.told)
        self.told = []
        self.check_kept()

    def probe(self) -> None:
        """Moves that may be legal or not, and ways to write them."""
        rng, game, reference = self.rng, self.game, self.reference
        seat = rng.choice(reference.pending())
        kinds = len(reference.cards)
        some = [*reference.hands[seat], *reference.drawn, rng.randrange(kinds), rng.randrange(180)]
        sanctuary = reference.sanctuaries[rng.choice([seat, seat, rng.randrange(self.seats)])]
        cells = [*sanctuary.edges, *(other for cell in sanctuary.edges for other in neighbours(cell))]
        tried = [f"split {card}" for card in some]
        tried += [f"split {rng.choice(some)},{rng.choice(some)}" for _ in range(6)]
        tried += [f"{word} {rng.choice(some)}" for word in ("pick", "discard", "top") for _ in range(2)]
        for cell in (rng.choice(cells), rng.choice(cells), (rng.randint(-24, 24), rng.randint(-24, 24))):
            card = rng.choice(some)
            tried += [f"bottom {card} {text_of(cell)} r{r}" for r in range(4)]
        for text in rng.sample(reference.moves(seat), min(4, len(reference.moves(seat)))):
            if (found := BOTTOM_TEXT.fullmatch(text)) is not None:
                tried += [f"bottom {found[1]} {found[2]},{found[3]} r{r}" for r in range(4)]
            if text.startswith("return"):
                back = [int(count) for count in text.split()[1].split(",")]
                back[rng.randrange(3)] += rng.choice([-1, 1])
                if min(back) >= 0 and back[1] <= 60 and back[2] <= 40:
                    tried.append("return {},{},{}".format(*back))
        tried += ["keep smaller", "keep larger", "decline", "return 0,0,0", "return 1,0,0", "return 0,1,1"]
        for text in tried:
            move = game.parse(text)
            legal = reference.legal(seat, text)
            expect(f"{text} is legal", game.legal(self.state, seat, move), legal)
            if legal:
                expect(text, game.notation(game.canonical(self.state, seat, move)), reference.canonical(seat, text))
            idle = rng.randrange(self.seats)
            if idle not in reference.pending():
                expect("legal for another", game.legal(self.state, idle, move), False)

    def recut(self) -> None:
        """The game goes on with shapes cut out of the sanctuaries, on as many bonus cards of each kind."""
        self.hear()
        rng, catalogue = self.rng, copy.deepcopy(self.reference.catalogue)
        cells = [list(sanctuary.edges) for sanctuary in self.reference.sanctuaries]
        for n, bonus in enumerate(catalogue["bonuses"]):
            for i, face in enumerate(bonus["faces"]):
                if "shape" in face or rng.random() < 0.3:
                    bonus["faces"][i] = shape_face(cut_shape(rng, rng.choice(cells)), ROUNDS * n + i + 1)
        catalogue["challenge_shape"] = cut_shape(rng, cells[0])
        self.reference.change_shapes(catalogue)
        self.take_up()
        self.compare()
        self.seen["shapes cut"] += 1

    def crowd(self) -> None:
        """The game goes on with most of the room filled from the bags, and with other points and food."""
        self.hear()
        rng, reference = self.rng, self.reference
        cap = reference.rules["food_cap"] or 999
        for seat in rng.sample(range(self.seats), self.seats):
            bag, housed = reference.bags[reference.bag_of(seat)], reference.housed[seat]
            spare = rng.choice([0, 0, 1, 4, 9])
            # Yellow ones only: there may be room for others where there is none for them.
            for colour in [YELLOW] if rng.random() < 0.3 else rng.sample(COLOURS * 3, 9):
                for _ in range(rng.choice([1, 10, 90])):
                    more = {**housed, colour: housed[colour] + 1, GRAY: housed[GRAY] + (colour == GRAY) + spare}
                    if bag[colour] > 0 and reference._can_house(seat, more):
                        bag[colour] -= 1
                        housed[colour] += 1
            meals = reference._meals(housed)
            reference.food[seat] = min(cap, rng.choice([0, meals // 2, meals, meals + rng.randint(2, 5), meals + 40]))
            reference.score[seat] = rng.choice([10, rng.randint(0, 20), rng.randint(60, 120)])
        reference.listed = {}
        self.take_up()
        self.compare()
        self.seen["crowded"] += 1

"""Messages to mappings and back, protobuf JSON with all its faults, and errors within the bytes a trailer may have."""

import json
import random
from typing import Any

import bad_requests_sanctuary as bases
import grpc
import pytest
from bad_requests_heart import due, swimming
from google.protobuf import json_format
from hypothesis import given, settings
from hypothesis import strategies as st
from wire import advisor, new, new_heart, new_sanctuary, observe, over, play

from advisor import protojson
from advisor.convert_heart import HeartConverter
from advisor.convert_ocean import OceanConverter
from advisor.convert_sanctuary import SanctuaryConverter
from advisor.converter import Content, Converter, short_name
from advisor.errors import MAX_STATUS_BYTES, STATUS_OF_REASON, AdvisorError, from_exception, invalid
from advisor.faults import Faults, join
from advisor.v1 import advice_pb2, heart_pb2, ocean_pb2, position_pb2, sanctuary_pb2
from advisor.v1 import advisor_service_pb2 as pb
from ext import sanctuary_notation
from ext.errors import Malformed, Violation

CONVERTER = OceanConverter()
HEART = HeartConverter()
SANCTUARY = SanctuaryConverter()
CONVERTERS: dict[str, Converter] = {"ocean": CONVERTER, "heart": HEART, "sanctuary": SANCTUARY}
SANCTUARY_BASES = (
    bases.splitting, bases.choosing, bases.playing, bases.returning, bases.feeding, bases.picking, bases.discarding,
    bases.scrambling,
)  # fmt: skip


def read(data: Any, kind: Any = position_pb2.Position) -> tuple[Any, dict[str, str]]:
    faults = Faults()
    return protojson.read(data, kind, faults), dict(faults.found)


POSITIONS = [
    *(play(new(), decisions, 3) for decisions in (0, 3, 14, 16, 18)),
    *(observe(play(new(), 18, 3), seat) for seat in range(4)),
    play(new(2, "targets", promo=True, topology="OCEAN_TOPOLOGY_HEX"), 13),
    observe(play(new(3, "targets"), 13), 2),
    over(new(2, "targets")),
    observe(over(new(2)), 0),
    *(play(new_heart(), decisions, 3) for decisions in (0, 1, 20, 41)),
    *(observe(play(new_heart(2, mirror_patterns=True, reshuffle_discards=False), 33), seat) for seat in range(2)),
    due(),
    swimming(),
    *(base() for base in SANCTUARY_BASES),
    *(observe(base(), base().seats // 2) for base in SANCTUARY_BASES),
    bases.due(),
    bases.due_seen(),
    observe(play(new_sanctuary(2), 3), 1),
    play(new_sanctuary(12, "scramble", allow_small_scramble=True, food_cap=20, play_order=2), 25),
]


@pytest.mark.parametrize("position", POSITIONS, ids=range(len(POSITIONS)))
def test_positions_through_mappings(position: position_pb2.Position) -> None:
    faults = Faults()
    converter = CONVERTERS[position.game]
    message = getattr(position, position.game)
    content = converter.read_position(message, faults)
    again = type(message)()
    converter.write_position(content, converter.read_rules(message.rules, faults), again)
    assert not faults
    assert again == message


@pytest.mark.parametrize("position", POSITIONS, ids=range(len(POSITIONS)))
def test_positions_through_json(position: position_pb2.Position) -> None:
    text = protojson.write(position)
    assert text == protojson.write(position)
    message, faults = read(json.loads(text))
    assert not faults
    assert message == position
    assert json_format.Parse(text, position_pb2.Position()) == position


@pytest.mark.parametrize("notation", ["pick 0", "pick 39", "place 0,1", "place -8,8"])
def test_moves_there_and_back(notation: str) -> None:
    move = ocean_pb2.OceanMove()
    CONVERTER.write_move(notation, move)
    said = CONVERTER.read_move(move, Faults())
    assert said is not None
    assert said[0] == notation


@pytest.mark.parametrize(
    "notation",
    ["take 0", "take 3", "place 0,0 r0", "place -90,90 r3", "discard", "swim 0,0 1,0", "photo 0", "shark 0:0,-1",
     "shark 3:-4,7", "decline"],
)  # fmt: skip
def test_moves_of_heart_there_and_back(notation: str) -> None:
    move = heart_pb2.HeartMove()
    HEART.write_move(notation, move)
    said = HEART.read_move(move, Faults())
    assert said is not None
    assert said[0] == notation
    word = notation.split()[0]
    assert move.WhichOneof("move") == word
    assert said[1].split(".")[0] == word


@pytest.mark.parametrize(
    ("notation", "path"),
    [("split 0", "split.cards"), ("split 3,179", "split.cards"), ("keep smaller", "choose.stack"),
     ("keep larger", "choose.stack"), ("pick 17", "pick.card"), ("discard 0", "discard.card"), ("decline", "decline"),
     ("top 179", "top.card"), ("bottom 17 0,-1 r2", "bottom"), ("bottom 0 -24,24 r0", "bottom"),
     ("return 0,0,1", "send_back"), ("return 160,60,40", "send_back")],
)  # fmt: skip
def test_moves_of_sanctuary_there_and_back(notation: str, path: str) -> None:
    move = sanctuary_pb2.SanctuaryMove()
    SANCTUARY.write_move(notation, move)
    assert SANCTUARY.read_move(move, Faults()) == (notation, path)
    assert move.WhichOneof("move") == path.split(".")[0]


def test_typed_moves_of_sanctuary_that_say_nothing() -> None:
    """They are told of at their own field, by what their notation lacks; an empty one at the place itself."""
    faults = Faults("move")
    assert SANCTUARY.read_move(sanctuary_pb2.SanctuaryMove(), faults) is None
    assert [tuple(fault) for fault in faults.found] == [
        ("move", "expected split, choose, pick, discard, decline, top, bottom or send_back")
    ]
    for move, said in (
        (sanctuary_pb2.SanctuaryMove(split={"cards": range(9)}), ("split 0,1,2", "split.cards")),
        (sanctuary_pb2.SanctuaryMove(split={}), ("split ", "split.cards")),
        (sanctuary_pb2.SanctuaryMove(choose={"stack": 7}), ("keep ", "choose.stack")),
    ):
        assert SANCTUARY.read_move(move, Faults()) == said
        with pytest.raises(ValueError, match="expected"):
            sanctuary_notation.parse(said[0])


EVENTS: list[tuple[Content, str | None, str]] = [
    ({"first_drawn": {"seat": 2}}, "first 2", "seat 2 is the first player"),
    ({"tile_drawn": {"tile": 12, "column": 0}}, "tile 12", "tile 12 comes to column 0"),
    ({"photo_drawn": {"photo": 3}}, "photo 3", "photo card 3 is laid open"),
    ({"die_rolled": {"face": 0}}, "die 0", "the die shows face 0"),
    ({"taken": {"seat": 0, "column": 3, "tile": 5}}, None, "seat 0 takes tile 5 from column 3"),
    ({"placed": {"seat": 1, "tile": 5, "cell": {"x": -3, "y": 1}, "rotation": 2}}, None,
     "seat 1 places tile 5 at -3,1 r2"),
    ({"discarded": {"seat": 1, "tile": 5}}, None, "seat 1 discards tile 5, which fits nowhere"),
    ({"swam": {"seat": 0, "origin": {"x": 0, "y": 0}, "destination": {"x": 1, "y": -1}}}, None,
     "a manatee of seat 0 swims from 0,0 to 1,-1"),
    ({"photo_taken": {"seat": 1, "photo": 0}}, None, "seat 1 takes photo card 0"),
    ({"shark_moved": {"seat": 1, "host": 0, "cell": {"x": 0, "y": 2}}}, None,
     "seat 1 moves the shark to 0,2 of seat 0"),
    ({"declined": {"seat": 1}}, None, "seat 1 declines"),
    ({"rescued": {"seat": 1, "manatees": 0}}, None, "manatees that seat 1 rescues: 0"),
    ({"relocated": {"seat": 1, "host": 2}}, None, "a manatee of seat 2 is relocated to seat 1"),
    ({"reshuffled": {"tiles": 7}}, None, "the discards become the new pile; tiles in it: 7"),
    ({"end_triggered": {"seat": 0, "reason": "PHOTOS"}}, None, "seat 0 triggers the end: it has five photo cards"),
    ({"ended": {"reason": "NO_TILES"}}, None, "the game is over: no tile is left to take"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "outcome", "text"), EVENTS, ids=[next(iter(event)) for event, _, _ in EVENTS])
def test_events_of_heart_there_and_back(content: Content, outcome: str | None, text: str) -> None:
    event = position_pb2.Event()
    HEART.write_event(content, event)
    assert event.text == text
    assert event.heart.WhichOneof("event") == next(iter(content))
    assert HEART.outcome(content) == outcome
    faults = Faults()
    assert HEART.read_event(event.heart, faults) == content
    assert not faults


def test_every_event_of_heart_is_written_and_read() -> None:
    fields = [field.name for field in heart_pb2.HeartEvent.DESCRIPTOR.fields]
    assert [next(iter(event)) for event, _, _ in EVENTS] == fields
    for reason in heart_pb2.HeartTriggerReason.keys()[1:]:
        told = {"end_triggered": {"seat": 0, "reason": reason.removeprefix("HEART_TRIGGER_REASON_")}}
        event = position_pb2.Event()
        HEART.write_event(told, event)
        assert HEART.read_event(event.heart, Faults()) == told
    for reason in heart_pb2.HeartEndReason.keys()[1:]:
        told = {"ended": {"reason": reason.removeprefix("HEART_END_REASON_")}}
        event = position_pb2.Event()
        HEART.write_event(told, event)
        assert HEART.read_event(event.heart, Faults()) == told


NOBODY = {"gray": 0, "pink": 0, "yellow": 0}
TWO = {"gray": 1, "pink": 0, "yellow": 2}
SANCTUARY_EVENTS: list[tuple[Content, str | None, str]] = [
    ({"bonus_drawn": {"bonus": 3, "round": 1}}, "bonus 3", "bonus card 3 is for round 1"),
    ({"card_dealt": {"seat": 2}}, None, "seat 2 is dealt a card"),
    ({"card_received": {"seat": 2, "card": 17}}, "card 17", "seat 2 gets card 17"),
    ({"card_drawn": {"card": 0}}, "card 0", "card 0 is drawn"),
    ({"committed": {"seat": 0}}, None, "seat 0 commits"),
    ({"stacks_offered": {"smaller_stacks": [1, 2]}}, None, "all offer their stacks, the smaller ones of 1, 2 cards"),
    ({"stacks_seen": {"seat": 0, "stacks": {"smaller": [3], "larger": [4, 5, 6, 6]}}}, None,
     "seat 0 sees stacks 3 and 4, 5, 6, 6"),
    ({"stacks_chosen": {"kept": ["LARGER", "SMALLER"]}}, None, "all have chosen, by seat: larger, smaller"),
    ({"hand_taken": {"seat": 1, "cards": [3, 9]}}, None, "seat 1 takes up cards 3, 9"),
    ({"picked": {"card": 0, "discarded": 9, "token": -2}}, None,
     "card 0 is kept and card 9 discarded; the token is at -2"),
    ({"discarded": {"card": 9}}, None, "card 9 is discarded for the challenge"),
    ({"declined": {}}, None, "no card is discarded in this round"),
    ({"top_played": {"seat": 0, "card": 4, "harvest": 8, "taken": TWO}}, None,
     "seat 0 plays the top of card 4: food 8, manatees taken: 1 gray, 2 yellow"),
    ({"bottom_played": {"seat": 1, "card": 4, "cell": {"x": 0, "y": -1}, "rotation": 2, "flowers": 1}}, None,
     "seat 1 plays the bottom of card 4 at 0,-1 r2: flowers 1"),
    ({"manatee_drawn": {"seat": 1, "colour": "PINK"}}, "manatee pink", "a pink manatee is drawn for seat 1"),
    ({"returned": {"seat": 1, "manatees": TWO}}, None, "seat 1 sends back 1 gray, 2 yellow"),
    ({"housed": {"seat": 1, "manatees": TWO}}, None, "seat 1 houses 1 gray, 2 yellow"),
    ({"fed": {"seat": 1, "food": 0}}, None, "seat 1 pays 0 food"),
    ({"scored": {"seat": 1, "manatees": 21, "bonus": 3, "track": -4, "end_game": 0, "score": 30}}, None,
     "seat 1 scores: manatees 21, bonus 3, track -4, end-game cards 0; it has 30 points"),
    ({"round_begun": {"round": 2}}, None, "round 2 begins"),
    ({"ended": {"reason": "ROUNDS", "tier": 3, "challenge_won": False}}, None,
     "the game is over: round 3 is scored; tier 3 of 7; the challenge is lost"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "outcome", "text"), SANCTUARY_EVENTS, ids=[next(iter(event)) for event, _, _ in SANCTUARY_EVENTS]
)
def test_events_of_sanctuary_there_and_back(content: Content, outcome: str | None, text: str) -> None:
    event = position_pb2.Event()
    SANCTUARY.write_event({"private_to": 1, **content}, event)
    assert event.text == text
    name = next(iter(content))
    assert event.sanctuary.WhichOneof("event") == name
    assert SANCTUARY.outcome(content) == outcome
    assert SANCTUARY.is_chance(content) == (name in ("bonus_drawn", "card_dealt", "card_drawn", "manatee_drawn"))
    faults = Faults()
    assert SANCTUARY.read_event(event.sanctuary, faults) == content
    assert not faults


def test_every_event_of_sanctuary_is_written_and_read() -> None:
    fields = [field.name for field in sanctuary_pb2.SanctuaryEvent.DESCRIPTOR.fields]
    assert [next(iter(event)) for event, _, _ in SANCTUARY_EVENTS] == fields
    more: list[Content] = [
        {"ended": {"reason": "SENT_BACK", "tier": None, "challenge_won": False}},
        {"ended": {"reason": "ROUNDS", "tier": None, "challenge_won": None}},
        {"ended": {"reason": "ROUNDS", "tier": 0, "challenge_won": True}},
        {"top_played": {"seat": 0, "card": 0, "harvest": 0, "taken": NOBODY}},
        *({"manatee_drawn": {"seat": 0, "colour": colour}} for colour in ("GRAY", "PINK", "YELLOW")),
    ]
    for told in more:
        event = position_pb2.Event()
        SANCTUARY.write_event(told, event)
        assert SANCTUARY.read_event(event.sanctuary, Faults()) == told


@pytest.mark.parametrize(
    ("event", "path"),
    [
        ({"manatee_drawn": {}}, "e.manatee_drawn.colour"),
        ({"manatee_drawn": {"colour": 9}}, "e.manatee_drawn.colour"),
        ({"stacks_chosen": {"kept": [1, 0]}}, "e.stacks_chosen.kept[1]"),
        ({"stacks_chosen": {"kept": [1] * 13}}, "e.stacks_chosen.kept"),
        ({"stacks_offered": {"smaller_stacks": [1] * 13}}, "e.stacks_offered.smaller_stacks"),
        ({"stacks_seen": {"stacks": {"larger": [1] * 5}}}, "e.stacks_seen.stacks.larger"),
        ({"hand_taken": {"cards": [1] * 9}}, "e.hand_taken.cards"),
        ({"ended": {}}, "e.ended.reason"),
        ({}, "e"),
    ],
)
def test_events_of_sanctuary_that_no_kernel_could_take(event: Any, path: str) -> None:
    faults = Faults("e")
    SANCTUARY.read_event(sanctuary_pb2.SanctuaryEvent(**event), faults)
    assert [found for found, _ in faults.found] == [path]


def test_unknown_enum_numbers_are_faults() -> None:
    faults = Faults("a")
    assert short_name(ocean_pb2.OceanPhase, "OCEAN_PHASE_", 77, "b", faults) == ""
    assert short_name(ocean_pb2.OceanPhase, "OCEAN_PHASE_", 0, "b", faults) == ""
    assert short_name(ocean_pb2.OceanPhase, "OCEAN_PHASE_", 1, "b", faults) == "PICK"
    assert [path for path, _ in faults.found] == ["a.b"]


def test_rules_from_a_command_line() -> None:
    faults = Faults("rules")
    rules = CONVERTER.parse_rules(
        {"topology": "hex", "promo": "TRUE", "passing": "x", "foo": "1", "mirror_targets": "1"}, faults
    )
    assert rules.topology == ocean_pb2.OCEAN_TOPOLOGY_HEX
    assert rules.promo
    assert [path for path, _ in faults.found] == ["rules.passing", "rules", "rules.mirror_targets"]
    faults = Faults("rules")
    switches = HEART.parse_rules({"mirror_patterns": "True", "swims_mandatory": "false", "foo": "1", "promo": "x",
                                  "repeat_swimmers": "1"}, faults)  # fmt: skip
    assert switches == heart_pb2.HeartRules(mirror_patterns=True, swims_mandatory=False)
    assert [path for path, _ in faults.found] == ["rules", "rules", "rules.repeat_swimmers"]
    faults = Faults("rules")
    options = SANCTUARY.parse_rules({"challenge": "tight_fit", "food_cap": "20", "blind_choice": "TRUE", "foo": "1",
                                     "play_order": "x", "mirror_shapes": "1"}, faults)  # fmt: skip
    assert options == sanctuary_pb2.SanctuaryRules(
        challenge="SANCTUARY_CHALLENGE_TIGHT_FIT", food_cap=20, blind_choice=True
    )
    assert [path for path, _ in faults.found] == ["rules", "rules.play_order", "rules.mirror_shapes"]
    for text in ("-1", "1.5", "", "9" * 10, "\u0661"):
        faults = Faults("rules")
        SANCTUARY.parse_rules({"food_cap": text}, faults)
        assert [path for path, _ in faults.found] == ["rules.food_cap"]


# Protobuf JSON.


@pytest.mark.parametrize(
    ("data", "paths"),
    [
        (3, [""]),
        (None, [""]),
        ([], [""]),
        ({"game": 3}, ["game"]),
        ({"gaem": "ocean"}, [""]),
        ({"seats": "four"}, ["seats"]),
        ({"seats": 1.5}, ["seats"]),
        ({"seats": 2**31}, ["seats"]),
        ({"seats": True}, ["seats"]),
        ({"chanceEvents": "x"}, ["chance_events"]),
        ({"chanceEvents": str(2**63)}, ["chance_events"]),
        ({"chanceEvents": "1", "chance_events": "1"}, ["chance_events"]),
        ({"game": "\ud800"}, ["game"]),
        ({"ocean": 1}, ["ocean"]),
        ({"ocean": {"table": {"phase": "PICK"}}}, ["ocean.table.phase"]),
        ({"ocean": {"table": {"phase": 9}}}, ["ocean.table.phase"]),
        ({"ocean": {"table": {"seats": {}}}}, ["ocean.table.seats"]),
        ({"ocean": {"table": {"seats": [None, 1]}}}, ["ocean.table.seats[0]", "ocean.table.seats[1]"]),
        ({"ocean": {"table": {"seats": [{"targets": [0, "x", None]}]}}},
         ["ocean.table.seats[0].targets[1]", "ocean.table.seats[0].targets[2]"]),
        ({"ocean": {"referee": {}, "seatKnowledge": {}}}, ["ocean.seat_knowledge"]),
        ({"ocean": {"table": {"seats": [{"committed": 1}]}}}, ["ocean.table.seats[0].committed"]),
        ({"other": {"@type": "nowhere/Nothing"}}, ["other"]),
        ({"seats": [], "game": {}, "variant": 1}, ["seats", "game", "variant"]),
    ],
)  # fmt: skip
def test_every_fault_of_json(data: Any, paths: list[str]) -> None:
    assert list(read(data)[1]) == paths


def test_what_json_allows() -> None:
    message, faults = read(
        {"game": "ocean", "seats": "4", "chance_events": 3.0, "variant": None, "ocean": {"table": {"phase": 1}}}
    )
    assert not faults
    assert (message.game, message.seats, message.chance_events) == ("ocean", 4, 3)
    limits, faults = read({"time": "1.5s", "simulations": "7"}, advice_pb2.Limits)
    assert not faults
    assert limits.time.ToMilliseconds() == 1500
    assert list(read({"time": 3}, advice_pb2.Limits)[1]) == ["time"]


@pytest.mark.parametrize("text", ["", "{", "[1,", "NaN", '{"a": Infinity}', b"\xff\xfe\x00", "[" * 100_000])
def test_text_that_is_no_json(text: str | bytes) -> None:
    faults = Faults("file")
    assert protojson.parse_json(text, faults) is None
    assert [path for path, _ in faults.found] == ["file"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
    | st.sampled_from(["ocean", "OCEAN_PHASE_PICK", "4"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["game", "seats", "ocean", "table", "phase", "hand", "x", "catalogue"]), inner),
    max_leaves=20,
)  # fmt: skip


@given(JSON)
@settings(max_examples=300, deadline=None)
def test_any_json_is_read_or_refused(data: Any) -> None:
    message, faults = read(data)
    assert isinstance(message, position_pb2.Position)
    try:
        expected = json_format.ParseDict(data, position_pb2.Position())
    except Exception:
        return
    # What protobuf's own parser takes is taken alike, but for what it lets pass unseen.
    assert faults or message == expected


# Errors.


def test_paths_join() -> None:
    assert join("", "a") == "a"
    assert join("a", "") == "a"
    assert join("a", "[0].b") == "a[0].b"
    assert join("a", "b") == "a.b"


@pytest.mark.parametrize("reason", STATUS_OF_REASON)
@pytest.mark.parametrize("text", ["x", "x" * 100_000, "\u6d77" * 100_000, "\x00\n" * 5000])
def test_a_status_is_never_too_big(reason: str, text: str) -> None:
    error = AdvisorError(
        reason,
        text,
        violations=[Violation(text, text)] * 100,
        metadata={str(i): text for i in range(4)},
        retry_after=1,
    )
    assert error.to_status().ByteSize() <= MAX_STATUS_BYTES


def test_unexpected_exceptions_tell_nothing() -> None:
    error = from_exception(RuntimeError("the position is ..."))
    assert error.status == grpc.StatusCode.INTERNAL
    assert "position" not in error.message
    assert from_exception(Malformed([Violation("a", "b")])).violations == [Violation("a", "b")]
    assert from_exception(MemoryError()).status == grpc.StatusCode.RESOURCE_EXHAUSTED


def test_faults_come_before_refusals() -> None:
    faults = Faults()
    faults.under("a").refuse(AdvisorError("CATALOGUE_NOT_HELD", "x"))
    with pytest.raises(AdvisorError) as caught:
        faults.raise_if_any()
    assert caught.value.reason == "CATALOGUE_NOT_HELD"
    faults.under("b").add("[1]", "y")
    faults.under("b").take([Violation("[1]", "again"), Violation("c", "z")])
    with pytest.raises(AdvisorError) as caught:
        faults.raise_if_any()
    assert [path for path, _ in caught.value.violations] == ["b[1]", "b.c"]
    assert "and 1 more" in caught.value.message
    assert invalid([Violation("p", "m")]).message == "p: m"


def test_the_service_is_there() -> None:
    for game, entry in advisor().games.entries.items():
        assert entry.converter.member == entry.game == game


# How a turn's time is shared.


def test_decisions_of_a_turn() -> None:
    """Every decision of a turn of heart gets its share of the whole, and together they never get more than that."""
    catalogue = advisor().games.catalogues("heart")[0].content
    rng = random.Random(5)
    share, made, longest = 0.0, 0, 0
    position = advisor().new_position(new_heart(seed=3)).position
    while position.heart.table.phase != heart_pb2.HEART_PHASE_OVER:
        table = position.heart.table
        if table.phase == heart_pb2.HEART_PHASE_TAKE and not table.bonus:
            share, made = 0.0, 0
        content = HEART.read_position(observe(position, table.turn).heart, Faults())
        decisions = HEART.turn_decisions(content, catalogue)
        share, made = share + 1 / decisions, made + 1
        assert share < 1.0 + 1e-9
        longest = max(longest, made)
        moves = advisor().list_moves(pb.ListMovesRequest(position=position, seat=table.turn)).moves
        request = pb.ApplyMoveRequest(position=position, seat=table.turn, move=rng.choice(moves))
        position = advisor().apply_move(request).position
    assert longest >= 5


def test_decisions_of_a_turn_of_sanctuary() -> None:
    """A card and what goes back for want of room share a turn's time; every other decision has a turn of its own."""
    catalogue = advisor().games.catalogues("sanctuary")[0].content
    rng = random.Random(5)
    share, made, longest = 0.0, 0, 0
    begun = advisor().new_position(new_sanctuary(seed=3))
    position, status = begun.position, begun.status
    while not status.over:
        seat = rng.choice(status.pending)
        phase = position.sanctuary.table.phase
        if phase != sanctuary_pb2.SANCTUARY_PHASE_RETURN:
            share, made = 0.0, 0
        content = SANCTUARY.read_position(observe(position, seat).sanctuary, Faults())
        share, made = share + 1 / SANCTUARY.turn_decisions(content, catalogue), made + 1
        assert share < 1.0 + 1e-9
        longest = max(longest, made)
        moves = advisor().list_moves(pb.ListMovesRequest(position=position, seat=seat)).moves
        played = advisor().apply_move(pb.ApplyMoveRequest(position=position, seat=seat, move=rng.choice(moves)))
        position, status = played.position, played.status
    assert longest == 2


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ('{"seed": 1, "seed": 1}', ["file.seed"]),
        (b'{"ocean": {"table": {"seats": [{}, {"handSize": 1, "handSize": 2}]}}}',
         ["file.ocean.table.seats[1].hand_size"]),
        ('{"a": {"b": 1, "b": 2}, "c": 1, "c": 2}', ["file.c", "file.a.b"]),
        ('{"a b": 1, "a b": 2}', ["file.'a b'"]),
    ],
)  # fmt: skip
def test_a_key_that_is_given_twice(text: str | bytes, paths: list[str]) -> None:
    faults = Faults("file")
    assert protojson.parse_json(text, faults) is None
    assert [tuple(fault) for fault in faults.found] == [(path, "is given twice") for path in paths]


@pytest.mark.parametrize(
    "text",
    ['{"game": "ocean"}'.encode("utf-16"), '{"game": "ocean"}'.encode("utf-32"), b'{"a": "\xff"}', '"\udcff"'],
)
def test_text_that_is_not_utf_8(text: str | bytes) -> None:
    faults = Faults("file")
    assert protojson.parse_json(text, faults) is None
    assert [tuple(fault) for fault in faults.found] == [("file", "is not UTF-8 text")]
    assert protojson.parse_json(b'\xef\xbb\xbf{"a": 1}', Faults()) == {"a": 1}

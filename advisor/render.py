"""Text for people: a drawing of each game, and advice as a table."""

from collections.abc import Callable, Mapping
from typing import Final

from advisor.drawing import Drawing
from advisor.render_heart import HeartDrawing
from advisor.render_ocean import OceanDrawing
from advisor.render_sanctuary import SanctuaryDrawing
from advisor.v1 import advice_pb2, advisor_service_pb2, game_pb2, position_pb2

DRAWINGS: Final[Mapping[str, Callable[[game_pb2.Catalogue], Drawing]]] = {
    "heart": HeartDrawing,
    "ocean": OceanDrawing,
    "sanctuary": SanctuaryDrawing,
}
"""By the catalogue's member."""


def drawing_of(catalogue: game_pb2.Catalogue) -> Drawing | None:
    """Return the drawing of a catalogue's game; None for a game that this version does not know."""
    make = DRAWINGS.get(catalogue.WhichOneof("content") or "")
    return None if make is None else make(catalogue)


def advice_rows(
    response: advisor_service_pb2.AdviseResponse, seat: int, position: position_pb2.Position | None, drawing: Drawing
) -> list[tuple[str, ...]]:
    """Return the ranked moves as rows below `advice_columns`; `position`, if known, is where they are made."""
    tied = sum(ranked.tied_with_best for ranked in response.moves)
    rows: list[tuple[str, ...]] = []
    for ranked in response.moves:
        score = ranked.expected_score[seat] if seat < len(ranked.expected_score) else 0.0
        spread = ranked.score_spread[seat] if seat < len(ranked.score_spread) else 0.0
        share = ranked.win_share[seat] if seat < len(ranked.win_share) else 0.0
        line = " / ".join(f"{one.seat}: {one.move.notation}" for one in ranked.line[1:4])
        interval = f"{ranked.interval.low:.3f} to {ranked.interval.high:.3f}"
        rows.append(
            (
                f"{ranked.rank}{' =' if ranked.tied_with_best and tied > 1 else ''}",
                drawing.move(ranked.move, seat, position),
                f"{ranked.value:.{5 if response.exact else 3}f}",
                "proven" if response.exact else interval,
                f"{100 * share:.0f} %",
                f"{score:.1f} +- {spread:.1f}",
                f"{ranked.visits:,}",
                line or "-",
            )
        )
    return rows


ADVICE_COLUMNS: Final = (
    "#", "move", "value", "interval", "first place", "final score", "visits", "then (seat: move)",
)  # fmt: skip


def advice_columns(seats: int) -> list[str]:
    """Return the heads of the columns. Who plays alone has no place but an aim, which without a challenge is met."""
    return [_share_of(seats) if column == "first place" else column for column in ADVICE_COLUMNS]


def _share_of(seats: int) -> str:
    return "aim met" if seats == 1 else "first place"


def advice_notes(response: advisor_service_pb2.AdviseResponse, drawing: Drawing) -> list[str]:
    """Return in a few lines how an answer was found and what else it says."""
    algorithm = advice_pb2.Algorithm.Name(response.algorithm).removeprefix("ALGORITHM_").lower()
    stop = advice_pb2.StopReason.Name(response.stop_reason).removeprefix("STOP_REASON_").lower()
    exact = ", exact" if response.exact else ""
    notes = [
        f"{len(response.moves)} of {response.legal_moves} legal moves, {algorithm}{exact}, "
        f"{response.simulations:,} simulations in {response.timing.searched_ms / 1e3:.2f} s, "
        f"depth {response.depth.mean_decisions:.1f} (deepest {response.depth.max_decisions}), stopped by {stop}"
    ]
    if sum(ranked.tied_with_best for ranked in response.moves) > 1:
        equal = "equal in value to" if response.exact else "not separable from"
        sure = "" if response.exact else f" at {100 * response.confidence:g} % confidence"
        notes.append(f"=: {equal} the best{sure}")
    for mix in response.mixes:
        moves = ", ".join(
            f"{drawing.move(one.move, mix.seat, None)} {100 * one.probability:.1f} %" for one in mix.moves
        )
        notes.append(f"Seat {mix.seat} mixes: {moves}")
    if response.outlook.win_share:
        shares = " / ".join(f"{100 * share:.0f} %" for share in response.outlook.win_share)
        scores = " / ".join(f"{score:.1f}" for score in response.outlook.expected_score)
        seats = len(response.outlook.win_share)
        notes.append(f"Outlook by seat: {_share_of(seats)} {shares}; score {scores}")
    return notes


def progress_line(response: advisor_service_pb2.AdviseResponse) -> str:
    """Return in one line what an interim answer says."""
    best = response.moves[0]
    return f"{response.simulations:,} simulations, best so far: {best.move.notation} ({best.value:.3f})"

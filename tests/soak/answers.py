"""What is right about an answer, whatever the search has found."""

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Any, Final

from google.protobuf.message import Message

from advisor.v1 import advice_pb2
from advisor.v1 import advisor_service_pb2 as pb

TOLERANCE: Final = 1e-6
_BY_VALUE: Final = (advice_pb2.ALGORITHM_FLAT, advice_pb2.ALGORITHM_EXPECTIMAX)


def same_bytes(response: Message) -> bytes:
    """What equal requests have in common: everything outside `timing`."""
    rest = type(response)()
    rest.CopyFrom(response)
    for part in _answers(rest):
        part.ClearField("timing")
    return rest.SerializeToString(deterministic=True)


def _answers(message: Any) -> list[Any]:
    """The message, or what is in it, that has a timing."""
    if "timing" in message.DESCRIPTOR.fields_by_name:
        return [message]
    found = []
    for field, value in message.ListFields():
        if field.message_type is not None:
            for one in value if field.is_repeated else [value]:
                found += _answers(one)
    return found


def faults_of(response: pb.AdviseResponse, legal: Collection[str], seats: int, final: bool = True) -> list[str]:
    """What is wrong with ranked moves, where those in `legal` may be played; nothing, if all is well."""
    moves = response.moves
    notations = [ranked.move.notation for ranked in moves]
    found = [f"{move} is not legal" for move in notations if move not in legal]
    if not moves:
        found.append("no move is ranked")
    if len(set(notations)) < len(notations):
        found.append("a move is ranked twice")
    if response.legal_moves != len(legal):
        found.append(f"{response.legal_moves} legal moves, not {len(legal)}")
    if any(one.rank >= other.rank for one, other in pairwise(moves)) or (moves and moves[0].rank != 1):
        found.append(f"ranks {[ranked.rank for ranked in moves]}")
    found += _order(response)
    if not response.exact and sum(ranked.visits for ranked in moves) > response.simulations:
        found.append(f"more visits than the {response.simulations} simulations")
    if sum(ranked.prior for ranked in moves) > 1 + TOLERANCE:
        found.append("priors add up to more than 1")
    for ranked in moves:
        known = response.exact or ranked.visits > 0
        found += [f"{ranked.move.notation}: {fault}" for fault in _ranked_faults(ranked, seats, known)]
    for mix in response.mixes:
        if abs(sum(one.probability for one in mix.moves) - 1) > TOLERANCE:
            found.append(f"the mix of seat {mix.seat} does not add up to 1")
    if final == (response.stop_reason == advice_pb2.STOP_REASON_UNSPECIFIED):
        found.append(f"stop reason {response.stop_reason}")
    return found


def _order(response: pb.AdviseResponse) -> list[str]:
    """By visits and then by value, or where values are what counts by value alone."""
    moves = response.moves
    if response.exact or response.algorithm in _BY_VALUE:
        falls = all(one.value >= other.value - 1e-9 for one, other in pairwise(moves))
    elif response.algorithm in (advice_pb2.ALGORITHM_MCTS, advice_pb2.ALGORITHM_UCT):
        keys = [(ranked.visits, ranked.value) for ranked in moves]
        falls = all(one >= other for one, other in pairwise(keys))
    else:
        return []
    return [] if falls else ["moves are not in the order of what they are worth"]


def _ranked_faults(ranked: advice_pb2.RankedMove, seats: int, known: bool) -> list[str]:
    """What is wrong with one move; `known` where its value is not for want of any simulation."""
    found = []
    if not ranked.interval.low - TOLERANCE <= ranked.value <= ranked.interval.high + TOLERANCE:
        found.append("the value is outside its interval")
    for shares in (ranked.win_share, ranked.expected_score, ranked.score_spread):
        if len(shares) != seats:
            found.append(f"{len(shares)} values for {seats} seats")
    if known and seats > 1 and abs(sum(ranked.win_share) - 1) > TOLERANCE:
        found.append(f"shares of first place add up to {sum(ranked.win_share)}")
    if not ranked.line or ranked.line[0].move.notation != ranked.move.notation:
        found.append("its line begins with another move")
    if not 1 <= ranked.playable <= len(ranked.line):
        found.append(f"{ranked.playable} of {len(ranked.line)} moves can be played")
    return found


def watched_faults(answers: Sequence[pb.WatchAdviceResponse], legal: Collection[str], seats: int) -> list[str]:
    """What is wrong with a stream that has ended well."""
    found = []
    if [answer.final for answer in answers] != [False] * (len(answers) - 1) + [True]:
        found.append("not exactly one final answer, at the end")
    for answer in answers:
        found += faults_of(answer.advice, legal, seats, answer.final)
    return found

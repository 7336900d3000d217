"""What all commands share: where the service is, files of protobuf JSON, exit codes, and how errors are told."""

import functools
import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, ParamSpec, Protocol, TypeVar

import grpc
import typer
from google.protobuf.message import Message
from pydantic import ValidationError
from pydantic_settings import SettingsError
from rich.console import Console

from advisor import protojson
from advisor.catalogues import CatalogueError
from advisor.cli.connection import connect
from advisor.drawing import Drawing, seen_by
from advisor.errors import AdvisorError, from_exception, quote
from advisor.faults import Faults
from advisor.render import drawing_of
from advisor.service import Advisor
from advisor.settings import Settings
from advisor.v1 import advisor_service_pb2, game_pb2, position_pb2
from advisor.watched import UnusableFile
from ext.errors import Malformed

DONE: Final = 0
NEGATIVE: Final = 1
BAD_INPUT: Final = 2
FAILED: Final = 3
STREAM: Final = "-"
"""Names standard input or output where a file is expected."""
PLAIN_WIDTH: Final = 160
"""Columns of tables that do not go to a terminal."""

P = ParamSpec("P")
T = TypeVar("T")
M = TypeVar("M", bound=Message)

ServerOption = Annotated[
    str | None, typer.Option("--server", metavar="HOST:PORT", help="Ask a running server instead of this process.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the answer as JSON and nothing else.")]
OutOption = Annotated[
    str, typer.Option("--out", "-o", metavar="FILE", help="Where the position goes; - is standard output.")
]
PositionArgument = Annotated[str, typer.Argument(metavar="FILE", help="A position; - is standard input.")]
SubjectArgument = Annotated[str, typer.Argument(metavar="FILE", help="A position or a record; - is standard input.")]
GameArgument = Annotated[str, typer.Argument(metavar="GAME", help="The game: heart, ocean, sanctuary.")]
GameOption = Annotated[str, typer.Option("--game", help="The game: heart, ocean, sanctuary.")]
PlayersOption = Annotated[int, typer.Option("--players", help="Number of seats.")]
VariantOption = Annotated[
    str, typer.Option("--variant", help="The variant; by default the game's first for so many players.")
]
RulesOption = Annotated[
    list[str] | None, typer.Option("--rules", metavar="KEY=VALUE", help="A rule option; may be given several times.")
]
CatalogueOption = Annotated[str, typer.Option("--catalogue", metavar="ID", help="The catalogue; the default one.")]
SeedOption = Annotated[int, typer.Option("--seed", min=0, max=2**64 - 1, help="Seed of all randomness.")]


class Service(Protocol):
    """The service's methods, in this process or in another."""

    def list_games(self, request: advisor_service_pb2.ListGamesRequest) -> advisor_service_pb2.ListGamesResponse:
        """Return the games held."""

    def get_game(self, request: advisor_service_pb2.GetGameRequest) -> advisor_service_pb2.GetGameResponse:
        """Return one game."""

    def new_position(self, request: advisor_service_pb2.NewPositionRequest) -> advisor_service_pb2.NewPositionResponse:
        """Set up a game."""

    def observe(self, request: advisor_service_pb2.ObserveRequest) -> advisor_service_pb2.ObserveResponse:
        """Return what a seat sees."""

    def list_moves(self, request: advisor_service_pb2.ListMovesRequest) -> advisor_service_pb2.ListMovesResponse:
        """Return legal moves."""

    def apply_move(self, request: advisor_service_pb2.ApplyMoveRequest) -> advisor_service_pb2.ApplyMoveResponse:
        """Play a move."""

    def advise(self, request: advisor_service_pb2.AdviseRequest) -> advisor_service_pb2.AdviseResponse:
        """Rank moves."""

    def watch(
        self, request: advisor_service_pb2.WatchAdviceRequest
    ) -> Iterator[advisor_service_pb2.WatchAdviceResponse]:
        """Rank moves, with interim answers."""

    def choose_move(self, request: advisor_service_pb2.ChooseMoveRequest) -> advisor_service_pb2.ChooseMoveResponse:
        """Choose a move as the computer opponent."""


def load_settings(**given: Any) -> Settings:
    """Return the settings of the environment, with what the command line gives on top."""
    return Settings(**{name: value for name, value in given.items() if value is not None})


@contextmanager
def service(server: str | None) -> Iterator[Service]:
    """Yield the service in this process, or a client of the one at `server`."""
    if server is None:
        yield Advisor(load_settings())
        return
    with connect(server) as remote:
        yield remote


# Errors.


def exit_code(error: AdvisorError) -> int:
    """Return 2 for what the caller can mend, 3 for a server that is unreachable or failed."""
    input_errors = (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.OUT_OF_RANGE)
    return BAD_INPUT if error.status in input_errors else FAILED


def tell(error: AdvisorError) -> None:
    """Write an error to standard error: one line a fault, "path: message"."""
    if not error.violations:
        print(f"{error.reason}: {error.message}", file=sys.stderr)
        return
    for path, message in error.violations:
        print(f"{path}: {message}" if path else message, file=sys.stderr)
    total = int(error.metadata.get("violations", len(error.violations)))
    if total > len(error.violations):
        print(f"... and {total - len(error.violations)} more", file=sys.stderr)


def fail(path: str, message: str) -> typer.Exit:
    """Tell of one fault of the input and return the exit to raise."""
    print(f"{path}: {message}" if path else message, file=sys.stderr)
    return typer.Exit(BAD_INPUT)


def in_64_bits(value: int, option: str) -> int:
    """Return `value`; exits with 2 where no message has room for it."""
    if not -(2**63) <= value < 2**63:
        raise fail(option, "is far out of range")
    return value


def in_32_bits(value: int, option: str) -> int:
    """Return `value`; exits with 2 where no message has room for it."""
    if not -(2**31) <= value < 2**31:
        raise fail(option, "is far out of range")
    return value


def _unreadable_setting(error: SettingsError) -> str:
    """Return what is wrong with a variable of the environment that is to hold JSON."""
    found = re.search(r'field "(\w+)"', str(error))
    if found is None:
        return f"settings: {error}"
    return f'settings.{found[1]}: SIRENIA_{found[1].upper()} expects a JSON list, such as ["/some/folder"]'


def handled(command: Callable[P, None]) -> Callable[P, None]:
    """Turn errors of a command into text on standard error and an exit code."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except (AdvisorError, Malformed) as caught:
            error = from_exception(caught)
            tell(error)
            raise typer.Exit(exit_code(error)) from None
        except (CatalogueError, UnusableFile) as caught:
            print(caught, file=sys.stderr)
            raise typer.Exit(BAD_INPUT) from None
        except ValidationError as caught:
            for entry in caught.errors():
                where = ".".join(["settings", *map(str, entry["loc"])])
                print(f"{where}: {entry['msg']}", file=sys.stderr)
            raise typer.Exit(BAD_INPUT) from None
        except SettingsError as caught:
            print(_unreadable_setting(caught), file=sys.stderr)
            raise typer.Exit(BAD_INPUT) from None
        except BrokenPipeError:
            # The reader has gone, as with `| head`. Python would complain once more when it flushes at exit.
            sys.stdout = open("/dev/null", "w")  # noqa: SIM115
            raise typer.Exit(DONE) from None

    return run


# Files.


def read_text(path: str) -> bytes:
    """Return the content of a file, or of standard input."""
    try:
        if path == STREAM:
            if sys.stdin is None:
                raise fail(path, "standard input is closed")
            return sys.stdin.buffer.read()
        return Path(path).read_bytes()
    except OSError as error:
        raise fail(path, (error.strerror or str(error)).lower()) from None


def read_position(path: str) -> position_pb2.Position:
    """Return the position in a file: alone, or inside a response of `new`, `observe` or `apply` as JSON."""
    faults = Faults("position")
    data = protojson.parse_json(read_text(path), faults)
    faults.raise_if_any()
    return _position_of(data)


@dataclass(frozen=True)
class Subject:
    """What a command is about: a position, alone or at the end of a record."""

    position: position_pb2.Position
    record: position_pb2.Record | None = None

    def put_into(self, request: advisor_service_pb2.AdviseRequest | advisor_service_pb2.ChooseMoveRequest) -> None:
        """Ask about it."""
        if self.record is None:
            request.position.CopyFrom(self.position)
        else:
            request.record.CopyFrom(self.record)


def read_subject(path: str) -> Subject:
    """Return the position or the record in a file; a record has a start. Of a record, `position` is the start."""
    faults = Faults("position")
    data = protojson.parse_json(read_text(path), faults)
    faults.raise_if_any()
    if isinstance(data, dict) and ("start" in data or "steps" in data):
        faults = Faults("record")
        record = protojson.read(data, position_pb2.Record, faults)
        faults.raise_if_any()
        return Subject(record.start, record)
    return Subject(_position_of(data))


def _position_of(data: Any) -> position_pb2.Position:
    faults = Faults("position")
    if isinstance(data, dict) and isinstance(data.get("position"), dict) and "game" not in data:
        data = data["position"]
    position = protojson.read(data, position_pb2.Position, faults)
    faults.raise_if_any()
    return position


def parse_message(text: str, kind: type[M], path: str) -> M:
    """Return a message from JSON on the command line; its faults are told below `path`."""
    faults = Faults(path)
    data = protojson.parse_json(text, faults)
    faults.raise_if_any()
    message = protojson.read(data, kind, faults)
    faults.raise_if_any()
    return message


def write_file(path: str, message: Message) -> None:
    """Write a message as protobuf JSON."""
    if path == STREAM:
        sys.stdout.write(protojson.write(message))
        return
    try:
        Path(path).write_text(protojson.write(message), encoding="utf-8")
    except OSError as error:
        raise fail(path, (error.strerror or str(error)).lower()) from None


def print_message(message: Message) -> None:
    """Print a message as protobuf JSON."""
    sys.stdout.write(protojson.write(message))


def print_figures(figures: Any) -> None:
    """Print figures as JSON: one line, so that the last line of a longer output can be read alone."""
    print(json.dumps(figures, ensure_ascii=False))


def console() -> Console:
    """Return a console for people on standard output."""
    plain = Console(highlight=False, soft_wrap=False)
    return plain if plain.is_terminal else Console(highlight=False, width=PLAIN_WIDTH)


# What commands are given.


def parse_pairs(texts: list[str] | None, faults: Faults) -> dict[str, str]:
    """Return `--rules` as a mapping; several pairs may stand in one, parted by commas."""
    pairs: dict[str, str] = {}
    for text in texts or ():
        for part in text.split(","):
            key, equals, value = part.strip().partition("=")
            if not equals or not key:
                faults.add("", f"expected KEY=VALUE, not {quote(part)}")
            elif pairs.setdefault(key, value) != value:
                faults.add(key, "is given twice with different values")
    return pairs


def new_request(
    game: str, players: int, variant: str, rules: list[str] | None, catalogue: str, seed: int
) -> advisor_service_pb2.NewPositionRequest:
    """Return the request that sets up the game of a command line.

    Without a variant it is the first for so many players; where there is none, the service says what is wrong.
    """
    from advisor.games import ENTRIES

    request = advisor_service_pb2.NewPositionRequest(game=game, variant=variant, seed=seed)
    request.seats = in_32_bits(players, "--players")
    if catalogue:
        request.catalogue.id = catalogue
    faults = Faults("rules")
    pairs = parse_pairs(rules, faults)
    entry = next((entry for entry in ENTRIES if entry.game == game), None)
    if entry is not None and not variant:
        fitting = (one.variant for one in entry.variants if one.min_seats <= players <= one.max_seats)
        request.variant = next(fitting, "")
    if entry is not None and pairs:
        message = entry.converter.parse_rules(pairs, faults)
        getattr(request.rules, entry.converter.member).CopyFrom(message)
    faults.raise_if_any()
    return request


def seat_of(position: position_pb2.Position, seat: int | None) -> int:
    """Return the seat asked for; on an observation its own one when none is given."""
    if seat is not None:
        return in_32_bits(seat, "--seat")
    observer = seen_by(position)
    if observer is not None:
        return observer
    raise fail("--seat", "is required: this is a referee's position")


def drawing_for(asked: Service, position: position_pb2.Position) -> Drawing:
    """Return what draws a position, with the names of its components, asked of whoever holds its catalogue."""
    request = advisor_service_pb2.GetGameRequest(game=position.game)
    request.catalogue.CopyFrom(position.catalogue)
    return drawing_with(asked.get_game(request).catalogue)


def drawing_with(catalogue: game_pb2.Catalogue) -> Drawing:
    """Return what draws a catalogue's game; exits with 2 when this version does not know it."""
    drawing = drawing_of(catalogue)
    if drawing is None:
        raise fail("game", "is drawn by a newer version only; --json shows it all the same")
    return drawing


def ref_text(ref: game_pb2.CatalogueRef) -> str:
    """Return a catalogue reference for people: id and the digest's beginning."""
    return f"{ref.id} ({ref.digest[:12]})"

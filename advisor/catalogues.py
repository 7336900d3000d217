"""The catalogues a server holds: what is printed on a game's components, with the digest that positions carry."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Protocol

import rfc8785
from google.protobuf import json_format
from google.protobuf.message import Message

from advisor import protojson
from advisor.faults import Faults
from ext.errors import Violation

MAX_FILE_BYTES: Final = 8 << 20
"""Largest catalogue file that is read, in bytes."""


class CatalogueMessage(Protocol):
    """What the catalogue messages of all games have in common."""

    id: str
    about: str


class CatalogueRules(Protocol):
    """What a game knows about its catalogues."""

    @property
    def catalogue_type(self) -> type[Message]:
        """The game's catalogue message."""

    def check_catalogue(self, catalogue: Mapping[str, Any]) -> list[Violation]:
        """Return everything that is wrong with a catalogue; paths are relative to its message."""

    def catalogue_warnings(self, catalogue: Mapping[str, Any]) -> list[Violation]:
        """Return what is allowed but probably not meant."""


@dataclass(frozen=True)
class Catalogue:
    """One catalogue, checked.

    digest: SHA-256 of the message's RFC 8785 JSON, 64 lower-case hex digits.
    content: the message with .proto field names and full enum names, as the kernels take it.
    """

    game: str
    id: str
    about: str
    digest: str
    message: Message
    content: Mapping[str, Any]


@dataclass(frozen=True)
class CatalogueReport:
    """What was found in a catalogue file: the catalogue if it is sound, and all faults and warnings."""

    catalogue: Catalogue | None
    faults: list[Violation]
    warnings: list[Violation]


class CatalogueError(Exception):
    """A catalogue that a server was told to hold is unusable; the text names the file and every fault."""


def digest_of(message: Message) -> str:
    """Return the SHA-256 of the RFC 8785 form of the message's protobuf JSON, in lower-case hex."""
    return hashlib.sha256(rfc8785.dumps(json_format.MessageToDict(message))).hexdigest()


def inspect(text: bytes, game: str, rules: CatalogueRules) -> CatalogueReport:
    """Read a catalogue file and say everything that is wrong with it."""
    faults = Faults()
    data = protojson.parse_json(text, faults)
    if faults:
        return CatalogueReport(None, faults.found, [])
    message = protojson.read(data, rules.catalogue_type, faults)
    content = protojson.mapping(message)
    # What could not be read was left out above, and only its absence would be reported again below.
    unread = {path for path, _ in faults.found}
    faults.take(fault for fault in rules.check_catalogue(content) if not protojson.path_within(fault.path, unread))
    if faults:
        return CatalogueReport(None, faults.found, [])
    return CatalogueReport(
        Catalogue(
            game=game,
            id=content["id"],
            about=content["about"],
            digest=digest_of(message),
            message=message,
            content=content,
        ),
        [],
        rules.catalogue_warnings(content),
    )


def built_in(game: str, rules: CatalogueRules) -> list[Catalogue]:
    """Return the catalogues that come with the program for `game`, the house catalogue first."""
    folder = files("advisor") / "catalogues"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.startswith(f"{game}-"))
    names.sort(key=lambda name: name != f"{game}-house.json")
    return [_load(name, (folder / name).read_bytes(), game, rules) for name in names if name.endswith(".json")]


def from_folders(folders: Iterable[Path], game: str, rules: CatalogueRules) -> list[Catalogue]:
    """Return the catalogues in files GAME-NAME.json of `folders`; raises `CatalogueError` for an unusable one."""
    found = []
    for folder in folders:
        if not folder.is_dir():
            raise CatalogueError(f"{folder}: is not a directory")
        for path in sorted(folder.glob(f"{game}-*.json")):
            try:
                size = path.stat().st_size
                if size > MAX_FILE_BYTES:
                    raise CatalogueError(f"{path}: {size} bytes are more than {MAX_FILE_BYTES}")
                text = path.read_bytes()
            except OSError as error:
                raise CatalogueError(f"{path}: {error.strerror}") from error
            found.append(_load(str(path), text, game, rules))
    return found


def _load(name: str, text: bytes, game: str, rules: CatalogueRules) -> Catalogue:
    report = inspect(text, game, rules)
    if report.catalogue is None:
        lines = "\n".join(f"  {path or '(file)'}: {message}" for path, message in report.faults)
        raise CatalogueError(f"{name}: unusable catalogue\n{lines}")
    return report.catalogue

"""Files that an operator may exchange while the server runs."""

import os
from pathlib import Path
from typing import Final

_Signature = tuple[int, int, int, int] | None


class UnusableFile(Exception):
    """A file that a setting names cannot be used; the text says which setting, which file, and what is wrong."""


class Watched:
    """Tells whether files have changed. Opens none of them; a look costs microseconds.

    A file that is replaced, written, or given other rights has changed; so has one that vanishes or comes back.
    """

    def __init__(self, *paths: Path) -> None:
        self._paths: Final = paths
        self._seen: tuple[_Signature, ...] | None = None

    def changed(self) -> bool:
        """Whether anything is otherwise than at the last look; the first look always finds a change."""
        now = tuple(map(_signature, self._paths))
        before, self._seen = self._seen, now
        return now != before


def read(path: Path, setting: str) -> bytes:
    """Return what a file holds; raises `UnusableFile` naming the setting."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UnusableFile(f"{setting}: {path}: {(error.strerror or str(error)).lower()}") from error


def _signature(path: Path) -> _Signature:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns

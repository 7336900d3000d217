"""Bearer tokens: one line a client in a file that holds only their hashes.

    # comment
    NAME sha256:HEX

A token is 256 random bits, so that its plain SHA-256 gives nothing away. A client may have several lines, as while its
token is exchanged.
"""

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from advisor.errors import quote
from advisor.watched import UnusableFile, Watched, read

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""What a client may be called."""
MAX_FILE_BYTES: Final = 1 << 20
LOOK_SECONDS: Final = 1.0
"""How often at most the file is looked at."""
_TOKEN_BYTES: Final = 32
_LINE: Final = re.compile(rf"({NAME.pattern})[ \t]+sha256:([0-9a-f]{{64}})")


def make_token(name: str) -> tuple[str, str]:
    """Return a new token and the line to add to the file; raises ValueError for a name that is none."""
    if not NAME.fullmatch(name):
        raise ValueError("expected 1 to 64 letters, digits, '.', '_' or '-', the first a letter or a digit")
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    return token, f"{name} sha256:{_hash(token).hex()}"


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()


def parse_tokens(text: str, where: str) -> list[tuple[str, bytes]]:
    """Return the clients and the hashes of their tokens; raises `UnusableFile` naming the first line at fault."""
    found: list[tuple[str, bytes]] = []
    known: set[str] = set()
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        parts = _LINE.fullmatch(line)
        # The line itself is not told: it may be a token that was put there by mistake.
        if parts is None:
            raise UnusableFile(f"{where}:{number}: expected NAME sha256:HEX, as `advisor token NAME` prints it")
        if parts[2] in known:
            raise UnusableFile(f"{where}:{number}: this token stands in an earlier line already")
        known.add(parts[2])
        found.append((parts[1], bytes.fromhex(parts[2])))
    return found


class TokenFile:
    """The clients of a token file. It is read again within a second of a call once it has changed.

    A file without a client is usable: nobody gets in. A changed file that is unusable leaves the clients as they were;
    the log has it. Belongs to one event loop.
    """

    def __init__(self, path: Path, log: Any) -> None:
        """Read the file; raises `UnusableFile`."""
        self._path, self._log = path, log
        self._file = Watched(path)
        self._file.changed()
        self._looked = time.monotonic()
        self._clients: Sequence[tuple[str, bytes]] = self._read()

    def client_of(self, token: str) -> str | None:
        """Return who has this token, in a time that depends on the number of clients alone; None for nobody."""
        self._look()
        presented = _hash(token)
        found = None
        for name, expected in self._clients:
            if hmac.compare_digest(presented, expected):
                found = name
        return found

    def _look(self) -> None:
        now = time.monotonic()
        if now < self._looked + LOOK_SECONDS:
            return
        self._looked = now
        if not self._file.changed():
            return
        try:
            self._clients = self._read()
        except UnusableFile as error:
            self._log.error("the token file cannot be read; the tokens before stay valid", error=str(error))
        else:
            self._log.info("tokens renewed", clients=len({name for name, _ in self._clients}))

    def _read(self) -> Sequence[tuple[str, bytes]]:
        data = read(self._path, "token_file")
        if len(data) > MAX_FILE_BYTES:
            raise UnusableFile(f"token_file: {self._path}: {len(data)} bytes are more than {MAX_FILE_BYTES}")
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            raise UnusableFile(f"token_file: {self._path}: is not UTF-8 text") from error
        return parse_tokens(text, f"token_file: {quote(str(self._path), 200)[1:-1]}")

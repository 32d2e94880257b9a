"""The file with the games of the last day, from which a restarted bot knows them.

The first line identifies the file; each other line is a game, the oldest first, with its begin
(UTC) and the opponent. The file is replaced as a whole, so that a reader finds the old one or the
new one. A bot survives a file that it cannot read or write: its daily limits then count from its
start.
"""

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from .ledger import Begun

HEAD = "# games of a ulci bot, version 1"

# Bytes: of 100,000 games, which is more than one a second all day.
MOST_BYTES = 8_000_000


class GamesFileError(Exception):
    """The file cannot be used; the text says why and what follows."""


def default_path(config: Path) -> Path:
    """Where the bot of this configuration keeps it: under $XDG_STATE_HOME, or ~/.local/state (XDG
    Base Directory Specification); each configuration has a file of its own."""
    known = Path(os.environ.get("XDG_STATE_HOME", ""))
    if not known.is_absolute():
        known = Path(os.path.expanduser("~/.local/state"))  # noqa: PTH111 (it never raises)
    mark = sha256(os.fsencode(config.absolute())).hexdigest()[:8]
    return known / "ulci" / f"{config.stem}-{mark}.games"


def read_games(path: Path, at: datetime) -> tuple[Sequence[Begun], str]:
    """The games, and the faults of single lines, which are left out; both empty if there is no
    file. A time after `at` becomes `at`: the clock was set back.

    Raises:
        GamesFileError: the file cannot be read, or is another one, which must not be overwritten.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        return [], ""
    except OSError as error:
        raise GamesFileError(f"cannot read {path}: {error.strerror}; {_FORGETS}") from error
    head, *lines = data.decode(errors="replace").split("\n")
    if (data and head != HEAD) or len(data) > MOST_BYTES:
        raise GamesFileError(
            f"{path} is not a file with a bot's games, and is left alone: delete it, or name"
            f" another one in [limits] games_file; {_FORGETS}"
        )
    games = []
    wrong = 0
    for line in lines:
        when, _, opponent = line.partition(" ")
        try:
            begun = datetime.fromisoformat(when).astimezone(UTC)
        except (ValueError, OverflowError):
            wrong += bool(line)
            continue
        if opponent:
            games.append(Begun(opponent, min(begun, at)))
        else:
            wrong += 1
    games.sort(key=lambda game: game.at)
    damage = f"{path} is damaged: {wrong} of its games are forgotten" if wrong else ""
    return games, damage


_FORGETS = "the games of a day are counted from now on"


def write_games(path: Path, games: Iterable[Begun]) -> None:
    """Write the games. Raises GamesFileError; then the file is unchanged."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with fresh.open("w", encoding="utf-8") as file:
            print(HEAD, file=file)
            for game in games:
                print(game.at.astimezone(UTC).isoformat(), game.opponent, file=file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError as error:
        with suppress(OSError):
            fresh.unlink()
        raise GamesFileError(
            f"cannot write to {path}: {error.strerror}; a restart forgets the games of this day"
        ) from error

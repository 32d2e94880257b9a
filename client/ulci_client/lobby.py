"""What the lobby announces, as far as a program acts on it: ``lobby …`` lines. Pure.

Each is a keyword, perhaps a number, and then key and value in turn. What is not understood is
nothing (None): the lobby may say more than we know.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Welcome:
    """``lobby welcome name N account A resume SECRET``: who we are here."""

    name: str
    resume: str = ""


@dataclass(frozen=True, slots=True)
class GameStarted:
    """``lobby game ID start white W black B game G time T rated R``."""

    id: int
    white: str
    black: str
    game: str = ""
    time: str = ""


@dataclass(frozen=True, slots=True)
class GameOver:
    """``lobby game ID over result R reason X``."""

    id: int
    result: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """``lobby error CODE text``: what we said last is not done."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class SeeksListed:
    """``lobby seeks N``: how many are open; the answer to `seeks`."""

    number: int


@dataclass(frozen=True, slots=True)
class Challenged:
    """``lobby challenge ID player P …``: somebody asks us for a game."""

    id: int
    player: str


@dataclass(frozen=True, slots=True)
class Noted:
    """``lobby note CODE text``: it is done, but with less effect than one may hope."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class OpponentAway:
    """``lobby game ID opponent away claim-in MS``. At 0 the game may be claimed; None: never."""

    game: int
    claim_in: int | None = None


@dataclass(frozen=True, slots=True)
class TakebackOffered:
    """``lobby game ID offer takeback N from P``: to take back so many half-moves."""

    game: int
    plies: int
    player: str


@dataclass(frozen=True, slots=True)
class DrawOffered:
    """``lobby game ID offer draw from P``."""

    game: int
    player: str


@dataclass(frozen=True, slots=True)
class Resumed:
    """``lobby game ID resumed downtime MS``: the server was away, and no clock paid for it."""

    game: int
    ms: int


Notice = (
    Welcome | GameStarted | GameOver | Refused | SeeksListed | Challenged | Noted | OpponentAway
    | TakebackOffered | DrawOffered | Resumed
)  # fmt: skip


def read_untrusted(words: Sequence[str]) -> Notice | None:
    """The words after ``lobby``. Raises nothing, whatever was sent."""
    if not words:
        return None
    reader = _READERS.get(words[0])
    return None if reader is None else reader(words[1:])


def _pairs(words: Sequence[str]) -> Mapping[str, str]:
    return dict(zip(words[::2], words[1::2], strict=False))


def _number(text: str) -> int | None:
    # Longer numbers are no counts of anything (and Python refuses to read very long ones).
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None


def _welcome(words: Sequence[str]) -> Notice | None:
    said = _pairs(words)
    return Welcome(said["name"], said.get("resume", "")) if "name" in said else None


def _game(words: Sequence[str]) -> Notice | None:
    if len(words) < 2 or (number := _number(words[0])) is None:
        return None
    said = _pairs(words[2:])
    if words[1] == "start" and "white" in said and "black" in said:
        return GameStarted(
            number, said["white"], said["black"], said.get("game", ""), said.get("time", "")
        )
    if words[1] == "over" and "result" in said:
        return GameOver(number, said["result"], said.get("reason", ""))
    return _in_game(number, words[1:])


def _in_game(game: int, words: Sequence[str]) -> Notice | None:
    match words:
        case ["opponent", "away", *rest]:
            return OpponentAway(game, _number(_pairs(rest).get("claim-in", "")))
        case ["offer", "takeback", plies, "from", player] if number := _number(plies):
            return TakebackOffered(game, number, player)
        case ["offer", "draw", "from", player]:
            return DrawOffered(game, player)
        case ["resumed", "downtime", ms] if (number := _number(ms)) is not None:
            return Resumed(game, number)
        case _:
            return None


def _error(words: Sequence[str]) -> Notice | None:
    return Refused(words[0], " ".join(words[1:])) if words else None


def _challenge(words: Sequence[str]) -> Notice | None:
    number, said = _number(words[0]) if words else None, _pairs(words[1:])
    return None if number is None or "player" not in said else Challenged(number, said["player"])


def _note(words: Sequence[str]) -> Notice | None:
    return Noted(words[0], " ".join(words[1:])) if words else None


def _seeks(words: Sequence[str]) -> Notice | None:
    number = _number(words[0]) if len(words) == 1 else None
    return None if number is None else SeeksListed(number)


_READERS: Mapping[str, Callable[[Sequence[str]], Notice | None]] = {
    "welcome": _welcome,
    "game": _game,
    "error": _error,
    "seeks": _seeks,
    "challenge": _challenge,
    "note": _note,
}

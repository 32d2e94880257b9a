"""Start positions from the configuration, checked before anybody plays them."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from ulci.rules import GAMES, Position, Rules, StartError
from ulci.rules.refereed import RefereedRules
from ulci.rules.starts import over_already, playable_start
from ulci.settings import SettingPath, toml
from ulci_server.openings import epd
from ulci_server.openings.formats import BOM
from ulci_server.openings.judge import USUAL

MOST_STARTS = 50_000
"""Positions of a file. Each takes 0.2 ms to judge, and the server must start within seconds."""

MOST_FAULTS = 10
"""Faults of a file that are reported: an operator who named the wrong file needs no more."""

Starts = tuple[str | None, ...]
"""Positions as a pool has them: normal FENs, None for the usual start."""


class Book(tuple[str | None, ...]):
    """The positions of a file. `skipped`: a sentence for each line that was left out."""

    skipped: tuple[str, ...] = ()


def judged(texts: Iterable[tuple[SettingPath, Any]], game: str | None) -> Starts:
    """Positions in their normal form. `game` None: that is wrong itself, so nothing is judged. Of a
    game with a referee it judges, when the server starts.

    Raises:
        ValidationError: positions that cannot be played, each with its place.
    """
    starts: list[str | None] = []
    faults: list[InitErrorDetails] = []
    for place, text in texts:
        try:
            starts.append(_judged(text, game, playable_start))
        except StartError as error:
            faults.append(_fault(place, str(error)))
    if faults:
        _fail(faults)
    return tuple(starts)


def judged_book(texts: Iterable[tuple[SettingPath, str]], game: str | None) -> Book:
    """Likewise of a file. Lines at which the game is over are skipped: books are made by programs,
    and may have a few among thousands.

    Raises:
        ValidationError: positions that cannot be played, each with its line; or none is left.
    """
    starts: list[str | None] = []
    faults: list[InitErrorDetails] = []
    skipped: list[str] = []
    for place, text in texts:
        try:
            position = _judged(text, game, _to_play)
        except StartError as error:
            faults.append(_fault(place, str(error)))
            continue
        if position is None or (outcome := position.outcome()) is None:
            starts.append(None if position is None else position.start)
        else:
            skipped.append(f"{place[0]} is skipped: {over_already(outcome)}")
    if not faults and not starts:
        faults.append(_fault((), f"no position is left to play: {skipped[0]}"))
    if faults:
        _fail(faults)
    if (more := len(skipped) - MOST_FAULTS) > 0:
        skipped[MOST_FAULTS:] = [f"has {more} more lines that are skipped"]
    book = Book(starts)
    book.skipped = tuple(skipped)
    return book


Judged = TypeVar("Judged")


def _judged(text: Any, game: str | None, judge: Callable[[Rules, str], Judged]) -> Judged | None:
    """The start in the form that `judge` returns; None for the usual start. Raises StartError."""
    if game is None or text in (None, USUAL):
        return None
    if not isinstance(text, str):
        raise StartError(f"expected a FEN in quotes, found {toml(text)}")
    return judge(GAMES.get(game) or RefereedRules(game), text)


def _to_play(rules: Rules, text: str) -> Position:
    return rules.to_play(text)


def read_book(path: Path) -> Iterator[tuple[SettingPath, str]]:
    """The positions of a file with the numbers of their lines. Raises `ValueError`."""
    positions = [
        ((f"line {number}",), epd.fen(text))
        for number, line in enumerate(_lines(path), 1)
        if (text := epd.uncommented(line))
    ]
    if not positions:
        raise ValueError(f"the file {path} holds no position; expected a FEN or EPD a line")
    if len(positions) > MOST_STARTS:
        raise ValueError(
            f"the file {path} holds {len(positions)} positions, and each is judged at the start;"
            f" take at most {MOST_STARTS} of them: shuf -n {MOST_STARTS}"
        )
    return iter(positions)


def _lines(path: Path) -> list[str]:
    """Raises `ValueError`."""
    try:
        data = path.read_bytes().removeprefix(BOM)
    except OSError as error:
        raise ValueError(f"cannot read the file {path}: {error.strerror}") from None
    try:
        return data.decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"cannot read the file {path}: line {line} is not a text in UTF-8; if it is in Latin-1:"
            f" iconv -f latin1 -t utf-8"
        ) from None


def _fault(place: SettingPath, text: str) -> InitErrorDetails:
    # The braces of a template would be taken for its arguments.
    kind = PydanticCustomError("start", "{text}", {"text": text})
    return InitErrorDetails(type=kind, loc=place, input=None)


def _fail(faults: list[InitErrorDetails]) -> NoReturn:
    if (more := len(faults) - MOST_FAULTS) > 0:
        text = f"{more} more positions cannot be played"
        faults = [*faults[:MOST_FAULTS], _fault((), text)]
    raise ValidationError.from_exception_data("starts", faults)

"""Start positions from the configuration, checked before anybody plays them."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from ulci.rules import GAMES, StartError
from ulci.rules.refereed import RefereedRules
from ulci.settings import SettingPath, toml

MOST_STARTS = 50_000
"""Positions of a book. Judging one takes 0.2 ms, and the server shall be up within seconds."""

MOST_FAULTS = 10
"""Faults told of a book: whoever took the wrong file needs no more."""

USUAL = "startpos"
"""The usual start, where a list of positions shall contain it."""

Starts = tuple[str | None, ...]
"""Positions as a pool has them: normal FENs, None for the usual start."""

_EPD_FIELDS = 4
_EPD_COUNTER = re.compile(r"\b(hmvc|fmvn) +(\d+) *;")
_COUNTERS = {"hmvc": "0", "fmvn": "1"}


def judged(texts: Iterable[tuple[SettingPath, Any]], game: str | None) -> Starts:
    """Positions in their normal form. `game` None: that is wrong itself, so nothing is judged. Of a
    game with a referee it judges, when the server starts.

    Raises:
        ValidationError: positions that cannot be played, each with its place.
    """
    rules = (GAMES.get(game) or RefereedRules(game)) if game is not None else None
    starts: list[str | None] = []
    faults: list[InitErrorDetails] = []
    for place, text in texts:
        if rules is None or text in (None, USUAL):
            starts.append(None)
        elif not isinstance(text, str):
            faults.append(_fault(place, f"expected a FEN in quotes, found {toml(text)}"))
        else:
            try:
                starts.append(rules.new(text).start)
            except StartError as error:
                faults.append(_fault(place, str(error)))
    if faults:
        _fail(faults)
    return tuple(starts)


def read_book(path: Path) -> Iterator[tuple[SettingPath, str]]:
    """The positions of a file with the numbers of their lines. Raises `ValueError`."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not a text in UTF-8"
        raise ValueError(f"cannot read the file {path}: {why}") from None
    positions = [
        ((f"line {number}",), _fen(text))
        for number, line in enumerate(lines, 1)
        if (text := line.partition("#")[0].strip())
    ]
    if not positions:
        raise ValueError(f"the file {path} holds no position; expected a FEN or EPD a line")
    if len(positions) > MOST_STARTS:
        raise ValueError(
            f"the file {path} holds {len(positions)} positions, and each is judged at the start;"
            f" take at most {MOST_STARTS} of them: shuf -n {MOST_STARTS}"
        )
    return iter(positions)


def _fen(line: str) -> str:
    """EPD is four fields of a FEN and then operations, each ended by a semicolon; of these the
    counters belong to the position."""
    if ";" not in line:
        return line
    fields = line.split(maxsplit=_EPD_FIELDS)
    if len(fields) <= _EPD_FIELDS:
        return line
    counters = {**_COUNTERS, **dict(_EPD_COUNTER.findall(fields[_EPD_FIELDS]))}
    return " ".join([*fields[:_EPD_FIELDS], *counters.values()])


def _fault(place: SettingPath, text: str) -> InitErrorDetails:
    # The braces of a template would be taken for its arguments.
    kind = PydanticCustomError("start", "{text}", {"text": text})
    return InitErrorDetails(type=kind, loc=place, input=None)


def _fail(faults: list[InitErrorDetails]) -> NoReturn:
    if (more := len(faults) - MOST_FAULTS) > 0:
        text = f"{more} more positions cannot be played"
        faults = [*faults[:MOST_FAULTS], _fault((), text)]
    raise ValidationError.from_exception_data("starts", faults)

"""The field types of all tables of a bot.toml."""

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from ulci.settings import beside_file, toml
from ulci.time_control import with_units


def _there(path: Path) -> Path:
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    return path


def _folder(path: Path) -> Path:
    if not path.is_dir():
        raise ValueError(f"there is no folder {path}")
    return path


def _one_line(said: Any) -> Any:
    if isinstance(said, str) and not said.isprintable():
        raise ValueError(f"must be one line without control characters, not {toml(said)}")
    return said


def _one_word(said: Any) -> Any:
    if isinstance(said, str) and (" " in said or not said.isprintable()):
        raise ValueError(f"must be one word, not {toml(said)}")
    return said


def _range(said: tuple[float, float]) -> tuple[float, float]:
    if said[0] > said[1]:
        raise ValueError(f"must be [LEAST, MOST], not [{said[0]:g}, {said[1]:g}]")
    return said


def _pair(said: Any) -> Any:
    if not isinstance(said, list) or len(said) != 2:
        raise ValueError("must be two numbers, [LEAST, MOST]")
    return tuple(said)


OutPath = Annotated[Path, Field(strict=False), AfterValidator(beside_file)]
"""A file that will be made; a relative path is relative to the configuration file."""

FilePath = Annotated[OutPath, AfterValidator(_there)]
FolderPath = Annotated[OutPath, AfterValidator(_folder)]

Line = Annotated[str, BeforeValidator(_one_line)]
Word = Annotated[str, BeforeValidator(_one_word)]

Time = Annotated[Line, AfterValidator(with_units)]
"""A time control: seconds, where it has no units."""

Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Patience = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0)]
Least1 = Annotated[int, Field(ge=1)]

Range = Annotated[
    tuple[Seconds, Seconds], Field(strict=False), BeforeValidator(_pair), AfterValidator(_range)
]
"""Seconds, least and most."""

Words = Annotated[tuple[Word, ...], Field(strict=False)]
Lines = Annotated[tuple[Line, ...], Field(strict=False)]
Times = Annotated[tuple[Time, ...], Field(strict=False)]

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

_SPAN = re.compile(
    r"(?:(?P<days>[a-z]{3}(?:,[a-z]{3})*) +)?(?P<begin>\d\d:\d\d)-(?P<end>\d\d:\d\d)"
)


@dataclass(frozen=True, slots=True)
class QuietHours:
    """``23:00-07:00``, or only on some days: ``sat,sun 00:00-10:00``.

    From `begin` to `end` of these days (0: Monday), in local time; over midnight if `end` is not
    after `begin`: the day is that on which it begins."""

    text: str
    days: frozenset[int]
    begin: time
    end: time

    @staticmethod
    def parse(text: str) -> "QuietHours":
        """Raises ValueError, with what to write."""
        found = _SPAN.fullmatch(text.strip().lower())
        days = found["days"].split(",") if found and found["days"] else DAYS
        try:
            if found is None or not {*days} <= {*DAYS}:
                raise ValueError
            begin, end = time.fromisoformat(found["begin"]), time.fromisoformat(found["end"])
        except ValueError:
            raise ValueError(
                f'{text!r} is no span of hours; write "23:00-07:00", or with days'
                f' ({", ".join(DAYS)}): "sat,sun 00:00-10:00"'
            ) from None
        return QuietHours(text, frozenset(DAYS.index(day) for day in days), begin, end)

    def has(self, at: datetime) -> bool:
        """Whether `at` (local time) lies in it."""
        now = at.time().replace(tzinfo=None)
        if self.begin < self.end:
            return at.weekday() in self.days and self.begin <= now < self.end
        yesterday = (at - timedelta(days=1)).weekday()
        return (at.weekday() in self.days and now >= self.begin) or (
            yesterday in self.days and now < self.end
        )


def _hours(said: Any) -> QuietHours:
    if isinstance(said, str):
        return QuietHours.parse(said)
    raise ValueError(f"must be a span of hours in quotes, not {toml(said)}")


Hours = Annotated[QuietHours, BeforeValidator(_hours)]

"""The field types of all tables of a bot.toml."""

from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from ulci.settings import beside_file, toml


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

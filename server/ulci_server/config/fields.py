"""The base class and field types of all tables of the file."""

from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo

from .errors import toml

Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
"""A time in seconds, above 0."""

BASE = "base"
"""The key of the validation context that holds the folder of the file."""


REFEREED = "refereed"
"""The key of the validation context that holds the names of the games with a referee."""


class Table(BaseModel):
    """A table of the file: nothing else may stand in it, and nothing is converted silently."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, arbitrary_types_allowed=True
    )


def text(said: Any, what: str) -> str:
    """What must be a text in quotes. Raises `ValueError`, which alone the validator collects."""
    if not isinstance(said, str):
        raise ValueError(f"expected {what} in quotes, found {toml(said)}")  # noqa: TRY004
    return said


def beside_file(path: Path, info: ValidationInfo) -> Path:
    """A relative path is relative to the configuration file, wherever the server was started."""
    base: Path = (info.context or {}).get(BASE, Path())
    return base / path


FilePath = Annotated[Path, Field(strict=False), AfterValidator(beside_file)]
"""The path of a file."""

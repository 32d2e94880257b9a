"""The base class of all tables of a file."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationInfo

BASE = "base"
"""The key of the validation context that holds the folder of the file."""


class SettingsTable(BaseModel):
    """A table of the file: nothing else may stand in it, and nothing is converted silently."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, arbitrary_types_allowed=True
    )


def beside_file(path: Path, info: ValidationInfo) -> Path:
    """A relative path is relative to the file, wherever the program was started."""
    base: Path = (info.context or {}).get(BASE, Path())
    return base / path

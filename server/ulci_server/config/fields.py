"""The field types of all tables of the file."""

from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from ulci.settings import beside_file, toml

Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
"""A time in seconds, above 0."""

BOOKS = "books"
"""In the context of a validation: whether the books of pools are opened."""

REFEREED = "refereed"
"""The key of the validation context that holds the names of the games with a referee."""


def text(said: Any, what: str) -> str:
    """Require a text in quotes. Raises `ValueError`, the only error that the validator collects."""
    if not isinstance(said, str):
        raise ValueError(f"expected {what} in quotes, found {toml(said)}")  # noqa: TRY004
    return said


FilePath = Annotated[Path, Field(strict=False), AfterValidator(beside_file)]
"""The path of a file."""

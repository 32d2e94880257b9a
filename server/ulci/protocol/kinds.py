"""Where the classes of messages are a table: all classes of a base, and their union."""

import functools
import operator
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from msgspec import Struct

T = TypeVar("T")


class Tagged(Struct, frozen=True, tag=True, tag_field="is"):
    """Where many kinds are stored or sent as structures, each names its own."""


def leaves(base: type[T]) -> Iterator[type[T]]:
    """The classes below, in the order of their definition, without those that are bases
    themselves."""
    for kind in base.__subclasses__():
        yield from leaves(kind) if kind.__subclasses__() else (kind,)


def union_of(kinds: Iterable[type]) -> Any:
    """Their union, to annotate a structure that holds one of them: msgspec reads it by the classes,
    and not by their base, which mypy is shown."""
    return functools.reduce(operator.or_, kinds)

"""Names of opponents, and patterns of them. Pure.

A server with two players of one name calls the second ``Ada-2``. A refused player is refused under
such names, too, and the games of these names count together; an allowed player must have the very
name, or anybody could pass for Ada. Only an account protects a name.
"""

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

_NUMBERED = re.compile(r"-[0-9]+$")


def key(name: str) -> str:
    """The key for counting an opponent's games: ``ada`` for Ada and Ada-2."""
    return _NUMBERED.sub("", name).casefold()


def allowed(name: str, patterns: Iterable[str]) -> bool:
    """Whether the very name fits one of the patterns (``*``, ``?``; upper and lower case alike)."""
    return any(fnmatchcase(name.casefold(), pattern.casefold()) for pattern in patterns)


def refused(name: str, patterns: Iterable[str]) -> bool:
    """Whether the name fits one of the patterns with or without its number."""
    patterns = tuple(patterns)
    return allowed(name, patterns) or allowed(key(name), patterns)

"""A command as one argument of ours."""

import shlex


def words(command: str) -> tuple[str, ...]:
    """A command as a shell splits it. Raises `ValueError`."""
    try:
        parts = shlex.split(command)
    except ValueError:
        raise ValueError(f"{command!r} has a quotation mark without its second") from None
    if not parts:
        raise ValueError("a command of no words starts no engine")
    return tuple(parts)

"""Names of accounts: one word, so that it stands in the lobby as it is."""

from .admin_commands import EVERYBODY
from .names import is_address, looks

LONGEST_NAME = 64
"""As in the lobby: longer ones help nobody and make every list unreadable."""


def name_fault(name: str) -> str | None:
    """Why no account can be called so, for people; None: one can."""
    plain = all(letter.isalnum() or letter in "._-+" for letter in name)
    if not plain or not name[:1].isalnum() or len(name) > LONGEST_NAME:
        why = f"must be one word of at most {LONGEST_NAME} letters, digits and . _ - +"
        return f"a name {why}, and begin with a letter or digit"
    if is_address(name) or looks(name) == looks(EVERYBODY):
        return f"{name!r} is an address, or means everybody: nobody is called so"
    return None

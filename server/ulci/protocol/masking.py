"""Secrets in lines and texts: hidden from errors, logs and the log of the wire."""

import re

HIDDEN = "(secret)"
"""Stands where a secret stood."""

_CLUES = ("token", "resume", "password", "secret", "register", "://")
"""A text without any of these, in small letters, holds no secret."""

_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    # ``id token T`` and ``id resume S`` of a client, also as a map of msgpack.
    (re.compile(r"(\bid\W+(?:token|resume)\W+).*", re.IGNORECASE | re.DOTALL), rf"\1{HIDDEN}"),
    # The server's answer to it.
    (re.compile(r"(\blobby\s+welcome\s.*\bresume\s+)\S+", re.IGNORECASE), rf"\1{HIDDEN}"),
    (
        re.compile(
            r"(\bsetoption\s+name\s.*(?:token|password|secret).*\svalue\s+).*", re.IGNORECASE
        ),
        rf"\1{HIDDEN}",
    ),
    # UCI: the code of a copy that was bought.
    (re.compile(r"(\bregister\s.*\bcode\s+).*", re.IGNORECASE), rf"\1{HIDDEN}"),
    # The password of an address.
    (re.compile(r"(://[^:/@\s]*):[^\s]*@"), r"\1:***@"),
)


def masked(text: str) -> str:
    """The text without its secrets."""
    small = text.lower()
    if not any(clue in small for clue in _CLUES):
        return text
    for pattern, instead in _RULES:
        text = pattern.sub(instead, text)
    return text

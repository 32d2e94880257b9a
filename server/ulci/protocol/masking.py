"""Secrets in lines and texts: hidden from errors, logs and the log of the wire."""

import re

HIDDEN = "(secret)"
"""Stands where a secret stood."""

_CLUES = ("token", "resume", "password", "secret", "register", "invit", "join", "://")
"""A text without any of these, in small letters, holds no secret."""

_REST = re.compile(r"().+", re.DOTALL)
_INVITATION = re.compile(r"()\b[A-Za-z0-9_-]{16,64}(?![A-Za-z0-9_-])")
_RESUME = re.compile(r"(\bresume\s+)\S+", re.IGNORECASE)


def _rule(secret: re.Pattern[str], *before: str) -> tuple[list[re.Pattern[str]], re.Pattern[str]]:
    return [re.compile(each, re.IGNORECASE) for each in before], secret


# What stands before a secret, in this order, and the secret. A stranger may write 128 KB without an
# end: each is looked for once, after the one before. A pattern with ".*" between them would try
# each with each, for ten seconds in which no other thread runs.
_RULES = (
    # ``id token T`` and ``id resume S`` of a client, also as a map of msgpack.
    _rule(_REST, r"\bid\W+(?:token|resume)\W+"),
    # The server's answer to it.
    _rule(_RESUME, r"\blobby\s+welcome\s"),
    _rule(_REST, r"\bsetoption\s+name\s", r"token|password|secret", r"\svalue\s+"),
    # An invitation, which whoever knows its token may take, of a client and of the server.
    _rule(_INVITATION, r"\b(?:invite|join|inviting)\s"),
    # UCI: the code of a copy that was bought.
    _rule(_REST, r"\bregister\s", r"\bcode\s+"),
)

# An address with a password: what ends with the last "@" of a word.
_LOGIN = re.compile(r"(?<!\S)\S+@")
_PASSWORD = re.compile(r"(://[^:/@]*):.*", re.DOTALL)


def masked(text: str, longest: int | None = None) -> str:
    """The text without its secrets. longest: of a text that may hold any, about so many characters
    are kept, which bounds the time: 8 KB take 4 ms at most. What is cut off may be secrets."""
    small = text.lower()
    if not any(clue in small for clue in _CLUES):
        return text
    if longest is not None and len(text) > longest:
        # The last word may be a part of a secret.
        kept = text[:longest].rpartition(" ")[0]
        return f"{masked(kept)} … ({len(text) - len(kept)} more characters)"
    for before, secret in _RULES:
        text = _hide(text, before, secret)
    return _LOGIN.sub(_without_password, text) if "://" in text else text


def _hide(text: str, before: list[re.Pattern[str]], secret: re.Pattern[str]) -> str:
    at = 0
    for pattern in before:
        if (found := pattern.search(text, at)) is None:
            return text
        at = found.end()
    return text[:at] + secret.sub(rf"\1{HIDDEN}", text[at:])


def _without_password(login: re.Match[str]) -> str:
    return _PASSWORD.sub(r"\1:***@", login[0], count=1)

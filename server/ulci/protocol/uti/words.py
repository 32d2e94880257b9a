"""The words of UTI: options, and the errors that an engine may answer."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from ulci.protocol.uci_dialects import Row

# Spelling of messages in errors, and of messages that need no state.
PLAIN = Row("UTI", "uti", "utiok", "newgame", {}, frozenset())

ERROR = "CommandNotKnowError"
_ERRORS = frozenset((ERROR.lower(), "commandnotknownerror"))

# The rules of the game: no hint changes them.
RULES = ("size", "winlength", "players")
# Settings of an engine's search, which it may choose itself.
TUNING = ("multi", "table", "depth", "level")
SETTINGS = (*RULES, *TUNING)
# Words that an engine may answer to ``info``.
CAPABILITIES = frozenset((*SETTINGS, "eval"))

# The details of errors, in the standard's own spelling, and what they mean.
DETAILS: Mapping[str, str] = {
    "": "the engine does not know this command",
    "GamemodeNotSupported": "the game mode is not supported",
    "OptionNotSupported": "an extra option is not supported",
    "empty": "no additional information",
    "BoardsizeNotSupported": "that board size is not supported",
    "NegativeDimentia": "a negative board size is not supported",
    "OnlyDefaultSize": "only the default board size is supported",
    "EvalNotSupported": "the mode eval is not supported",
    "NegativeWinlength": "a negative winlength is not supported",
    "WinlengthNotSupported": "that winlength is not supported",
    "WinlengthBoardsizeMismatch": "the winlength is impossible on that board",
    "OnlyDefaultWinlength": "only the default winlength is supported",
    "PlayerCountNotSupported": "that number of players is not supported",
    "LessThen2Players": "the game needs at least 2 players",
    "OnlyDefaultPlayerCount": "only the default number of players is supported",
    "MutlithreatingNotSupported": "multithreading cannot be on",
    "OnlyMultithreating": "multithreading cannot be off",
    "TranspotableNotSupported": "the transposition table cannot be on",
    "OnlyTranspoTable": "the transposition table cannot be off",
    "DepthNotSupported": "depth is not supported",
    "IncorrectDepth": "that depth is not supported",
    "NegativeDepth": "a negative depth is not supported",
    "LevelNotSupported": "levels are not supported",
    "IncorrectLevel": "that level is not supported",
    "SetboardIncorrect": "the board is incorrect",
}
_BY_FOLDED = {detail.casefold(): detail for detail in DETAILS}
_SEPARATORS = re.compile(r"[\s=:,;]+")


@dataclass(frozen=True, slots=True)
class CommandNotKnown:
    """``CommandNotKnowError [detail] [try name=value]``."""

    detail: str = ""
    hint: tuple[str, str] | None = None

    def write(self) -> str:
        said = f"{ERROR} {self.detail}".rstrip()
        return said if self.hint is None else f"{said} try {self.hint[0]}={self.hint[1]}"

    def explain(self) -> str:
        """The refusal as a sentence for people."""
        detail = _BY_FOLDED.get(self.detail.casefold())
        said = ERROR if not self.detail else f"{ERROR} {self.detail}"
        said += f": {DETAILS[detail]}" if detail is not None else ""
        return said if self.hint is None else f"{said}; it suggests {self.hint[0]}={self.hint[1]}"


def read_refusal_untrusted(words: Sequence[str]) -> CommandNotKnown | None:
    """The error in a line; None if there is none. An unknown detail is kept as text for people."""
    if not words or words[0].casefold() not in _ERRORS:
        return None
    rest = list(words[1:])
    cut = next((at for at, word in enumerate(rest) if word.casefold() == "try"), len(rest))
    name, equals, value = " ".join(rest[cut + 1 :]).partition("=")
    hint = (
        (name.strip(), value.strip()) if equals and _one_word(name) and _one_word(value) else None
    )
    return CommandNotKnown(" ".join(rest[:cut]), hint)


def _one_word(text: str) -> bool:
    return len(text.split()) == 1


def meant(name: str) -> str | None:
    """The setting closest to a misspelled name: the standard itself writes ``winlengt``."""
    close = get_close_matches(name.casefold(), SETTINGS, 1, 0.8)
    return close[0] if close else None


def parts(words: Sequence[str]) -> list[str]:
    """The words, with ``depth=5``, ``depth: 5`` and ``depth 5`` split alike."""
    return [part for part in _SEPARATORS.split(" ".join(words)) if part]

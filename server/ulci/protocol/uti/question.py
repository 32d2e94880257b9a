"""Questions of UTI, ``[game] <square> [extra options]``, and their refusals."""

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from ulci.protocol.text import number_in

from .grid import MAX_SIDE
from .words import SETTINGS, CommandNotKnown

NUMBER = re.compile(r"-?[0-9]{1,9}", re.ASCII)
_SIZE = re.compile(r"(-?[0-9]{1,9})[xX](-?[0-9]{1,9})", re.ASCII)


class UnanswerableError(Exception):
    """The question cannot be answered here. Internal to this package."""

    def __init__(self, detail: str = "", hint: tuple[str, str] | None = None) -> None:
        super().__init__(detail)
        self.refusal = CommandNotKnown(detail, hint)


@dataclass(slots=True)
class Question:
    """`square` is the last move, 0 for none; `settings`: those of `SETTINGS` that are given."""

    square: int | None = None
    eval: bool = False
    settings: dict[str, str] = field(default_factory=dict)

    def rules(self) -> tuple[int, int, int]:
        """Width, height and winlength. Raises UnanswerableError."""
        width, height = self._size()
        players = self._number("players", 2, "PlayerCountNotSupported")
        if players != 2:
            detail = "LessThen2Players" if players < 2 else "PlayerCountNotSupported"
            raise UnanswerableError(detail, ("players", "2"))
        length = self._number("winlength", 3, "WinlengthNotSupported")
        if length < 0:
            raise UnanswerableError("NegativeWinlength", ("winlength", str(-length)))
        if length == 0:
            raise UnanswerableError("WinlengthNotSupported", ("winlength", "3"))
        if length > (most := max(width, height)):
            raise UnanswerableError("WinlengthBoardsizeMismatch", ("winlength", str(most)))
        return width, height, length

    def depth(self) -> int | None:
        """None if the question gives no depth. Raises UnanswerableError."""
        if "depth" not in self.settings:
            return None
        depth = self._number("depth", 0, "IncorrectDepth")
        if depth < 0:
            raise UnanswerableError("NegativeDepth", ("depth", str(-depth)))
        return depth

    def _size(self) -> tuple[int, int]:
        found = _SIZE.fullmatch(self.settings.get("size", "3X3"))
        if found is None:
            raise UnanswerableError("BoardsizeNotSupported", ("size", "3X3"))
        width, height = int(found[1]), int(found[2])
        if min(width, height) < 0:
            raise UnanswerableError("NegativeDimentia", ("size", f"{abs(width)}X{abs(height)}"))
        if min(width, height) == 0 or max(width, height) > MAX_SIDE:
            raise UnanswerableError("BoardsizeNotSupported", ("size", "3X3"))
        return width, height

    def _number(self, name: str, usual: int, otherwise: str) -> int:
        text = self.settings.get(name, str(usual))
        if not NUMBER.fullmatch(text):
            raise UnanswerableError(otherwise)
        return int(text)


def read_question(words: Sequence[str]) -> Question:
    """Parse the words of a question, in any order. Raises UnanswerableError."""
    asked = Question()
    left = deque(words)
    while left:
        word = left.popleft().casefold()
        if word in SETTINGS:
            if not left:
                raise UnanswerableError("OptionNotSupported")
            asked.settings[word] = left.popleft().casefold()
        elif word == "eval":
            asked.eval = True
        elif asked.square is None and NUMBER.fullmatch(word):
            asked.square = int(word)
        elif word != "standard":
            early = asked.square is None
            raise UnanswerableError("GamemodeNotSupported" if early else "OptionNotSupported")
    if (asked.square is None and not asked.eval) or (asked.square or 0) < 0:
        raise UnanswerableError
    return asked


def read_player(words: Sequence[str]) -> int:
    """The player to move, the last word. Raises UnanswerableError."""
    player = number_in(words[-1], 1) if words else None
    if player is None or player > 9:
        raise UnanswerableError("SetboardIncorrect")
    return player

"""What a server may set in an engine: one row an option. Pure.

A server, and whoever poses as one, is a stranger to the engine's owner. Many engines have options
that write a file, read one, run a program or take all memory, and a button acts at once. So a
server sets what the table lists, to a value that the engine declares and the row allows; anything
else needs the owner's word (``--allow-option``). What the owner sets is the owner's alone.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from ulci.engines.options import OptionError, Options, value_for
from ulci.protocol.messages import Option, OptionType, SetOption
from ulci_client.engine_settings import DEFAULT_MAX_HASH

MOST_LINES = 8
"""Of ``MultiPV``: each makes the engine weaker, and its output longer."""

MOST_ELO = 5000
"""No player is stronger; only of use where the engine declares no maximum."""

MOST_TEXT = 200
"""Characters of a text: a name of 64, and what stands before it, with room."""

# [title|none] [rating|none] computer|human NAME (UCI, UCI_Opponent).
_OPPONENT = re.compile(r"((?:[A-Z]{1,4}|none) (?:[0-9]{1,5}|none) (?:computer|human)) (\S.*)")

# Some engines name a file after their opponent.
_IN_PATHS = str.maketrans("/\\", "__")

# A game's name, where the engine does not list those that it knows.
_GAME = re.compile(r"[A-Za-z0-9_-]{1,40}")

Limit = Callable[[str, int], str]
"""The value to send, by the value that the engine declares possible and the owner's bound in MB.
Raises OptionError."""


@dataclass(frozen=True, slots=True)
class Right:
    """An option that a server may set if the engine declares it as of this type."""

    name: str
    type: OptionType
    limit: Limit = lambda value, _: value


def _hash(value: str, max_hash: int) -> str:
    return _within(value, 1, max_hash, "MB (--max-hash)")


def _lines(value: str, _: int) -> str:
    return _within(value, 1, MOST_LINES, "lines")


def _elo(value: str, _: int) -> str:
    return _within(value, 0, MOST_ELO, "Elo")


def _within(value: str, least: int, most: int, what: str) -> str:
    if not least <= int(value) <= most:
        raise OptionError(f"a server may ask for {least} to {most} {what}, not {value}")
    return value


def _game(value: str, _: int) -> str:
    if not _GAME.fullmatch(value):
        raise OptionError("it is no game's name")
    return value


def _opponent(value: str, _: int) -> str:
    found = _OPPONENT.fullmatch(_text(value))
    if found is None:
        raise OptionError("it must be a title, a rating, computer or human, and a name")
    return f"{found[1]} {found[2].translate(_IN_PATHS)}"


def _text(value: str) -> str:
    if len(value) > MOST_TEXT:
        raise OptionError(f"it has more than {MOST_TEXT} characters")
    return value


CHECK, SPIN, COMBO = OptionType.CHECK, OptionType.SPIN, OptionType.COMBO
STRING, BUTTON = OptionType.STRING, OptionType.BUTTON

RIGHTS: Mapping[str, Right] = {
    right.name.casefold(): right
    for right in (
        Right("Hash", SPIN, _hash),
        Right("Clear Hash", BUTTON),
        Right("Ponder", CHECK),
        Right("MultiPV", SPIN, _lines),
        Right("UCI_AnalyseMode", CHECK),
        Right("UCI_Chess960", CHECK),
        Right("UCI_Elo", SPIN, _elo),
        Right("UCI_LimitStrength", CHECK),
        Right("UCI_Opponent", STRING, _opponent),
        Right("UCI_ShowWDL", CHECK),
        Right("UCI_Variant", COMBO, _game),
    )
}
"""By the option's name, whose case does not count (UCI, setoption)."""


@dataclass(frozen=True, slots=True)
class ServerRights:
    """What a server may set in one engine. `owned`: names of options that the owner sets.
    `allowed`: names of further options that a server may set. max_hash: MB."""

    options: Options = field(default_factory=Options)
    owned: Collection[str] = ()
    allowed: Collection[str] = ()
    max_hash: int = DEFAULT_MAX_HASH

    def setting(self, message: SetOption) -> SetOption | None:
        """A server's ``setoption`` in the engine's spelling; None if the engine has no such option,
        or the owner sets it.

        Raises:
            OptionError: a server may not set it, or not to this value.
        """
        option = self.options.get(message.name)
        if option is None or _is_one_of(option.name, self.owned):
            return None
        if _is_one_of(option.name, self.allowed):
            value = value_for(option, message.value)
            return SetOption(option.name, None if value is None else _text(value))
        right = right_to(option)
        if right is None:
            raise OptionError(
                f"a server may not set {option.name!r} (--allow-option {option.name!r} lets it)"
            )
        value = value_for(option, message.value)
        return SetOption(option.name, None if value is None else right.limit(value, self.max_hash))


def right_to(option: Option) -> Right | None:
    """The row of an option; None if no server may set it."""
    right = RIGHTS.get(option.name.casefold())
    return right if right is not None and right.type is option.type else None


def shown_to_server(options: Collection[Option], allowed: Collection[str]) -> list[Option]:
    """The options that a server sees: those that it may set. The others say what files and memory
    this machine has."""
    return [
        option
        for option in options
        if right_to(option) is not None or _is_one_of(option.name, allowed)
    ]


def _is_one_of(name: str, names: Collection[str]) -> bool:
    wanted = name.casefold()
    return any(wanted == each.casefold() for each in names)

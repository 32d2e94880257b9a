"""The engine's options: a table, and a value for each."""

from collections.abc import Callable
from dataclasses import dataclass, field

from msgspec.structs import replace

from ulci.protocol import Option, OptionType
from ulci.rules import GAMES

from .search import MAX_DEPTH

DEPTH, CHESS960, OVERHEAD, SEED, PONDER, VARIANT = (
    "Depth",
    "UCI_Chess960",
    "Move Overhead",
    "Seed",
    "Ponder",
    "UCI_Variant",
)
# All games except chess960, which has an option of its own.
VARIANTS = tuple(name for name in GAMES if name != "chess960")
OFFERED = (
    # Depth when only clocks limit the search.
    Option(DEPTH, OptionType.SPIN, "2", 1, MAX_DEPTH),
    # Ms that a move takes to reach the arbiter.
    Option(OVERHEAD, OptionType.SPIN, "50", 0, 10_000),
    # The same seed plays the same moves; 0: random choice among equal moves.
    Option(SEED, OptionType.SPIN, "0", 0, 2**31 - 1),
    # Without effect: by offering it UCI engines announce that they can ponder.
    Option(PONDER, OptionType.CHECK, "false"),
    Option(CHESS960, OptionType.CHECK, "false"),
    # The game, unless the start identifies it.
    Option(VARIANT, OptionType.COMBO, VARIANTS[0], vars=VARIANTS),
)


class SettingError(ValueError):
    """An unknown option or a bad value; the text says what is valid."""


@dataclass(slots=True)
class Settings:
    """The options' values, initially the defaults."""

    values: dict[str, int] = field(
        default_factory=lambda: {
            option.name: _READERS[option.type](option, option.default or "") for option in OFFERED
        }
    )

    def set_untrusted(self, name: str, value: str | None) -> None:
        """Set an option; names are case-insensitive (UCI, setoption).

        Raises:
            SettingError: unknown option or bad value.
        """
        option = _BY_NAME.get(name.casefold())
        if option is None:
            names = ", ".join(offered.name for offered in OFFERED)
            raise SettingError(f"there is no option {name!r}, only {names}")
        self.values[option.name] = _READERS[option.type](option, (value or "").strip())

    def offered(self) -> list[Option]:
        """The options, with the current values as defaults."""
        return [
            replace(option, default=_WRITERS[option.type](option, self.values[option.name]))
            for option in OFFERED
        ]

    @property
    def depth(self) -> int:
        return self.values[DEPTH]

    @property
    def chess960(self) -> bool:
        return bool(self.values[CHESS960])

    @property
    def overhead(self) -> float:
        """Seconds."""
        return self.values[OVERHEAD] / 1000

    @property
    def seed(self) -> int:
        return self.values[SEED]

    @property
    def variant(self) -> str:
        """One of `VARIANTS`."""
        return VARIANTS[self.values[VARIANT]]


def _check(option: Option, text: str) -> int:
    if text.lower() not in _TRUTH:
        raise SettingError(f"{option.name} is {text!r}, expected true or false")
    return _TRUTH[text.lower()]


def _spin(option: Option, text: str) -> int:
    assert option.min is not None
    assert option.max is not None
    # Bounded: Python refuses to parse thousands of digits.
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 12 else option.min - 1
    if not option.min <= number <= option.max:
        raise SettingError(
            f"{option.name} is {text[:20]!r}, expected a number from {option.min} to {option.max}"
        )
    return number


def _combo(option: Option, text: str) -> int:
    """The number of the choice."""
    if text.lower() not in option.vars:
        raise SettingError(f"{option.name} is {text[:20]!r}, expected {' or '.join(option.vars)}")
    return option.vars.index(text.lower())


_TRUTH = {"true": 1, "false": 0}
_READERS: dict[OptionType, Callable[[Option, str], int]] = {
    OptionType.CHECK: _check,
    OptionType.SPIN: _spin,
    OptionType.COMBO: _combo,
}
_WRITERS: dict[OptionType, Callable[[Option, int], str]] = {
    OptionType.CHECK: lambda _, value: str(bool(value)).lower(),
    OptionType.SPIN: lambda _, value: str(value),
    OptionType.COMBO: lambda option, value: option.vars[value],
}
_BY_NAME = {option.name.casefold(): option for option in OFFERED}

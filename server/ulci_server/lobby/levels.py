"""Strength levels of an engine, and the options that set them. Pure.

Level 1 is the weakest, and the highest is the engine's full strength. They are taken from the
options by which engines are usually weakened:

* ``UCI_LimitStrength`` and ``UCI_Elo`` (UCI 2006): even steps of Elo up to the highest level, which
  is not limited. They come first: even steps of Elo are even steps of strength, and Stockfish makes
  a skill of them itself, which has precedence over the option below.
* ``Skill Level`` (Stockfish and many after it): even steps from the least to the most.
"""

from collections.abc import Mapping

from msgspec import Struct

from ulci.protocol.messages import Option

MOST = 8
"""Levels of an engine: as many as people know from Lichess."""

LIMIT, ELO, SKILL = "uci_limitstrength", "uci_elo", "skill level"

STRENGTH = frozenset({LIMIT, ELO, SKILL})
"""The names of these options in lower case. An operator who sets one has chosen the
strength."""

Options = Mapping[str, Option]
"""What an engine offers, by names in lower case."""


class _Range(Struct, frozen=True):
    """The values of an option of numbers."""

    name: str
    least: int
    most: int

    @property
    def levels(self) -> int:
        """How many differ; one alone is none."""
        return min(MOST, self.most - self.least + 1)

    def step(self, number: int, of: int) -> str:
        """The value of that step, where `of` is that of the most."""
        return str(self.least + round((self.most - self.least) * number / of))


def count(options: Options) -> int:
    """How many levels an engine of these options has; 0: none."""
    steps = _elo(options) or _skill(options)
    return 0 if steps is None else steps.levels


def at_level(options: Options, level: int) -> dict[str, str]:
    """The values of options for this level, from 1 on; a higher one than there is is the highest.
    Empty: the engine has no levels."""
    if (steps := _elo(options)) is not None:
        limit, below = options[LIMIT].name, steps.levels - 1
        if level > below:
            return {limit: "false"}
        return {limit: "true", steps.name: steps.step(level - 1, below)}
    if (steps := _skill(options)) is not None:
        return {steps.name: steps.step(min(level, steps.levels) - 1, steps.levels - 1)}
    return {}


def at_elo(options: Options, elo: int) -> dict[str, str]:
    """The values of options for the Elo, or the nearest to it that the engine has."""
    limit, strength = options.get(LIMIT), options.get(ELO)
    if limit is None or strength is None:
        return {}
    least, most = strength.min or elo, strength.max or elo
    return {limit.name: "true", strength.name: str(max(least, min(elo, most)))}


def usual(options: Options, *, has_levels: bool) -> dict[str, str]:
    """The values of options for the strength that the engine has by itself. `has_levels`: levels
    are set for it in other games."""
    values: dict[str, str] = {}
    if LIMIT in options and ELO in options:
        limit, strength = options[LIMIT], options[ELO]
        values[limit.name] = limit.default or "false"
        if has_levels and limit.default == "true" and strength.default is not None:
            values[strength.name] = strength.default
    if has_levels and _elo(options) is None and (steps := _skill(options)) is not None:
        values[steps.name] = options[SKILL].default or str(steps.most)
    return values


def _elo(options: Options) -> _Range | None:
    return _range(options.get(ELO)) if LIMIT in options else None


def _skill(options: Options) -> _Range | None:
    return _range(options.get(SKILL))


def _range(option: Option | None) -> _Range | None:
    if option is None or option.min is None or option.max is None or option.min >= option.max:
        return None
    return _Range(option.name, option.min, option.max)

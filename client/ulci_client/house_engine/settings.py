"""The engine's options: a table, and a value for each."""

from dataclasses import dataclass, field

from msgspec.structs import replace

from ulci.engines.options import Options
from ulci.protocol.messages import Option, OptionType
from ulci.rules import GAMES

from .search import MAX_DEPTH

DEPTH, SKILL, CHESS960, OVERHEAD, SEED, PONDER, VARIANT = (
    "Depth",
    "Skill Level",
    "UCI_Chess960",
    "Move Overhead",
    "Seed",
    "Ponder",
    "UCI_Variant",
)
# All games except chess960, which has an option of its own.
VARIANTS = tuple(name for name in GAMES if name != "chess960")
RANDOM_MOVES = (0.75, 0.5, 0.35, 0.25, 0.17, 0.1, 0.05, 0.0)
"""By the skill: the share of moves that are chosen at random, in any game."""
MOST_SKILL = len(RANDOM_MOVES) - 1
OFFERED = (
    # Depth when only clocks limit the search.
    Option(DEPTH, OptionType.SPIN, "2", 1, MAX_DEPTH),
    # The less, the more of its moves are random.
    Option(SKILL, OptionType.SPIN, str(MOST_SKILL), 0, MOST_SKILL),
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


_OPTIONS = Options(OFFERED)


@dataclass(slots=True)
class HouseSettings:
    """The options' values as they are spelled, initially the defaults."""

    values: dict[str, str] = field(
        default_factory=lambda: {option.name: option.default or "" for option in OFFERED}
    )

    def set_untrusted(self, name: str, value: str | None) -> None:
        """Set an option; names are case-insensitive (UCI, setoption).

        Raises:
            OptionError: unknown option or bad value.
        """
        setting = _OPTIONS.setting(f"{name}={value or ''}")
        self.values[setting.name] = setting.value or ""

    def offered(self) -> list[Option]:
        """The options, with the current values as defaults."""
        return [replace(option, default=self.values[option.name]) for option in OFFERED]

    @property
    def depth(self) -> int:
        return int(self.values[DEPTH])

    @property
    def random_moves(self) -> float:
        """The share of moves that are chosen at random."""
        return RANDOM_MOVES[int(self.values[SKILL])]

    @property
    def chess960(self) -> bool:
        return self.values[CHESS960] == "true"

    @property
    def overhead(self) -> float:
        """Seconds."""
        return int(self.values[OVERHEAD]) / 1000

    @property
    def seed(self) -> int:
        return int(self.values[SEED])

    @property
    def variant(self) -> str:
        """One of `VARIANTS`."""
        return self.values[VARIANT]

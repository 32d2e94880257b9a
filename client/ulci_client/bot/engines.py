"""Which engine plays a game, and with which options. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ulci_client.engine_settings import ClientEngineSettings
from ulci_client.time_cost import costs_untrusted

from . import opponent_names
from .sections import Config, Engine, OptionsTable


@dataclass(frozen=True, slots=True)
class EngineLine:
    """One engine of the bot. `games`: empty for all that no other engine is named for."""

    settings: ClientEngineSettings
    games: tuple[str, ...] = ()


def engine_settings(table: Engine) -> ClientEngineSettings:
    """The settings with which the bridge starts an engine."""
    return ClientEngineSettings(
        argv=table.command,
        cwd=table.cwd,
        options=tuple(f"{name}={spelled(value)}" for name, value in table.options.items()),
        ponder=table.ponder,
        allow_options=table.allow_options,
        max_hash=table.max_hash,
        start=table.start_timeout,
        ping=table.ping_timeout,
        quit=table.quit_timeout,
        dialect=table.dialect,
    )


def spelled(value: str | float | bool) -> str:
    """A value of the file in the spelling that an engine gets."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def games_of(lines: Sequence[EngineLine]) -> tuple[str, ...]:
    """All games that the engines are named for; empty: one of them plays any."""
    return (
        tuple(game for line in lines for game in line.games)
        if all(line.games for line in lines)
        else ()
    )


def engine_for(game: str, lines: Sequence[EngineLine]) -> int:
    """The number of the engine that plays this game; of an unknown one the first."""
    for number, line in enumerate(lines):
        if game in line.games:
            return number
    return next((number for number, line in enumerate(lines) if not line.games), 0)


@dataclass(frozen=True, slots=True)
class Met:
    """A game, as far as options depend on it. kind: the opponent's; empty if unknown."""

    opponent: str
    kind: str
    game: str
    time: str


class GameOptions:
    """The options of [[options]], which are set for single games."""

    def __init__(self, config: Config) -> None:
        self._tables: Sequence[OptionsTable] = config.options

    @property
    def names(self) -> Sequence[str]:
        """The options that any table sets."""
        return [*dict.fromkeys(name for table in self._tables for name in table.set)]

    def of(self, met: Met) -> Mapping[str, str | None]:
        """The value of each option that any table sets; None: its value without tables. Of the
        tables that match the game the last one decides."""
        values: dict[str, str | None] = {}
        for table in self._tables:
            holds = _holds(table, met)
            for name, value in table.set.items():
                known = next((n for n in values if n.casefold() == name.casefold()), name)
                values.setdefault(known, None)
                if holds:
                    values[known] = spelled(value)
        return values


def _holds(table: OptionsTable, met: Met) -> bool:
    all_kinds = len({*table.kinds}) > 1
    return (
        (not table.opponents or opponent_names.refused(met.opponent, table.opponents))
        and (all_kinds or met.kind in table.kinds)
        and (not table.games or met.game in table.games)
        and (table.base is None or _within(met.time, *table.base))
    )


def _within(time: str, least: float, most: float) -> bool:
    costs = costs_untrusted(time)
    return bool(costs) and all(c.kind == "clock" and least <= c.base <= most for c in costs)

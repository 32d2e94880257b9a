"""Which settings does a recorded conversation depend on? As JSON has them, and no secrets."""

from typing import Any

from .load import Settings
from .pool import PoolTable
from .starts import USUAL
from .tables import Config

KEPT = ("play", "clients", "limits", "pool")
"""Tables that change what is said to whom and when."""


def taped(settings: Settings, config: Config) -> dict[str, Any]:
    """Of the settings that made this `config`; a book's positions stand in for its path."""
    kept = {key: settings[key] for key in KEPT if key in settings}
    if "pool" in kept:
        kept["pool"] = [
            _without_file(pool, table)
            for pool, table in zip(kept["pool"], config.pool, strict=True)
        ]
    if config.tablebases.paths:
        kept["tablebases"] = {"paths": [str(path.absolute()) for path in config.tablebases.paths]}
    return kept


def untaped(settings: Settings, version: int) -> dict[str, Any]:
    """The settings of a recording of that format, with what was usual then."""
    if version > 1:
        return {**settings}
    return {**settings, "clients": {"pause": 0, **settings.get("clients", {})}}


def _without_file(pool: Settings, table: PoolTable) -> dict[str, Any]:
    kept = {key: value for key, value in pool.items() if key != "starts_file"}
    if table.starts_file is not None:
        kept["starts"] = [start or USUAL for start in table.starts_file]
    return kept

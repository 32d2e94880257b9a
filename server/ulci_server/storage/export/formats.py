"""The formats in which games are exported, by their name in the command."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from ulci_server.storage.records import GameRecord
from ulci_server.storage.repository import Repository

from .json_export import export_json
from .pgn import Skipped, export_pgn

Export = Callable[[Repository, Iterable[GameRecord], Skipped, str], Iterator[str]]
"""(repository, games, callback for a game that is left out, the server's name)."""


def _pgn(
    repository: Repository, games: Iterable[GameRecord], skipped: Skipped, site: str
) -> Iterator[str]:
    return export_pgn(repository, games, skipped, site=site)


def _json(
    repository: Repository, games: Iterable[GameRecord], _: Skipped, __: str
) -> Iterator[str]:
    return export_json(repository, games)


FORMATS: Mapping[str, Export] = {"pgn": _pgn, "json": _json}

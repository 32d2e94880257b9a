"""What all answers of one site are made from."""

from collections.abc import Mapping
from dataclasses import dataclass

from ulci.rules import Rules
from ulci_server.config import Config
from ulci_server.hall import Hall
from ulci_server.storage import Journal

from .archive import Archive
from .limits import Limits


@dataclass(frozen=True, slots=True)
class Context:
    """config: the settings. games: all that can be played here. archive: the database. limits: of
    those who ask."""

    config: Config
    hall: Hall
    journal: Journal
    games: Mapping[str, Rules]
    archive: Archive
    limits: Limits

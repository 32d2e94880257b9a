"""What the answers of one site share."""

from collections.abc import Mapping
from dataclasses import dataclass

from ulci.rules import Rules
from ulci_server.config import Config
from ulci_server.hall import Hall
from ulci_server.storage import Journal

from .archive import Archive
from .quotas import Quotas


@dataclass(frozen=True, slots=True)
class SiteContext:
    """config: the settings. games: all that can be played here. archive: the database. quotas: of
    those who ask."""

    config: Config
    hall: Hall
    journal: Journal
    games: Mapping[str, Rules]
    archive: Archive
    quotas: Quotas

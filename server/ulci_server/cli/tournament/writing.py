"""Files of a tournament for people and other programs."""

import json
from collections.abc import Callable, Mapping

from ulci_server.storage import StoredTournament
from ulci_server.tournament import Tournament
from ulci_server.tournament.spreadsheet import standings_csv
from ulci_server.web.standings import standings_document

from .screen import crosstable


def as_csv(_: StoredTournament, tournament: Tournament) -> str:
    return standings_csv(tournament.now())


def as_json(stored: StoredTournament, tournament: Tournament) -> str:
    """All of it: the standings as the API has them, entrants, pairings and games."""
    record = stored.record
    document = {
        "name": tournament.settings.name,
        "word": record.word,
        "state": record.state.value,
        "why_paused": record.why_paused,
        "settings": record.settings,
        "seed": record.seed,
        "standings": standings_document(tournament.now(), tournament.version),
        "entrants": [row._asdict() for row in stored.entrants],
        "pairings": [row._asdict() for row in stored.pairings],
        "games": [
            {**game._asdict(), "finished_at": game.finished_at and game.finished_at.isoformat()}
            for game in stored.games
        ],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def as_trf(_: StoredTournament, tournament: Tournament) -> str:
    """FIDE's report TRF16, by which other programs check pairings and standings."""
    return tournament.report()


def as_crosstable(_: StoredTournament, tournament: Tournament) -> str:
    return f"{crosstable(tournament.now(), None)}\n"


FORMATS: Mapping[str, Callable[[StoredTournament, Tournament], str]] = {
    "csv": as_csv,
    "json": as_json,
    "trf": as_trf,
    "crosstable": as_crosstable,
}
"""By the word of ``--format``; PGN is written from the games themselves."""

"""Files of a tournament for people and other programs."""

import csv
import io
import json
from collections.abc import Callable, Mapping

from ulci_server.storage import StoredTournament
from ulci_server.tournament import Tournament
from ulci_server.tournament.trf import report, seeded
from ulci_server.web.standings import standings_document

from .screen import crosstable


def as_csv(_: StoredTournament, tournament: Tournament) -> str:
    """The standings, one entrant a row."""
    now = tournament.now()
    ties = [name for name, _ in now.entries[0].ties] if now.entries else []
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["rank", "name", "points", "games", "wins", "draws", "losses", *ties, "note"])
    for each in now.entries:
        games = each.tally.games
        figures = (f"{figure:g}" for _, figure in each.ties)
        writer.writerow(
            [
                *(each.rank, each.name, f"{each.points:g}", games.total),
                *(games.wins, games.draws, games.losses),
                *figures,
                each.note,
            ]
        )
    return text.getvalue()


def as_json(stored: StoredTournament, tournament: Tournament) -> str:
    """All of it: the standings as the API has them, entrants, pairings and games."""
    record = stored.record
    document = {
        "name": tournament.settings.name,
        "word": record.word,
        "state": record.state.value,
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
    """FIDE's report TRF16, by which other programs check the pairings."""
    next_round = tournament.last_round + 1
    return report(tournament.state, seeded(tournament.state, next_round), next_round)


def as_crosstable(_: StoredTournament, tournament: Tournament) -> str:
    return f"{crosstable(tournament.now(), None)}\n"


FORMATS: Mapping[str, Callable[[StoredTournament, Tournament], str]] = {
    "csv": as_csv,
    "json": as_json,
    "trf": as_trf,
    "crosstable": as_crosstable,
}
"""By the word of ``--format``; PGN is written from the games themselves."""

"""Standings as comma-separated values (RFC 4180), for spreadsheets."""

import csv
import io

from .standings import Standings

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def standings_csv(now: Standings) -> str:
    """One entrant a row, below a row of names of columns."""
    ties = [name for name, _ in now.entries[0].ties] if now.entries else []
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["rank", "name", "points", "games", "wins", "draws", "losses", *ties, "note"])
    for each in now.entries:
        games = each.tally.games
        figures = (f"{figure:g}" for _, figure in each.ties)
        writer.writerow(
            [
                *(each.rank, _plain(each.name), f"{each.points:g}", games.total),
                *(games.wins, games.draws, games.losses),
                *figures,
                _plain(each.note),
            ]
        )
    return text.getvalue()


def _plain(text: str) -> str:
    """A spreadsheet runs what begins like a formula, and a stranger may choose the name: an
    apostrophe before it makes it text (OWASP, CSV injection)."""
    return f"'{text}" if text.startswith(_FORMULA) else text

"""The words of ``ulci-server tournament``."""

import secrets
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from ulci_server.cli.errors import Failure, NothingFound, reporting_errors
from ulci_server.cli.options import NUMBER, database_options, reading, writing
from ulci_server.cli.output import STANDARD, minute, open_output, shown, table
from ulci_server.config import load
from ulci_server.hall.tournament.rows import rebuilt
from ulci_server.storage import (
    Database,
    EntrantRecord,
    PairingRecord,
    StoredTournament,
    TournamentRecord,
    TournamentState,
)
from ulci_server.storage.export import pgn

from .making import checked, entrants_of, notes, read, word_of
from .screen import crosstable, status
from .writing import FORMATS

EVERY = 1.0
"""Seconds between two looks of ``status --watch``."""

SCORES = ("1-0", "0-1", "1/2-1/2", "0-0")

file_argument = click.argument("file", type=click.Path(path_type=Path, allow_dash=False))
name_argument = click.argument("name")
why_option = click.option("--why", default="", metavar="TEXT", help="The reason, for the record.")
by_option = click.option(
    "--by", default="operator", metavar="NAME", help="Who decides it, for the record."
)


@click.group()
def tournament() -> None:
    """Make tournaments, look at them, and direct them.

    A server plays them: it begins the games, and goes on after a restart. It notices what is
    changed here within a second.
    """


@tournament.command()
@file_argument
@database_options
def check(**asked: Any) -> None:
    """Say all that is wrong with a description."""
    with reporting_errors():
        config = None if asked["config"] is None else load(asked["config"], books=False)
        settings = checked(read(asked["file"]), config, str(asked["file"]))
    entered = len(settings.entrant)
    click.echo(f"{settings.name}: {settings.format} in pool {settings.pool}, {entered} entrants")
    for note in notes(settings):
        click.echo(note)


@tournament.command()
@file_argument
@database_options
@click.option("--name", "word", metavar="WORD", help="Its name in commands; default: as it is.")
@click.option("--seed", type=NUMBER, metavar="N", help="Of all its chance; default: another one.")
@click.option("--start", "starts", is_flag=True, help="Start it at once.")
def create(**asked: Any) -> None:
    """Make a tournament from a description in TOML."""
    with reporting_errors(), closing(writing(asked)) as database:
        text = read(asked["file"])
        config = None if asked["config"] is None else load(asked["config"], books=False)
        settings = checked(text, config, str(asked["file"]))
        word = word_of(settings, asked["word"])
        entrants = entrants_of(settings, database)
        seed = asked["seed"] or secrets.randbelow(2**32)
        now = datetime.now(UTC)
        made = database.tournaments.create(text, seed, word, now, entrants=entrants)
        if asked["starts"]:
            database.tournaments.change(made.id, now, state=TournamentState.RUNNING)
    begins = "it starts now" if asked["starts"] else f"ulci-server tournament start {word}"
    if settings.schedule and not asked["starts"]:
        begins = f"it starts at {settings.schedule} (UTC)"
    click.echo(f"{word} is made, with {len(entrants)} entrants; {begins}")
    for note in notes(settings):
        click.echo(note)


@tournament.command("list")
@database_options
@click.option("--all", "also_over", is_flag=True, help="Also those that are over.")
def list_tournaments(**asked: Any) -> None:
    """List tournaments, the newest first."""
    with reporting_errors(), closing(reading(asked)) as database:
        found = database.tournaments.overview(open_only=not asked["also_over"])
    if not found:
        raise NothingFound("there is no tournament" + ("" if asked["also_over"] else " now; --all"))
    rows = [(one.word, one.state.value, str(one.entrants), minute(one.started_at)) for one in found]
    click.echo(table(("name", "state", "entrants", "made (UTC)"), rows, right=("entrants",)))


def _state_command(word: str, state: TournamentState, help_: str, done: str) -> None:
    @tournament.command(word, help=help_)
    @name_argument
    @database_options
    def change(**asked: Any) -> None:
        with reporting_errors(), closing(writing(asked)) as database:
            found = _named(database, asked["name"])
            database.tournaments.change(found.id, datetime.now(UTC), state=state)
        click.echo(f"{found.word} {done}")


_state_command("start", TournamentState.RUNNING, "Start it, or go on with it.", "is started")
_state_command(
    "pause",
    TournamentState.PAUSED,
    "Begin no more of its games; those that run go on.",
    "is paused",
)
_state_command(
    "stop", TournamentState.STOPPED, "End it for good; games that run go on.", "is stopped"
)


@tournament.command("status")
@name_argument
@database_options
@click.option("--watch", is_flag=True, help="Look again every second, until it is over.")
@click.option("--crosstable", "crossed", is_flag=True, help="Also who has what against whom.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def show_status(**asked: Any) -> None:
    """Show standings, and what is to be played."""
    with reporting_errors(), closing(reading(asked)) as database:
        while True:
            stored = _stored(database, asked["name"])
            text = _status_text(stored, asked)
            if not asked["watch"]:
                break
            click.clear()
            click.echo(text)
            if stored.record.state in (TournamentState.STOPPED, TournamentState.FINISHED):
                return
            time.sleep(EVERY)
    with open_output() as output:
        output.write(text if text.endswith("\n") else f"{text}\n")


def _status_text(stored: StoredTournament, asked: dict[str, Any]) -> str:
    found = rebuilt(stored)
    if asked["as_json"]:
        return FORMATS["json"](stored, found)
    lines = [*status(stored, found)]
    if asked["crossed"]:
        lines += ["", crosstable(found.now())]
    return "\n".join(lines)


@tournament.command()
@name_argument
@database_options
@click.option(
    "--format",
    "form",
    type=click.Choice(["pgn", *FORMATS]),
    default="pgn",
    show_default=True,
    help="Games as PGN; standings as CSV, JSON or a crosstable; TRF16 for other pairing programs.",
)
@click.option("--site", default="?", metavar="NAME", help="What PGN shall name as the site.")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    default=STANDARD,
    metavar="FILE",
    help="Write there, and only when all is written; default: standard output.",
)
def export(**asked: Any) -> None:
    """Write its games or standings."""
    with reporting_errors(), closing(reading(asked)) as database:
        stored = _stored(database, asked["name"])
        with open_output(asked["output"]) as output:
            if asked["form"] != "pgn":
                output.write(FORMATS[asked["form"]](stored, rebuilt(stored)))
                return
            for _, game in database.tournaments.games(stored.record.id):
                moves = database.games.moves(game.id)
                output.write(f"{pgn(game, moves, site=asked['site'])}\n\n")


@tournament.command("next-round")
@name_argument
@database_options
def next_round(**asked: Any) -> None:
    """Let the next round begin, of a tournament whose rounds are begun by hand."""
    with reporting_errors(), closing(writing(asked)) as database:
        stored = _stored(database, asked["name"])
        round_ = rebuilt(stored).last_round + 1
        database.tournaments.change(stored.record.id, datetime.now(UTC), allowed_round=round_)
    click.echo(f"round {round_} of {stored.record.word} may begin")


@tournament.command()
@name_argument
@click.option("--account", metavar="NAME", help="An account.")
@click.option("--engine", metavar="NAME", help="An engine of the server.")
@click.option("--remote", metavar="NAME", help="Who gives that name at its listener.")
@click.option("--boards", type=NUMBER, default=1, metavar="N", help="Games at once.")
@database_options
def enter(**asked: Any) -> None:
    """Enter somebody, also after it has begun where its format allows that."""
    given = [asked[way] for way in ("account", "engine", "remote") if asked[way]]
    if len(given) != 1:
        raise click.UsageError("say one of --account, --engine and --remote")
    with reporting_errors(), closing(writing(asked)) as database:
        stored = _stored(database, asked["name"])
        found = rebuilt(stored)
        if found.last_round and not found.takes_late:
            raise Failure(f"a {found.settings.format} that has begun takes nobody")
        account = None
        if asked["account"]:
            player = database.accounts.find_player(asked["account"])
            if player is None:
                raise Failure(f"there is no account {asked['account']}")
            account = player.id
        if any(row.name.casefold() == given[0].casefold() for row in stored.entrants):
            raise Failure(f"{given[0]} is in it already")
        late = found.last_round and not found.pairs_here
        row = EntrantRecord(
            max((one.number for one in stored.entrants), default=0) + 1,
            *(given[0], account, asked["engine"] or "", asked["remote"] or ""),
            boards=asked["boards"],
            joined=found.last_round + 1 if late else 1,
        )
        database.tournaments.change(stored.record.id, datetime.now(UTC), entrants=[row])
    click.echo(f"{row.name} is entrant {row.number} of {stored.record.word}")


@tournament.command()
@name_argument
@click.argument("entrant")
@why_option
@database_options
def remove(**asked: Any) -> None:
    """Take somebody out: it loses what it was still to play."""
    with reporting_errors(), closing(writing(asked)) as database:
        stored = _stored(database, asked["name"])
        row = _entrant(stored, asked["entrant"])
        why = asked["why"] or "removed by a director"
        gone = row._replace(left=rebuilt(stored).last_round + 1, why=why)
        database.tournaments.change(stored.record.id, datetime.now(UTC), entrants=[gone])
    click.echo(f"{row.name} is out of {stored.record.word}")


@tournament.command()
@name_argument
@click.argument("pairing", type=NUMBER)
@click.argument("score", type=click.Choice(SCORES))
@why_option
@by_option
@database_options
def correct(**asked: Any) -> None:
    """Decide a pairing, or correct its result; its game stays in the record as it was."""
    with reporting_errors(), closing(writing(asked)) as database:
        stored = _stored(database, asked["name"])
        rows = {row.number: row for row in stored.pairings}
        row = rows.get(asked["pairing"])
        if row is None or row.black is None or row.void:
            raise Failure(f"{stored.record.word} has no pairing {asked['pairing']} that counts")
        why = asked["why"] or "corrected by a director"
        corrected = row._replace(score=asked["score"], why=why, by=asked["by"])
        database.tournaments.change(stored.record.id, datetime.now(UTC), pairings=[corrected])
    click.echo(f"pairing {row.number} of {stored.record.word} counts as {asked['score']}")


@tournament.command()
@name_argument
@click.argument("white")
@click.argument("black")
@by_option
@database_options
def pair(**asked: Any) -> None:
    """Pair two by hand, in the round that is being played."""
    with reporting_errors(), closing(writing(asked)) as database:
        stored = _stored(database, asked["name"])
        white, black = (_entrant(stored, asked[side]) for side in ("white", "black"))
        if white.number == black.number:
            raise Failure("nobody plays against itself")
        number = max((row.number for row in stored.pairings), default=0) + 1
        round_ = max(rebuilt(stored).last_round, 1)
        row = PairingRecord(number, round_, white.number, black.number, number - 1, by=asked["by"])
        database.tournaments.change(stored.record.id, datetime.now(UTC), pairings=[row])
    click.echo(f"pairing {number}: {white.name} - {black.name}, round {round_}")


def _named(database: Database, name: str) -> TournamentRecord:
    found = database.tournaments.named(name.casefold())
    if found is None:
        text = f"there is no tournament {shown(name, 40)!r}"
        raise NothingFound(f"{text}; see: ulci-server tournament list --all")
    return found


def _stored(database: Database, name: str) -> StoredTournament:
    stored = database.tournaments.stored(_named(database, name).id)
    assert stored is not None
    return stored


def _entrant(stored: StoredTournament, name: str) -> EntrantRecord:
    for row in stored.entrants:
        if name.casefold() == row.name.casefold() or name == str(row.number):
            return row
    raise Failure(f"{stored.record.word} has no entrant {shown(name, 40)}")

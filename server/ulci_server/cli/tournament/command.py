"""The words of ``ulci-server tournament``."""

import secrets
import shutil
import sys
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from ulci_server.cli.errors import NothingFound, reporting_errors
from ulci_server.cli.options import NUMBER, database_options, reading, writing
from ulci_server.cli.output import STANDARD, minute, open_output, table
from ulci_server.config import load
from ulci_server.hall.tournament import directing
from ulci_server.hall.tournament.directing import SCORES, Act, DirectingError, NoTournamentError
from ulci_server.hall.tournament.making import entrants_of, notes, word_of
from ulci_server.hall.tournament.rows import rebuilt
from ulci_server.storage import Database, StoredTournament, TournamentState
from ulci_server.storage.export import pgn

from .reading import checked, listing_faults, read
from .screen import crosstable, fitted, status
from .writing import FORMATS

EVERY = 1.0
"""Seconds between two looks of ``status --watch``."""

file_argument = click.argument("file", type=click.Path(path_type=Path, allow_dash=False))
name_argument = click.argument("name")
why_option = click.option("--why", default="", metavar="TEXT", help="The reason, for the record.")
by_option = click.option(
    "--by", default="operator", metavar="NAME", help="The name of the director, for the record."
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
        with listing_faults(str(asked["file"])):
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


def _perform(asked: dict[str, Any], act: Act) -> None:
    """Perform the act and print its outcome."""
    with reporting_errors(DirectingError), closing(writing(asked)) as database:
        try:
            text = directing.perform(database, asked["name"], act, datetime.now(UTC))
        except NoTournamentError as error:
            raise _not_found(error) from None
    click.echo(text)


def _state_command(word: directing.StateAct, help_: str) -> None:
    @tournament.command(word, help=help_)
    @name_argument
    @database_options
    def change(**asked: Any) -> None:
        _perform(asked, directing.set_state(word))


_state_command("start", "Start it, or go on with it.")
_state_command("pause", "Begin no more of its games; those that run go on.")
_state_command("stop", "End it for good; games that run go on.")


@tournament.command("status")
@name_argument
@database_options
@click.option(
    "--watch",
    is_flag=True,
    help="Look again every second, until it is over; as much as fits on the screen.",
)
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
    if asked["watch"] and not asked["crossed"] and sys.stdout.isatty():
        return "\n".join(fitted(stored, found, *shutil.get_terminal_size()))
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
                berserk = database.games.berserk(game)
                output.write(f"{pgn(game, moves, berserk, site=asked['site'])}\n\n")


@tournament.command("next-round")
@name_argument
@database_options
def next_round(**asked: Any) -> None:
    """Let the next round begin, of a tournament whose rounds are begun by hand."""
    _perform(asked, directing.next_round)


@tournament.command()
@name_argument
@click.option("--account", metavar="NAME", help="An account.")
@click.option("--engine", metavar="NAME", help="An engine of the server.")
@click.option(
    "--remote", metavar="NAME", help="An engine that enters under that name at its listener."
)
@click.option("--boards", type=NUMBER, default=1, metavar="N", help="Games at once.")
@database_options
def enter(**asked: Any) -> None:
    """Enter somebody, also after it has begun where its format allows that."""
    ways: tuple[directing.Way, ...] = ("account", "engine", "remote")
    given = [(way, asked[way]) for way in ways if asked[way]]
    if len(given) != 1:
        raise click.UsageError("say one of --account, --engine and --remote")
    [(way, name)] = given
    _perform(asked, directing.enter(way, name, asked["boards"], None))


@tournament.command()
@name_argument
@click.argument("entrant")
@why_option
@database_options
def remove(**asked: Any) -> None:
    """Take somebody out: it loses what it was still to play."""
    why = asked["why"] or "removed by a director"
    _perform(asked, directing.remove(asked["entrant"], why))


@tournament.command()
@name_argument
@click.argument("pairing", type=NUMBER)
@click.argument("score", type=click.Choice(SCORES))
@why_option
@by_option
@database_options
def correct(**asked: Any) -> None:
    """Decide a pairing, or correct its result; its game stays in the record as it was."""
    said = asked["pairing"], asked["score"], asked["why"], asked["by"]
    _perform(asked, directing.correct(*said))


@tournament.command()
@name_argument
@click.argument("white")
@click.argument("black")
@by_option
@database_options
def pair(**asked: Any) -> None:
    """Pair two by hand, in the round that is being played."""
    _perform(asked, directing.pair(asked["white"], asked["black"], asked["by"]))


def _stored(database: Database, name: str) -> StoredTournament:
    try:
        return directing.stored_of(database, name)
    except NoTournamentError as error:
        raise _not_found(error) from None


def _not_found(error: NoTournamentError) -> NothingFound:
    return NothingFound(f"{error}; see: ulci-server tournament list --all")

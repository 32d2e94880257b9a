"""``ulci-server export``: write games as PGN, JSON or EPD."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from ulci.rules import Side
from ulci_server.storage import Database, GameRecord, MoveRecord
from ulci_server.storage.export import (
    Detail,
    Header,
    Notation,
    RunnerStyle,
    export_json,
    export_texts,
    final_epd,
    pgn,
    runner_pgn,
)

from .errors import Failure, NothingFound, reporting_errors
from .options import (
    NUMBER,
    database_options,
    filter_options,
    filters_from,
    no_games,
    reading,
    require_games,
)
from .output import STANDARD, open_output, shown

WIDTH = 400
"""Columns of the reason for leaving a game out: starts and moves stand in it."""

_STORED = [Detail.TIMELEFT, Detail.LATENCY, Detail.NODES, Detail.NPS, Detail.PV]
"""Of the details those that a stored game can have."""

EPILOG = """\
PGN is written so that programs for chess read games of chess and of the variants that they know. Of
other games it has the name in the tag Variant, the start in FEN and the moves in the notation of
the game, or as the players said them where an engine judged.

\b
Exit codes: 0 games were written; standard error names those that had to be left out
            1 failed, or every game had to be left out
            2 wrong usage, or a wrong configuration
            4 there are no such games

Unless it is 0, FILE is left as it was.
"""


@click.command(epilog=EPILOG)
@database_options
@click.option(
    "--format",
    "form",
    type=click.Choice(["pgn", "json", "epd"]),
    default="pgn",
    show_default=True,
    help="PGN for other programs, all that is recorded (a JSON object a line), or the last position"
    " alone.",
)
@click.option(
    "--style",
    type=click.Choice(["server", "runner"]),
    default="server",
    show_default=True,
    help="Tags and comments of PGN: with clocks as chess sites write them, or as match runners do:"
    " {+0.49/10 0.087s}.",
)
@click.option(
    "--notation",
    type=click.Choice([each.value for each in Notation]),
    default=Notation.SAN.value,
    show_default=True,
    help="Moves in PGN: Nf3, Ng1-f3 or g1f3.",
)
@click.option(
    "--detail",
    "details",
    type=click.Choice([each.value for each in _STORED]),
    multiple=True,
    help="With --style runner, also in its comments; may be repeated.",
)
@click.option(
    "--id",
    "ids",
    type=NUMBER,
    multiple=True,
    metavar="N",
    help="Only this game; may be repeated.",
)
@filter_options
@click.option("--limit", type=NUMBER, metavar="N", help="Only the newest N.")
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
    """Write games as PGN, JSON or EPD, the newest first.

    A game that still runs is written as far as it is.
    """
    with reporting_errors(), closing(reading(asked)) as database:
        require_games(database, asked["ids"])
        left_out: list[int] = []

        def skipped(game: GameRecord, why: str) -> None:
            left_out.append(game.id)
            click.echo(f"game {game.id} is left out: {shown(why, WIDTH)}", err=True)

        with open_output(asked["output"]) as output:
            some = False
            for text in _texts(database, asked, skipped):
                some = True
                output.write(text)
            if not some:
                raise _nothing(database, left_out)


def _texts(
    database: Database, asked: dict[str, Any], skipped: Callable[[GameRecord, str], None]
) -> Iterable[str]:
    games = database.games.each(**filters_from(asked))
    if asked["form"] == "json":
        return export_json(database, games)
    return export_texts(database, games, _WRITERS[asked["form"], asked["style"]](asked), skipped)


Write = Callable[[GameRecord, Sequence[MoveRecord], Collection[Side]], str]


def _as_server(asked: dict[str, Any]) -> Write:
    site, notation = asked["site"], Notation(asked["notation"])
    return lambda *game: f"{pgn(*game, site=site, notation=notation)}\n\n"


def _as_runner(asked: dict[str, Any]) -> Write:
    header = Header(site=asked["site"])
    details = frozenset(map(Detail, asked["details"]))
    style = RunnerStyle(Notation(asked["notation"]), details)
    return lambda game, moves, berserk: (
        f"{runner_pgn(game, moves, style, header, berserk=berserk)}\n\n"
    )


def _as_epd(_: dict[str, Any]) -> Write:
    return lambda game, moves, _berserk: f"{final_epd(game, moves)}\n"


_WRITERS: Mapping[tuple[str, str], Callable[[dict[str, Any]], Write]] = {
    ("pgn", "server"): _as_server,
    ("pgn", "runner"): _as_runner,
    ("epd", "server"): _as_epd,
    ("epd", "runner"): _as_epd,
}


def _nothing(database: Database, left_out: Sequence[int]) -> click.ClickException:
    """Why nothing was written: by what was read, as games may have come since."""
    if left_out:
        return Failure("none of these games can be written so; --format json takes them all")
    return NothingFound(no_games(database))

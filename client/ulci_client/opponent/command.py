"""``ulci opponent``: from the command line to `OpponentSettings`."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any

import click
import trio

from ulci.engines.options import OptionError
from ulci_client.sanitize import clean
from ulci_client.server_options import server_options, servers_from
from ulci_client.wire_log import no_note, open_wire_log, wire_log_option

from .opponent import Opponent, write_logged
from .settings import COLORS, MOST_LEVEL, RATED, OpponentSettings
from .uci import UciFace
from .xboard import XboardFace

FACES: dict[str, Callable[[OpponentSettings, Callable[[bytes], None]], UciFace | XboardFace]] = {
    "uci": UciFace,
    "xboard": XboardFace,
}

EPILOG = """\
Set this command up as an engine in the GUI: the options are also offered there, with buttons to
resign, offer and accept a draw, and claim a win. The server's clock counts: give this side no
clock, and your own engine a shorter one than the server's.

UCI has no word for "you have lost" or "draw agreed". Where the GUI's result and the server's may
differ, the server's counts; client/README.md has the table. --protocol xboard has those words.
"""


@click.command(epilog=EPILOG)
@server_options
@click.option(
    "--protocol",
    type=click.Choice([*FACES]),
    default="uci",
    show_default=True,
    help="The GUI's protocol.",
)
@click.option(
    "--opponent", default="", metavar="NAME", help="Challenge this player; default: seek."
)
@click.option("--pool", default="", metavar="NAME", help="The server's pool or game to play in.")
@click.option(
    "--time",
    default="",
    help="Time control, such as 5m+3s or 300+3 (seconds); default: the GUI's, or the pool's.",
)
@click.option(
    "--rated",
    type=click.Choice([*RATED]),
    default="server",
    show_default=True,
    help="Whether the game counts for a rating; server: as the pool has it.",
)
@click.option(
    "--color",
    type=click.Choice([*COLORS]),
    default="auto",
    show_default=True,
    help="The GUI's side; auto: as its first search shows.",
)
@click.option(
    "--level",
    type=click.IntRange(0, MOST_LEVEL),
    default=0,
    show_default=True,
    metavar="N",
    help="Level of an engine of the server: 1 is the weakest; 0: full strength.",
)
@click.option(
    "--games",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Ask for a match of N games, which the opponent accepts once.",
)
@click.option("--name", default="", help="Your name there; default: the GUI's UCI_Opponent.")
@click.option("--human", is_flag=True, help="A person plays at the GUI, and not an engine.")
@click.option(
    "--resign-on-quit",
    is_flag=True,
    help="Resign a game that the GUI leaves; default: be away, until the opponent claims it.",
)
@wire_log_option
def command(**asked: Any) -> None:
    """Be a player of the server as a local engine of a GUI.

        ulci opponent --server tls://chess.example --opponent Bob --time 300+3

    The GUI plays against Bob as if he were an engine on this machine; to the server and to Bob, the
    GUI is a player.
    """
    try:
        settings = _settings(asked)
    except OptionError as error:
        raise click.UsageError(str(error)) from error
    with ExitStack() as stack:
        complain = partial(click.echo, err=True)
        log = open_wire_log(asked["wire_log"], "ulci opponent", complain, stack)
        note = no_note if log is None else log.open("standard input and output", "gui")
        face = FACES[asked["protocol"]](settings, partial(write_logged, note))
        trio.run(Opponent(settings, face, note, log).run)


def _settings(asked: dict[str, Any]) -> OpponentSettings:
    settings = OpponentSettings(servers_from(asked), games=asked["games"])
    settings.cafile, settings.insecure = asked["cafile"], asked["insecure"]
    settings.token_in_clear = asked["token_in_clear"]
    settings.human = asked["human"]
    settings.resign_on_quit = asked["resign_on_quit"]
    settings.name = clean(asked["name"]).strip()
    settings.level = asked["level"]
    for option in ("opponent", "pool", "time", "rated", "color"):
        settings.set_untrusted(option, asked[option])
    return settings

"""The command ``ulci play``: its options, and their effects."""

import getpass
from typing import Any

import click

from ulci.protocol.messages import Terms
from ulci.rules import GAMES
from ulci_client.sanitize import clean
from ulci_client.server_options import server_options, servers_from
from ulci_client.terminal.commands.terms import CHOICES, TermsError, checked
from ulci_client.terminal.model.phrases import joined
from ulci_client.typed_time import typed_time

from .run import PlaySettings, run_play

TERMS = ("game", "time", "color", "against", "level", "start")

EPILOG = """\b
With any of --game, --time, --color, --against, --level and --start a game is
sought at once; without them you enter the lobby. In a game type moves as e4, Nf3,
e2e4, O-O or e8=Q, and help for everything else.

\b
--plain prints a line for every event and reads a line for every command; it
is the default when input or output is not a terminal, or a dumb one. From a pipe, a move
that comes too early waits for its turn, and so does what follows it; quit
waits until everything before it is answered. At the end of the input the
program leaves as soon as it would need another line; a game that is still on
is lost then, as with quit.

\b
A lost connection is reestablished, no sooner than the server asks
(retry-after). If the server rejects you (wrong token, ban, nothing to play),
its reason is the last line.

\b
Exit codes: 0 left between games, 1 no server reached (with --plain: for five
minutes), 2 wrong options, 3 left during a game, 4 rejected by the server, 130
interrupted. NO_COLOR is respected.
"""


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container's user may have no name
        return "guest"


@click.command(name="play", epilog=EPILOG)
@server_options
@click.option("--name", default=_login, help="Your name; default: your login name.")
@click.option(
    "--game",
    help="What to play: a game, or the name of one of the server's pools; this client shows"
    f" {joined(list(GAMES), 'and')}.",
)
@click.option(
    "--time",
    callback=typed_time,
    help="Time control, such as 5m+3s, 300+3 (seconds) or 40/90m+30s.",
)
@click.option("--color", type=click.Choice(CHOICES["color"]), help="Which side to play.")
@click.option("--against", type=click.Choice(CHOICES["against"]), help="Whom to play.")
@click.option(
    "--level",
    type=click.IntRange(1),
    metavar="N",
    help="Play an engine of the server at this strength; 1 is the weakest.",
)
@click.option("--start", metavar="FEN|NAME", help="Start position, or its name (liberty: mini).")
@click.option("--plain", is_flag=True, help="Lines in, lines out; no full screen.")
@click.option("--ascii", is_flag=True, help="ASCII letters, no colours, moves in words.")
@click.pass_context
def command(context: click.Context, /, **asked: Any) -> None:
    """Play at this terminal."""
    said = {key: asked[key] for key in TERMS if asked[key] is not None}
    try:
        terms = terms_said(said)
    except TermsError as error:
        raise click.UsageError(str(error), context) from error
    name = clean(" ".join(asked["name"].split()))
    if not name:
        raise click.BadParameter(
            "a name needs at least one character", context, param_hint="--name"
        )
    settings = PlaySettings(
        servers_from(asked),
        name,
        terms,
        plain=asked["plain"],
        ascii=asked["ascii"],
    )
    context.exit(run_play(settings))


def terms_said(said: dict[str, Any]) -> Terms | None:
    """What to seek at once; None without such options."""
    for key in ("game", "time"):
        if len(said.get(key, "x").split()) != 1:
            raise TermsError(f"--{key} is one word, not {said[key]!r}")
    return checked(Terms(**said)) if said else None

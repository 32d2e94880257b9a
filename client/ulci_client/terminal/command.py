"""The command ``ulci play``: its options, and what they mean."""

import getpass
from typing import Any

import click

from ulci.protocol import Terms
from ulci.rules import GAMES
from ulci_client.server_options import server_from, server_options, token_from

from .clean import clean
from .run import run_play
from .settings import Settings
from .terms import CHOICES, TermsError, checked
from .words import listed

TERMS = ("game", "time", "color", "against", "start")

EPILOG = """\b
With any of --game, --time, --color, --against and --start a game is sought
at once; without them you look round first. In the game type moves as e4,
Nf3, e2e4, O-O or e8=Q, and help to see everything else.

\b
--plain prints a line for everything that happens and reads a line for
everything you do; so it is when input or output is no terminal. From a pipe,
a move that comes too early waits for its turn, and what follows it waits
too; quit waits until what was asked before it is answered. At the end of the
input the program leaves as soon as it would need another line; a game that is
still going on then is lost, as if you had typed quit.

\b
When the line is lost, it is dialled again; when the server says in how many
seconds to come back (retry-after), not sooner than that. When it does not want
you (a wrong token, a ban, nothing to play), its reason is the last line.

\b
Exit codes: 0 left between games, 1 no server could be reached (or not again
for five minutes, with --plain), 2 wrong options, 3 left in the middle of a
game, 4 the server does not want you, 130 interrupted. NO_COLOR is respected.
"""


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container's user may have no name
        return "guest"


@click.command(name="play", epilog=EPILOG)
@server_options
@click.option("--name", default=_login, help="Your name; your login name unless given.")
@click.option(
    "--game",
    help="What to play, a game or one of the server's pools by its name; this client shows"
    f" {listed(list(GAMES), 'and')}.",
)
@click.option("--time", help="The clocks, as 300+3 (seconds) or 40/5400+30.")
@click.option("--color", type=click.Choice(CHOICES["color"]), help="Which side to play.")
@click.option("--against", type=click.Choice(CHOICES["against"]), help="Whom to play.")
@click.option(
    "--start", metavar="FEN|NAME", help="The position to begin with, or its name (liberty: mini)."
)
@click.option("--plain", is_flag=True, help="A line in, a line out; no screen.")
@click.option("--ascii", is_flag=True, help="Letters, no colours, moves told in words.")
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
        raise click.BadParameter("a name has at least one letter", context, param_hint="--name")
    settings = Settings(
        server_from(asked),
        name,
        token_from(asked),
        terms,
        plain=asked["plain"],
        ascii=asked["ascii"],
    )
    context.exit(run_play(settings))


def terms_said(said: dict[str, Any]) -> Terms | None:
    """What to seek at once; None if nothing was said of it."""
    for key in ("game", "time"):
        if len(said.get(key, "x").split()) != 1:
            raise TermsError(f"--{key} is one word, not {said[key]!r}")
    return checked(Terms(**said)) if said else None

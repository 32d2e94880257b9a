"""The command ``ulci engine``: the engine on standard input and output."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

import click
import trio

from ulci.engines.options import OptionError, describe
from ulci.protocol import DIALECTS, Blank, Connection, RemoteProtocolError, Role, TextCodec
from ulci.protocol.messages import Id, Info, Message, Quit
from ulci.rules.liberty import FEATURES, PIECES
from ulci_client.standard_streams import give_up_stdout, read_stdin, write_stdout

from .settings import OFFERED, VARIANT, HouseSettings
from .verbs import Engine

# \b keeps click from running the lines together.
EPILOG = "\b\nThe options and their defaults:\n" + "\n".join(
    f"  {describe(option)}" for option in OFFERED
)


@click.command(epilog=EPILOG)
@click.option(
    "--dialect",
    type=click.Choice([*DIALECTS]),
    default="uci",
    show_default=True,
    help="The protocol to speak.",
)
@click.argument("options", nargs=-1, metavar="[NAME=VALUE]...")
def command(dialect: str, options: tuple[str, ...]) -> None:
    """Run a small engine that speaks UCI, or another protocol, on standard input and output.

    It plays every game of this project: chess, Chess960 and the variants of UCI, Liberty Chess
    (with --dialect ulci), tic-tac-toe on boards of any size. It searches two plies and then
    captures, as a partner for people and for tests; with a lower Skill Level it makes random moves
    now and then. Options are those of `setoption`: Depth=3
    "Move Overhead=100" UCI_Variant=atomic. In UTI the default game is tic-tac-toe.
    """
    try:
        run_house_engine(options, dialect)
    except OptionError as error:
        raise click.UsageError(str(error)) from None


MAX_LINE = 65_536  # bytes; `position` with the longest possible game, some 11,800 moves

# More ids by dialect, and the game of a dialect that has only one.
IDS: Mapping[str, Sequence[Id]] = {
    "ulci": (Id("version", "1"), Id("pieces", PIECES), *(Id("feature", f) for f in FEATURES)),
}
GAME: Mapping[str, str] = {"uti": "tictactoe"}


async def converse(
    settings: HouseSettings,
    read: Callable[[], Awaitable[bytes]],
    write: Callable[[bytes], None],
    dialect: str = "uci",
) -> None:
    """Run until ``quit`` or the end of the input (`read` returns nothing).

    At the end of the input pending searches are answered first; at ``quit`` they are not.
    """
    connection = Connection(
        Role.CLIENT, TextCodec(max_line=MAX_LINE), DIALECTS[dialect](Role.CLIENT)
    )

    def say(*messages: Message) -> None:
        if data := connection.send(*messages):
            write(data)

    engine = Engine(settings, say, IDS.get(dialect, ()))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(engine.think)
        while data := await read():
            connection.receive_data(data)
            if not _hear_all(connection, engine, say):
                nursery.cancel_scope.cancel()
                return
        connection.receive_data(b"")
        _hear_all(connection, engine, say)
        engine.close()


def _hear_all(connection: Connection, engine: Engine, say: Callable[..., None]) -> bool:
    """Whether to go on: not after ``quit`` or a fatal error."""
    while True:
        try:
            message = connection.next_message()
        except RemoteProtocolError as error:
            say(Info(string=f"error: {error}"))
            if error.fatal:
                return False
            continue
        finally:
            if connection.owes_replies:
                say()
        if message is None:
            return True
        if isinstance(message, Quit):
            return False
        if not isinstance(message, Blank):
            engine.hear(message)


def run_house_engine(options: Sequence[str] = (), dialect: str = "uci") -> None:
    """Run the engine on standard input and output until ``quit`` or their end.

    options: ``Name=Value``, set at the start. dialect: one of `DIALECTS`.

    Raises:
        OptionError: an unknown option or a bad value.
    """
    settings = HouseSettings()
    if dialect in GAME:
        settings.set_untrusted(VARIANT, GAME[dialect])
    for option in options:
        name, _, value = option.partition("=")
        settings.set_untrusted(name.strip(), value)
    try:
        trio.run(converse, settings, read_stdin, write_stdout, dialect)
    except* BrokenPipeError:
        give_up_stdout()
    except* KeyboardInterrupt:
        pass

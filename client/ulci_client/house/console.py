"""The house engine on standard input and output."""

import os
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence

import trio

from ulci.protocol import (
    DIALECTS,
    Blank,
    Connection,
    Id,
    Info,
    Message,
    Quit,
    RemoteProtocolError,
    Role,
    TextCodec,
)
from ulci.rules.liberty import FEATURES, PIECES

from .engine import Engine
from .settings import VARIANT, Settings

CHUNK = 65_536  # bytes read at once
MAX_LINE = 65_536  # bytes; `position` with the longest possible game, some 11,800 moves
STDIN, STDOUT = 0, 1

# What the engine says of itself where there are words for it, and the game of a dialect that has
# but one.
IDS: Mapping[str, Sequence[Id]] = {
    "ulci": (Id("version", "1"), Id("pieces", PIECES), *(Id("feature", f) for f in FEATURES)),
}
GAME: Mapping[str, str] = {"uti": "tictactoe"}


async def converse(
    settings: Settings,
    read: Callable[[], Awaitable[bytes]],
    write: Callable[[bytes], None],
    dialect: str = "uci",
) -> None:
    """Talk until ``quit`` or the end of the input (``read`` gives nothing).

    At the end of the input what is owed is answered first, at ``quit`` it is not.
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
    """Whether to go on: not after ``quit``, nor when nothing more can be understood."""
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


async def _read() -> bytes:
    """What has come on standard input. A thread reads it: a file or a terminal cannot be polled, or
    would have to be made non-blocking for every program that shares it."""
    return await trio.to_thread.run_sync(os.read, STDIN, CHUNK, abandon_on_cancel=True)


def _write(data: bytes) -> None:
    """Waits for a slow reader: an engine has nothing better to do."""
    while data:
        data = data[os.write(STDOUT, data) :]


def run_house_engine(options: Sequence[str] = (), dialect: str = "uci") -> None:
    """The whole program: plays on standard input and output until ``quit`` or their end.

    `options` are ``Name=Value``, set before anybody asks, as in ``Depth=3``; `dialect` is one of
    `DIALECTS`.

    Raises:
        SettingError: one of them is not an option of the engine; the text says what is.
    """
    settings = Settings()
    if dialect in GAME:
        settings.set_untrusted(VARIANT, GAME[dialect])
    for option in options:
        name, _, value = option.partition("=")
        settings.set_untrusted(name.strip(), value)
    try:
        trio.run(converse, settings, _read, _write, dialect)
    except* BrokenPipeError:
        # Nobody listens any more. Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except* KeyboardInterrupt:
        pass

"""An engine as a child process: started, introduced, configured, and always stopped."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import trio

from ulci.net import Happened, Heard, Limits, ProcessError, ProcessPeer, open_process
from ulci.protocol import (
    DIALECTS,
    ULCI,
    Connection,
    LocalProtocolError,
    RemoteProtocolError,
    Role,
    TextCodec,
    Unread,
)
from ulci.protocol.codec import MAX_LINE
from ulci.protocol.messages import (
    CopyProtection,
    FromServer,
    Hello,
    HelloOk,
    Id,
    IsReady,
    Message,
    NewGame,
    Option,
    PonderHit,
    Quit,
    ReadyOk,
    Register,
    Registration,
    SetOption,
    Status,
    Unknown,
)

from .errors import EngineEndedError, EngineError, OptionRejectedError
from .options import OptionError, Options, narrowed
from .settings import EngineListener, EngineSettings

NEW_GAME = 4
"""How many times longer than for another ``isready`` an engine may take for the first one after
``ucinewgame``: some engines clear gigabytes of hash then, or load a network."""

MOST_OPTIONS = 2000
"""Options of an engine that are read; those with the most have some hundreds."""

MOST_IDS = 100
"""Ids of an engine that are read."""

# Lines quoted from a program that turns out not to be an engine.
QUOTED_LINES = 5
QUOTED_WIDTH = 120


class EngineProcess:
    """A running engine. `ids` and `options`: from its introduction."""

    def __init__(
        self, peer: ProcessPeer, settings: EngineSettings, listener: EngineListener
    ) -> None:
        self.ids: list[Id] = []
        self.options = Options()
        self._peer = peer
        self._settings = settings
        self._listener = listener
        self._fixed: dict[str, SetOption] = {}
        self._unsayable = ""
        self._lines: list[str] = []
        self._checking = False
        self._misread = False
        self._told_later = False  # `register later` was sent

    @property
    def name(self) -> str:
        """The engine's own name, or else its file's."""
        return self.id("name") or Path(self._settings.argv[0]).name

    @property
    def peer(self) -> ProcessPeer:
        """The engine's connection, for a caller that alone uses it once the engine is ready."""
        return self._peer

    @property
    def pid(self) -> int:
        return self._peer.pid

    @property
    def can_ponder(self) -> bool:
        """UCI, option Ponder: "this means that the engine is able to ponder". Other dialects have
        no pondering."""
        speaks = self._peer.connection.dialect.can_say(PonderHit())
        return speaks and self.options.get("Ponder") is not None

    @property
    def offered(self) -> list[Option]:
        """The options as offered to a server: a combo that the user has set has one choice left."""
        return [
            narrowed(option, self._fixed.get(option.name.casefold())) for option in self.options
        ]

    def id(self, key: str) -> str:
        """Its ``id KEY``; empty if none."""
        return next((each.value for each in self.ids if each.key == key), "")

    @property
    def fixed(self) -> Mapping[str, SetOption]:
        """The values that the user has set, by the option's name in lower case."""
        return self._fixed

    @property
    def dialect(self) -> str:
        """The name of the dialect that it speaks."""
        return self._peer.connection.dialect.name

    def put(self, *messages: FromServer) -> None:
        """Send messages. If the engine's dialect cannot express one, such as chess in UTI, the
        engine is cut off and `receive` raises EngineError."""
        try:
            self._peer.put(*messages)
        except LocalProtocolError as error:
            self._unsayable = f"{self.name} speaks {self._peer.connection.dialect.name}: {error}"
            self._peer.cut(self._unsayable)

    def remark(self, event: Happened, game: int) -> None:
        """Note an event of the engine in the log of the wire, if there is one."""
        self._peer.remark(event, game=game)

    def kill(self) -> None:
        """Kill the process."""
        self._peer.kill()

    async def receive(self) -> Heard | None:
        """Its next message; None at the end of its output (then see `last_words`).

        Raises:
            EngineError: its copy protection failed, it said ``quit``, or its dialect could not
                express a message.
        """
        while True:
            try:
                heard = await self._peer.receive()
            except RemoteProtocolError as error:
                self._complain(error)
                continue
            if heard is None:
                if self._unsayable:
                    raise EngineError(self._unsayable, hopeless=True)
                return None
            if isinstance(heard.message, Quit):
                raise EngineError(f"{self.name} says `quit`, so it will say nothing more")
            if not isinstance(heard.message, CopyProtection | Registration):
                return heard
            self._check(heard.message)

    def _complain(self, error: RemoteProtocolError) -> None:
        """Notify once, because an engine repeats its faults all the time."""
        if error.fatal:
            self._peer.cut(str(error))
        if error.fatal or not self._misread:
            self._listener.noticed(f"{self.name}: {error}")
        self._misread = True

    def last_words(self) -> str:
        """Why the engine ended, and its last lines on standard error."""
        said = [line for line in self._peer.stderr_tail if line.strip()][-QUOTED_LINES:]
        return "".join([self._peer.why, *_quoted("its last words on stderr", said)])

    # Starting

    def leave_out_unfitting(self) -> list[str]:
        """Set none of the given options that it does not offer, or whose value it does not take.
        Call it before `prepare`. Returns them as typed."""
        left_out = [text for text in self._settings.options if not self._fits(text)]
        options = tuple(text for text in self._settings.options if text not in left_out)
        self._settings = replace(self._settings, options=options)
        return left_out

    def _fits(self, text: str) -> bool:
        try:
            self.options.setting(text)
        except OptionError:
            return False
        return True

    async def introduce(self) -> None:
        """From ``uci`` to ``uciok``, or the dialect's equivalent.

        Raises:
            EngineError: it does not speak the dialect, or ended.
        """
        self.put(Hello())
        options: list[Option] = []
        more = False
        with trio.move_on_after(self._settings.start):
            while not isinstance(said := await self._next("uciok"), HelloOk):
                match said:
                    case Id() if len(self.ids) < MOST_IDS:
                        self.ids.append(said)
                    case Option() if len(options) < MOST_OPTIONS:
                        options.append(said)
                    case Option():
                        more = True
                    case Unknown(line) if len(self._lines) < QUOTED_LINES:
                        self._lines.append(line)
            self.options = Options(options)
            if more:
                self._listener.noticed(
                    f"{self.name} has more than {MOST_OPTIONS} options; the rest are not used"
                )
            if self._settings.dialect == "uci" and self.id("version"):
                self._peer.connection.dialect = ULCI
            return
        late = f"no {self._spelled(HelloOk())} within {self._settings.start:g} s"
        raise EngineError(self._no_uciok(_advised(late, self._settings.more_start)))

    async def prepare(self, more: Iterable[SetOption | NewGame] = ()) -> None:
        """Set the user's options, then `more` (a server's settings), and wait for ``readyok``.

        Raises:
            OptionRejectedError: it does not offer an option, or rejects a value.
            EngineError: no ``readyok`` in time, or its copy protection failed.
        """
        chosen = self._chosen()
        self._fixed = {setting.name.casefold(): setting for setting in chosen}
        told = [*chosen, *more]
        self.put(*told, IsReady())
        ready = False
        new_game = any(isinstance(message, NewGame) for message in told)
        patience = self._settings.ping * (NEW_GAME if new_game else 1)
        with trio.move_on_after(patience):
            while not ready or self._checking:
                ready = isinstance(await self._next("readyok"), ReadyOk) or ready
            return
        what = "copy protection check to end" if ready else "readyok"
        text = f"{self.name} hangs: no {what} within {patience:g} s"
        text = _advised(text, self._settings.more_ping)
        raise EngineError("".join([text, *_quoted("its stderr says", self._peer.stderr_tail)]))

    def _chosen(self) -> list[SetOption]:
        try:
            chosen = [self.options.setting(text) for text in self._settings.options]
        except OptionError as error:
            raise OptionRejectedError(f"{self.name}: {error}") from error
        for setting in filter(self.options.unlisted, chosen):
            self._listener.noticed(
                f"{self.name} does not list the values of {setting.name!r} (a combo without var);"
                f" sending {setting.value!r}, which it may not know"
            )
        if self._settings.ponder and self.can_ponder:
            chosen.append(SetOption("Ponder", "true"))
        return chosen

    async def _next(self, awaited: str) -> Message | Unread:
        heard = await self.receive()
        if heard is None:
            if awaited == "uciok":
                raise EngineEndedError(self._no_uciok(self._peer.why), hopeless=True)
            raise EngineEndedError(f"{self.name} ended before {awaited}: {self.last_words()}")
        return heard.message

    def _no_uciok(self, why: str) -> str:
        """Why this is no engine of that dialect, with its output quoted."""
        name, kind = Path(self._settings.argv[0]).name, self._peer.connection.dialect.name
        hello, hello_ok = self._spelled(Hello()), self._spelled(HelloOk())
        text = f"{name} does not answer `{hello}` with `{hello_ok}` as {kind} engines do: {why}"
        said = [line[:QUOTED_WIDTH] for line in self._lines]
        errors = [line for line in self._peer.stderr_tail if line.strip()][-QUOTED_LINES:]
        return "".join(
            [text, *_quoted("its first lines", said), *_quoted("its stderr says", errors)]
        )

    def _spelled(self, message: Message) -> str:
        return self._peer.connection.dialect.show(message)

    def _check(self, message: CopyProtection | Registration) -> None:
        """UCI: a copyprotection error forbids the use, a registration error only restricts it."""
        if isinstance(message, CopyProtection):
            self._checking = message.status is Status.CHECKING
            if message.status is Status.ERROR:
                raise EngineError(
                    f"{self.name} says `copyprotection error`: it rejects this copy of itself, so"
                    " it may not be used",
                    hopeless=True,
                )
        elif message.status is Status.ERROR and not self._told_later:
            # Once: the engine may answer each attempt with the same error.
            self._told_later = True
            self.put(Register())
            self._listener.noticed(
                f"{self.name} is not registered; some of its features may be disabled"
            )


@asynccontextmanager
async def open_engine(
    settings: EngineSettings,
    listener: EngineListener | None = None,
    *,
    limits: Limits | None = None,
    max_line: int = MAX_LINE,
) -> AsyncIterator[EngineProcess]:
    """Start an engine and wait for its introduction; call `prepare` next. At the end of the block
    it gets `quit`, then is killed with its process group. max_line: bytes of its longest line.

    Raises:
        EngineError: it cannot be started or is no engine.
    """
    dialect = DIALECTS[settings.dialect](Role.SERVER)
    connection = Connection(Role.SERVER, TextCodec(max_line=max_line), dialect, defer_info=True)
    try:
        process = open_process(
            settings.argv,
            connection,
            limits=limits,
            quit_grace=settings.quit,
            env=dict(settings.environment),
            cwd=None if settings.cwd is None else str(settings.cwd),
            processors=settings.processors,
        )
        async with process as peer:
            listener = listener or EngineListener()
            listener.started(peer)
            engine = EngineProcess(peer, settings, listener)
            await engine.introduce()
            yield engine
    except ProcessError as error:
        raise EngineError(str(error), hopeless=True) from error


def _quoted(what: str, lines: Sequence[str]) -> list[str]:
    return [f"\n  {what}:", *(f"\n    {line}" for line in lines)] if lines else []


def _advised(text: str, advice: str) -> str:
    return f"{text}; {advice}" if advice else text

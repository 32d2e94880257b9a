"""A local engine under supervision: started, introduced, set up, and never left behind."""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import trio

from ulci.net import Heard, ProcessError, ProcessPeer, open_process
from ulci.protocol import (
    DIALECTS,
    ULCI,
    Connection,
    CopyProtection,
    FromServer,
    Hello,
    HelloOk,
    Id,
    IsReady,
    LocalProtocolError,
    Message,
    NewGame,
    Option,
    PonderHit,
    ReadyOk,
    Register,
    Registration,
    RemoteProtocolError,
    Role,
    SetOption,
    Status,
    TextCodec,
    Unknown,
    Unread,
)

from .options import OptionError, Options, narrowed

# Lines quoted to show what a program says that is no engine.
QUOTED_LINES = 5
QUOTED_WIDTH = 120


class EngineError(Exception):
    """The engine cannot be used, or no longer; the text is for people.

    `hopeless`: starting it again would end the same way.
    """

    def __init__(self, text: str, *, hopeless: bool = False) -> None:
        super().__init__(text)
        self.hopeless = hopeless


class SettingError(EngineError):
    """It works, but does not take an option that it was given."""

    def __init__(self, text: str) -> None:
        super().__init__(text, hopeless=True)


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """Which engine, and how to treat it. Times in s.

    dialect: one of `DIALECTS`; ``uci`` becomes ULCI if the engine says that it speaks that.
    options: ``Name=Value`` as a person wrote it. start: until ``uciok``. ping: until ``readyok``
    and for the answer to ``stop``. quit: between ``quit`` and being killed.
    """

    argv: tuple[str, ...]
    cwd: Path | None = None
    options: tuple[str, ...] = ()
    ponder: bool = False
    start: float = 10.0
    ping: float = 15.0
    quit: float = 2.0
    dialect: str = "uci"


@dataclass(frozen=True, slots=True)
class Ears:
    """Who wants to know: `said` and `heard` every message, `noticed` what a person should read."""

    said: Callable[[FromServer], None] = lambda _: None
    heard: Callable[[Message | Unread], None] = lambda _: None
    noticed: Callable[[str], None] = lambda _: None


class EngineProcess:
    """An engine that has introduced itself. `ids` and `options` are what it said of itself."""

    def __init__(self, peer: ProcessPeer, settings: EngineSettings, ears: Ears) -> None:
        self.ids: list[Id] = []
        self.options = Options()
        self._peer = peer
        self._settings = settings
        self._ears = ears
        self._fixed: dict[str, SetOption] = {}
        self._unsayable = ""
        self._lines: list[str] = []
        self._checking = False
        self._misread = False
        self._told_later = False  # that nobody registers it now

    @property
    def name(self) -> str:
        """What it calls itself, or else what its file is called."""
        return self.id("name") or Path(self._settings.argv[0]).name

    @property
    def pid(self) -> int:
        return self._peer.pid

    @property
    def can_ponder(self) -> bool:
        """UCI, option Ponder: "this means that the engine is able to ponder". No other dialect
        has a word for it."""
        speaks = self._peer.connection.dialect.can_say(PonderHit())
        return speaks and self.options.get("Ponder") is not None

    @property
    def offered(self) -> list[Option]:
        """Its options, as far as they are still to be set by others: what a person chose from a
        list leaves no choice."""
        return [
            narrowed(option, self._fixed.get(option.name.casefold())) for option in self.options
        ]

    def id(self, key: str) -> str:
        """What it said after ``id KEY``; empty if nothing."""
        return next((each.value for each in self.ids if each.key == key), "")

    def accepted(self, message: SetOption) -> SetOption | None:
        """A server's setting as this engine spells it; None if it is not the server's to set."""
        if message.name.casefold() in self._fixed:
            return None
        return self.options.answer(message)

    def put(self, *messages: FromServer) -> None:
        """Say this. What its dialect cannot spell, such as chess in UTI, is the end of it: then
        `receive` raises EngineError."""
        for message in messages:
            self._ears.said(message)
        try:
            self._peer.put(*messages)
        except LocalProtocolError as error:
            self._unsayable = f"{self.name} speaks {self._peer.connection.dialect.name}: {error}"
            self._peer.cut(self._unsayable)

    def kill(self) -> None:
        """It will not go by itself."""
        self._peer.kill()

    async def receive(self) -> Heard | None:
        """What it says next; None when nothing more will come (then see `last_words`).

        Raises:
            EngineError: it says that it may not be used, or there are no words for what it was to
                be told.
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
            self._ears.heard(heard.message)
            if not isinstance(heard.message, CopyProtection | Registration):
                return heard
            self._check(heard.message)

    def _complain(self, error: RemoteProtocolError) -> None:
        """A person needs to know once: what an engine does wrong, it does all the time."""
        if error.fatal:
            self._peer.cut(str(error))
        if error.fatal or not self._misread:
            self._ears.noticed(f"{self.name}: {error}")
        self._misread = True

    def last_words(self) -> str:
        """Why it ended and the last that it said on its standard error."""
        said = [line for line in self._peer.stderr_tail if line.strip()][-QUOTED_LINES:]
        return "".join([self._peer.why, *_quoted("its last words on stderr", said)])

    # Starting

    async def introduce(self) -> None:
        """From ``uci`` to ``uciok``, or what its dialect says instead.

        Raises:
            EngineError: it does not speak that, or ended.
        """
        self.put(Hello())
        options: list[Option] = []
        with trio.move_on_after(self._settings.start):
            while not isinstance(said := await self._next("uciok"), HelloOk):
                match said:
                    case Id():
                        self.ids.append(said)
                    case Option():
                        options.append(said)
                    case Unknown(line) if len(self._lines) < QUOTED_LINES:
                        self._lines.append(line)
            self.options = Options(options)
            if self._settings.dialect == "uci" and self.id("version"):
                self._peer.connection.dialect = ULCI
            return
        late = f"no {self._spelled(HelloOk())} within {self._settings.start:g} s"
        raise EngineError(self._no_uciok(late))

    async def prepare(self, more: Iterable[SetOption | NewGame] = ()) -> None:
        """Set what the settings say, then `more` (what a server said before), and wait for
        ``readyok``.

        Raises:
            SettingError: an option is not offered, or does not take this value.
            EngineError: it did not get ready, or it may not be used.
        """
        chosen = self._chosen()
        self._fixed = {setting.name.casefold(): setting for setting in chosen}
        self.put(*chosen, *more, IsReady())
        ready = False
        with trio.move_on_after(self._settings.ping):
            while not ready or self._checking:
                ready = isinstance(await self._next("readyok"), ReadyOk) or ready
            return
        what = "copy protection check to end" if ready else "readyok"
        text = f"{self.name} hangs: no {what} within {self._settings.ping:g} s"
        raise EngineError("".join([text, *_quoted("its stderr says", self._peer.stderr_tail)]))

    def _chosen(self) -> list[SetOption]:
        try:
            chosen = [self.options.setting(text) for text in self._settings.options]
        except OptionError as error:
            raise SettingError(f"{self.name}: {error}") from error
        for setting in filter(self.options.unlisted, chosen):
            self._ears.noticed(
                f"{self.name} does not say which values {setting.name!r} takes (a combo without"
                f" var); it is told {setting.value!r}, and may not know that"
            )
        if self._settings.ponder and self.can_ponder:
            chosen.append(SetOption("Ponder", "true"))
        return chosen

    async def _next(self, awaited: str) -> Message | Unread:
        heard = await self.receive()
        if heard is None:
            if awaited == "uciok":
                raise EngineError(self._no_uciok(self._peer.why), hopeless=True)
            raise EngineError(f"{self.name} ended before {awaited}: {self.last_words()}")
        return heard.message

    def _no_uciok(self, why: str) -> str:
        """What a person needs to see why this is no engine of that dialect."""
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
        """UCI, copyprotection and registration: the one forbids, the other only restricts."""
        if isinstance(message, CopyProtection):
            self._checking = message.status is Status.CHECKING
            if message.status is Status.ERROR:
                raise EngineError(
                    f"{self.name} says `copyprotection error`: it does not accept this copy of"
                    " itself, so it may not be used",
                    hopeless=True,
                )
        elif message.status is Status.ERROR and not self._told_later:
            # Once: the engine may answer each try to register it with the same words.
            self._told_later = True
            self.put(Register())
            self._ears.noticed(
                f"{self.name} is not registered and may play with less than all its features"
            )


@asynccontextmanager
async def open_engine(
    settings: EngineSettings, ears: Ears | None = None
) -> AsyncIterator[EngineProcess]:
    """Start an engine, which has then introduced itself but is not prepared; told to quit at the
    end of the block, and then killed with all processes of its group.

    Raises:
        EngineError: it cannot be started or is no engine.
    """
    dialect = DIALECTS[settings.dialect](Role.SERVER)
    connection = Connection(Role.SERVER, TextCodec(), dialect, defer_info=True)
    cwd = None if settings.cwd is None else str(settings.cwd)
    try:
        process = open_process(settings.argv, connection, quit_grace=settings.quit, cwd=cwd)
        async with process as peer:
            engine = EngineProcess(peer, settings, ears or Ears())
            await engine.introduce()
            yield engine
    except ProcessError as error:
        raise EngineError(str(error), hopeless=True) from error


def _quoted(what: str, lines: Sequence[str]) -> list[str]:
    return [f"\n  {what}:", *(f"\n    {line}" for line in lines)] if lines else []

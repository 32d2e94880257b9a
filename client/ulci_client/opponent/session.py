"""The GUI's player at the server: the introduction, and the seat that is kept over lost
connections."""

from collections.abc import Callable
from typing import Any

from ulci.net import Heard, Peer
from ulci.protocol import Unread
from ulci.protocol.lobby.lines import Welcome
from ulci.protocol.messages import (
    Accept,
    FromClient,
    Hello,
    HelloOk,
    Id,
    IsReady,
    Message,
    Option,
    OptionType,
    Quit,
    ReadyOk,
)
from ulci_client.reconnect import LastWords
from ulci_client.server_list import stranger

from .settings import (
    CHESS960,
    DEFAULT_NAME,
    OPPONENT,
    STANDARD,
    VARIANT,
    VARIANTS,
    OpponentSettings,
)


class ServerSession:
    """`introduced`: we have answered the server's greeting on this connection; `admitted`: it has
    let us into its lobby; `returning`: it was asked whether it still has a game or a match of
    ours; `welcomed_at`: the address that let us in last; `last_words`: the server's, on the last
    connection; `left`: we ended the connection ourselves, to come back as somebody else."""

    def __init__(self, settings: OpponentSettings) -> None:
        self.introduced = False
        self.admitted = False
        self.returning = False
        self.left = False
        self.welcome: Welcome | None = None
        self.welcomed_at = ""
        self._settings = settings
        self._line: Peer | None = None
        self._identity: object = None
        self.last_words = LastWords()

    @property
    def name(self) -> str:
        """Our name at the server; empty before it is known."""
        return "" if self.welcome is None else self.welcome.name

    @property
    def outdated(self) -> bool:
        """Whether the GUI has named another server, account or player since the introduction."""
        return self.introduced and self._identity != self._settings.identity

    def line_up(self, line: Peer) -> None:
        self._line, self.last_words = line, LastWords()

    def line_down(self) -> None:
        self._line, self.introduced = None, False
        self.admitted = self.returning = False

    def say(self, *messages: FromClient) -> None:
        """To the server; before the introduction and without a connection to nobody."""
        if self._line is not None and self.introduced and messages:
            self._line.put(*messages)

    def welcomed(self, line: Welcome) -> str:
        """We are in, perhaps again. What to tell if another server than before does not know our
        seat; else empty."""
        assert self._line is not None
        before, here = self.welcomed_at, self._line.label
        known = self.welcome is None or self.welcome.resume == line.resume
        self.welcomed_at = here
        if self.welcome is not None:
            self.returning = True
            self.ask_whether_on()
        self.welcome, self.admitted = line, True
        return "" if known or before == here else stranger(before, here)

    def ask_whether_on(self) -> None:
        """No seek has the number 0; the answer is `busy` if a game or a match is still on."""
        self.say(Accept(0))

    def leave_seat(self, why: str) -> None:
        """Come back as somebody who has nothing to do with the game that is on."""
        self.welcome = None  # and with it the secret of the seat
        if self._line is not None:
            self.left = True
            self._line.cut(why)

    def be_away(self, why: str) -> None:
        """Leave the connection as a lost one, so that the seat is kept for a while."""
        if self._line is not None:
            self._line.dismiss(why)

    def hear(self, heard: Heard) -> Message | Unread | None:
        """Do what concerns the connection alone; anything else is returned."""
        message = heard.message
        if not self.last_words.heard(heard):
            return None
        handler = _HEAR.get(type(message))
        if handler is None:
            return message
        handler(self, message)
        return None

    def _hello(self, _: Hello) -> None:
        if self.introduced:
            return
        self.introduced = True
        settings = self._settings
        self._identity = settings.identity
        name = settings.name or DEFAULT_NAME
        ids = [Id("username" if settings.human else "name", name), Id("feature", "lobby")]
        if token := settings.servers[0].token:
            ids.append(Id("token", token))
        if self.welcome is not None:
            ids.append(Id("resume", self.welcome.resume))
        self.say(
            *ids,
            Option(CHESS960, OptionType.CHECK, "false"),
            Option(VARIANT, OptionType.COMBO, STANDARD, vars=VARIANTS),
            Option(OPPONENT, OptionType.STRING, ""),
            HelloOk(),
        )

    def _is_ready(self, _: IsReady) -> None:
        self.say(ReadyOk())

    def _quit(self, _: Quit) -> None:
        assert self._line is not None
        self._line.cut("the server says goodbye")


_HEAR: dict[type, Callable[[ServerSession, Any], None]] = {
    Hello: ServerSession._hello,
    IsReady: ServerSession._is_ready,
    Quit: ServerSession._quit,
}

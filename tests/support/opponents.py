"""An opponent between a GUI and a server that the test plays by hand, without I/O."""

from collections.abc import Callable

from tests.support.lobby import lobby_line
from ulci.net import Address, Heard, RemoteServer
from ulci.protocol import ULCI
from ulci.protocol.messages import FromClient, FromServer, Go, Hello, Position
from ulci_client.opponent.settings import OpponentSettings
from ulci_client.opponent.uci import UciFace
from ulci_client.opponent.xboard import XboardFace

WRITTEN = ULCI.with_lobby()


class Line:
    """What is said to the server, as lines, and why the connection was ended."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.ended = ""
        self.label = "tcp://127.0.0.1:1"

    def put(self, *messages: FromClient) -> None:
        self.said += [WRITTEN.write(message) for message in messages]

    def cut(self, why: str) -> None:
        self.ended = why

    def dismiss(self, why: str) -> None:
        self.ended = why


class Table:
    """`gui` lines said so far by the engine; `at`: the time, s."""

    def __init__(self, kind: Callable[..., UciFace | XboardFace], **asked: object) -> None:
        self.at = 100.0
        self.shown: list[str] = []
        server = RemoteServer(Address.parse("tcp://127.0.0.1:1"))
        self.settings = OpponentSettings((server,), **asked)
        self.face = kind(self.settings, lambda data: self.shown.extend(data.decode().splitlines()))
        self.player = self.face.player
        self._line = Line()

    def gui(self, *lines: str) -> bool:
        """The GUI says so; whether the conversation goes on."""
        return self.face.receive("".join(f"{line}\n" for line in lines).encode(), self.at)

    def take(self) -> list[str]:
        """What the GUI was told since the last time."""
        shown, self.shown = self.shown, []
        return shown

    def connect(self) -> None:
        """The connection that the player wants, up to its introduction."""
        assert self.player.pairing.wants_line
        self._line = Line()
        self.player.session.line_up(self._line)
        self.server(Hello())

    @property
    def ended(self) -> str:
        """Why we have ended the connection; empty if we have not."""
        return self._line.ended

    def cut(self) -> None:
        self.player.line_down()

    def server(self, *messages: FromServer) -> None:
        for message in messages:
            self.player.server_said(Heard(message, self.at))

    def lobby(self, *lines: str) -> None:
        for line in lines:
            self.server(lobby_line(line))

    def heard(self) -> list[str]:
        """What the server was told since the last time."""
        said, self._line.said = self._line.said, []
        return said

    def pass_time(self, seconds: float) -> None:
        self.at += seconds
        if self.player.due <= self.at:
            self.player.alarm(self.at)

    # The usual way to a game

    def seat(self, color: str = "white") -> None:
        """From the GUI's new game to the one at the server, in which the GUI has that colour."""
        self.gui("uci", "ucinewgame", "isready")
        self.connect()
        self.lobby("welcome name Ada account no resume s3cret", "challenging 1 player Bob")
        self.lobby("match 1 game 1 of 1 player Bob chooser Ada within 180000")
        self.take()
        self.heard()
        self.begin(color)

    def begin(self, color: str = "white") -> None:
        white, black = ("Ada", "Bob") if color == "white" else ("Bob", "Ada")
        self.lobby(f"game 1 start white {white} black {black} game chess time 60+1 rated no")

    def position(self, *moves: str, go: bool = False) -> None:
        self.server(Position(None, moves))
        if go:
            self.server(Go(60_000, 60_000))

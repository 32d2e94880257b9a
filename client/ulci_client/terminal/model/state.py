"""Everything this client knows, and the effects that follow from an event. Pure."""

import enum
from collections import deque
from dataclasses import dataclass, field

from ulci.protocol.lobby.lines import ListedPlayer, Offer
from ulci.protocol.messages import Invite, Message, Terms
from ulci_client.recent import Recent
from ulci_client.reconnect import REJECTED

from .game import Game

# News kept for scrolling back.
MAX_NEWS = 500


class NewsKind(enum.StrEnum):
    """Kinds of news; the first word of its line in plain mode."""

    CONNECTED = "connected"
    LOST = "lost"
    WELCOME = "welcome"
    SEEK = "seek"
    CHALLENGE = "challenge"
    GONE = "gone"
    YOU = "you"
    MOVE = "move"
    TURN = "your"
    OFFER = "offer"
    OPPONENT = "opponent"
    WATCH = "watch"
    THOUGHT = "thought"
    TAKEBACK = "takeback"
    TIME = "time"
    RESULT = "result"
    SAY = "say"
    SERVER = "server"
    ERROR = "error"
    OK = "ok"
    ASK = "ask"
    LOBBY = "lobby"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class News:
    """text: a sentence for people. line: its form in plain mode, if different."""

    kind: NewsKind
    text: str
    line: str = ""

    @property
    def plain(self) -> str:
        return self.line or f"{self.kind} {self.text}"


@dataclass(frozen=True, slots=True)
class Page:
    """A longer answer: lines in plain mode, a page beside the board on the screen."""

    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Send:
    """Send this to the server."""

    message: Message


@dataclass(frozen=True, slots=True)
class Save:
    """Add the game to this file."""

    path: str
    game: Game


class Exit(enum.IntEnum):
    """The program's exit codes (2 is click's, for wrong usage)."""

    DONE = 0
    NO_SERVER = 1
    MID_GAME = 3
    REJECTED = REJECTED


@dataclass(frozen=True, slots=True)
class Leave:
    """The program ends. `why`: what went wrong, printed after the screen is restored."""

    code: Exit
    why: str = ""


Effect = News | Page | Send | Save | Leave


class LinkState(enum.Enum):
    """The connection to the server. READY: we have introduced ourselves."""

    CONNECTING = enum.auto()
    UP = enum.auto()
    READY = enum.auto()
    LOST = enum.auto()


class YesNoQuestion(enum.Enum):
    """Asked before a command that cannot be undone."""

    RESIGN = "Resign this game?"
    QUIT = "Leave in the middle of the game?"


@dataclass(slots=True)
class Listing:
    """A list being received: of what, how many lines, and those that came so far."""

    what: str
    expected: int
    lines: list[str] = field(default_factory=list)


FRIEND = "a friend"
"""The opponent of an open invitation. It has two words, so that it is no name of a player."""


@dataclass(slots=True)
class ClientState:
    """name, me: the name we ask for, and the one the lobby gave us. server: its address. token: our
    account's; secret: resumes our seat after a reconnection; seated_at: the server that
    gave it.

    shows_lists: keep the lobby's lists fresh, for the screen. wanted: what we seek until a game
    starts. opponent: (kind, name) of the next opponent, as told before a game. last_rival: the last
    one. scrolled: lines of a long page above the screen. asked_for: the lists that the person asked
    to read. game: the one on the screen, None in the lobby. returning: asked whether the
    interrupted game is still on. games: descriptions from the last list. ignored: the
    players whom we do not hear. lost_at: disconnected
    since (s). asked_to_wait: the server said when to reconnect. unconfirmed: by pending fence,
    oldest first, the news to show when it is answered. fences: how many were sent. unfenced:
    something was sent since the last one. too_fast: something was refused as too fast since the
    last answered fence; refused: something else was, since then.
    chance: drawn by the shell, for the tokens of invitations; invitations: how many were made;
    invited: the last one, until a game starts.
    """

    name: str
    server: str
    program: str = "ulci-play"
    token: str = ""
    shows_lists: bool = False
    wanted: Terms | None = None
    chance: str = ""
    invitations: int = 0
    invited: Invite | None = None
    me: str = ""
    line: LinkState = LinkState.CONNECTING
    retry_at: float | None = None
    lost_at: float | None = None
    welcomed: bool = False
    asked_to_wait: bool = False
    secret: str = ""
    seated_at: str = ""
    seeks: dict[int, Offer] = field(default_factory=Recent)
    challenges: dict[int, Offer] = field(default_factory=Recent)
    challenging: dict[int, str] = field(default_factory=Recent)
    players: dict[str, ListedPlayer] = field(default_factory=Recent)
    games: dict[int, str] = field(default_factory=Recent)
    ignored: set[str] = field(default_factory=set)
    chess960: bool = False
    opponent: tuple[str, str] = ("", "")
    last_rival: str = ""
    game: Game | None = None
    question: YesNoQuestion | None = None
    flipped: bool = False
    page: Page | None = None
    scrolled: int = 0
    listing: Listing | None = None
    asked_for: set[str] = field(default_factory=set)
    unconfirmed: dict[int, list[News]] = field(default_factory=dict)
    fences: int = 0
    unfenced: bool = False
    too_fast: bool = False
    refused: bool = False
    returning: bool = False
    news: deque[News] = field(default_factory=lambda: deque(maxlen=MAX_NEWS))

    def __post_init__(self) -> None:
        self.me = self.me or self.name

    @property
    def playing(self) -> bool:
        """Whether a game of ours is on."""
        return self._on and not self.watching

    @property
    def watching(self) -> bool:
        """Whether we watch a game that is on."""
        return self._on and self.game is not None and self.game.watched

    @property
    def _on(self) -> bool:
        return self.game is not None and not self.game.over and self.game.seen

    @property
    def owed(self) -> bool:
        """Whether the server waits for our move."""
        return self.game is not None and self.game.asked

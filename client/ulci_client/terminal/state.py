"""Everything that this client knows, and what follows from an event: effects. Pure."""

import enum
from collections import deque
from dataclasses import dataclass, field

from ulci.protocol import Message, Terms
from ulci_client.closing import REJECTED

from .game import Game

# Lines of news kept to be scrolled back to.
MAX_NEWS = 500


class Kind(enum.StrEnum):
    """What a piece of news is about; the first word of its line in plain mode."""

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
    """text: a sentence for people. line: the same in plain mode, where it is said otherwise."""

    kind: Kind
    text: str
    line: str = ""

    @property
    def plain(self) -> str:
        return self.line or f"{self.kind} {self.text}"


@dataclass(frozen=True, slots=True)
class Page:
    """A longer answer: in plain mode its lines, on the screen a page beside the board."""

    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Send:
    """Say this to the server."""

    message: Message


@dataclass(frozen=True, slots=True)
class Save:
    """Add the game to this file."""

    path: str
    game: Game


class Exit(enum.IntEnum):
    """How the program ends: its exit codes (2 is click's, for options that cannot be)."""

    DONE = 0
    NO_SERVER = 1
    MID_GAME = 3
    REJECTED = REJECTED


@dataclass(frozen=True, slots=True)
class Leave:
    """The program ends. `why`: what went wrong, to be said after the screen is given back."""

    code: Exit
    why: str = ""


Effect = News | Page | Send | Save | Leave


class Line(enum.Enum):
    """The line to the server. READY: we have introduced ourselves."""

    CONNECTING = enum.auto()
    UP = enum.auto()
    READY = enum.auto()
    LOST = enum.auto()


class Question(enum.Enum):
    """What the person was asked and has not yet answered."""

    RESIGN = "Resign this game?"
    QUIT = "Leave in the middle of the game?"


@dataclass(frozen=True, slots=True)
class Listed:
    """A seek or challenge as the lobby listed it; `start` is a FEN or empty."""

    id: int
    player: str
    kind: str = ""
    game: str = ""
    time: str = ""
    color: str = ""
    rated: bool = False
    start: str = ""
    lag: str = ""


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody who is here."""

    name: str
    kind: str = ""
    state: str = ""


@dataclass(slots=True)
class Listing:
    """A list that the server is about to send: what of, how many lines, and those that came."""

    what: str
    expected: int
    lines: list[str] = field(default_factory=list)


@dataclass(slots=True)
class State:
    """name, me: what we call ourselves, and what the lobby calls us. server: its address.
    token: proves who we are; secret: takes the seat back after a lost line.

    curious: ask who is here and what is open, to show it. wanted: what we seek until a game
    starts. opponent: (kind, name) of who we meet next, as told before a game. last_rival: whom we
    met last. scrolled: how many lines of a long page are out of sight above. asked_for: the lists
    that the person wants to read. game: the one on the screen, None in the lobby. returning: asked
    whether the game of a lost line is still on. games: those of the last list, described.
    lost_at: since when there has been no line. asked_to_wait: the server said when to come back.
    unconfirmed: for every fence whose answer is awaited what is told when it comes, the oldest
    first. fences: how many there have been. unfenced: something was said since the last one.
    too_fast, refused: what was refused since the last answer to one, and since the last too-fast.
    """

    name: str
    server: str
    program: str = "ulci-play"
    token: str = ""
    curious: bool = False
    wanted: Terms | None = None
    me: str = ""
    line: Line = Line.CONNECTING
    retry_at: float | None = None
    lost_at: float | None = None
    welcomed: bool = False
    asked_to_wait: bool = False
    secret: str = ""
    seeks: dict[int, Listed] = field(default_factory=dict)
    challenges: dict[int, Listed] = field(default_factory=dict)
    challenging: dict[int, str] = field(default_factory=dict)
    guests: dict[str, Guest] = field(default_factory=dict)
    games: dict[int, str] = field(default_factory=dict)
    chess960: bool = False
    opponent: tuple[str, str] = ("", "")
    last_rival: str = ""
    game: Game | None = None
    question: Question | None = None
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
        """Is a game of ours going on?"""
        return self._on and not self.watching

    @property
    def watching(self) -> bool:
        """Do we see a game of others that is going on?"""
        return self._on and self.game is not None and self.game.watched

    @property
    def _on(self) -> bool:
        return self.game is not None and not self.game.over and self.game.seen

    @property
    def owed(self) -> bool:
        """Does the server wait for a move of ours?"""
        return self.game is not None and self.game.asked

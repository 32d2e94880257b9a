"""What servers say to each other, and its bytes: msgpack. Times in s are durations.

A connection is known by its `link`, a number that its server gave it; a game by its number and its
`epoch`, which rises by one with each owner.

Servers of one cluster trust each other, as they share a database. They may be of neighbouring
versions while they are replaced one by one: fields with a default may be added; for any other
change `SPEAKS` is raised, and servers that differ in it do not work together. A test holds all
that travels against a file; when either changes, it says what to do.
"""

import math
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import Struct

from ulci.protocol import MovesSoFar
from ulci.protocol.kinds import union_of
from ulci.protocol.messages import FromServer, Go, Info, PlayerCommand, Position
from ulci.protocol.messages import Lobby as LobbyMessage
from ulci.rules import Side
from ulci_server.game import (
    Away,
    Back,
    Commanded,
    GameStarted,
    Kicked,
    Ready,
    Ruled,
    TakebackRuled,
    TimeRuled,
)
from ulci_server.game import Left as LeftGame
from ulci_server.hall.lobby_host import HOSTED_COMMANDS
from ulci_server.hall.lobby_service import Roster
from ulci_server.hall.table.state import LatestMove, TableState
from ulci_server.lobby import Profile

SPEAKS = 8
"""The version of these messages, and of the frames of the bus."""

NO_GO = -1
"""The number of no ``go``."""

if TYPE_CHECKING:
    HostedCommand = PlayerCommand
else:
    HostedCommand = union_of(HOSTED_COMMANDS)

FromElsewhere = Ready | Away | Back | LeftGame | Kicked | Commanded
"""Events of a game that can come from another server than its owner."""


class Message(Struct, frozen=True, tag=True, tag_field="is"):
    """Each names itself."""


class Link(Struct, frozen=True):
    """A player who is to be seated: the connection, at the server with the number `run`. age: s
    since its login began; infinite if that is not known."""

    run: int
    link: int
    profile: Profile
    key: str = ""
    age: float = math.inf


# To the owner of a game, from the server of a player's connection


class ToTable(Message, frozen=True):
    """Something for a table, from the player of that side."""

    game: int
    epoch: int
    side: Side


class Answer(ToTable, frozen=True):
    """A ``bestmove`` that answers the `number`-th ``go`` of this game. thought: s
    that it had thought when the answer arrived, with those of `Ask`. said: the error that the
    program reported. trip: the least round trip of the line in s, if it is known. attempt: as in
    `Ask`."""

    number: int
    move: str
    thought: float
    info: Info | None = None
    said: str = ""
    may_repeat: bool = False
    trip: float | None = None
    attempt: int = 0


class LateAnswer(ToTable, frozen=True):
    """A ``bestmove`` that answers an older ``go`` than the last."""

    move: str


class Happening(ToTable, frozen=True):
    """Another event of the game, which happened `age` s before it was sent; its delays are relative
    to that. Of `Away` and `Back`: the number of the last ``go`` that reached the player by this
    connection (`NO_GO` if none did, None if that is not known), and how many s before the event."""

    event: FromElsewhere
    age: float = 0.0
    number: int | None = None
    asked_before: float = 0.0


class Complaint(ToTable, frozen=True):
    """An error that the player's program reported, or that was reported of it."""

    source: Literal["player", "server"]
    text: str


class Thought(ToTable, frozen=True):
    """The newest analysis of the player's program."""

    info: Info


class State(ToTable, frozen=True):
    """The player's program hangs, or answers again."""

    state: Literal["hung", "thinking"]


class Chat(ToTable, frozen=True):
    """A line for the opponent."""

    line: LobbyMessage


class Expect(ToTable, frozen=True):
    """The player is on a new connection, or this game has a new owner: seat it. It is muted until
    its `Back`. again: the connection had its seat before; one whose login began later keeps it.
    gone: it has been closed meanwhile."""

    player: Link
    again: bool = False
    gone: bool = False


class ShowThoughts(ToTable, frozen=True):
    """Whether the player wants to be shown what the opponent's program thinks."""

    wanted: bool


class Looked(ToTable, frozen=True):
    """All that had arrived has been read, and the `number`-th ``go`` is not answered; the player
    has thought for `thought` s, with those of `Ask`. Infinitely many: it is not ready yet."""

    number: int
    thought: float


class Ruling(Message, frozen=True):
    """An administrator's decision about a game."""

    game: int
    epoch: int
    event: Ruled | TakebackRuled | TimeRuled
    number: int = 0


class RulingHeard(Message, frozen=True):
    """The answer to the ruling of that number. changed: as `rule` returns it; None: the game is not
    here."""

    game: int
    number: int
    changed: int | None


class Follow(Message, frozen=True):
    """Whether the sender wants what watchers of this game are told. If it does, it is told first
    what a new watcher is."""

    game: int
    wanted: bool


class FollowMoves(Message, frozen=True):
    """Whether the sender wants the newest move of every game of the recipient."""

    wanted: bool


# From the owner of a game, to the server of a player's connection


class FromTable(Message, frozen=True):
    """Something for the connection `link` from the table of that game."""

    link: int
    game: int
    epoch: int


class Sit(FromTable, frozen=True):
    """It plays this game, on that side. again: it may have been told before."""

    started: GameStarted
    side: Side
    again: bool = False


class Tell(FromTable, frozen=True):
    messages: tuple[FromServer, ...]


class Ask(FromTable, frozen=True):
    """It is its turn; `number` counts the ``go`` of this game's record. attempt: how many answers
    to that one this owner has refused: a person may try again. thought: s that it had thought about
    this move before, on another line or before another owner."""

    number: int
    position: Position
    go: Go
    attempt: int = 0
    thought: float = 0.0


class StillAsked(FromTable, frozen=True):
    """It said its last move again: its ``go`` is still open."""

    move: str


class Dismiss(FromTable, frozen=True):
    """The game is over, and `over` says how. front: its next game comes first."""

    over: LobbyMessage | None
    front: bool


class Look(FromTable, frozen=True):
    """Its flag is about to fall: has it answered the `number`-th ``go``, or is it `Back` and was
    not asked?"""

    number: int


class AskUgi(Message, frozen=True):
    """Ask the program at the connection `link` what only UGI has words for."""

    link: int
    number: int
    questions: tuple[str, ...]


class UgiAnswered(Message, frozen=True):
    """The answers to `AskUgi`; there are none from a program that does not speak UGI."""

    number: int
    answers: tuple[str, ...]


class Feed(Message, frozen=True):
    """What the watchers of the game are told, what the players' programs think by side, and the
    state of the game then. whole: it is all that a new watcher must know, and the first after a
    `Follow`."""

    game: int
    epoch: int
    messages: tuple[FromServer, ...]
    thoughts: tuple[tuple[Side, Info], ...]
    state: TableState
    whole: bool = False


class Moves(Message, frozen=True):
    """The newest moves of games, by their numbers."""

    moves: tuple[tuple[int, LatestMove], ...]


# From the owner of games, to all servers


class Owned(Message, frozen=True):
    """The sender is the owner of this game from now on. plies: the moves made so far. players: the
    servers where White and Black are, or were last; 0 where it is not known."""

    started: GameStarted
    epoch: int
    plies: int = 0
    players: tuple[int, int] = (0, 0)


class Ended(Message, frozen=True):
    """The game is over; `over` says how. latest: its last move. keys: the hashes of the secrets of
    White and Black. age: s since then, as it is said again to who may have missed it. why: what the
    result does not explain."""

    game: int
    epoch: int
    over: LobbyMessage | None
    latest: LatestMove | None = None
    keys: tuple[str, str] = ("", "")
    age: float = 0.0
    why: str = ""


class Lost(Message, frozen=True):
    """A game that no server has any more is over; `over` says how. To the lobby, as its players may
    have come back before anybody knew."""

    started: GameStarted
    over: LobbyMessage


class Released(Message, frozen=True):
    """The game has no owner any more: the sender drains. Another server claims it."""

    game: int
    epoch: int


class Owns(Message, frozen=True):
    """These are all games that the sender owns, or has released; others that it owned are over."""

    games: tuple[int, ...]


# To the server that hosts the lobby


class LogIn(Message, frozen=True):
    """A client has introduced itself, `age` s ago. host, label: its address, without and with the
    port."""

    link: int
    profile: Profile
    host: str
    label: str
    age: float = 0.0


class Member(Message, frozen=True):
    """A member of the lobby that hosted it before; or, `gone`, the absent player of a game of the
    sender, of whom nobody else may tell. key: `secret_hash` of its secret. game: the one that it
    plays. draining: it owes answers for one that is over, whose result is `missed`. plays: the game
    that it waits for, by the word of the lobby before. age: as in `LogIn`; infinite if it did not
    introduce itself there."""

    link: int
    profile: Profile
    host: str
    label: str
    key: str = ""
    gone: bool = False
    game: int | None = None
    side: Side = Side.WHITE
    draining: bool = False
    missed: LobbyMessage | None = None
    plays: int = 0
    age: float = math.inf


class Register(Message, frozen=True):
    """The sender hosts the lobby from now on: tell it of your members."""


class Forget(Message, frozen=True):
    """Messages were lost: the sender sends its members anew, and others have left."""


class Ping(Message, frozen=True):
    """To a server that may have died: it answers at once if it has not."""


class Pong(Message, frozen=True):
    """The answer to a `Ping`."""


class Fenced(Message, frozen=True):
    """The recipient was found dead: others go on with its games. It may not reach the database to
    see that for itself."""


class Outline(Struct, frozen=True):
    """What can be read of a message that was not understood: its class, and the fields by which
    messages say for whom they are."""

    kind: str = msgspec.field(default="", name="is")
    link: int | None = None
    game: int | None = None
    number: int | None = None


class NotUnderstood(Message, frozen=True):
    """The sender could not read a message of the recipient: they are of different versions."""

    message: Outline


class Rejoin(Message, frozen=True):
    """Messages were lost: what connections of the recipient said to the sender is to be said
    again."""


class Registered(Message, frozen=True):
    """All members of the sender have been sent. owns: whether it may be given games."""

    owns: bool = True


class Command(Message, frozen=True):
    """A member's command to the lobby. `number` counts those of the sender, and is answered."""

    link: int
    command: HostedCommand
    number: int = 0


class Left(Message, frozen=True):
    """The member's connection is over. why: for people."""

    link: int
    why: str
    missed: LobbyMessage | None = None


class Free(Message, frozen=True):
    """The member has left its table and owes nothing. front: its next game comes first."""

    link: int
    front: bool = False


class Seatless(Message, frozen=True):
    """The member was to take a seat in a game that its server does not know."""

    link: int
    game: int


class Alive(Message, frozen=True):
    """The answer to `ProveAlive`."""

    question: int
    alive: bool


class ListPlayers(Message, frozen=True):
    """Who is logged in?"""


class NotOpened(Message, frozen=True):
    """The answer to `Open`, if the game does not begin."""

    game: int
    why: str


# From the server that hosts the lobby


class Open(Message, frozen=True):
    """Begin a game of these two. `control` and `conduct` in their notations."""

    game: int
    rules: str
    start: str | None
    control: str
    rated: bool
    pool: str
    white: Link
    black: Link
    conduct: str = ""


class Players(Message, frozen=True):
    """The answer to `ListPlayers`."""

    presence: Roster


class ToMember(Message, frozen=True):
    """Something for the connection `link`."""

    link: int


class LoggedIn(ToMember, frozen=True):
    """The client's login is over: it is a member, or was disconnected. plays: the number of its
    game, if the lobby knows nothing else of that; 0: of none."""

    plays: int = 0


class Introduce(ToMember, frozen=True):
    """Its profile, with its name in the lobby."""

    profile: Profile


class GiveSecret(ToMember, frozen=True):
    """The secret by which it takes its seat back on another connection."""

    secret: str


class Performed(Message, frozen=True):
    """The command of that number was heard. 0: whatever was said before `Registered`, or never will
    be."""

    number: int


class TellMember(ToMember, frozen=True):
    messages: tuple[FromServer, ...]


class TellList(ToMember, frozen=True):
    """A part of a list, the last one with `ends`."""

    what: str
    lines: tuple[LobbyMessage, ...]
    ends: bool


class TellMissed(ToMember, frozen=True):
    """The result of a game that ended while it was away."""

    missed: LobbyMessage


HowToClose = Literal["clienterror", "servererror", "refuse", "cut"]


class Disconnect(ToMember, frozen=True):
    """Close the connection with a last error. how: reported as the client's error or the server's,
    refused as unable to play anything here, or cut at once."""

    why: str
    how: HowToClose


class Kick(ToMember, frozen=True):
    """Disconnect it for the administrator `by`; for_good: it is banned."""

    by: str
    for_good: bool
    why: str


class Unmatched(ToMember, frozen=True):
    """Why it has to wait for an opponent."""

    why: str


class ProveAlive(ToMember, frozen=True):
    """Does the client answer ``isready`` within `seconds`?"""

    question: int
    seconds: float


class TakeSeat(ToMember, frozen=True):
    """It takes a seat back that an earlier connection of the same player had. took: s of its login
    in which the lobby was at work for it; in the others it waited for servers."""

    game: int
    side: Side
    took: float = math.inf


class LoseSeat(ToMember, frozen=True):
    """A newer connection of the same player has its seat."""


class Announce(Message, frozen=True):
    """A line for all members of the recipient."""

    line: LobbyMessage


AnyMessage = (
    Answer | LateAnswer | Happening | Complaint | Thought | State | Chat | Expect | ShowThoughts
    | Looked | Ruling | RulingHeard | AskUgi | UgiAnswered
    | Follow | FollowMoves | Sit | Tell | Ask | StillAsked | Dismiss | Look | Feed
    | Moves | Owned | Ended | Lost | Released | Owns | LogIn | Member | Register | Registered
    | Forget | Ping | Pong | Fenced | NotUnderstood
    | Rejoin | Command | Performed | Left | Free | Seatless | ListPlayers | Players
    | Alive | NotOpened | Open | LoggedIn | Introduce | GiveSecret | TellMember | TellList
    | TellMissed | Disconnect | Kick | Unmatched | ProveAlive | TakeSeat | LoseSeat | Announce
)  # fmt: skip


def _spell(value: object) -> object:
    if isinstance(value, MovesSoFar):
        return list(value)
    raise NotImplementedError(f"no spelling of {type(value).__name__}")


_ENCODER = msgspec.msgpack.Encoder(enc_hook=_spell)
_DECODER: msgspec.msgpack.Decoder[AnyMessage] = msgspec.msgpack.Decoder(AnyMessage)
_OUTLINE_DECODER = msgspec.msgpack.Decoder(Outline)


def encode(message: AnyMessage) -> bytes:
    """The bytes of a message."""
    return _ENCODER.encode(message)


def decode_untrusted(data: bytes) -> AnyMessage:
    """The message of these bytes. Raises `msgspec.DecodeError` if they are none."""
    return _DECODER.decode(data)


def outline_untrusted(data: bytes) -> Outline:
    """What can be read of a message that `decode_untrusted` refuses."""
    try:
        return _OUTLINE_DECODER.decode(data)
    except msgspec.DecodeError:
        return Outline()

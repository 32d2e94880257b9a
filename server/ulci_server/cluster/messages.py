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
from ulci.protocol.kinds import leaves, union_of
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

SPEAKS = 16
"""The version of these messages, and of the frames of the bus."""

NO_GO = -1
"""Stands for the number of a ``go`` where there was none."""

if TYPE_CHECKING:
    HostedCommand = PlayerCommand
else:
    HostedCommand = union_of(HOSTED_COMMANDS)

FromElsewhere = Ready | Away | Back | LeftGame | Kicked | Commanded
"""Events of a game that can come from another server than its owner."""


class Message(Struct, frozen=True, tag=True, tag_field="is"):
    """Each class below is a message, and names itself."""


class Link(Struct, frozen=True):
    """A player to be seated, by its connection `link` at server `run`. age: s since its login
    began; infinite: unknown."""

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
    """A ``bestmove`` that answers the `number`-th ``go`` of this game. thought: s that the player
    had thought when the answer arrived, those of `Ask` included. said: the error that the program
    reported. trip: the least round trip of the line in s, if known. attempt: as in `Ask`."""

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
    connection (`NO_GO` if none did, None if that is not known), and how many s before the event;
    and that connection, as the owner may not know that it has the seat (0: not known)."""

    event: FromElsewhere
    age: float = 0.0
    number: int | None = None
    asked_before: float = 0.0
    link: int = 0


class Complaint(ToTable, frozen=True):
    """An error that the player's program reported, or that the player's server reported of it."""

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
    """The player is on a new connection, or this game has a new owner: seat the player, muted until
    its `Back`. again: this connection had the seat before; a connection whose login began later
    keeps it. gone: the connection has been closed meanwhile."""

    player: Link
    again: bool = False
    gone: bool = False


class ShowThoughts(ToTable, frozen=True):
    """Whether the player wants to be shown what the opponent's program thinks."""

    wanted: bool


class Looked(ToTable, frozen=True):
    """The server of the player has read all that had arrived, and the `number`-th ``go`` is not
    answered. thought: s that the player has thought, those of `Ask` included; infinite: the player
    is not ready yet."""

    number: int
    thought: float


class Ruling(Message, frozen=True):
    """An administrator's decision about a game."""

    game: int
    epoch: int
    event: Ruled | TakebackRuled | TimeRuled
    number: int = 0


class RulingHeard(Message, frozen=True):
    """The answer to the ruling of that number. changed: as `AnyTable.rule` returns it; None: the
    sender does not own the game."""

    game: int
    number: int
    changed: int | None


class Follow(Message, frozen=True):
    """Whether the sender wants what watchers of this game are told, beginning with what a new
    watcher is told."""

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
    """The player plays this game, on that side. again: the player may have been told before."""

    started: GameStarted
    side: Side
    again: bool = False


class Tell(FromTable, frozen=True):
    """Send the player these messages."""

    messages: tuple[FromServer, ...]


class Ask(FromTable, frozen=True):
    """It is the player's turn. number: counts the ``go`` of this game's record. attempt: how many
    answers to this ``go`` the owner has refused, as a person may try again. thought: s that the
    player had thought about this move before, on another line or for another owner."""

    number: int
    position: Position
    go: Go
    attempt: int = 0
    thought: float = 0.0


class StillAsked(FromTable, frozen=True):
    """The player said its last move again: its ``go`` is still open."""

    move: str


class Dismiss(FromTable, frozen=True):
    """The game is over, and `over` says how. front: its next game comes first."""

    over: LobbyMessage | None
    front: bool


class Look(FromTable, frozen=True):
    """The player's flag is about to fall: was the `number`-th ``go`` answered, or is the player
    `Back` and was not asked?"""

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
    state of the game then. whole: all that a new watcher must know, as the answer to `Follow`."""

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
    """The game is over; `over` says how. latest: its last move. why: what the result does not
    explain."""

    game: int
    epoch: int
    over: LobbyMessage
    latest: LatestMove | None = None
    why: str = ""


class Released(Message, frozen=True):
    """The game has no owner any more: the sender drains. Another server claims it."""

    game: int
    epoch: int


class Owns(Message, frozen=True):
    """All games that the sender owns or has released: any other that it owned is over."""

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


class Unlisted(Message, frozen=True):
    """A client that is logged in at the sender, and that the lobby did not name in its `Roll`.
    host, label, age: as in `LogIn`. key: `secret_hash` of its secret. game, side: where it plays;
    0: nowhere. draining: it owes answers for a game that is over, whose result is `missed`."""

    link: int
    profile: Profile
    host: str
    label: str
    key: str = ""
    game: int = 0
    side: Side = Side.WHITE
    draining: bool = False
    missed: LobbyMessage | None = None
    age: float = math.inf


class RollHeard(Message, frozen=True):
    """The sender has answered all that a `Roll` asks. commands: the number of its last `Command`;
    0: there was none."""

    commands: int = 0


class Ping(Message, frozen=True):
    """To a server that may have died: a living one answers at once."""


class Pong(Message, frozen=True):
    """The answer to a `Ping`."""


class Fenced(Message, frozen=True):
    """The recipient was declared dead, and other servers go on with its games. It may be unable to
    read that in the database."""


class Drain(Message, frozen=True):
    """The recipient is to end as by SIGTERM. by: the administrator who says so."""

    by: str


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
    """Messages were lost: the recipient shall say again what its connections said to the
    sender."""


class Command(Message, frozen=True):
    """A member's command to the lobby. `Performed` answers `number`, which counts the sender's
    commands."""

    link: int
    command: HostedCommand
    number: int = 0


class Left(Message, frozen=True):
    """The member's connection is over. why: for people."""

    link: int
    why: str
    missed: LobbyMessage | None = None


class Free(Message, frozen=True):
    """The member has left its table and owes nothing. front: its next game comes first. game: as an
    answer to a `Roll`, the game that is over; 0: it was said of itself."""

    link: int
    front: bool = False
    game: int = 0


class Seatless(Message, frozen=True):
    """The member was to take a seat in a game that its server does not know."""

    link: int
    game: int


class Alive(Message, frozen=True):
    """The answer to `ProveAlive`."""

    question: int
    alive: bool


class ListPlayers(Message, frozen=True):
    """Ask for all who are logged in."""


class NotOpened(Message, frozen=True):
    """The answer to `Open`, if the game does not begin."""

    game: int
    why: str


# From the server that hosts the lobby


class Open(Message, frozen=True):
    """Begin a game of these two. `control` and `conduct` in their notations; `opening`, `level` and
    `encounter` as in `Agreement`."""

    game: int
    rules: str
    start: str | None
    control: str
    rated: bool
    pool: str
    white: Link
    black: Link
    conduct: str = ""
    opening: tuple[str, ...] = ()
    level: int | None = None
    encounter: tuple[int, int] | None = None


class Roll(Message, frozen=True):
    """The sender hosts the lobby. members: the connections of the recipient that it knows, and the
    game that each plays (0: none; negative: it is over, and answers are owed for it), of all whose
    links are above `after`, and not above `until` (None: without an end). The recipient answers for
    each that it is not so: `Left`, `Unlisted`, `Seatless`, `Free`; for each login that is under
    way: `LogIn`; and at the end: `RollHeard`. With the end come the numbers of all open seeks, and
    the last number that was given to one: any that opens later has a higher one."""

    members: tuple[tuple[int, int], ...]
    after: int = 0
    until: int | None = None
    seeks: tuple[int, ...] = ()
    last_seek: int = 0


class Players(Message, frozen=True):
    """The answer to `ListPlayers`."""

    presence: Roster


class ToMember(Message, frozen=True):
    """Something for the connection `link`."""

    link: int


class LoggedIn(ToMember, frozen=True):
    """The client's login is over: the client is a member, or was disconnected. plays: the game that
    the client plays, of which the lobby knows only the number; 0: none."""

    plays: int = 0


class Introduce(ToMember, frozen=True):
    """The member's profile, with its name in the lobby."""

    profile: Profile


class GiveSecret(ToMember, frozen=True):
    """The secret by which the member takes its seat back on another connection."""

    secret: str


class Performed(Message, frozen=True):
    """The lobby has heard the command of that number. Negative, as the answer to `RollHeard`: those
    up to that number that it has not heard it never will; 0: there are none."""

    number: int


class TellMember(ToMember, frozen=True):
    """Send the member these messages."""

    messages: tuple[FromServer, ...]


class TellList(ToMember, frozen=True):
    """A part of a list, the last one with `ends`."""

    what: str
    lines: tuple[LobbyMessage, ...]
    ends: bool


class TellMissed(ToMember, frozen=True):
    """The result of a game that ended while the member was away."""

    missed: LobbyMessage


HowToClose = Literal["clienterror", "servererror", "refuse", "cut"]


class Disconnect(ToMember, frozen=True):
    """Close the connection with a last error. how: reported as the client's error or the server's,
    refused as unable to play anything here, or cut at once."""

    why: str
    how: HowToClose


class Kick(ToMember, frozen=True):
    """Disconnect the member for the administrator `by`. for_good: the member is banned."""

    by: str
    for_good: bool
    why: str


class Unmatched(ToMember, frozen=True):
    """Why the member has to wait for an opponent."""

    why: str


class ProveAlive(ToMember, frozen=True):
    """Does the client answer ``isready`` within `seconds`?"""

    question: int
    seconds: float


class TakeSeat(ToMember, frozen=True):
    """The member takes back the seat of the player's earlier connection. took: s of the login in
    which the lobby worked; in the rest of it the member waited for servers."""

    game: int
    side: Side
    took: float = math.inf


class LoseSeat(ToMember, frozen=True):
    """A newer connection of the same player has the member's seat."""


class Announce(Message, frozen=True):
    """A line for all members of the recipient."""

    line: LobbyMessage


if TYPE_CHECKING:
    AnyMessage = Message
else:
    AnyMessage = union_of(leaves(Message))


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

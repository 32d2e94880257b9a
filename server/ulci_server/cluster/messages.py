"""The messages between servers, and their bytes: msgpack. Times are durations in s.

A connection is named by its `link`, a number that its server gave it; a game by its number and its
`epoch`, which rises by one with each owner.

Servers of one cluster trust each other, as they share a database. While they are replaced one by
one they may be of neighboring versions: fields with a default may be added; any other change raises
`SPEAKS`, and servers that differ in it do not work together. A test compares all messages with a
file; when either changes, it says what to do.
"""

import math
from typing import TYPE_CHECKING

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
from ulci_server.hall.member import HostedMember
from ulci_server.hall.table.interfaces import AnyTable, SeatedPlayer
from ulci_server.hall.table.state import LatestMove, TableState
from ulci_server.lobby import Profile

from .mirrors import mirror

SPEAKS = 19
"""The version of these messages and of the frames of the bus."""

NO_GO = -1
"""In place of the number of a ``go``, if there was none."""

if TYPE_CHECKING:
    HostedCommand = PlayerCommand
else:
    HostedCommand = union_of(HOSTED_COMMANDS)

FromElsewhere = Ready | Away | Back | LeftGame | Kicked | Commanded
"""Events of a game that a server other than its owner can report."""


class Message(Struct, frozen=True, tag=True, tag_field="is"):
    """Each class below is a message, which carries the name of its class."""


class Link(Struct, frozen=True):
    """A player to be seated, whose connection is `link` at server `run`. age: s since the login
    began; infinite: unknown. key: `secret_hash` of the player's secret."""

    run: int
    link: int
    profile: Profile
    key: str = ""
    age: float = math.inf


# To the owner of a game, from the server of a player's connection


class ToTable(Message, frozen=True):
    """A message for a table, from the player of that side."""

    game: int
    epoch: int
    side: Side


class Answer(ToTable, frozen=True):
    """A ``bestmove`` that answers the `number`-th ``go`` of this game. thought: s that the player
    had thought when the answer arrived, including those of `Ask`. said: the error that the program
    reported. trip: the least round trip of the connection in s, if known. attempt: as in `Ask`."""

    number: int
    move: str
    thought: float
    info: Info | None = None
    said: str = ""
    may_repeat: bool = False
    trip: float | None = None
    attempt: int = 0


class Happening(ToTable, frozen=True):
    """Another event of the game, which happened `age` s before it was sent; the times of its delays
    are relative to the event. With `Away` and `Back` only: number: the last ``go`` that reached the
    player by this connection (`NO_GO`: none did; None: not known). asked_before: how many s before
    the event it did. link: this connection, as the owner may not know that it has the seat (0: not
    known)."""

    event: FromElsewhere
    age: float = 0.0
    number: int | None = None
    asked_before: float = 0.0
    link: int = 0


class Thought(ToTable, frozen=True):
    """The newest analysis of the player's program."""

    info: Info


class Expect(ToTable, frozen=True):
    """The player has a new connection, or this game a new owner: seat the player, muted until its
    `Back`. again: this connection had the seat before, and loses it to one whose login began later.
    gone: the connection has been closed meanwhile."""

    player: Link
    again: bool = False
    gone: bool = False


class Looked(ToTable, frozen=True):
    """The answer to `Look`: the player's server has read all that had arrived, and the `number`-th
    ``go`` is not answered. thought: s that the player has thought, including those of `Ask`;
    infinite: the player is not ready yet."""

    number: int
    thought: float


mirror(ToTable, AnyTable.answered_late)
mirror(ToTable, AnyTable.report)
mirror(ToTable, AnyTable.tell_state)
mirror(ToTable, AnyTable.say)
mirror(ToTable, AnyTable.show_thoughts)


class Ruling(Message, frozen=True):
    """An administrator's decision about a game. `RulingHeard` answers `number`."""

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
    """Whether the sender wants a `Feed` of this game for its watchers, from a whole one on."""

    game: int
    wanted: bool


class Talk(Message, frozen=True):
    """A message of a spectator at the sender, which follows this game, for the other spectators."""

    game: int
    line: LobbyMessage


class FollowMoves(Message, frozen=True):
    """Whether the sender wants the newest moves of all games of the recipient, as `Moves`."""

    wanted: bool


# From the owner of a game, to the server of a player's connection


class FromTable(Message, frozen=True):
    """A message for the connection `link`, from the table of that game."""

    link: int
    game: int
    epoch: int


class Sit(FromTable, frozen=True):
    """The player plays this game, on that side. again: the message may be a repeated one."""

    started: GameStarted
    side: Side
    again: bool = False


class Ask(FromTable, frozen=True):
    """It is the player's turn. number: counts each ``go`` of this game's record. attempt: how many
    answers to this ``go`` the owner has refused, as a person may try again. thought: s that the
    player has thought about this move before, on another connection or for another owner."""

    number: int
    position: Position
    go: Go
    attempt: int = 0
    thought: float = 0.0


class Look(FromTable, frozen=True):
    """The player's flag is about to fall: answer with `Looked`, or send the answer to the
    `number`-th ``go``, or the `Back` of a player who was not asked since, again."""

    number: int


mirror(FromTable, SeatedPlayer.tell)
mirror(FromTable, SeatedPlayer.hear_chat)
mirror(FromTable, SeatedPlayer.still_asked)
mirror(FromTable, SeatedPlayer.dismiss)


class AskUgi(Message, frozen=True):
    """Ask the program at the connection `link` questions that exist in UGI only."""

    link: int
    number: int
    questions: tuple[str, ...]


class UgiAnswered(Message, frozen=True):
    """The answers to `AskUgi`; there are none from a program that does not speak UGI."""

    number: int
    answers: tuple[str, ...]


class Feed(Message, frozen=True):
    """Messages for the watchers of the game, the analyses of the players' programs by side, and the
    state of the game then. whole: all that a new watcher needs, as the answer to `Follow`."""

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
    servers where White and Black are, or were last; 0 if not known."""

    started: GameStarted
    epoch: int
    plies: int = 0
    players: tuple[int, int] = (0, 0)


class Ended(Message, frozen=True):
    """The game is over. over: the line for players and watchers. latest: the last move. why: what
    the result does not explain."""

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
    """All games that the sender owns or has released: any other game that it owned is over."""

    games: tuple[int, ...]


# To the server that hosts the lobby


class LogIn(Message, frozen=True):
    """A client introduced itself `age` s ago. host, label: its address, without and with the
    port."""

    link: int
    profile: Profile
    host: str
    label: str
    age: float = 0.0


class Unlisted(Message, frozen=True):
    """A client that is logged in at the sender, and that the lobby did not name in its `Roll`.
    host, label, age: as in `LogIn`. key: `secret_hash` of its secret. game, side: where it plays;
    0: nowhere. awaits: it has no seat there yet, and `side` is not known. draining: it owes answers
    for a game that is over, whose result is `missed`. gone: its connection has ended, and it may
    come back by the secret."""

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
    gone: bool = False
    awaits: bool = False


class RollHeard(Message, frozen=True):
    """The sender has answered all of a `Roll`. commands: the number of its last `Command`; 0: there
    was none."""

    commands: int = 0


class Ping(Message, frozen=True):
    """For a server that may have died: a living one answers at once."""


class Pong(Message, frozen=True):
    """The answer to a `Ping`."""


class Fenced(Message, frozen=True):
    """The recipient was declared dead, and other servers take over its games. It may be unable to
    read that in the database."""


class Drain(Message, frozen=True):
    """The recipient is to shut down as by SIGTERM. by: the administrator who wants it."""

    by: str


class Outline(Struct, frozen=True):
    """What can be read of a message that was not understood: its class, and the fields by which
    messages name their recipients."""

    kind: str = msgspec.field(default="", name="is")
    link: int | None = None
    game: int | None = None
    number: int | None = None


class NotUnderstood(Message, frozen=True):
    """The sender could not read a message of the recipient: they are of different versions."""

    message: Outline


class Rejoin(Message, frozen=True):
    """Messages were lost: the recipient is to announce its games to the sender again, and to repeat
    what its connections sent there."""


class Command(Message, frozen=True):
    """A member's command to the lobby. number: counts the sender's commands; `Performed` answers
    it."""

    link: int
    command: HostedCommand
    number: int = 0


class Left(Message, frozen=True):
    """The member's connection has ended. why: for people. missed: the result that the member has
    not received."""

    link: int
    why: str
    missed: LobbyMessage | None = None


class Free(Message, frozen=True):
    """The member has left its table and owes nothing. front: its next game comes first. game: if it
    answers a `Roll`, the game that is over; otherwise 0. left: the game whose table it has left;
    0: not known. The lobby may have seated it in another game meanwhile."""

    link: int
    front: bool = False
    game: int = 0
    left: int = 0


class Seatless(Message, frozen=True):
    """The member is at no table: it was to take a seat in a game that its server does not know, or
    has lost the seat."""

    link: int
    game: int


class Alive(Message, frozen=True):
    """The answer to `ProveAlive`."""

    question: int
    alive: bool


class ListPlayers(Message, frozen=True):
    """Ask for the roster: `Players`."""


class NotOpened(Message, frozen=True):
    """The answer to `Open`, if the game does not begin."""

    game: int
    why: str


# From the server that hosts the lobby


class Open(Message, frozen=True):
    """Begin a game of these two. control, conduct: in their notations. opening, level, encounter:
    as in `Agreement`."""

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
    """The sender hosts the lobby, and lists the recipient's connections that it knows. members:
    those with links above `after` and up to `until` (None: no limit), each with the game that it
    plays (0: none; negative: a game that is over, as the member was told, and for which it owes
    answers). The recipient answers for each that is wrong or missing: `Left`, `Unlisted`,
    `Seatless`, `Free`; for each login under way: `LogIn`; and after the last part: `RollHeard`. The
    last part also lists the numbers of all open seeks, and the last number that was given to one:
    any seek that opens later has a higher number."""

    members: tuple[tuple[int, int], ...]
    after: int = 0
    until: int | None = None
    seeks: tuple[int, ...] = ()
    last_seek: int = 0


class Players(Message, frozen=True):
    """The answer to `ListPlayers`: the roster."""

    presence: Roster


class ToMember(Message, frozen=True):
    """A message of the lobby for the connection `link`."""

    link: int


class LoggedIn(ToMember, frozen=True):
    """The client's login is over: the client is a member, or was disconnected. plays: the number of
    the game that the client plays, if the lobby knows no more of it; otherwise 0."""

    plays: int = 0


class Introduce(ToMember, frozen=True):
    """The member's profile, with its name in the lobby."""

    profile: Profile


class Performed(Message, frozen=True):
    """The lobby has performed the command of that number, and stored what that changed in its rows.
    Negative, as the answer to `RollHeard`: it will perform no other command up to that number; 0:
    there are none."""

    number: int


class TellList(ToMember, frozen=True):
    """A part of a list. ends: it is the last part."""

    what: str
    lines: tuple[LobbyMessage, ...]
    ends: bool


class TellMissed(ToMember, frozen=True):
    """The result of a game that ended while the member was away."""

    missed: LobbyMessage


class ProveAlive(ToMember, frozen=True):
    """Ask whether the client answers ``isready`` within `seconds`."""

    question: int
    seconds: float


class TakeSeat(ToMember, frozen=True):
    """The member takes back the seat of the player's earlier connection. took: s of the login in
    which the lobby was at work; during the rest of it the member waited for servers."""

    game: int
    side: Side
    took: float = math.inf


class LoseSeat(ToMember, frozen=True):
    """A newer connection of the same player has the member's seat."""


mirror(ToMember, HostedMember.give_secret)
mirror(ToMember, HostedMember.tell)
mirror(ToMember, HostedMember.tell_unmatched)
mirror(ToMember, HostedMember.kick)
mirror(ToMember, HostedMember.refuse)
mirror(ToMember, HostedMember.disconnect)
mirror(ToMember, HostedMember.cut)


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
    """The message of these bytes. Raises `msgspec.DecodeError` if they are no message."""
    return _DECODER.decode(data)


def outline_untrusted(data: bytes) -> Outline:
    """What can be read of a message that `decode_untrusted` refuses."""
    try:
        return _OUTLINE_DECODER.decode(data)
    except msgspec.DecodeError:
        return Outline()

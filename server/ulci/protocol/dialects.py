"""How a verb is spelled, and what a client of that dialect may be sent: rows of one table."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import get_args

from . import lobby
from . import messages as say
from .errors import RemoteProtocolError
from .info import Unread
from .messages import LobbyWord, Message
from .readers import ALONE, FROM_CLIENT, FROM_SERVER, Reader
from .text import line_of
from .writers import WRITERS


class Role(enum.Enum):
    """Which end of the connection we are."""

    SERVER = enum.auto()
    CLIENT = enum.auto()


LOBBY_WORDS: frozenset[type] = frozenset(get_args(LobbyWord))


@dataclass(frozen=True)
class Dialect:
    """One way of spelling messages. A row holds words; how a verb is read they all share."""

    name: str
    hello: str
    hello_ok: str
    new_game: str
    clock_keys: Mapping[str, str] = field(compare=False)
    """The words for the clocks, in the order they are written, and the fields they stand for."""
    says: frozenset[type]
    """What a client that speaks it may be sent."""
    lacks: frozenset[str] = frozenset()
    """Words of ``go`` that it does not have."""
    lobby: bool = False
    _verbs: Mapping[Role, Mapping[str, Reader]] = field(init=False, compare=False)
    _alone: frozenset[str] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        client: dict[str, Reader] = {**FROM_CLIENT, self.hello_ok: lambda *_: say.HelloOk()}
        server: dict[str, Reader] = {
            **FROM_SERVER,
            self.hello: lambda *_: say.Hello(),
            self.new_game: lambda *_: say.NewGame(),
        }
        if self.lobby:
            server["lobby"] = lambda words, _dialect: say.Lobby(tuple(words))
        object.__setattr__(self, "_verbs", {Role.SERVER: client, Role.CLIENT: server})
        alone = ALONE | {self.hello, self.hello_ok, self.new_game}
        object.__setattr__(self, "_alone", alone)

    def __repr__(self) -> str:
        return f"{self.name}+lobby" if self.lobby else self.name

    def with_lobby(self) -> "Dialect":
        """The same with the lobby: its words are read from a client, `Lobby` may be sent to it."""
        return replace(self, says=self.says | {say.Lobby}, lobby=True)

    def can_say(self, message: Message | Unread) -> bool:
        """Has the dialect a word for it? For what clients say always, but for the lobby's words."""
        kind = say.Info if type(message) is Unread else type(message)
        if kind is say.Go:
            # Without the word it would be a search like any other, and its answer a move.
            return not (message.ponder and "ponder" in self.lacks)  # type: ignore[union-attr]
        return kind in self.says or (kind in _CLIENTS_OWN or (self.lobby and kind in LOBBY_WORDS))

    def read_untrusted(self, line: str, reader: Role) -> Message | Unread:
        """What the line means to us, who are `reader`. RemoteProtocolError if it means nothing.

        A line without any word that the other side could begin with is `Unknown`.
        """
        words = line.split()
        verbs = self._verbs[reader]
        if not words:
            return say.Unknown("")
        read = verbs.get(words[0])
        if read is not None:
            return read(words[1:], self)
        if self.lobby and reader is Role.SERVER and words[0] in lobby.USAGE:
            return lobby.read_untrusted(words[0], words[1:])
        return self._read_behind_unknown(words, verbs)

    def _read_behind_unknown(self, words: list[str], verbs: Mapping[str, Reader]) -> Message:
        """ "joho debug on" switches debugging on (UCI 2006); nobody is blamed if that fails."""
        for at, verb in enumerate(words):
            if verb in verbs and (verb not in self._alone or at == len(words) - 1):
                try:
                    return verbs[verb](words[at + 1 :], self)
                except RemoteProtocolError:
                    break
        return say.Unknown(" ".join(words))

    def write(self, message: Message | Unread) -> str:
        """The line for a message, without its newline. LocalProtocolError if there is none."""
        if isinstance(message, Unread):
            return message.line  # it came as one
        return line_of(WRITERS[type(message)](message, self))


_CLIENTS_OWN = (
    frozenset(get_args(say.FromClient)) - frozenset(get_args(say.FromServer)) - LOBBY_WORDS
)

_CLOCKS = {key: key for key in ("wtime", "btime", "winc", "binc")}

# The words that UCI has for a client, and those that ULCI has.
_TO_UCI = frozenset({
    say.Hello, say.Debug, say.IsReady, say.SetOption, say.Register, say.NewGame, say.Position,
    say.Go, say.Stop, say.PonderHit, say.Quit,
})  # fmt: skip
_TO_ULCI = frozenset({
    say.Hello, say.Debug, say.IsReady, say.SetOption, say.NewGame, say.Position, say.Go, say.Clock,
    say.Stop, say.Eval, say.Bench, say.Perft, say.Info, say.Report, say.Quit, say.Unknown,
})  # fmt: skip

ULCI = Dialect(
    "ULCI",
    "uci",
    "uciok",
    "ucinewgame",
    _CLOCKS,
    _TO_ULCI,
    lacks=frozenset({"movestogo", "ponder"}),
)
UCI = Dialect("UCI", "uci", "uciok", "ucinewgame", _CLOCKS, _TO_UCI)

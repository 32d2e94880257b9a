"""How a verb is spelled, and what a client of that dialect may be sent: what a row holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import get_args

from . import lobby
from . import messages as say
from .dialect import LOBBY_WORDS, Role
from .errors import RemoteProtocolError
from .info import Unread
from .messages import Message
from .readers import ALONE, FROM_CLIENT, FROM_SERVER, QUERIES, Reader
from .spelling import Spelling
from .text import line_of
from .writers import WRITERS

# ``info`` lines that are texts and reports; all others are analyses and may be deferred.
_NOT_ANALYSIS = tuple(
    f"info {word}" for word in ("string", "clienterror", "servererror", "error", " ", "\t")
)


@dataclass(frozen=True)
class Row(Spelling):
    """A `Dialect` of the UCI family. A row holds words; how a verb is read they all share."""

    _verbs: Mapping[Role, Mapping[str, Reader]] = field(init=False, compare=False)
    _alone: frozenset[str] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        client: dict[str, Reader] = {**FROM_CLIENT, self.hello_ok: lambda *_: say.HelloOk()}
        server: dict[str, Reader] = {
            **FROM_SERVER,
            self.hello: lambda *_: say.Hello(),
            self.new_game: lambda *_: say.NewGame(),
        }
        if say.Query in self.says:
            client |= QUERIES[Role.SERVER]
            server |= QUERIES[Role.CLIENT]
        if self.lobby:
            server["lobby"] = lambda words, _dialect: say.Lobby(tuple(words))
        object.__setattr__(self, "_verbs", {Role.SERVER: client, Role.CLIENT: server})
        alone = ALONE | {self.hello, self.hello_ok, self.new_game}
        object.__setattr__(self, "_alone", alone)

    def __repr__(self) -> str:
        return f"{self.name}+lobby" if self.lobby else self.name

    def with_lobby(self) -> "Row":
        """The same with the lobby: its words are read from a client, `Lobby` may be sent to it.

        So may ``movestogo``, which ULCI lacks: behind such a client may be a UCI engine that has to
        share out its time.
        """
        lacks = self.lacks - {"movestogo"}
        return replace(self, says=self.says | {say.Lobby}, lacks=lacks, lobby=True)

    @property
    def replies(self) -> Sequence[say.Unknown]:
        """None: a row remembers nothing."""
        return ()

    def take_replies(self) -> Sequence[say.Unknown]:
        return ()

    def forgive(self) -> None:
        """It does not count questions."""

    def can_say(self, message: Message | Unread) -> bool:
        """Has the dialect a word for it? For what clients say always, but for the lobby's words."""
        kind = say.Info if type(message) is Unread else type(message)
        if kind is say.Go:
            # Without the word it would be a search like any other, and its answer a move.
            return not (message.ponder and "ponder" in self.lacks)  # type: ignore[union-attr]
        if kind is say.Response:
            return say.Query in self.says
        return kind in self.says or (kind in _CLIENTS_OWN or (self.lobby and kind in LOBBY_WORDS))

    def read_untrusted(self, line: str, reader: Role, *, defer: bool = False) -> Message | Unread:
        """What the line means to us, who are `reader`. RemoteProtocolError if it means nothing.

        A line without any word that the other side could begin with is `Unknown`.
        """
        if defer and line.startswith("info ") and not line.startswith(_NOT_ANALYSIS):
            return Unread(line)
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

    def show(self, message: Message | Unread) -> str:
        return self.write(message)


_CLIENTS_OWN = (
    frozenset(get_args(say.FromClient)) - frozenset(get_args(say.FromServer)) - LOBBY_WORDS
)

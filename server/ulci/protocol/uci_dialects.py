"""A row of the table of dialects: how its verbs are spelled, and what its client may be sent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import ClassVar

from . import messages as say
from .dialect import Role, Spelling
from .errors import RemoteProtocolError
from .info import Unread
from .lobby import commands, lines
from .messages import Message
from .readers import ALONE, FIRST, FROM_CLIENT, FROM_SERVER, NOT_LAST, QUERIES, Reader
from .text import line_of
from .writers import WRITERS

# ``info`` lines that are texts and reports; all others are analyses and may be deferred.
_NOT_ANALYSIS = tuple(
    f"info {word}" for word in ("string", "clienterror", "servererror", "error", " ", "\t")
)


@dataclass(frozen=True)
class Row(Spelling):
    """A `Dialect` of the UCI family. A row holds words; all rows share the readers of the verbs."""

    replies: ClassVar[Sequence[say.Unknown]] = ()  # rows have no state
    appends: ClassVar[bool] = True

    sayable: frozenset[type] = field(init=False, compare=False, repr=False)
    _verbs: Mapping[Role, Mapping[str, Reader]] = field(init=False, compare=False)
    _alone: frozenset[str] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
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
            server["lobby"] = lambda words, _dialect: say.Lobby(lines.read_untrusted(words))
        object.__setattr__(self, "_verbs", {Role.SERVER: client, Role.CLIENT: server})
        alone = ALONE | {self.hello, self.hello_ok, self.new_game}
        object.__setattr__(self, "_alone", alone)
        sayable = self.says | _CLIENTS_OWN | (_COMMANDS if self.lobby else frozenset())
        if say.Query not in self.says:
            sayable -= {say.Response}
        object.__setattr__(self, "sayable", sayable)

    def __repr__(self) -> str:
        return f"{self.name}+lobby" if self.lobby else self.name

    def with_lobby(self) -> "Row":
        """This dialect with the lobby: its commands are read from a client, and `Lobby` may be
        sent.

        So may ``movestogo``, which ULCI lacks: a UCI engine behind such a client needs it to manage
        its time.
        """
        return _with_lobby(self)

    def take_replies(self) -> Sequence[say.Unknown]:
        return ()

    def forgive(self) -> None:
        """Rows count no questions."""

    def can_say(self, message: Message | Unread) -> bool:
        """Whether the dialect can spell this message."""
        kind = say.Info if type(message) is Unread else type(message)
        if kind is say.Go and message.ponder and "ponder" in self.lacks:  # type: ignore[union-attr]
            return False  # without the word it would be an ordinary search
        return kind in self.sayable

    def read_untrusted(self, line: str, reader: Role, *, defer: bool = False) -> Message | Unread:
        """Parse a line for the end `reader`. RemoteProtocolError if it is invalid.

        A line without any verb of the other side is `Unknown`.
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
        if self.lobby and reader is Role.SERVER and words[0] in commands.COMMANDS:
            return commands.read_untrusted(words[0], words[1:])
        return self._read_behind_unknown(words, verbs)

    def _read_behind_unknown(self, words: list[str], verbs: Mapping[str, Reader]) -> Message:
        """ "joho debug on" switches debugging on (UCI 2006); errors after unknown words are
        ignored."""
        for at, verb in enumerate(words):
            last = at == len(words) - 1
            if verb in FIRST or (last and verb in NOT_LAST):
                continue
            if verb in verbs and (verb not in self._alone or last):
                try:
                    return verbs[verb](words[at + 1 :], self)
                except RemoteProtocolError:
                    break
        return say.Unknown(" ".join(words))

    def write(self, message: Message | Unread) -> str:
        """The line for a message, without its newline. LocalProtocolError if it has no spelling."""
        if isinstance(message, Unread):
            return message.line  # it came as one
        line = WRITERS[type(message)](message, self)
        return line if line.isprintable() else line_of(line)

    def show(self, message: Message | Unread) -> str:
        return self.write(message)


@cache
def _with_lobby(row: Row) -> Row:
    lacks = row.lacks - {"movestogo"}
    return replace(row, says=row.says | {say.Lobby}, lacks=lacks, lobby=True)


_COMMANDS: frozenset[type] = frozenset(say.PLAYER_COMMANDS)
_CLIENTS_OWN = frozenset(say.kinds_of(say.FromClient)) - {*say.kinds_of(say.FromServer)} - _COMMANDS

"""The whole protocol of one peer with no I/O in it: bytes in, messages out, and back."""

from collections.abc import Callable
from typing import TypeVar, cast, get_args

from .announcement import Announcement
from .codec import Blank, Codec
from .conversation import CLOSED, Conversation, State, advice
from .dialect import Dialect, Role
from .dialects import ULCI
from .errors import Fault, LocalProtocolError, RemoteProtocolError
from .info import Unread
from .messages import FromClient, FromServer, Info, Lobby, Message
from .text import quote

Encoded = TypeVar("Encoded", bound=str | bytes)

_MAY_SAY: dict[Role, frozenset[type]] = {
    Role.SERVER: frozenset(get_args(FromServer)),
    Role.CLIENT: frozenset(get_args(FromClient)),
}
# Every client may say it, though not every client may be sent it.
_BOTH_WAYS = _MAY_SAY[Role.SERVER] & _MAY_SAY[Role.CLIENT]


class Connection:
    """One peer, seen from either end: what one end sends, the other receives.

    `role` is ours. `codec` belongs to this connection alone. `dialect` may be replaced at any time
    and holds for what is read and written from then on. With `defer_info` the analysis in ``info``
    lines is not parsed: they come as `Unread`.
    """

    def __init__(
        self, role: Role, codec: Codec, dialect: Dialect = ULCI, *, defer_info: bool = False
    ) -> None:
        self.role = role
        self.codec = codec
        self.dialect = dialect
        self.defer_info = defer_info
        self._conversation = Conversation()
        self._may_say = _MAY_SAY[role]
        self._fatal: Fault | None = None

    @property
    def state(self) -> State:
        """What is going on between the two."""
        return self._conversation.state

    @property
    def asked(self) -> int:
        """How many ``go`` were said on this connection."""
        return self._conversation.asked

    @property
    def answered(self) -> int:
        """How many of them have their ``bestmove``: one that was just read answers this one."""
        return self._conversation.answered

    @property
    def owed(self) -> int:
        """How many ``bestmove`` are still to come."""
        return self._conversation.asked - self._conversation.answered

    @property
    def owes_replies(self) -> bool:
        """Has the dialect something to answer of its own accord? The next `send` says it; one
        without messages says nothing else."""
        return bool(self.dialect.replies)

    def forgive(self) -> None:
        """Wait no longer for what is owed: a person who ignores ``stop`` will never answer."""
        self._conversation.forgive()
        self.dialect.forgive()

    def disown(self) -> None:
        """The bestmove that was read last is no answer: the one that was asked for is still owed.
        For clients of dialects that keep no state (ULCI, UCI)."""
        self._conversation.disown()

    def receive_data(self, data: bytes) -> None:
        """Take what the stream gave; ``b""`` is its end, and an unterminated last line counts."""
        self.codec.receive_data(data)

    def receive_frame(self, data: str | bytes) -> None:
        """Take one WebSocket message."""
        self.codec.receive_frame(data)

    def next_message(self) -> Message | Unread | Blank | None:
        """The next thing the peer said; None if it takes more bytes to know.

        RemoteProtocolError: what it said cannot or may not be said and was dropped; call again.
        After a fatal one every call raises it again. After a goodbye nothing is heard any more.
        """
        if self._fatal is not None:
            raise self._fatal.error()
        conversation = self._conversation
        if conversation.state is CLOSED:
            return None
        try:
            message = self.codec.next_message(self.dialect, self.role, defer=self.defer_info)
        except RemoteProtocolError as error:
            if error.fatal:
                self._fatal = Fault(str(error), fatal=True)
            raise
        if message is None or isinstance(message, Blank):
            return message
        kind = type(message)
        if kind is Unread:
            kind = Info
        state = conversation.after(kind)
        if state is None:
            said = quote(self.dialect.show(message))
            raise RemoteProtocolError(f"{said}: {advice(kind, conversation.state)}")
        conversation.take(kind, state)
        return message

    def send(self, *messages: Message | Unread | Announcement) -> bytes:
        """What to put on a stream so that the peer hears the messages; an `Unread` as it came.

        What the dialect has no word for is left out, and after a goodbye everything is.
        LocalProtocolError: one may not be said now, or not by us, or cannot be spelled.
        """
        return b"".join(self._said(messages, self.codec.encode))

    def send_frames(self, *messages: Message | Unread | Announcement) -> list[str | bytes]:
        """The same as WebSocket messages, one for each."""
        return self._said(messages, self.codec.encode_frame)

    def _said(
        self,
        messages: tuple[Message | Unread | Announcement, ...],
        encode: Callable[[Message | Unread, Dialect], Encoded],
    ) -> list[Encoded]:
        conversation = self._conversation
        said = [encode(reply, self.dialect) for reply in self.dialect.take_replies()]
        for message in messages:
            if isinstance(message, Announcement):
                said += self._announced(message, encode)
                continue
            kind = Info if type(message) is Unread else type(message)
            if kind not in self._may_say:
                raise LocalProtocolError(f"{message} is not for a {self.role.name.lower()} to say")
            if conversation.state is CLOSED or not self._has_word(message, kind):
                continue
            state = conversation.after(kind)
            if state is None:
                raise LocalProtocolError(f"{message}: {advice(kind, conversation.state)}")
            said.append(encode(message, self.dialect))
            conversation.take(kind, state)
        return [piece for piece in said if piece]

    def _announced(
        self, announcement: Announcement, encode: Callable[[Message, Dialect], Encoded]
    ) -> list[Encoded]:
        """Every dialect with the lobby has the same lines, and so has every codec of a kind."""
        if Lobby not in self._may_say:
            raise LocalProtocolError("announcements are a server's")
        if self._conversation.after(Lobby) is None or not self.dialect.lobby:
            return []
        if not self.codec.shares:
            return [encode(line, self.dialect) for line in announcement.lines]
        key, dialect = (type(self.codec), encode.__name__), self.dialect
        written = announcement.written(key, lambda line: encode(line, dialect))
        return cast(list[Encoded], written)

    def _has_word(self, message: Message | Unread, kind: type) -> bool:
        always = self.role is Role.CLIENT and kind in _BOTH_WAYS
        return always or self.dialect.can_say(message)

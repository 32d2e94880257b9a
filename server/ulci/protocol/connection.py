"""The whole protocol of one peer without I/O: bytes in, messages out, and back."""

from collections.abc import Callable
from typing import TypeVar, cast

from .announcement import Announcement
from .codec import Blank, Codec
from .conversation import CLOSED, Conversation, State, advice
from .dialect import Dialect, Role
from .dialect_table import ULCI
from .errors import Fault, LocalProtocolError
from .info import Unread
from .messages import FromClient, FromServer, Go, Info, Lobby, Message, kinds_of
from .text import quote

Encoded = TypeVar("Encoded", bound=str | bytes)

_MAY_SAY: dict[Role, frozenset[type]] = {
    Role.SERVER: frozenset(kinds_of(FromServer)),
    Role.CLIENT: frozenset(kinds_of(FromClient)),
}
# Every client may send these, but not every client may be sent them.
_BOTH_WAYS = _MAY_SAY[Role.SERVER] & _MAY_SAY[Role.CLIENT]


class Connection:
    """One end of a conversation: what one end sends, the other receives.

    `role` is ours. `codec` belongs to this connection alone. `dialect` may be replaced at any time,
    for all further reading and writing. With `defer_info` the analysis in ``info`` lines is not
    parsed: it comes as `Unread`.
    """

    __slots__ = (
        "_conversation",
        "_fatal",
        "_may_say",
        "codec",
        "defer_info",
        "dialect",
        "role",
    )

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
        return self._conversation.state

    @property
    def searches(self) -> bool:
        """Whether a search goes on that no `Stop` has ended."""
        return self._conversation.state is State.THINKING

    @property
    def asked(self) -> int:
        """Number of ``go`` on this connection."""
        return self._conversation.asked

    @property
    def answered(self) -> int:
        """Number of ``go`` with a ``bestmove``, including one just read."""
        return self._conversation.answered

    @property
    def owed(self) -> int:
        """Number of ``bestmove`` still to come."""
        return self._conversation.asked - self._conversation.answered

    @property
    def awaits_answer(self) -> bool:
        """Whether a ``bestmove``, ``readyok`` or ``response`` is still to come."""
        said = self._conversation
        return said.asked > said.answered or said.pings > 0 or said.queries > 0

    @property
    def owes_replies(self) -> bool:
        """Whether the dialect has replies of its own. The next `send` sends them, even without
        messages."""
        return bool(self.dialect.replies)

    def forgive(self) -> None:
        """Expect no more answers: a person who ignores ``stop`` will never answer."""
        self._conversation.forgive()
        self.dialect.forgive()

    def disown(self) -> None:
        """The last ``bestmove`` was no answer; the one that was asked for is still owed. For
        dialects without state (ULCI, UCI)."""
        self._conversation.disown()

    def receive_data(self, data: bytes) -> None:
        """Feed bytes from the stream; ``b""`` is its end, and an unterminated last line counts."""
        self.codec.receive_data(data)

    def receive_frame(self, data: str | bytes) -> None:
        """Feed one WebSocket message."""
        self.codec.receive_frame(data)

    def next_message(self) -> Message | Unread | Blank | None:
        """The next message; None if more bytes are needed.

        RemoteProtocolError: the message was invalid or not allowed and was dropped; call again.
        After a fatal error every call raises it again. After a goodbye there are no more messages.
        """
        said = self.next_messages(1)
        if not said:
            return None
        [message] = said
        if isinstance(message, Fault):
            raise message.error()
        return message

    def next_messages(self, most: int) -> list[Message | Unread | Blank | Fault]:
        """Up to `most` messages in order; a `Fault` stands for an error of `next_message`. Empty
        after a goodbye, and if more bytes are needed.

        The list ends after any message that may change what is allowed next, or how it is read, so
        that its messages can be handled as if they had been read one by one.
        """
        if self._fatal is not None:
            return [self._fatal]
        conversation = self._conversation
        if conversation.state is CLOSED:
            return []
        said = self.codec.next_messages(self.dialect, self.role, most, defer=self.defer_info)
        for at, message in enumerate(said):
            if isinstance(message, Fault):
                if message.fatal:
                    self._fatal = message
            elif not isinstance(message, Blank):
                kind = type(message)
                if not conversation.take(Info if kind is Unread else kind):
                    said[at] = self._out_of_place(message)
        return said

    def _out_of_place(self, message: Message | Unread) -> Fault:
        said = quote(self.dialect.show(message))
        return Fault(f"{said}: {advice(type(message), self._conversation.state)}")

    def send(self, *messages: Message | Unread | Announcement) -> bytes:
        """The bytes of these messages; an `Unread` is sent as it came.

        Messages without a word in the dialect are omitted, and all messages after a goodbye.
        LocalProtocolError: a message is not allowed now, not for this end, or has no spelling.
        """
        return b"".join(self._said(messages, self.codec.encode))

    def send_frames(self, *messages: Message | Unread | Announcement) -> list[str | bytes]:
        """Like `send`, as one WebSocket message each."""
        return self._said(messages, self.codec.encode_frame)

    def _said(
        self,
        messages: tuple[Message | Unread | Announcement, ...],
        encode: Callable[[Message | Unread, Dialect], Encoded],
    ) -> list[Encoded]:
        conversation, dialect = self._conversation, self.dialect
        said: list[Encoded] = []
        if dialect.replies:
            said += filter(None, [encode(reply, dialect) for reply in dialect.take_replies()])
        for message in messages:
            if isinstance(message, Announcement):
                said += self._announced(message, encode)
                continue
            kind = Info if isinstance(message, Unread) else type(message)
            if kind not in self._may_say:
                raise LocalProtocolError(f"{message} is not for a {self.role.name.lower()} to say")
            if conversation.state is CLOSED:
                continue
            special = kind not in dialect.sayable or (isinstance(message, Go) and message.ponder)
            if special and not self._has_word(message, kind):
                continue
            if piece := encode(message, dialect):
                said.append(piece)
            if not conversation.take(kind):
                raise LocalProtocolError(f"{message}: {advice(kind, conversation.state)}")
        return said

    def _announced(
        self, announcement: Announcement, encode: Callable[[Message, Dialect], Encoded]
    ) -> list[Encoded]:
        """The lines are the same in every dialect with the lobby, and in every codec of a kind."""
        if Lobby not in self._may_say:
            raise LocalProtocolError("announcements are a server's")
        if not self.dialect.lobby or not self._conversation.take(Lobby):
            return []
        codec, dialect = self.codec.inner, self.dialect
        write = getattr(codec, encode.__name__)
        key = type(codec), encode.__name__
        written = announcement.written(key, lambda line: write(line, dialect))
        self.codec.announced(announcement, dialect)
        return cast(list[Encoded], written)

    def _has_word(self, message: Message | Unread, kind: type) -> bool:
        always = self.role is Role.CLIENT and kind in _BOTH_WAYS
        return always or self.dialect.can_say(message)

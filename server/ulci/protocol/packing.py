"""Messages as msgpack maps: the verb, and only the fields that are set.

    {"verb": "go", "wtime": 300000, "btime": 298000}
    {"verb": "position", "start": "8/…", "moves": ["e2e4"]}    the first one, and after a jump
    {"verb": "position", "more": ["e7e5"]}                     what came after the last one

Unknown verbs and keys are skipped, as unknown words are in text. A map that could not be written as
a line of text is rejected, so relaying it needs no further check.
"""

import reprlib
from collections import deque
from collections.abc import Mapping
from typing import Any

import msgpack
from msgspec.structs import replace

from . import messages as say
from .announcement import Announcement
from .codec import PASSING, Blank, Codec
from .dialect import Dialect, Role
from .errors import Fault, LocalProtocolError, RemoteProtocolError
from .info import Unread, read_info_untrusted
from .layout import LAYOUTS, VERBS, WrongError, read_list, read_word
from .messages import FromClient, FromServer, Message, PlayerCommand, Position, kinds_of
from .moves import MovesSoFar
from .text import one_line, plain, quote, words

# Bytes of a game of ten thousand plies in one full position; all other messages are far smaller.
MAX_MESSAGE = 64 * 1024

# Bounds the memory of a position that grows by "more".
MAX_PLIES = 100_000

_HEARD: Mapping[Role, Mapping[str, type]] = {
    Role.SERVER: {VERBS[kind]: kind for kind in kinds_of(FromClient)},
    Role.CLIENT: {VERBS[kind]: kind for kind in kinds_of(FromServer)},
}


class MsgpackCodec:
    """One map per message, on a stream or one per WebSocket frame.

    `max_message` is in bytes. Each direction remembers its last position.
    """

    def __init__(self, *, max_message: int = MAX_MESSAGE) -> None:
        self.max_message = max_message
        self._unpacker = msgpack.Unpacker(
            raw=False, strict_map_key=True, max_buffer_size=2 * max_message
        )
        self._fed = 0
        self._lost = False  # message boundaries, after a fatal error
        self._values: deque[dict[Any, Any] | Fault] = deque()
        self._said: Position | None = None
        self._heard: Position | None = None

    @property
    def inner(self) -> Codec:
        return self

    def announced(self, announcement: Announcement, dialect: Dialect) -> None:
        """Nothing is to be done."""

    def receive_data(self, data: bytes) -> None:
        """Feed bytes from the stream; a partial message at its end is dropped."""
        for start in range(0, len(data), self.max_message):
            if not self._lost:
                self._feed(data[start : start + self.max_message])

    def receive_frame(self, data: str | bytes) -> None:
        """Feed one binary frame."""
        if isinstance(data, str):
            self._values.append(
                Fault(
                    f"{quote(data[:64])}: this is a text frame, but the connection speaks"
                    " ulci.msgpack: send each message as a binary frame, or ask for ulci"
                )
            )
        elif len(data) > self.max_message:
            self._values.append(self._too_long(fatal=False))
        else:
            try:
                value = msgpack.unpackb(data, raw=False, strict_map_key=True)
            except (ValueError, msgpack.UnpackException) as error:
                value = _unreadable(error, fatal=False)
            self._values.append(_map_or_error(value, fatal=False))

    @property
    def pending(self) -> bool:
        """Whether an unread map is left."""
        return bool(self._values)

    def next_messages(
        self, dialect: Dialect, reader: Role, most: int, *, defer: bool
    ) -> list[Message | Unread | Blank | Fault]:
        said: list[Message | Unread | Blank | Fault] = []
        while self._values and len(said) < most:
            try:
                message = self.next_message(dialect, reader, defer=defer)
            except RemoteProtocolError as error:
                said.append(Fault.of(error))
                if error.fatal:
                    break
                continue
            assert message is not None
            said.append(message)
            if type(message) not in PASSING:
                break
        return said

    def next_message(self, dialect: Dialect, reader: Role, *, defer: bool) -> Message | None:  # noqa: ARG002
        """The message of the next map; None if more data is needed. Raises RemoteProtocolError."""
        if not self._values:
            return None
        value = self._values.popleft()
        if isinstance(value, Fault):
            raise value.error()
        return self._read(value, dialect, reader)

    def encode(self, message: Message | Unread, dialect: Dialect) -> bytes:
        """The message as a map; of a position only the new moves."""
        if isinstance(message, Unread):
            message = read_info_untrusted(message.line)
        kind = type(message)
        packed: dict[str, Any] = {"verb": VERBS[kind]}
        if isinstance(message, Position) and (more := _added(self._said, message)) is not None:
            words(more)
            packed["more"] = more
        else:
            dialect.write(message)  # rejects whatever has no spelling in text
            packed |= LAYOUTS[kind].pack(_tidy(message, dialect))
        try:
            data: bytes = msgpack.packb(packed)
        except OverflowError as error:
            raise LocalProtocolError(f"{message} cannot be packed: {error}") from error
        if isinstance(message, Position):
            self._said = message
        return data

    encode_frame = encode

    def _feed(self, piece: bytes) -> None:
        self._fed += len(piece)
        try:
            self._unpacker.feed(piece)
            for value in self._unpacker:
                # Text parses as a row of small integers without message boundaries: fatal.
                self._take(_map_or_error(value, fatal=isinstance(value, int)))
        except (ValueError, msgpack.UnpackException) as error:
            self._take(_unreadable(error, fatal=True))
        if self._fed - self._unpacker.tell() > self.max_message:
            self._take(self._too_long(fatal=True))

    def _take(self, value: dict[Any, Any] | Fault) -> None:
        if not self._lost:
            self._values.append(value)
        self._lost = self._lost or (isinstance(value, Fault) and value.fatal)

    def _too_long(self, *, fatal: bool) -> Fault:
        return Fault(
            f"a message of more than {self.max_message} bytes; send positions with the moves added"
            " since the last one (more)",
            fatal=fatal,
        )

    def _read(self, value: dict[Any, Any], dialect: Dialect, reader: Role) -> Message:
        verb = value.get("verb")
        if not isinstance(verb, str):
            raise RemoteProtocolError(
                f"{_shown(value)}: a map without a verb; its key is verb, its value a text"
            )
        kind = _HEARD[reader].get(verb)
        if kind is None or (not dialect.lobby and issubclass(kind, PlayerCommand | say.Lobby)):
            return say.Unknown(one_line(verb))
        try:
            if kind is Position and "more" in value:
                return self._read_more(value["more"])
            message: Message = LAYOUTS[kind].read(value)
            dialect.write(message)
        except (WrongError, LocalProtocolError) as wrong:
            raise RemoteProtocolError(
                f"{_shown(value)}: {verb}: {wrong}; leave out what is not set"
            ) from None
        if isinstance(message, Position):
            self._heard = message
        return message

    def _read_more(self, moves: Any) -> Position:
        last = self._heard
        if last is None:
            raise WrongError("more follows an earlier position: send a whole one first")
        try:
            more = read_list(read_word, None)(moves)
        except WrongError as wrong:
            raise WrongError(f"more {wrong}") from None
        if len(last.moves) + len(more) > MAX_PLIES:
            raise WrongError(f"no game has more than {MAX_PLIES} moves")
        self._heard = Position(last.start, (*last.moves, *more))
        return self._heard


def _tidy(message: Message, dialect: Dialect) -> Message:
    """The message without fields that a line of text would omit or change."""
    match message:
        case Position(start, moves):
            return Position(start, tuple(moves))
        case say.Report(blame, text):
            return say.Report(blame, plain(text))
        case say.Info(string=str(text)):
            return replace(message, string=one_line(text))
        case say.Go() if "movestogo" in dialect.lacks:
            return replace(message, movestogo=None)
        case say.BestMove() if "bestmove ponder" in dialect.lacks:
            return replace(message, ponder=None)
        case _:
            return message


def _added(last: Position | None, now: Position) -> tuple[str, ...] | None:
    """The moves of `now` beyond `last`; None if it does not continue it."""
    if last is None or last.start != now.start:
        return None
    if isinstance(now.moves, MovesSoFar):
        return now.moves.after(last.moves)
    before = len(last.moves)
    if tuple(now.moves[:before]) != tuple(last.moves):
        return None
    return tuple(now.moves[before:])


def _shown(value: object) -> str:
    if isinstance(value, dict) and value.get("verb") == VERBS[say.Id]:
        value = {"verb": VERBS[say.Id]}  # the rest may be a token
    return quote(reprlib.repr(value))  # bounded in size and depth


def _map_or_error(value: Any, *, fatal: bool) -> dict[Any, Any] | Fault:
    if isinstance(value, dict | Fault):
        return value
    return Fault(
        f"{_shown(value)}: each message is a msgpack map with a verb: send maps, or plain text"
        " to a text port",
        fatal=fatal,
    )


def _unreadable(error: Exception, *, fatal: bool) -> Fault:
    why = f" ({error})" if str(error) else ""
    return Fault(
        f"this is not msgpack{why}: send each message as a map with a verb, or text to a text port",
        fatal=fatal,
    )

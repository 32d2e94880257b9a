"""Messages as msgpack maps: the verb, and only the fields that are set.

    {"verb": "go", "wtime": 300000, "btime": 298000}
    {"verb": "position", "start": "8/…", "moves": ["e2e4"]}    the first one, and after a jump
    {"verb": "position", "more": ["e7e5"]}                     what came after the last one

Unknown verbs and keys are skipped, as unknown words are in text. Nothing is read that could not be
written as a line of text: whoever relays it need not look again.
"""

import reprlib
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

import msgpack

from . import messages as say
from .dialect import LOBBY_WORDS, Dialect, Role
from .errors import Fault, LocalProtocolError, RemoteProtocolError
from .info import Unread, read_info_untrusted
from .layout import LAYOUTS, VERBS, WrongError, read_list, read_word
from .messages import FromClient, FromServer, Message, Position
from .text import one_line, plain, quote, words

# A game of ten thousand plies in one full position; nothing else comes near.
MAX_MESSAGE = 64 * 1024

# Where the moves added one by one stop being a game: the memory of whoever listens is finite.
MAX_PLIES = 100_000

_HEARD: Mapping[Role, Mapping[str, type]] = {
    Role.SERVER: {VERBS[kind]: kind for kind in get_args(FromClient)},
    Role.CLIENT: {VERBS[kind]: kind for kind in get_args(FromServer)},
}


class MsgpackCodec:
    """One map for each message, on a stream or one for each WebSocket frame.

    `max_message` is in bytes. The two directions each remember their last position.
    """

    shares = True

    def __init__(self, *, max_message: int = MAX_MESSAGE) -> None:
        self.max_message = max_message
        self._unpacker = msgpack.Unpacker(
            raw=False, strict_map_key=True, max_buffer_size=2 * max_message
        )
        self._fed = 0
        self._lost = False  # where the next message begins, after a fatal error
        self._values: deque[dict[Any, Any] | Fault] = deque()
        self._said: Position | None = None
        self._heard: Position | None = None

    def receive_data(self, data: bytes) -> None:
        """Take what the stream gave; half a message at its end is nothing."""
        for start in range(0, len(data), self.max_message):
            if not self._lost:
                self._feed(data[start : start + self.max_message])

    def receive_frame(self, data: str | bytes) -> None:
        """Take one binary frame."""
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

    def next_message(self, dialect: Dialect, reader: Role, *, defer: bool) -> Message | None:  # noqa: ARG002
        """The next map as a message; None if it takes more data. Raises RemoteProtocolError."""
        if not self._values:
            return None
        value = self._values.popleft()
        if isinstance(value, Fault):
            raise value.error()
        return self._read(value, dialect, reader)

    def encode(self, message: Message | Unread, dialect: Dialect) -> bytes:
        """The message as a map, of a position only what is new."""
        if isinstance(message, Unread):
            message = read_info_untrusted(message.line)
        kind = type(message)
        packed: dict[str, Any] = {"verb": VERBS[kind]}
        if isinstance(message, Position) and (more := _added(self._said, message)) is not None:
            words(more)
            packed["more"] = more
        else:
            dialect.write(message)  # whatever has no spelling is not said here, either
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
                # Text sent here comes as a row of small numbers; nobody knows where it ends.
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
        if kind is None or (not dialect.lobby and (kind in LOBBY_WORDS or kind is say.Lobby)):
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
        self._heard = Position(last.start, last.moves + more)
        return self._heard


def _tidy(message: Message, dialect: Dialect) -> Message:
    """The message without what a line of text would leave out or say otherwise."""
    match message:
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
    """The moves that `now` has more than `last`; None if it does not continue it."""
    if last is None or last.start != now.start or now.moves[: len(last.moves)] != last.moves:
        return None
    return now.moves[len(last.moves) :]


def _shown(value: object) -> str:
    if isinstance(value, dict) and value.get("verb") == VERBS[say.Id]:
        value = {"verb": VERBS[say.Id]}  # the rest may be a token
    return quote(reprlib.repr(value))  # bounded in size and depth, whatever the peer has nested


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

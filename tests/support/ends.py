"""Both ends of one conversation in memory, so that every test checks both."""

from collections.abc import Callable

from ulci.protocol import (
    ULCI,
    Blank,
    Codec,
    Connection,
    Dialect,
    MsgpackCodec,
    RemoteProtocolError,
    Role,
    State,
    TextCodec,
    Unread,
)
from ulci.protocol.messages import Go, Hello, HelloOk, Message, Stop

Carry = Callable[[Connection, Connection, Message], None]

CODECS: dict[str, type[Codec]] = {"text": TextCodec, "msgpack": MsgpackCodec}


def by_stream(chunk: int) -> Carry:
    """Carry messages as bytes in pieces of `chunk`."""

    def carry(speaker: Connection, listener: Connection, message: Message) -> None:
        data = speaker.send(message)
        for at in range(0, len(data), chunk):
            listener.receive_data(data[at : at + chunk])

    return carry


def by_frame(speaker: Connection, listener: Connection, message: Message) -> None:
    """Carry messages as WebSocket messages."""
    for frame in speaker.send_frames(message):
        listener.receive_frame(frame)


CARRIERS: dict[str, Carry] = {
    "bytewise": by_stream(1),
    "by sevens": by_stream(7),
    "whole": by_stream(10**9),
    "frames": by_frame,
}


def heard(connection: Connection) -> list[Message | Unread]:
    """Everything there is to hear, faultless."""
    messages = []
    while (message := connection.next_message()) is not None:
        if not isinstance(message, Blank):
            messages.append(message)
    return messages


def faults(connection: Connection) -> list[Message | Unread | str]:
    """Everything there is to hear, faults as their texts, with an ! before a fatal one."""
    told: list[Message | Unread | str] = []
    while True:
        try:
            message = connection.next_message()
        except RemoteProtocolError as error:
            if error.fatal:
                return [*told, f"!{error}"]
            told.append(str(error))
        else:
            if message is None:
                return told
            if not isinstance(message, Blank):
                told.append(message)


class Ends:
    """A server's and a client's end, joined by a carrier."""

    def __init__(
        self, dialect: Dialect = ULCI, codec: str = "text", carry: Carry = CARRIERS["whole"]
    ) -> None:
        self.server = Connection(Role.SERVER, CODECS[codec](), dialect)
        self.client = Connection(Role.CLIENT, CODECS[codec](), dialect)
        self._carry = carry

    def server_says(self, message: Message) -> list[Message | Unread]:
        """What the client hears of it."""
        self._carry(self.server, self.client, message)
        return heard(self.client)

    def client_says(self, message: Message) -> list[Message | Unread]:
        """What the server hears of it."""
        self._carry(self.client, self.server, message)
        return heard(self.server)

    def bring_to(self, state: State) -> "Ends":
        """Say what leads there, from the beginning."""
        if state is State.SILENT:
            return self
        self.server_says(Hello())
        if state is State.INTRODUCING:
            return self
        self.client_says(HelloOk())
        if state in (State.THINKING, State.STOPPING):
            self.server_says(Go())
        if state is State.STOPPING:
            self.server_says(Stop())
        assert self.server.state is self.client.state is state
        return self

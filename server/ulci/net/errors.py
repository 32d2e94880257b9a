"""What can fail before there is a peer, in words for whoever has to do something about it."""


class NetError(OSError):
    """Abstract: what is raised is always one of those below. The text is for people."""


class DialError(NetError):
    """Nobody could be reached at this address, and what may help."""

    def __init__(
        self, text: str, retry_after: int | None = None, status: int | None = None
    ) -> None:
        super().__init__(text)
        self.retry_after = retry_after
        """After how many seconds the server there said to try again; None if it did not say."""
        self.status = status
        """With which HTTP status it refused to speak WebSocket; None if it did not."""


class ListenError(NetError):
    """This address cannot be listened at, and what may help."""


class ProcessError(NetError):
    """This program cannot be started, and what may help."""


class ExhaustedError(NetError):
    """The machine has nothing left for newcomers: nobody's fault but its administrator's."""


class HandshakeError(NetError):
    """A peer did not get through TLS or the WebSocket upgrade: its fault, and an ordinary day."""

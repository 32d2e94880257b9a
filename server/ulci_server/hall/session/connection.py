"""The connection of one client: what it is told, the errors that it made, and how it ends."""

from collections.abc import Callable

import structlog
import trio

from ulci.net import CloseCode, Peer, Sample, TokenBucket
from ulci.protocol import ULCI, Announcement
from ulci.protocol.messages import Blame, FromServer, Quit, Report
from ulci_server.hall.announcements import no_announcements
from ulci_server.lobby import Profile, lobby_lines

from .pending import ReadyQueue, UgiQueries

LOG = structlog.get_logger("ulci_server.hall")

# Errors of one client that are answered, a second and at once: a person makes few, and a program
# that makes hundreds reads no answers.
ERRORS_A_SECOND = 5.0
ERROR_BURST = 100

# A client that reads this in the last error may connect again after so many seconds.
RETRY_AFTER = "retry-after"

# Lines about one client in the log, a second and at once.
LOGS_A_SECOND = 1.0
LOG_BURST = 20


def _ignore(_: str) -> None:
    """Nobody keeps its errors."""


class ClientConnection:
    """Of a player, an administrator, or a client that has not introduced itself. strangers: which
    lines about the last stand in the log."""

    __slots__ = (
        "_error_bucket",
        "_log_bucket",
        "_strangers",
        "_why_left",
        "announced",
        "gone",
        "heard_at",
        "left_for_good",
        "nonsense",
        "note_error",
        "peer",
        "profile",
        "ready_queue",
        "ugi_queries",
        "unregistered",
    )

    def __init__(self, peer: Peer, strangers: Sample) -> None:
        self.peer = peer
        self.profile: Profile | None = None
        self.announced = no_announcements
        self.gone = False
        self.left_for_good = False
        self.heard_at = 0.0
        self.nonsense = 0  # meaningless lines in a row
        self.unregistered = False  # it said so, and was answered
        self.note_error: Callable[[str], None] = _ignore
        """Called with each error sent to the client."""
        self.ugi_queries = UgiQueries(peer)
        self.ready_queue = ReadyQueue(peer)
        self._strangers = strangers
        self._why_left = ""
        now = trio.current_time()
        self._error_bucket = TokenBucket(ERRORS_A_SECOND, ERROR_BURST, now)
        self._log_bucket = TokenBucket(LOGS_A_SECOND, LOG_BURST, now)

    @property
    def handle(self) -> str:
        return self.profile.handle if self.profile is not None else self.peer.label

    @property
    def why(self) -> str:
        """The reason for which the client left, for people."""
        return self._why_left or self.peer.why or "it left"

    def introduce(self, profile: Profile) -> None:
        self.profile = profile
        self.peer.remark("client", profile.handle or profile.name)

    # Sending

    def tell(self, *messages: FromServer) -> None:
        """Send messages. Never waits; does nothing once the client is gone."""
        if not self.gone:
            self.peer.put(*self.announced(), *messages)

    def tell_announced(self, *announcements: Announcement) -> None:
        """Send announcements. Never waits."""
        if announcements and not self.gone:
            self.peer.put(*announcements)

    def log(self, event: str, **details: str) -> None:
        """Log something about this client, rate-limited; before it has introduced itself, together
        with all others that have not: each connection would bring lines of its own."""
        now = trio.current_time()
        if self.profile is None:
            if (more := self._strangers.take(event, now)) is None:
                return
            if more:
                details["left_out"] = str(more)
        elif self._log_bucket.take(now):
            return
        LOG.info(event, client=self.handle, peer=self.peer.label, **details)

    def send_lobby_error(self, code: str, text: str) -> None:
        """Answer a refused command by an ``error`` line, rate-limited."""
        if self._may_send_error():
            self.tell(lobby_lines.error(code, text))

    def send_error(self, text: str) -> None:
        """Report a client's error and store it with the game, rate-limited."""
        if self._may_send_error():
            self._send_report(text, Blame.CLIENT)

    def _may_send_error(self) -> bool:
        return not self._error_bucket.take(trio.current_time())

    def _send_report(self, text: str, blame: Blame) -> None:
        self.log(f"{blame.value.removesuffix('error')} error", error=text)
        self.tell(Report(blame, text))
        self.note_error(text)

    async def prove_alive(self, seconds: float) -> bool:
        """Whether the client answers ``isready`` within `seconds`."""
        return not self.gone and await self.ready_queue.answers_within(seconds) and not self.gone

    # Its end

    def disconnect(self, why: str, blame: Blame = Blame.CLIENT) -> None:
        """Report a last error, send ``quit`` and close the connection. The ``quit`` tells the
        client that the error ended the connection, and not a network fault behind it. Sent as
        ULCI, so that a person can read it even in a UCI engine's log."""
        self.peer.connection.dialect = ULCI
        self._send_report(why, blame)
        self.tell(Quit())
        self.gone = True
        rejected = blame is Blame.CLIENT and RETRY_AFTER not in why
        self.peer.dismiss(why, CloseCode.REJECTED if rejected else CloseCode.TRY_AGAIN)

    def say_goodbye(self, why: str) -> None:
        """Send ``quit`` and let the client close the connection. `why` goes before it, or the
        client would take an earlier error for the reason."""
        self.tell(Report(Blame.SERVER, why), Quit())
        self.gone = self.left_for_good = True

    def hang_up(self, why: str) -> None:
        """Close without ``quit``: the client is to reconnect."""
        self.gone = True
        self.peer.dismiss(why, CloseCode.GOING_AWAY)

    def quit(self) -> None:
        """The client said ``quit``."""
        self.gone = True
        self.leave_for_good("it said quit")

    def leave_for_good(self, why: str) -> None:
        """The client may not return to its seat."""
        self.left_for_good, self._why_left = True, why

    def end(self) -> None:
        """The connection is over: release what waited for answers."""
        self.gone = True
        self.note_error = _ignore
        self.ready_queue.end()
        self.ugi_queries.end()

"""One connected client: its profile, its connection, its seat and what it owes."""

from collections.abc import Callable, Sequence
from typing import Protocol

import structlog
import trio
from msgspec.structs import replace

from ulci.net import CloseCode, Peer, Sample, TokenBucket
from ulci.protocol import ULCI, Announcement
from ulci.protocol.lobby.lines import Chat
from ulci.protocol.messages import (
    Admin,
    Blame,
    FromServer,
    Go,
    Info,
    IsReady,
    Lobby,
    PlayerCommand,
    Position,
    Quit,
    Report,
    Stop,
)
from ulci.protocol.text import quote
from ulci.rules import Side
from ulci_server.game.events import Back, Kicked, Left, Ready
from ulci_server.game.facts import WRITES_LATE, Seat
from ulci_server.hall.announcements import Announcer, no_announcements
from ulci_server.hall.lists import Lists
from ulci_server.hall.login.handshake import ClientTimeouts
from ulci_server.hall.member import Delays, Lines, no_delays
from ulci_server.hall.table.engine_options import engine_options
from ulci_server.hall.table.interfaces import AnyTable
from ulci_server.hall.table.spectators import WatchedTable
from ulci_server.hall.timers import Alarms
from ulci_server.lobby import Profile, lobby_lines
from ulci_server.storage import secret_hash

from .command_rate import command_bucket
from .drain import PostGameDrain
from .late_writes import LateWrites
from .liveness import Liveness, State
from .pending import ReadyQueue, UgiQueries
from .search import Search
from .suspects import Suspects

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


class SessionHall(Protocol):
    """What a session needs of its hall."""

    announcer: Announcer
    lists: Lists
    suspects: Suspects
    logged_of_strangers: Sample
    """Which lines about clients that have not introduced themselves stand in the log."""

    def free(self, session: "Session") -> None:
        """The client owes nothing for its last game any more."""
        ...

    def handle_command(self, session: "Session", command: PlayerCommand) -> None:
        """Perform a command of the client."""
        ...


class Session:
    __slots__ = (
        "__weakref__",
        "_error_bucket",
        "_hall",
        "_liveness",
        "_log_bucket",
        "_seatings",
        "_suspect",
        "_timeouts",
        "_why_left",
        "admin_commands",
        "announced",
        "can_return",
        "command_bucket",
        "drain",
        "follows",
        "front",
        "gone",
        "heard_at",
        "hears_lobby",
        "is_member",
        "is_probed",
        "key",
        "late_writes",
        "left_for_good",
        "may_repeat",
        "missed",
        "nonsense",
        "peer",
        "profile",
        "ready_queue",
        "search",
        "secret",
        "side",
        "table",
        "ugi_queries",
        "unregistered",
        "watching",
    )

    def __init__(
        self, peer: Peer, hall: SessionHall, alarms: Alarms, timeouts: ClientTimeouts
    ) -> None:
        self.peer = peer
        self.profile: Profile | None = None
        self.follows = False  # it wants the board while it is not asked to move
        self.hears_lobby = False
        self.is_member = False  # of the lobby, and no mere administrator
        self.is_probed = False  # by ``isready`` in a search
        # Its last move, now illegal: it came back, and cannot know what has arrived.
        self.may_repeat = False
        self.can_return = False  # another connection can prove that the seat is its own
        self.table: AnyTable | None = None
        self.side = Side.WHITE
        self.secret = ""
        self.key = ""  # `secret_hash` the secret, as stored
        self.watching: WatchedTable | None = None
        self.front = False
        self.announced = no_announcements
        self.gone = False
        self.left_for_good = False
        self.missed: Lobby | None = None  # result of its last game, until it has surely read it
        self.heard_at = 0.0
        self.nonsense = 0  # meaningless lines in a row
        self._suspect = False  # a referee died of a move that it played
        self.unregistered = False  # it said so, and was answered
        self.search = Search()
        self.late_writes = LateWrites()
        self.ugi_queries = UgiQueries(peer)
        self.ready_queue = ReadyQueue(peer)
        self.drain = PostGameDrain(
            peer, self.ready_queue, alarms, timeouts.drain, self._drained, self._drain_timed_out
        )
        now = trio.current_time()
        self.command_bucket = command_bucket(now)
        self.admin_commands: list[Admin] = []  # the first is being run
        self._hall = hall
        self._liveness = Liveness(self, alarms)
        self._seatings = 0  # how often it took a seat again, or lost one
        self._why_left = ""
        self._timeouts = timeouts
        self._error_bucket = TokenBucket(ERRORS_A_SECOND, ERROR_BURST, now)
        self._log_bucket = TokenBucket(LOGS_A_SECOND, LOG_BURST, now)

    @property
    def handle(self) -> str:
        return self.profile.handle if self.profile is not None else self.peer.label

    @property
    def suspect(self) -> bool:
        """Whether a referee died of a move of this player, here or on a connection before."""
        return self._suspect or self._known_suspect()

    @suspect.setter
    def suspect(self, suspect: bool) -> None:
        self._suspect = suspect
        if suspect:
            self._hall.suspects.add(self._account, self.host, trio.current_time())

    def _known_suspect(self) -> bool:
        return self._hall.suspects.has(self._account, self.host, trio.current_time())

    @property
    def _account(self) -> int | None:
        return None if self.profile is None else self.profile.account

    @property
    def host(self) -> str:
        """The address of its computer."""
        return self.peer.host

    @property
    def label(self) -> str:
        """Address and port, for the log."""
        return self.peer.label

    @property
    def waiting(self) -> int:
        """Bytes that it has not read yet."""
        return self.peer.waiting

    @property
    def why(self) -> str:
        """The reason for which the client left, for people."""
        return self._why_left or self.peer.why or "it left"

    def introduce(self, profile: Profile) -> None:
        self.profile = profile
        self.is_member = not profile.administers
        self.follows = profile.follows
        self.hears_lobby = profile.lobby
        # People are not probed; programs without a lobby may not know ``isready`` in a search.
        self.is_probed = profile.kind == "engine" and profile.lobby
        self.can_return = bool(self.key) or profile.account is not None
        self.peer.remark("client", profile.handle or profile.name)

    @property
    def seat(self) -> Seat:
        """As it is stored. The client must have been introduced."""
        assert self.profile is not None
        return replace(self.profile.seat, key=self.key)

    def is_same_account(self, profile: Profile) -> bool:
        """Whether both have the same account and kind."""
        mine = self.profile
        return mine is not None and (mine.account, mine.kind) == (profile.account, profile.kind)

    def give_secret(self, secret: str) -> None:
        """Let the client take its seat back on another connection by `secret`."""
        self.secret, self.key = secret, secret_hash(secret)
        self.can_return = True

    @property
    def owes_move(self) -> bool:
        """Whether it has not answered its last ``go``."""
        return not self.gone and self.peer.connection.owed > 0

    def stop_search(self) -> None:
        """End a search that nobody knows of any more, before it is told of another position."""
        if not self.gone and self.peer.connection.searches:
            self.tell(Stop())

    @property
    def draining(self) -> bool:
        """Whether it owes answers for a game that is over."""
        return self.drain.active

    # Sending

    def tell(self, *messages: FromServer) -> None:
        """Send messages. Never waits; does nothing once the client is gone."""
        if self.gone:
            return
        for message in messages:
            if isinstance(message, IsReady):
                self.ready_queue.expect(self._ready_for_game)
        self.peer.put(*self.announced(), *messages)
        for message in messages:
            if isinstance(message, Stop):
                self.search.stop()
                self._liveness.stop()
                self.may_repeat = True  # the question and the answer may have crossed
        for message in messages:
            if isinstance(message, Go):
                self._search_begins()

    def hear_chat(self, line: Lobby) -> None:
        """The opponent says so: tell it, unless the opponent is ignored, who is told that."""
        said, table = line.line, self.table
        if (
            isinstance(said, Chat)
            and table is not None
            and self.profile is not None
            and not self.profile.hears(said.by)
        ):
            table.say(self.side, lobby_lines.error("ignored", f"{self.handle} ignores you"))
        else:
            self.tell(line)

    def ask_move(self, position: Position, go: Go) -> None:
        """Ask for a move. Never waits."""
        if not self.gone:
            if self.announced is no_announcements:
                self.peer.put(position, go)
            else:
                self.peer.put(*self.announced(), position, go)
            self._search_begins()

    def _search_begins(self) -> None:
        self.search.begin(self.peer.connection.asked)
        if self.is_probed:
            self._liveness.begin(trio.current_time())

    def end_search_untrusted(self) -> Info | None:
        """The ``go`` is answered. Returns the last info before the answer."""
        if self.is_probed:
            self._liveness.stop()
        return self.search.take_untrusted()

    def still_asked(self, move: str) -> None:
        """Answer a repeated move: the ``go`` is still open."""
        self.peer.connection.disown()
        if self.is_probed:
            self._liveness.begin(trio.current_time())
        self.send_error(f"bestmove {quote(move)} was said before; go is still open")

    def follow_announcements(self) -> None:
        """Send it from now on what is announced to everybody."""
        self._hall.announcer.join(self)

    def leave_announcements(self) -> None:
        """Send it no more of that."""
        self._hall.announcer.leave(self)

    def tell_list(self, what: str, lines: Lines) -> None:
        """Send a list as fast as the client reads it."""
        self._hall.lists.ask(self, what, lines)

    def cut(self, why: str) -> None:
        """Close the connection at once."""
        self.peer.cut(why)

    def tell_announced(self, *announcements: Announcement) -> None:
        """Send announcements. Never waits."""
        if announcements and not self.gone:
            self.peer.put(*announcements)

    def log(self, event: str, **details: str) -> None:
        """Log something about this client, rate-limited; before it has introduced itself, together
        with all others that have not: each connection would bring lines of its own."""
        now = trio.current_time()
        if self.profile is None:
            if (more := self._hall.logged_of_strangers.take(event, now)) is None:
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

    def _send_report(self, text: str, blame: Blame) -> None:
        self.log(f"{blame.value.removesuffix('error')} error", error=text)
        self.tell(Report(blame, text))
        if self.table is not None:
            self.table.report(self.side, "server", text)

    def report_late_writes(self) -> None:
        """Tell the operator, the client and the record that its line holds writes back."""
        self.log("client's moves come late", why=WRITES_LATE)
        self.tell(Info(string=f"of your program: {WRITES_LATE}"))
        if self.table is not None:
            self.table.report(self.side, "server", WRITES_LATE)

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

    def _may_send_error(self) -> bool:
        return not self._error_bucket.take(trio.current_time())

    def refuse(self, why: str) -> None:
        """Disconnect a client that can play none of the games here."""
        self.disconnect(f"nothing to play here: {why}; use another pool or listener of this server")

    def tell_unmatched(self, why: str) -> None:
        """Explain why the client has to wait for an opponent."""
        lobby = self.profile is not None and self.profile.lobby
        self.tell(
            lobby_lines.unmatched(why)
            if lobby
            else Info(string=f"waiting for another opponent: {why}")
        )

    def ask(self, questions: Sequence[str], then: Callable[[tuple[str, ...]], None]) -> bool:
        """Send UGI queries and call `then` with the answers. False: the client does not speak
        UGI."""
        return not self.gone and self.ugi_queries.ask(questions, then)

    def say_goodbye(self, why: str) -> None:
        """Send ``quit`` and let the client close the connection. `why` goes before it, or the
        client would take an earlier error for the reason."""
        self.tell(Report(Blame.SERVER, why), Quit())
        self.gone = self.left_for_good = True

    def hang_up(self, why: str) -> None:
        """Close without ``quit``: the client is to reconnect."""
        self.gone = True
        self.peer.dismiss(why, CloseCode.GOING_AWAY)

    def round_trip(self) -> float | None:
        """The smallest measured round trip, s; None if there is none."""
        return None if self.gone else self.peer.round_trip()

    async def prove_alive(self, seconds: float) -> bool:
        """Whether the client answers ``isready`` within `seconds`."""
        return not self.gone and await self.ready_queue.answers_within(seconds) and not self.gone

    def probe(self, answered: Callable[[float], None]) -> None:
        """Send ``isready`` during a search."""
        if not self.gone:
            self.ready_queue.ask(answered)

    def tell_state(self, state: State) -> None:
        """Tell the table that the program hangs, or answers again."""
        if self.table is not None:
            self.table.tell_state(self.side, state)

    # Leaving

    def kick(self, by: str, *, for_good: bool, why: str) -> None:
        """Disconnect the client for the administrator `by`; `for_good`: it is banned."""
        if self.table is not None:
            self.table.handle(Kicked(self.side, trio.current_time(), f"{by}: {why}"))
        told = f"you were kicked by {by}: {why}"
        if for_good:
            told = f"you are banned here: {why}"
            self.left_for_good, self._why_left = True, f"banned by {by}: {why}"
        if not self.gone:
            self.disconnect(told)
        elif for_good and self.table is not None:
            self.table.handle(Left(self.side, trio.current_time(), self.why))

    def quit(self) -> None:
        self.gone = self.left_for_good = True
        self._why_left = "it said quit"

    # At a table

    def sit(self, table: AnyTable, side: Side) -> None:
        self.stop_watching()
        self.table, self.side, self.front = table, side, False
        self.peer.remark("game", side.name.lower(), table.id)
        self.may_repeat = False
        self.late_writes.begin()

    def watch(self, table: WatchedTable) -> None:
        """Watch this game instead of the one before."""
        self.stop_watching()
        self.watching = table
        table.watch(self)

    def stop_watching(self) -> None:
        if self.watching is not None:
            self.watching.unwatch(self)
            self.watching = None

    def take_seat(self, table: AnyTable, side: Side, delays: Delays = no_delays) -> None:
        """Seat a player's new connection in a game that is played. It is `Back` with its
        ``readyok``, unless it has lost its seat by then: then it is asked what `delays` there
        were."""
        assert self.profile is not None
        told, key = engine_options(self.profile, table.seat(side.other), table.agreement), self.key
        table.expect(side, self)
        self.sit(table, side)
        self.may_repeat = True
        self._seatings = seating = self._seatings + 1

        def is_ready(at: float) -> None:
            if self._seatings == seating:
                table.handle(Back(side, at, told, key, delays()))

        self.ready_queue.ask(is_ready)

    def lose_seat(self) -> None:
        """A newer connection of the same player has its seat."""
        self.table = None
        self._seatings += 1

    def dismiss(self, over: Lobby | None, *, front: bool) -> None:
        """The game is over with the result `over`. `front`: first in the queue for the next one.

        Answers still owed are awaited and discarded behind an ``isready`` before the client is
        free again.
        """
        if self.table is not None:
            self.peer.remark("over", game=self.table.id)
        self.table, self.missed, self.front = None, over, front
        self._liveness.stop()
        if self.gone:
            self._hall.free(self)
            return
        is_human = self.profile is not None and self.profile.kind == "human"
        pauses = self.profile is not None and self.profile.pauses and not self.front
        pause = self._timeouts.pause if pauses else 0.0
        if pause:
            self.tell(Info(string=f"your next game begins in {pause:g} s at the earliest"))
        self.drain.begin(forgive_owed=is_human, pause=pause)

    def end(self) -> None:
        """Release everything that the connection held."""
        self.gone = True
        self.stop_watching()
        self.drain.end()
        self._liveness.end()
        self.ready_queue.end()
        self.ugi_queries.end()

    def _ready_for_game(self, at: float) -> None:
        if self.table is not None:
            self.table.handle(Ready(self.side, at))

    def tell_missed(self, missed: Lobby | None) -> None:
        """Tell the result of a game that ended while the client was away."""
        if missed is not None:
            self.missed = missed
            self.tell(missed)
            self.ready_queue.ask(self._result_heard)

    def _result_heard(self, _: float) -> None:
        self.missed = None

    def _drained(self, commands: Sequence[PlayerCommand]) -> None:
        self.missed = None
        self._hall.free(self)
        for command in commands:
            self._hall.handle_command(self, command)

    def _drain_timed_out(self, owed: str) -> None:
        late = f"no {owed} within {self._timeouts.drain:g} s after the end of the game"
        self.disconnect(f"{late}; retry-after 1")

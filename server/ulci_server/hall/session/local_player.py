"""A player whose connection is here, as its table knows it."""

from collections.abc import Callable, Sequence

import trio
from msgspec.structs import replace

from ulci.protocol.lobby.lines import Chat
from ulci.protocol.messages import (
    FromServer,
    Go,
    Info,
    IsReady,
    Lobby,
    PlayerCommand,
    Position,
    SetOption,
    Stop,
)
from ulci.protocol.text import quote
from ulci.rules import Side
from ulci_server.game.events import Back, Ready
from ulci_server.game.facts import WRITES_LATE, Seat
from ulci_server.hall.announcements import no_announcements
from ulci_server.hall.login.handshake import ClientTimeouts
from ulci_server.hall.member import Delays, no_delays
from ulci_server.hall.table.engine_options import engine_options
from ulci_server.hall.table.interfaces import AnyTable
from ulci_server.hall.table.spectators import WatchedTable
from ulci_server.hall.timers import Alarms
from ulci_server.lobby import Profile, lobby_lines

from .connection import ClientConnection
from .drain import PostGameDrain
from .last_go import LastGo
from .late_writes import LateWrites
from .liveness import Liveness, State
from .suspects import Suspects


def _ignore(_: Sequence[PlayerCommand]) -> None:
    """It has left its last table, and its connection is over."""


class LocalPlayer:
    """Plays at a table, or watches one. Its twin for players elsewhere is `RemotePlayer`.

    freed: called when it has left its table and owes nothing, with the commands that came
    meanwhile.
    """

    __slots__ = (
        "__weakref__",
        "_freed",
        "_liveness",
        "_peer",
        "_seatings",
        "_suspect",
        "_suspects",
        "_timeouts",
        "can_return",
        "connection",
        "drain",
        "follows",
        "front",
        "hears_lobby",
        "is_probed",
        "key",
        "last_game",
        "last_go",
        "late_writes",
        "may_repeat",
        "missed",
        "side",
        "table",
        "watching",
    )

    def __init__(
        self,
        connection: ClientConnection,
        alarms: Alarms,
        timeouts: ClientTimeouts,
        suspects: Suspects,
        freed: Callable[[Sequence[PlayerCommand]], None],
    ) -> None:
        self.connection = connection
        self.follows = False  # it wants the board while it is not asked to move
        self.hears_lobby = False
        self.is_probed = False  # by ``isready`` in a search
        # Its last move, now illegal: it came back, and cannot know what has arrived.
        self.may_repeat = False
        self.can_return = False  # another connection can prove that the seat is its own
        self.key = ""  # `secret_hash` of the secret, as stored
        self.table: AnyTable | None = None
        self.side = Side.WHITE
        self.front = False
        self.last_game = 0  # from whose table it was dismissed last; 0: there is none
        self.watching: WatchedTable | None = None
        self.missed: Lobby | None = None  # result of its last game, until it has surely read it
        self.last_go = LastGo()
        self.late_writes = LateWrites()
        self.drain = PostGameDrain(
            connection.peer,
            connection.ready_queue,
            alarms,
            timeouts.drain,
            self._drained,
            self._drain_timed_out,
        )
        connection.note_error = self._note_error
        self._freed = freed
        self._liveness = Liveness(self, alarms)
        self._peer = connection.peer
        self._seatings = 0  # how often it took a seat again, or lost one
        self._suspect = False  # a referee died of a move that it played
        self._suspects = suspects
        self._timeouts = timeouts

    @property
    def profile(self) -> Profile | None:
        return self.connection.profile

    @property
    def gone(self) -> bool:
        return self.connection.gone

    @property
    def heard_at(self) -> float:
        """When its last line came (s)."""
        return self.connection.heard_at

    @property
    def handle(self) -> str:
        return self.connection.handle

    @property
    def seat(self) -> Seat:
        """As it is stored. The client must have been introduced."""
        assert self.profile is not None
        return replace(self.profile.seat, key=self.key)

    @property
    def suspect(self) -> bool:
        """Whether a referee died of a move of this player, here or on a connection before."""
        known = self._suspects.has(self._account, self._peer.host, trio.current_time())
        return self._suspect or known

    @suspect.setter
    def suspect(self, suspect: bool) -> None:
        self._suspect = suspect
        if suspect:
            self._suspects.add(self._account, self._peer.host, trio.current_time())

    @property
    def _account(self) -> int | None:
        return None if self.profile is None else self.profile.account

    @property
    def may_return(self) -> bool:
        """Whether another connection may take its seat."""
        return self.can_return and not self.connection.left_for_good

    def introduce(self, profile: Profile) -> None:
        self.follows = profile.follows
        self.hears_lobby = profile.lobby
        # People are not probed; programs without a lobby may not know ``isready`` in a search.
        self.is_probed = profile.kind == "engine" and profile.lobby
        self.can_return = bool(self.key) or profile.account is not None

    def give_key(self, key: str) -> None:
        """Another connection takes the seat by the secret of this hash."""
        self.key, self.can_return = key, True

    # From the table

    def tell(self, *messages: FromServer) -> None:
        """Send messages. Never waits; does nothing once the client is gone."""
        if self.connection.gone:
            return
        for message in messages:
            if isinstance(message, IsReady):
                self.connection.ready_queue.expect(self._ready_for_game)
        self.connection.tell(*messages)
        for message in messages:
            if isinstance(message, Stop):
                self.last_go.stop()
                self._liveness.stop()
                self.may_repeat = True  # the question and the answer may have crossed
        for message in messages:
            if isinstance(message, Go):
                self._search_begins()

    def hear_chat(self, line: Lobby) -> None:
        """Its opponent says so, or another spectator of the game that it watches: send it, unless
        that one is ignored. An opponent gets an error then. What it said itself comes back from
        the spectators, and is left out."""
        said, profile = line.line, self.profile
        if isinstance(said, Chat) and profile is not None:
            if self.table is None and said.by == profile.handle:
                return
            if not profile.hears(said.by):
                self._refuse_chat()
                return
        self.tell(line)

    def _refuse_chat(self) -> None:
        if self.table is not None and self.profile is not None:
            why = f"{self.profile.handle} ignores you"
            self.table.say(self.side, lobby_lines.error("ignored", why))

    def ask_move(self, position: Position, go: Go) -> None:
        """Ask for a move. Never waits."""
        connection = self.connection
        if not connection.gone:
            if connection.announced is no_announcements:
                self._peer.put(position, go)
            else:
                self._peer.put(*connection.announced(), position, go)
            self._search_begins()

    def _search_begins(self) -> None:
        self.last_go.begin(self._peer.connection.asked)
        if self.is_probed:
            self._liveness.begin(trio.current_time())

    def still_asked(self, move: str) -> None:
        """Answer a repeated move: the ``go`` is still open."""
        self._peer.connection.disown()
        if self.is_probed:
            self._liveness.begin(trio.current_time())
        self.connection.send_error(f"bestmove {quote(move)} was said before; go is still open")

    def round_trip(self) -> float | None:
        """The smallest measured round trip, s; None if there is none."""
        return None if self.connection.gone else self._peer.round_trip()

    def ask(self, questions: Sequence[str], then: Callable[[tuple[str, ...]], None]) -> bool:
        """Send UGI queries and call `then` with the answers. False: the client does not speak
        UGI."""
        return not self.gone and self.connection.ugi_queries.ask(questions, then)

    def dismiss(self, over: Lobby | None, *, front: bool) -> None:
        """The game is over with the result `over`. `front`: first in the queue for the next one.

        Answers still owed are awaited and discarded behind an ``isready`` before the client is
        free again.
        """
        if self.table is not None:
            self.last_game = self.table.id
            self._peer.remark("over", game=self.last_game)
        self.table, self.missed, self.front = None, over, front
        self._liveness.stop()
        if self.gone:
            freed = self._freed
            self._release()
            freed(())
            return
        is_human = self.profile is not None and self.profile.kind == "human"
        pauses = self.profile is not None and self.profile.pauses and not self.front
        pause = self._timeouts.pause if pauses else 0.0
        if pause:
            self.tell(Info(string=f"your next game begins in {pause:g} s at the earliest"))
        self.drain.begin(forgive_owed=is_human, pause=pause)

    # At a table

    def sit(self, table: AnyTable, side: Side) -> None:
        self.stop_watching()
        self.table, self.side, self.front = table, side, False
        self._peer.remark("game", side.name.lower(), table.id)
        self.may_repeat = False
        self.late_writes.begin()

    def take_seat(self, table: AnyTable, side: Side, delays: Delays = no_delays) -> None:
        """Seat a player's new connection in a game that is played. It is `Back` with its
        ``readyok``, unless it has lost its seat by then: then it is asked what `delays` there
        were."""
        table.expect(side, self)
        self.sit(table, side)
        told, key = self.setup(), self.key
        self.may_repeat = True
        self._seatings = seating = self._seatings + 1

        def is_ready(at: float) -> None:
            if self._seatings == seating:
                table.handle(Back(side, at, told, key, delays()))

        self.connection.ready_queue.ask(is_ready)

    def setup(self) -> tuple[SetOption, ...]:
        """The ``setoption`` lines of the game that it plays; it must be introduced."""
        table, profile = self.table, self.profile
        assert table is not None
        assert profile is not None
        return engine_options(profile, table.seat(self.side.other), table.agreement)

    def lose_seat(self) -> None:
        """A newer connection of the same player has its seat."""
        self.table = None
        self._seatings += 1
        if self.gone:
            self._release()

    def watch(self, table: WatchedTable) -> None:
        """Watch this game instead of the one before."""
        self.stop_watching()
        self.watching = table
        table.watch(self)

    def stop_watching(self) -> None:
        if self.watching is not None:
            self.watching.unwatch(self)
            self.watching = None

    # From its program

    def end_search_untrusted(self) -> Info | None:
        """The ``go`` is answered. Returns the last info before the answer."""
        if self.is_probed:
            self._liveness.stop()
        return self.last_go.take_untrusted()

    @property
    def owes_move(self) -> bool:
        """Whether it has not answered its last ``go``."""
        return not self.gone and self._peer.connection.owed > 0

    def stop_search(self) -> None:
        """End a search that nobody knows of any more, before it is told of another position."""
        if not self.gone and self._peer.connection.searches:
            self.tell(Stop())

    def report_late_writes(self) -> None:
        """Tell the operator, the client and the record that its line holds writes back."""
        self.connection.log("client's moves come late", why=WRITES_LATE)
        self.tell(Info(string=f"of your program: {WRITES_LATE}"))
        self._note_error(WRITES_LATE)

    def _note_error(self, text: str) -> None:
        if self.table is not None:
            self.table.report(self.side, "server", text)

    def probe(self, answered: Callable[[float], None]) -> None:
        """Send ``isready`` during a search."""
        if not self.gone:
            self.connection.ready_queue.ask(answered)

    def tell_state(self, state: State) -> None:
        """Tell the table that the program hangs, or answers again."""
        if self.table is not None:
            self.table.tell_state(self.side, state)

    def _ready_for_game(self, at: float) -> None:
        if self.table is not None:
            self.table.handle(Ready(self.side, at))

    # After a game

    def tell_missed(self, missed: Lobby | None) -> None:
        """Tell the result of a game that ended while the client was away."""
        if missed is not None:
            self.missed = missed
            self.tell(missed)
            self.connection.ready_queue.ask(self._result_heard)

    def _result_heard(self, _: float) -> None:
        self.missed = None

    def _drained(self, commands: Sequence[PlayerCommand]) -> None:
        self.missed = None
        self._freed(commands)

    def _drain_timed_out(self, owed: str) -> None:
        late = f"no {owed} within {self._timeouts.drain:g} s after the end of the game"
        self.connection.disconnect(f"{late}; retry-after 1")

    def end(self) -> None:
        """The connection is over: release everything but the seat."""
        self.stop_watching()
        self.drain.end()
        self._liveness.end()
        if self.table is None:
            self._release()

    def _release(self) -> None:
        """Refer to the session no longer, or only the collector would free the two."""
        self._freed = _ignore

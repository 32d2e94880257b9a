"""One game between two servers, without connections, a bus or a database: Ada at the owner, who
answers at once, and Bob at other servers. Only the messages between servers and the time are
made up; the owner's side, its table and clock, and the edges' side are the real ones."""

import bisect
from collections import deque
from collections.abc import Callable
from functools import partial
from itertools import count
from math import inf
from types import SimpleNamespace

import msgspec
import trio
import trio.testing

from tests.support.journal import HeldJournal
from ulci.protocol.messages import Stop
from ulci.rules import GAMES, Side
from ulci.rules.starts import opened
from ulci_server.cluster import messages as said
from ulci_server.cluster.games_elsewhere import GamesElsewhere
from ulci_server.cluster.owner import Owner
from ulci_server.cluster.remote_flag import hold_flag
from ulci_server.cluster.remote_player import RemotePlayer, owned
from ulci_server.game import (
    Answered,
    Away,
    Back,
    Controls,
    Game,
    GameFinished,
    GameStarted,
    Happened,
    MovePlayed,
    Ready,
    Reported,
    Seat,
    Timeouts,
)
from ulci_server.hall.table.spectators import Spectators
from ulci_server.hall.table.table import Table
from ulci_server.lobby import Agreement, Profile

CONTROL = "40+60"

DETECTED = 0.25
"""Seconds until the next ping shows that a message was lost."""

SILENT = 0.4
"""Seconds from which on it is known that a server was not heard."""

DEAD = 1.5
"""Seconds after which a server that has died is known to be dead."""

WITHDRAW = 3.5
"""Seconds of silence after which a server's players count as away."""

PLIES = {Side.WHITE: ("g1f3", "f3g1"), Side.BLACK: ("b8c6", "c6b8")}

AGREEMENT = Agreement(GAMES["chess"], Controls.parse(CONTROL), None, False, "chess")

LOST = object()


def profile(name: str) -> Profile:
    return Profile(name, name, "human", features=frozenset({"lobby"}))


class Line:
    """A player by one connection, as its server knows it."""

    hears_lobby = follows = suspect = False
    may_return = True
    why = "it left"

    def __init__(self, name: str, link: int, run: int) -> None:
        self.profile, self.key = profile(name), name
        self.link, self.run = link, run
        self.called_at = trio.current_time()
        self.gone = self.broken = False
        """Whether its server knows that it is over, and whether it is."""
        self.ready = False
        self.asked: int | None = None
        """The ply that it was asked for and has not answered."""
        self.table = None
        self.side = Side.BLACK
        self.heard: list[object] = []
        self.heard_at = -inf

    @property
    def player(self) -> "Line":
        return self

    @property
    def seat(self) -> Seat:
        return msgspec.structs.replace(self.profile.seat, key=self.key)

    @property
    def owes_move(self) -> bool:
        return self.asked is not None

    def sit(self, table, side: Side) -> None:
        self.table, self.side = table, side

    def tell(self, *messages) -> None:
        self.heard += messages
        if any(isinstance(message, Stop) for message in messages):
            self.asked = None

    hear_chat = tell

    def ask_move(self, position, go) -> None:
        self.heard += (position, go)
        self.asked = None if self.broken else len(position.moves)

    def stop_search(self) -> None:
        if self.asked is not None:
            self.tell(Stop())

    def still_asked(self, move: str) -> None:
        self.heard.append(("still asked", move))

    def round_trip(self) -> None:
        return None

    def dismiss(self, over, *, front: bool) -> None:
        self.table = None


class Alarm:
    def __init__(self, ring: Callable[[], None]) -> None:
        self.due, self.ring = inf, ring

    def set(self, due: float) -> None:
        self.due = due

    def end(self) -> None:
        self.due, self.ring = inf, lambda: None


class Alarms:
    def __init__(self) -> None:
        self.all: list[Alarm] = []

    def new(self, ring: Callable[[], None]) -> Alarm:
        self.all.append(Alarm(ring))
        return self.all[-1]


class Post:
    """What one server sends, and knows of others."""

    draining, lobby, reaches_lobby = False, 0, False

    def __init__(self, field: "Field", run: int) -> None:
        self.run, self._field = run, field

    def silence_of(self, run: int) -> float:
        is_forgotten = run in self._field.forgotten
        return 0.0 if is_forgotten else trio.current_time() - self._field.heard_at(run)

    def heard_since(self, run: int, at: float) -> bool:
        return self._field.heard_at(run) >= at

    def silent(self, run: int, since: float, until: float) -> list[tuple[float, float]]:
        spans = ((max(begin, since), min(end, until)) for begin, end in self._field.silences(run))
        return [(begin, end) for begin, end in spans if begin < end]

    def send(self, run: int, message: said.AnyMessage) -> None:
        self._field.send(self.run, run, message)

    def send_all(self, message: said.AnyMessage) -> None:
        for run in self._field.servers:
            self._field.send(self.run, run, message)

    def link(self, line: Line) -> said.Link:
        age = trio.current_time() - line.called_at
        return said.Link(self.run, line.link, line.profile, line.key, age)

    def epoch(self, _: int) -> int:
        return self._field.epoch


class Server:
    """owner: if it owns the game."""

    def __init__(self, field: "Field", run: int) -> None:
        self.post = Post(field, run)
        self.sessions: dict[int, Line] = {}
        edge = SimpleNamespace(
            sessions=self.sessions,
            unheard={},
            seat_waiting=lambda _: None,
            replaced=lambda _: None,
            forget_awaited=lambda _: None,
            waits_since={},
            called_at_of=lambda _: -inf,
            session_of=lambda _: None,
        )
        self.hall = SimpleNamespace(
            tables={},
            wants_moves=False,
            follow_games=lambda _: None,
            hold_flags=lambda _: None,
            open_spectators=lambda: Spectators(lambda _: None),
            agreement_again=lambda _: AGREEMENT,
            begin_elsewhere=lambda _: None,
            end_elsewhere=lambda _: None,
        )
        self.games = GamesElsewhere(self.hall, self.post, edge)
        self.owner = Owner(self.hall, self.post, {}, lambda _: None, edge)


class Field:
    """Servers 1 (the owner), 2 and 3; takes place in a Trio run with a `MockClock`."""

    def __init__(self, clock: trio.testing.MockClock) -> None:
        self.clock = clock
        self.journal = HeldJournal()
        self.journal.save_now = self._save_now
        self.alarms = Alarms()
        self.links, self.runs = count(1), count(4)
        self.epoch, self.owner = 1, 1
        self.servers = {run: Server(self, run) for run in (1, 2, 3)}
        self.delay = 0.0
        self.lose = 0
        """Messages that are lost from now on."""
        self.double = False
        """Whether messages are doubled that may be said again."""
        self._ways: dict[tuple[int, int], deque[tuple[float, object]]] = {}
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._order = count()
        self._silent: dict[int, tuple[float, float]] = {}
        self._past: dict[int, list[tuple[float, float]]] = {}
        self.died: dict[int, float] = {}
        self.forgotten: set[int] = set()
        """Those that are known to have died."""
        self.step: Callable[[float], None] = lambda _: None
        """Called with the seconds that pass, before they do."""
        self.bob = Line("bob", next(self.links), 2)
        self.servers[2].sessions[self.bob.link] = self.bob
        self.ada = Line("ada", next(self.links), 1)
        self._begin()

    def _save_now(self, fact) -> bool:
        self.journal.note(fact)
        return True

    # The table

    def _begin(self) -> None:
        post, bob = self.servers[1].post, self.bob
        link = said.Link(bob.run, bob.link, bob.profile, bob.key, 0.0)
        remote = RemotePlayer(post, link, self.servers[1].owner.admission.queries)
        seats = self.ada.seat, remote.seat
        self.started = GameStarted(1, "chess", None, CONTROL, seats, claims=True)
        self.table = self._table((self.ada, remote))
        self.ada.sit(self.table, Side.WHITE)
        remote.sit(self.table, Side.BLACK)
        self.table.begin()
        post.send_all(owned(post, self.table))
        self.pass_by(0.0)
        for side in Side:
            self.table.handle(Ready(side, trio.current_time()))
        bob.ready = True
        self.pass_by(0.0)

    def _table(self, players) -> Table:
        position = opened(GAMES["chess"], None, (), claims=True)
        game = Game(self.started, position, timeouts=Timeouts(away=1000))
        closed = lambda table: self.servers[self.owner].hall.tables.pop(table.id)  # noqa: E731
        spectators = Spectators(lambda _: None)
        table = Table(
            *(game, players, self.journal, self.alarms, closed, spectators, AGREEMENT),
            holds_flag=hold_flag,
        )
        self.servers[self.owner].hall.tables[1] = table
        return table

    @property
    def over(self) -> GameFinished | None:
        return next(iter(self.journal.kinds(GameFinished)), None)

    @property
    def moves(self) -> list[MovePlayed]:
        return self.journal.kinds(MovePlayed)

    @property
    def refused(self) -> int:
        """How many illegal moves were recorded."""
        return len(self.journal.kinds(Reported))

    @property
    def replies(self) -> list[MovePlayed]:
        return [move for move in self.moves if move.side is Side.BLACK]

    def _ada_moves(self) -> None:
        if self.ada.asked is None:
            return
        ply, self.ada.asked = self.ada.asked, None
        move = PLIES[Side.WHITE][ply // 2 % 2]
        answered = Answered(Side.WHITE, move, trio.current_time())
        self.table.answered(answered, may_repeat=False)

    # Time

    def pass_by(self, seconds: float) -> None:
        """Let so much time pass, and happen whatever happens meanwhile."""
        end = trio.current_time() + seconds
        while True:
            self._ada_moves()
            at = min(
                *(way[0][0] for way in self._ways.values() if way),
                *(alarm.due for alarm in self.alarms.all),
                self._due[0][0] if self._due else inf,
                inf,
            )
            self._go_to(min(at, end))
            if at > end:
                return
            self._happen()

    def _go_to(self, at: float) -> None:
        passes = at - trio.current_time()
        if passes > 0:
            self.step(passes)
            self.clock.jump(passes)

    def _happen(self) -> None:
        now = trio.current_time() + 1e-9
        for (sender, receiver), way in [*self._ways.items()]:
            while way and way[0][0] <= now:
                self._deliver(sender, receiver, way.popleft()[1])
        while self._due and self._due[0][0] <= now:
            self._due.pop(0)[2]()
        for alarm in [*self.alarms.all]:
            if alarm.due <= now:
                alarm.due = inf
                alarm.ring()

    def later(self, seconds: float, work: Callable[[], None]) -> None:
        due = trio.current_time() + seconds, next(self._order), work
        bisect.insort(self._due, due)

    # Messages

    def send(self, sender: int, receiver: int, message: said.AnyMessage) -> None:
        if receiver not in self.servers or receiver in self.died:
            return
        # As it is written and read.
        message = said.decode_untrusted(said.encode(message))
        now, way = trio.current_time(), self._ways.setdefault((sender, receiver), deque())
        silent = self._silent.get(sender) or self._silent.get(receiver)
        if sender != receiver and (self.lose or silent):
            self.lose = max(0, self.lose - 1)
            at = now + self.delay + DETECTED
            self._put(way, max(at, silent[1] + 0.01) if silent else at, LOST)
            return
        self._put(way, now + (self.delay if sender != receiver else 0.0), message)
        if self.double and isinstance(message, _AGAIN):
            self._put(way, now + self.delay, message)

    def _put(self, way, due: float, message: object) -> None:
        way.append((max(due, way[-1][0]) if way else due, message))

    def _deliver(self, sender: int, receiver: int, message: object) -> None:
        if receiver in self.died:
            return
        server = self.servers[receiver]
        if message is LOST or isinstance(message, said.Rejoin):
            self._do(server.owner.greet(sender))
            if message is LOST:
                server.post.send(sender, said.Rejoin())
            self._do(server.games.rejoin(sender))
        elif not server.games.hear(sender, message):
            server.owner.hear(sender, message)

    def _do(self, pieces) -> None:
        for piece in pieces:
            piece()

    @property
    def disturbances(self) -> int:
        """How many messages are under way; at least 1 if one was lost, a server is silent or has
        died and nobody knows, or the owner has died."""
        dead = {2, 3}.intersection(self.died) - self.forgotten
        ways = [message for way in self._ways.values() for _, message in way]
        is_disturbed = bool(ways or self._silent or dead or self.owner in self.died)
        return max(is_disturbed, sum(message is not LOST for message in ways))

    # Servers

    def heard_at(self, run: int) -> float:
        return min(self.died.get(run, inf), self._silent.get(run, (inf, 0))[0], trio.current_time())

    def silences(self, run: int) -> list[tuple[float, float]]:
        """When it was not heard while it lived."""
        spans = [*self._past.get(run, [])]
        if run in self._silent or (run in self.died and run not in self.forgotten):
            spans.append((self.heard_at(run), trio.current_time()))
        return [(begin, end) for begin, end in spans if end - begin >= SILENT]

    def silence(self, run: int, seconds: float) -> None:
        """The server neither hears nor is heard for so long."""
        if run in self._silent or run in self.died:
            return
        now = trio.current_time()
        self._silent[run] = now, now + seconds
        if seconds > WITHDRAW:
            self.later(WITHDRAW, lambda: self._do(self.servers[self.owner].owner.part(run)))
        self.later(seconds, partial(self._speaks, run))

    def _speaks(self, run: int) -> None:
        begin, _ = self._silent.pop(run)
        self._past.setdefault(run, []).append((begin, trio.current_time()))
        for way in ((run, self.owner), (self.owner, run)):
            self._put(self._ways.setdefault(way, deque()), trio.current_time(), LOST)

    def kill(self, run: int) -> None:
        """The server of Bob's line dies; another one takes its place."""
        heard_at = self.heard_at(run)
        self.died[run] = heard_at
        for line in self.servers[run].sessions.values():
            line.gone, line.asked, line.ready, line.broken = True, None, False, True
        self.later(DEAD, partial(self._lose, run, heard_at))

    def _lose(self, run: int, heard_at: float) -> None:
        self.forgotten.add(run)
        self._do(self.servers[self.owner].owner.lose(run, heard_at))

    def take_over(self) -> None:
        """The owner dies, and a new server goes on with the game."""
        self.died[self.owner] = trio.current_time()
        self.alarms.all.clear()
        self.table._shut()
        for server in self.servers.values():
            server.games.orphan(self.owner)
        self.later(DEAD, self._resume)

    def _resume(self) -> None:
        self.owner, self.epoch = next(self.runs), self.epoch + 1
        new = self.servers[self.owner] = Server(self, self.owner)
        new.owner.own(1, self.epoch)
        steps = [fact for fact in self.journal.facts if isinstance(fact, MovePlayed | Happened)]
        absent = [Line(seat.name, 0, 0) for seat in self.started.seats]
        for line in absent:
            line.gone = True
        self.table = self._table(tuple(absent))
        self.table.resume(steps, round(DEAD * 1000), 0)
        new.post.send_all(said.Owned(self.started, self.epoch))
        self.ada = Line("ada", next(self.links), self.owner)
        self.table.expect(Side.WHITE, self.ada)
        self.table.handle(Back(Side.WHITE, trio.current_time()))

    # Bob

    def remote(self, run: int):
        """The game as that server knows it."""
        return self.servers[run].games.tables.get(1)

    def answers(self, move: str | None = None, *, may_repeat: bool = False) -> None:
        """Bob answers the question that he was asked; by default with a legal move."""
        ply, self.bob.asked = self.bob.asked, None
        assert ply is not None
        move = move or PLIES[Side.BLACK][ply // 2 % 2]
        answered = Answered(Side.BLACK, move, trio.current_time())
        self.remote(self.bob.run).answered(answered, may_repeat=may_repeat)

    def leaves(self, *, noticed: bool = True) -> None:
        """Bob's line is lost; his server may not notice."""
        bob = self.bob
        bob.asked, bob.ready, bob.broken = None, False, True
        if noticed and not bob.gone:
            bob.gone = True
            self.remote(bob.run).handle(Away(Side.BLACK, trio.current_time()))

    def returns(self, run: int) -> None:
        """Bob has his seat by a new line at that server. The one before lost it."""
        before, table = self.bob, self.remote(run)
        self.bob = bob = Line("bob", next(self.links), run)
        self.servers[run].sessions[bob.link] = bob
        old = self.remote(before.run)
        if before.run not in self.died and old is not None and old.here.get(1) is before:
            del old.here[Side.BLACK]
        before.gone, before.table = True, None
        table.expect(Side.BLACK, bob)
        bob.sit(table, Side.BLACK)

    def gets_ready(self) -> None:
        """Bob's line answers ``isready``."""
        self.bob.ready = True
        self.remote(self.bob.run).handle(Back(Side.BLACK, trio.current_time(), (), "bob"))


_AGAIN = (said.Answer, said.Happening, said.Ask, said.Look, said.Looked)
"""Messages that servers say again by themselves."""


def in_field(scenario: Callable[[Field], None]) -> None:
    """Run it with a clock of its own."""
    clock = trio.testing.MockClock()

    async def run() -> None:
        scenario(Field(clock))
        await trio.lowlevel.checkpoint()

    trio.run(run, clock=clock)

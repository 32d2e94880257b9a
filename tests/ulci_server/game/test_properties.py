"""Whatever happens, in whatever order: a table that performs every effect, and what must hold."""

import math
from collections import deque
from functools import partial

from hypothesis import assume, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.support.driver import B, W, unfolded
from tests.support.toy import ToyPosition
from ulci.protocol.messages import (
    Abort,
    Claim,
    Clock,
    Draw,
    FromServer,
    GiveTime,
    Go,
    Info,
    IsReady,
    NewGame,
    Position,
    Resign,
    SetOption,
    Stop,
    Takeback,
)
from ulci.rules import Legal, Reason, Side
from ulci_server.game import (
    Answered,
    Away,
    Back,
    Commanded,
    Controls,
    Event,
    EventKind,
    Fact,
    Game,
    GameFinished,
    GameStarted,
    Happened,
    LagQuota,
    LagRule,
    Left,
    MovePlayed,
    Phase,
    Ready,
    Seat,
    TakebackRuled,
    rebuild,
)
from ulci_server.game import (
    Clock as BothClocks,
)
from ulci_server.game import (
    MoveList as MovesMade,
)
from ulci_server.game.events import (
    Alarm,
    Announce,
    Cast,
    Dismiss,
    Effect,
    Greet,
    Judged,
    Note,
    Paused,
    ServerFailed,
    Settle,
    Show,
    StartClock,
    Tell,
    Turn,
)
from ulci_server.game.lag import LagAccount

CONTROLS = {
    # What a move that took `thought` ms brings, said a second time and independently of the clock.
    "300+3": lambda thought: 3_000,
    "20": lambda thought: 0,
    "20d2": lambda thought: min(thought, 2_000),
    "20b2": lambda thought: min(thought, 2_000),
    "1day": lambda thought: thought,
    "30h": None,
    "10/3x5": None,
    "2/20+1:10": None,
    "movetime=5000": None,
    "depth=3": None,
    "20+1|inf": None,
}

sides = st.sampled_from(Side)
pauses = st.one_of(st.just(0.0), st.floats(0, 3), st.floats(0, 40))
thoughts = st.one_of(st.just(0.0), st.floats(0, 3), st.sampled_from([0.001, 1, 2, 5]))
moves = st.sampled_from([*"abcdefgh", "again", "again", "castle!", "castle!", "", "even", "mate"])
claims = st.sampled_from([None, None, None, Reason.REPETITION])
chances = st.integers(0, 9)
delays = st.one_of(st.just(0.0), st.floats(0, 2), st.floats(0, 60))
trips = st.one_of(st.none(), st.floats(0, 1.5))
gifts = st.sampled_from([1, 15_000, 60_000])
QUOTA = LagQuota(full=1_000, gain=100)


class MoveList:
    """What one player's connection has heard, and what it may be told next."""

    def __init__(self) -> None:
        self.up = True
        self.asked = 0
        self.stopped = 0
        self.answered_late = False
        self.last: FromServer | None = None

    @property
    def owes(self) -> bool:
        """Whether it was asked something that still counts."""
        return self.asked > self.stopped

    def answer(self) -> None:
        """What was stopped is answered first, and thrown away."""
        self.asked = self.stopped = 0

    def renew(self) -> None:
        self.__init__()  # type: ignore[misc]

    def hear(self, message: FromServer) -> None:
        if not self.up:
            return
        if isinstance(self.last, Position):
            assert isinstance(message, Go | Clock | Info), "something between position and go"
        if isinstance(message, Go):
            assert isinstance(self.last, Position), "go without its position"
            assert not self.owes, "asked twice"
            times = (message.wtime, message.btime, message.movetime)
            assert all(time is None or time >= 0 for time in times)
            self.asked += 1
        elif isinstance(message, Stop):
            # A line that is new since was not asked what is stopped.
            assert self.owes or self.answered_late or not self.asked, "stopped without searching"
            self.stopped = self.asked
        elif isinstance(message, Position | SetOption | NewGame | IsReady):
            assert not self.owes, "interrupted while searching"
        self.last = message


class Table(RuleBasedStateMachine):
    """The hall's part: effects in their order, and none behind a `Settle` before its commit."""

    @initialize(
        control=st.sampled_from(sorted(CONTROLS)),
        kinds=st.tuples(*[st.sampled_from(["human", "engine"])] * 2),
        keys=st.tuples(*[st.sampled_from(["", "5ec2e7"])] * 2),
        lag=st.sampled_from(LagRule),
        turn=sides,
        begun=st.booleans(),
    )
    def open(
        self,
        control: str,
        kinds: tuple[str, str],
        keys: tuple[str, str],
        lag: LagRule,
        turn: Side,
        begun: bool,
    ) -> None:
        self.control = control
        self.fresh = partial(ToyPosition, turn=turn)
        ada, bob = zip(("Ada", "Bob"), kinds, keys, strict=True)
        seats = tuple(Seat(name, kind, key=key) for name, kind, key in (ada, bob))  # type: ignore[arg-type]
        started = GameStarted(7, "toy", None, control, seats, lag=lag.value)  # type: ignore[arg-type]
        self.now = 100.0
        self.trips: tuple[float | None, float | None] = (None, None)
        self.record: list[Fact] = []
        self.sit(started)
        self.take(self.game.begin(self.now))
        if begun:
            self.both_are_ready()
            self.the_record_is_durable()

    def sit(self, started: GameStarted) -> None:
        """A table as a server begins with it: what is known is in the record, and durable."""
        self.game = Game(started, self.fresh(), quota=QUOTA)
        self.lines = {W: MoveList(), B: MoveList()}
        self.queue: deque[Effect] = deque()
        self.committing = False
        self.durable = len(self.record)
        self.dismissed = False
        self.judged: str | None = None
        known, self.facts = self.record, list[Fact]()
        self.left = {side: self.game._clock.left(side, self.now) for side in Side}
        self.moves: list[str] = []
        self.movers: list[Side] = []
        self.before: dict[Side, list[float]] = {W: [], B: []}  # what was left before each move
        self.told: dict[int, tuple[str, ...]] = {0: ()}
        self.given = 0
        for fact in known:
            self.note(fact)

    def new_clock(self) -> BothClocks:
        account = LagAccount(LagRule(self.game.started.lag), QUOTA)
        return BothClocks(Controls.parse(self.control), 500, account)

    # The table

    def happen(self, event: Event) -> None:
        was_over = self.game.phase is Phase.OVER
        self.lead_to(self.game.handle(event), event, was_over)

    def move(self, answered: Answered) -> None:
        """What the rules judge at once. What comes of it is all one value, or none is."""
        was_over, seq = self.game.phase is Phase.OVER, self.game._context.seq
        after = self.game.move(answered)
        if isinstance(after, Turn):
            assert after.played is not None
            assert after.played.seq == self.game._context.seq == seq + 1
            assert after.side is self.game.mover is not answered.side
            after = [after]
        else:
            assert not any(isinstance(one, Turn) and one.played for one in after)
        self.lead_to(after, answered, was_over)

    def lead_to(self, effects: list[Effect], event: Event, was_over: bool) -> None:
        if was_over:
            assert effects == []
        came = event.at - (event.late if isinstance(event, Answered) else 0.0)
        # While an arbiter judges nothing is due; what has become due meanwhile is due at once.
        assert self.game.deadline >= came or isinstance(event, Judged), "due, and passed over"
        self.take(effects)

    def take(self, effects: list[Effect]) -> None:
        self.queue += unfolded(effects)
        while self.queue and not self.committing:
            self.perform(self.queue.popleft())

    def perform(self, effect: Effect) -> None:
        assert not self.dismissed, "something after the end"
        if isinstance(effect, Greet):
            if effect.side not in self.game.absent:  # or that line is lost, too, meanwhile
                self.lines[effect.side].renew()
        elif isinstance(effect, Note):
            self.note(effect.fact)
        elif isinstance(effect, Settle):
            self.committing = True
        elif isinstance(effect, Tell):
            self.say(effect.side, effect.message)
        elif isinstance(effect, Show):
            for message in effect.messages:
                self.say(effect.side, message)
        elif isinstance(effect, Cast):
            for message in effect.messages:
                self.check(message)
        elif isinstance(effect, Announce):
            self.reveal(effect.line.words[2] == "over")
        elif isinstance(effect, StartClock):
            # A clock starts only once the question was handed over.
            assert self.lines[effect.side].owes or not self.lines[effect.side].up
            was_over = self.game.phase is Phase.OVER
            self.game.handed_over(self.now, self.trips)
            assert not was_over or self.game.deadline == math.inf
            if self.game.deadline < self.now:  # the table's alarm rings at once
                self.happen(Alarm(self.now))
        elif isinstance(effect, Dismiss):
            self.dismissed = True
            owing = [side for side, line in self.lines.items() if line.up and line.owes]
            assert self.game.outcome is None or not owing, "not told to stop"

    def say(self, side: Side, message: FromServer) -> None:
        self.check(message)
        self.lines[side].hear(message)

    def check(self, message: FromServer) -> None:
        if isinstance(message, Position):
            assert message.moves == self.told[self.durable], "told before durable"
        if isinstance(message, Info):
            self.reveal(over=True)

    def reveal(self, over: bool) -> None:
        if over:
            assert isinstance(self.facts[self.durable - 1], GameFinished), "told before durable"

    def note(self, fact: Fact) -> None:
        assert not any(isinstance(noted, GameFinished) for noted in self.facts), "after the end"
        if isinstance(fact, MovePlayed):
            self.moves.append(fact.move)
            self.movers.append(fact.side)
            assert fact.ply == len(self.moves)
            self.count(fact)
        elif isinstance(fact, Happened):
            self.happened(fact)
        assert isinstance(fact, GameStarted) is (not self.facts)
        self.facts.append(fact)
        self.told[len(self.facts)] = tuple(self.moves)
        self.record = self.facts

    def happened(self, fact: Happened) -> None:
        if fact.what is EventKind.TAKEN_BACK:
            del self.moves[-fact.amount :]
            for side in Side:
                self.take_back(side, self.movers[-fact.amount :].count(side))
            del self.movers[-fact.amount :]
        elif fact.what is EventKind.TIME_GIVEN:
            assert fact.side is not None
            self.left[fact.side] += fact.amount  # type: ignore[operator]
            self.given += fact.amount
        assert fact.ply <= len(self.moves) + fact.amount

    def take_back(self, side: Side, moves: int) -> None:
        """Moves of that side are undone, with what they added; ten seconds are left at least, if
        there were as many before, and still are."""
        left = self.left[side]
        if not moves or left is None:
            return
        first = self.before[side][-moves]
        del self.before[side][-moves:]
        if CONTROLS[self.control] is not None:
            added = 3_000 * moves if self.control == "300+3" else 0
            on_top = 2_000 if self.control == "20d2" else 0  # what a delay shows
            least = min(first - on_top, left - on_top, 10_000)
            self.left[side] = on_top + max(left - on_top - added, least)
        elif self.control != "30h":
            self.left[side] = math.inf  # not said a second time here

    def count(self, fact: MovePlayed) -> None:
        before = self.left[fact.side]
        if before is not None:
            self.before[fact.side].append(before)
        brings = CONTROLS[self.control]
        thought = fact.spent - fact.lag - fact.stall
        assert thought >= 0
        assert fact.lag == 0 or self.game.started.lag != "none"
        assert 0 <= fact.lag <= QUOTA.full
        if fact.left is None:
            assert before is None
            return
        assert before is not None
        assert fact.left >= 0
        assert thought <= before
        if brings is not None:
            assert fact.left == before - thought + brings(thought)
        self.left[fact.side] = fact.left
        if self.control == "30h":
            self.left[fact.side.other] += thought  # type: ignore[operator]
            assert sum(left or 0 for left in self.left.values()) == 60_000 + self.given

    # What happens

    @rule(pause=pauses)
    def time_passes(self, pause: float) -> None:
        self.now += pause

    @rule(luck=chances)
    def the_alarm_goes_off(self, luck: int) -> None:
        if luck and math.isfinite(self.game.deadline):
            return  # let most games live
        self.now = max(self.now, self.game.deadline) if self.game.deadline < math.inf else self.now
        self.happen(Alarm(self.now))
        # Unless it was noise something was due, and is due no more.
        assert self.game.deadline > self.now

    @rule()
    def it_goes_off_too_early(self) -> None:
        if self.now < self.game.deadline:
            phase = self.game.phase
            self.happen(Alarm(self.now))
            assert self.game.phase is phase

    @precondition(lambda self: self.committing)
    @rule()
    def the_record_is_durable(self) -> None:
        self.committing = False
        self.durable = len(self.facts)
        self.take([])

    @precondition(lambda self: self.game.phase is Phase.PREPARING)
    @rule()
    def both_are_ready(self) -> None:
        for side in Side:
            self.happen(Ready(side, self.now))

    @rule(side=sides)
    def one_is_ready(self, side: Side) -> None:
        self.happen(Ready(side, self.now))

    def answer(self, pause: float) -> Side | None:
        """Who answers its `go` after that many more seconds, if anybody can."""
        side = self.game.searching
        if side is None or not self.lines[side].owes:
            return None
        self.now += pause
        self.lines[side].answer()
        return side

    @rule(move=moves, pause=thoughts, late=delays, claim=claims, cannot=sides)
    def the_mover_answers(
        self, move: str, pause: float, late: float, claim: Reason | None, cannot: Side
    ) -> None:
        side = self.answer(pause)
        if side is not None:
            self.now += late
            in_time = self.now - late <= self.game.deadline
            position = self.game.position
            assert isinstance(position, ToyPosition)
            position.claimable, position.winners = claim, (cannot is not W, cannot is not B)
            self.move(Answered(side, move, self.now, None, late))
            self.nobody_paid_for_the_server(in_time)

    def nobody_paid_for_the_server(self, in_time: bool) -> None:
        outcome = self.game.outcome
        lost = outcome is not None and outcome.reason in (Reason.TIME, Reason.TIME_INSUFFICIENT)
        assert not (in_time and lost), "flagged by a stall of the server"

    @rule(pauses=st.lists(thoughts, min_size=2, max_size=6))
    def some_moves_are_made(self, pauses: list[float]) -> None:
        for pause in pauses:
            if self.committing:
                self.the_record_is_durable()
            self.the_mover_answers("a", pause, 0.0, None, W)

    @rule(move=moves, pause=thoughts, late=delays)
    def the_mover_answers_and_its_arbiter_thinks(
        self, move: str, pause: float, late: float
    ) -> None:
        side = self.answer(pause)
        if side is not None:
            self.now += late
            in_time = self.now - late <= self.game.deadline
            self.judged = move
            self.happen(Answered(side, move, self.now, None, late))
            self.nobody_paid_for_the_server(in_time)

    @precondition(lambda self: self.judged is not None)
    @rule()
    def the_arbiter_has_judged(self) -> None:
        assert self.judged is not None
        move, self.judged = self.judged, None
        if self.game.phase is Phase.PLAYING:
            self.happen(Judged(self.now, self.game.position.play_untrusted(move)))
            if self.game.deadline < self.now:
                self.happen(Alarm(self.now))

    @rule(side=sides)
    def somebody_answers_when_all_is_over(self, side: Side) -> None:
        line = self.lines[side]
        if self.game.phase is Phase.OVER and line.owes:
            line.answer()
            line.answered_late = True

    @rule(side=sides)
    def somebody_answers_unasked(self, side: Side) -> None:
        if self.game.searching is not side and self.judged is None:
            moves = [*self.game.moves]
            assert self.game.move(Answered(side, "a", self.now)) == []
            self.happen(Answered(side, "a", self.now))
            self.happen(Judged(self.now, Legal("a")))
            assert self.game.moves == moves

    @rule(side=sides)
    def somebody_is_away(self, side: Side) -> None:
        self.lines[side].up = False
        self.happen(Away(side, self.now))

    @rule(side=sides)
    def somebody_is_back(self, side: Side) -> None:
        if self.game.phase is not Phase.OVER:  # nobody comes back to a game that is over
            self.lines[side].up = False
        self.happen(Back(side, self.now))

    @rule(side=sides, luck=chances)
    def somebody_offers_a_draw(self, side: Side, luck: int) -> None:
        if luck < 3:
            self.happen(Commanded(side, self.now, Draw()))

    @rule(white=trips, black=trips)
    def lines_get_faster_and_slower(self, white: float | None, black: float | None) -> None:
        self.trips = (white, black)

    @rule(side=sides, plies=st.sampled_from([None, None, 1, 2, 3]))
    def somebody_wants_moves_back(self, side: Side, plies: int | None) -> None:
        self.happen(Commanded(side, self.now, Takeback(plies)))

    @rule(luck=chances, plies=st.integers(1, 3))
    def an_administrator_takes_moves_back(self, luck: int, plies: int) -> None:
        if luck < 2:
            self.happen(TakebackRuled(self.now, plies, "by an administrator"))

    @rule(side=sides, gift=gifts)
    def somebody_gives_time(self, side: Side, gift: int) -> None:
        self.happen(Commanded(side, self.now, GiveTime(gift)))

    @rule(side=sides, what=st.sampled_from(["win", "draw"]))
    def somebody_claims_the_game(self, side: Side, what: str) -> None:
        self.happen(Commanded(side, self.now, Claim(what)))  # type: ignore[arg-type]

    @rule(side=sides, luck=chances, why=st.sampled_from(["resign", "abort", "left", "bug"]))
    def somebody_has_had_enough(self, side: Side, luck: int, why: str) -> None:
        if luck:
            return
        if why == "left":
            self.lines[side].up = False
        events: dict[str, Event] = {
            "resign": Commanded(side, self.now, Resign()),
            "abort": Commanded(side, self.now, Abort()),
            "left": Left(side, self.now),
            "bug": ServerFailed(self.now, "a bug"),
        }
        self.happen(events[why])

    # The server ends, and another begins

    @precondition(lambda self: self.durable and not self.committing)
    @rule(downtime=st.integers(0, 10**6), luck=chances)
    def the_server_is_stopped_and_started(self, downtime: int, luck: int) -> None:
        assume(luck < 3 and self.game.phase is not Phase.OVER and self.now <= self.game.deadline)
        before = self.game.clocks(self.now)
        mover = self.game.mover
        self.happen(Paused(self.now))
        self.the_record_is_durable()
        assert self.dismissed
        assert self.game.outcome is None
        self.now += downtime / 1000 + 5.0
        self.come_back(downtime, 0)
        after = self.game.clocks(self.now)
        assert self.game.mover is mover
        if self.game._clock.left(mover, self.now) != 1:  # whose flag was about to fall keeps a ms
            assert after == before

    @precondition(lambda self: self.durable)
    @rule(downtime=st.integers(0, 10**6), thought=st.integers(0, 10_000), luck=chances)
    def the_server_dies_and_another_begins(self, downtime: int, thought: int, luck: int) -> None:
        assume(luck < 2 and self.game.phase is not Phase.OVER)
        self.record = self.facts[: self.durable]
        self.come_back(downtime, thought)

    def come_back(self, downtime: int, thought: int) -> None:
        known = self.record
        self.sit(self.game.started)
        for line in self.lines.values():
            line.up = False
        steps = [fact for fact in known if isinstance(fact, MovePlayed | Happened)]
        self.take(self.game.resume(steps, self.now, downtime, thought))

    # What must hold

    @invariant()
    def the_record_tells_the_same(self) -> None:
        """Position, clocks, offers: whatever was noted, by now or when it is its turn."""
        game = self.game
        waiting = [effect.fact for effect in self.queue if isinstance(effect, Note)]
        facts = [*self.facts, *waiting]
        steps = [fact for fact in facts if isinstance(fact, MovePlayed | Happened)]
        known = rebuild(MovesMade(self.fresh()), self.new_clock(), steps)
        assert known.seq == game._context.seq == len(steps)
        assert known.move_list.moves == game.moves
        left = [[side.left for side in clock._sides] for clock in (known.clock, game._clock)]
        assert left[0] == left[1]
        if game.phase is Phase.PLAYING:
            assert known.move_list.turn is game.mover
            assert known.move_list.position.fen() == game.position.fen()
            assert (known.offer, known.takeback) == (game._phase.offer, game._phase.takeback)  # type: ignore[union-attr]
            assert known.have_moved == game._phase.have_moved  # type: ignore[union-attr]
            assert known.clock._lag._left == game._clock._lag._left

    @invariant()
    def nothing_was_due_before_now_that_has_not_been_taken_note_of(self) -> None:
        if self.game.phase is Phase.OVER:
            assert self.game.deadline == math.inf
            assert self.game.outcome is not None
            assert self.game.searching is None

    @invariant()
    def it_ends_at_most_once_and_then_in_the_record(self) -> None:
        finished = [fact for fact in self.facts if isinstance(fact, GameFinished)]
        waiting = [effect for effect in self.queue if isinstance(effect, Note)]
        finished += [n.fact for n in waiting if isinstance(n.fact, GameFinished)]
        assert len(finished) == (self.game.phase is Phase.OVER)
        if finished:
            assert finished[0].outcome == self.game.outcome


TestTable = Table.TestCase
TestTable.settings = settings(max_examples=200, stateful_step_count=60, deadline=None)

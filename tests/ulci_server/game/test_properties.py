"""Whatever happens, in whatever order: a table that performs every effect, and what must hold."""

import math
from collections import deque

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.support.driver import B, W
from tests.support.toy import ToyPosition
from ulci.protocol.messages import (
    Clock,
    FromServer,
    Go,
    Info,
    IsReady,
    NewGame,
    Position,
    SetOption,
    Stop,
)
from ulci.rules.outcome import Reason, Side
from ulci.rules.position import Illegal
from ulci_server.game import (
    AbortSaid,
    Alarm,
    Announce,
    Answered,
    Away,
    Back,
    ClockStarted,
    Controls,
    Dismiss,
    DrawSaid,
    Effect,
    Event,
    Fact,
    Game,
    GameFinished,
    GameStarted,
    Left,
    Moved,
    MovePlayed,
    Note,
    Phase,
    Ready,
    Resigned,
    Seat,
    ServerFailed,
    Settle,
    Show,
    Stalled,
    StartClock,
    Tell,
)

CONTROLS = {
    # What a move of `spent` ms brings, said a second time and independently of the clock.
    "300+3": lambda spent: 3_000,
    "20": lambda spent: 0,
    "20d2": lambda spent: min(spent, 2_000),
    "20b2": lambda spent: min(spent, 2_000),
    "1day": lambda spent: spent,
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


class Line:
    """What one player's connection has heard, and what it may be told next."""

    def __init__(self) -> None:
        self.up = True
        self.owes = False
        self.stopped = False
        self.answered_late = False
        self.last: FromServer | None = None

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
            self.owes = True
        elif isinstance(message, Stop):
            assert self.owes or self.answered_late, "stopped without searching"
            self.stopped = True
        elif isinstance(message, Position | SetOption | NewGame | IsReady):
            assert not self.owes or self.stopped, "interrupted while searching"
        self.last = message


class Table(RuleBasedStateMachine):
    """The hall's part: effects in their order, and none behind a `Settle` before its commit."""

    @initialize(
        control=st.sampled_from(sorted(CONTROLS)),
        kinds=st.tuples(*[st.sampled_from(["human", "engine"])] * 2),
        turn=sides,
        begun=st.booleans(),
    )
    def open(self, control: str, kinds: tuple[str, str], turn: Side, begun: bool) -> None:
        self.control = control
        self.position = ToyPosition(turn=turn)
        seats = (Seat("Ada", kinds[0]), Seat("Bob", kinds[1]))  # type: ignore[arg-type]
        self.game = Game(7, self.position, "toy", Controls.parse(control), seats)
        self.now = 100.0
        self.lines = {W: Line(), B: Line()}
        self.queue: deque[Effect] = deque()
        self.committing = False
        self.facts: list[Fact] = []
        self.durable = 0
        self.announced_over = False
        self.dismissed = False
        self.judged: tuple[Side, str, float] | None = None
        self.left = {side: self.game._clock.left(side, self.now) for side in Side}
        self.take(self.game.begin(self.now))
        if begun:
            self.both_are_ready()
            self.the_record_is_durable()

    # The table

    def happen(self, event: Event) -> None:
        was_over = self.game.phase is Phase.OVER
        effects = self.game.handle(event)
        if was_over:
            assert effects == []
        assert self.game.deadline >= event.at, "what was due has been passed over"
        self.take(effects)

    def take(self, effects: list[Effect]) -> None:
        self.queue += effects
        while self.queue and not self.committing:
            self.perform(self.queue.popleft())

    def perform(self, effect: Effect) -> None:
        assert not self.dismissed, "something after the end"
        if isinstance(effect, Note):
            self.note(effect.fact)
        elif isinstance(effect, Settle):
            self.committing = True
        elif isinstance(effect, Tell):
            self.say(effect.side, effect.message)
        elif isinstance(effect, Show):
            for message in effect.messages:
                self.say(effect.side, message)
        elif isinstance(effect, Announce):
            self.reveal(effect.line.words[2] == "over")
        elif isinstance(effect, StartClock):
            # A clock starts only once the question was handed over.
            assert self.lines[effect.side].owes or not self.lines[effect.side].up
            self.happen(ClockStarted(effect.side, self.now))
        elif isinstance(effect, Dismiss):
            self.dismissed = True
            owing = [side for side, line in self.lines.items() if line.up and line.owes]
            assert owing in ([], [effect.searching])

    def say(self, side: Side, message: FromServer) -> None:
        if isinstance(message, Position):
            played = [fact for fact in self.facts[: self.durable] if isinstance(fact, MovePlayed)]
            assert message.moves == tuple(fact.move for fact in played), "told before durable"
        if isinstance(message, Info):
            self.reveal(over=True)
        self.lines[side].hear(message)

    def reveal(self, over: bool) -> None:
        if over:
            assert isinstance(self.facts[self.durable - 1], GameFinished), "told before durable"

    def note(self, fact: Fact) -> None:
        assert not any(isinstance(noted, GameFinished) for noted in self.facts), "after the end"
        if isinstance(fact, MovePlayed):
            played = [noted for noted in self.facts if isinstance(noted, MovePlayed)]
            assert fact.ply == len(played) + 1
            self.count(fact)
        assert isinstance(fact, GameStarted) is (not self.facts)
        self.facts.append(fact)

    def count(self, fact: MovePlayed) -> None:
        before = self.left[fact.side]
        brings = CONTROLS[self.control]
        assert fact.spent >= 0
        if fact.left is None:
            assert before is None
            return
        assert before is not None
        assert fact.left >= 0
        assert fact.spent <= before
        if brings is not None:
            assert fact.left == before - fact.spent + brings(fact.spent)
        self.left[fact.side] = fact.left
        if self.control == "30h":
            self.left[fact.side.other] += fact.spent  # type: ignore[operator]
            assert sum(left or 0 for left in self.left.values()) == 60_000

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
        self.lines[side].owes = False
        return side

    @rule(move=moves, pause=thoughts, claim=claims, cannot=sides)
    def the_mover_answers(
        self, move: str, pause: float, claim: Reason | None, cannot: Side
    ) -> None:
        side = self.answer(pause)
        if side is not None:
            verdict = self.position.play_untrusted(move)
            can_win = (cannot is not W, cannot is not B)
            self.happen(Moved(side, move, verdict, self.now, None, claim, can_win))

    @rule(pauses=st.lists(thoughts, min_size=2, max_size=6))
    def some_moves_are_made(self, pauses: list[float]) -> None:
        for pause in pauses:
            if self.committing:
                self.the_record_is_durable()
            self.the_mover_answers("a", pause, None, W)

    @rule(move=moves, pause=thoughts)
    def the_mover_answers_and_its_arbiter_thinks(self, move: str, pause: float) -> None:
        side = self.answer(pause)
        if side is not None:
            self.judged = (side, move, self.now)
            self.happen(Answered(side, self.now))

    @precondition(lambda self: self.judged is not None)
    @rule()
    def the_arbiter_has_judged(self) -> None:
        assert self.judged is not None
        side, move, at = self.judged
        self.judged = None
        if self.game.phase is Phase.PLAYING:
            self.happen(Moved(side, move, self.position.play_untrusted(move), at))

    @rule(side=sides)
    def somebody_answers_when_all_is_over(self, side: Side) -> None:
        line = self.lines[side]
        if self.game.phase is Phase.OVER and line.owes:
            line.owes, line.answered_late = False, True

    @rule(side=sides)
    def somebody_answers_unasked(self, side: Side) -> None:
        if self.game.searching is not side and self.judged is None:
            self.happen(Moved(side, "a", Illegal("nobody asked"), self.now))

    @rule(side=sides)
    def somebody_is_away(self, side: Side) -> None:
        self.lines[side].up = False
        self.happen(Away(side, self.now))

    @rule(side=sides)
    def somebody_is_back(self, side: Side) -> None:
        if self.game.phase is not Phase.OVER:  # nobody comes back to a game that is over
            self.lines[side].renew()
        self.happen(Back(side, self.now))

    @rule(side=sides, luck=chances)
    def somebody_offers_a_draw(self, side: Side, luck: int) -> None:
        if luck < 3:
            self.happen(DrawSaid(side, self.now))

    @rule(
        side=sides, luck=chances, why=st.sampled_from(["resign", "abort", "left", "stall", "bug"])
    )
    def somebody_has_had_enough(self, side: Side, luck: int, why: str) -> None:
        if luck:
            return
        if why == "left":
            self.lines[side].up = False
        events: dict[str, Event] = {
            "resign": Resigned(side, self.now),
            "abort": AbortSaid(side, self.now),
            "left": Left(side, self.now),
            "stall": Stalled(side, self.now, "silent"),
            "bug": ServerFailed(self.now, "a bug"),
        }
        self.happen(events[why])

    # What must hold

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
TestTable.settings = settings(max_examples=300, stateful_step_count=60, deadline=None)

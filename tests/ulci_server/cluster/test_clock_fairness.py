"""What servers hold up costs no player time, and gives nobody more than they can have lost."""

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.clock_field import SILENT, Field, in_field
from ulci.rules import Reason, Side
from ulci_server.cluster.clock_fairness import NOT_HEARD
from ulci_server.cluster.post import TOLD_LATE

ROUNDED = 0.005
"""Seconds: every time in the record is rounded to ms."""

FIRST = 40.0
"""Seconds on Bob's clock when the game begins."""

LOGIN = 2 * TOLD_LATE
"""Seconds that a login takes: of two lines, servers know which is the newer one."""

LATE = (0.0, 0.1, 0.3)
TIMES = (0.05, 0.3, 1.0, 2.5, 5.0, 20.0)
SILENCES = (0.3, 0.6, 1.5, 5.0)

STEPS = st.one_of(
    st.tuples(st.just("wait"), st.sampled_from(TIMES)),
    st.tuples(st.just("answer"), st.sampled_from(("legal", "illegal"))),
    st.tuples(st.just("leave"), st.sampled_from(("noticed", "unnoticed"))),
    st.tuples(st.just("return"), st.sampled_from((2, 3))),
    st.tuples(st.just("ready"), st.none()),
    st.tuples(st.just("brink"), st.sampled_from(TIMES)),
    st.tuples(st.just("delay"), st.sampled_from(LATE)),
    st.tuples(st.just("lose"), st.integers(1, 3)),
    st.tuples(st.just("double"), st.booleans()),
    st.tuples(st.just("silence"), st.tuples(st.sampled_from((2, 3)), st.sampled_from(SILENCES))),
    st.tuples(st.just("kill"), st.none()),
    st.tuples(st.just("take over"), st.none()),
)


class Truth:
    """How Bob spends his turns, as he sees it himself. It knows who thinks, who is away, and when
    a server or a message between servers was in the way; nothing of what servers know or say."""

    def __init__(self, field: Field) -> None:
        self.field = field
        self.own: dict[int, float] = {}
        """Seconds of each of his turns, by ply, that he thought or was away."""
        self.lost: dict[int, float] = {}
        """Seconds in which servers may have lost time of this turn, or forgotten it."""
        self.held: dict[int, float] = {}
        """Seconds in which servers were in his way."""
        self.unknown: dict[int, float] = {}
        """Seconds that his ``go`` was under way to a line that broke when nobody noticed, or with
        its server."""
        self.answers = self.refusals = 0
        self._excused = False  # servers know that they held him up, until he is asked again
        self._homeless = False  # his server has died, and he has not come back
        field.step = self._passes

    @property
    def ply(self) -> int:
        return len(self.field.moves)

    def _passes(self, seconds: float) -> None:
        field, bob = self.field, self.field.bob
        if field.over is not None or self.ply % 2 == 0:
            return
        thinks = bob.asked == self.ply
        if thinks and bob.ready and not field.disturbances:
            self._excused = False
        if not self._homeless and (thinks or not bob.ready):
            self.own[self.ply] = self.own.get(self.ply, 0.0) + seconds
        else:
            self.held[self.ply] = self.held.get(self.ply, 0.0) + seconds
        times = max(self._excused, field.disturbances)  # each message can be late
        self.lost[self.ply] = self.lost.get(self.ply, 0.0) + times * seconds

    @property
    def is_known(self) -> bool:
        """Whether the owner knows where he is."""
        return self.field.bob.asked == self.ply or not self.field.disturbances

    def breaks(self) -> None:
        self.unknown[self.ply] = min(self.held.get(self.ply, 0.0), SILENT)

    def excuse(self) -> None:
        self._excused = True

    def forget(self) -> None:
        """What the owner knew may not be in the record: what it refused the next one refuses."""
        self.refusals += 1
        self.excuse()
        self.lost[self.ply] = self.lost.get(self.ply, 0.0) + self.own.get(self.ply, 0.0)

    def lose_server(self) -> None:
        self.excuse()
        self._homeless = True

    def returns(self) -> None:
        self._homeless = False

    def check(self) -> None:
        field = self.field
        for move in field.replies:
            ply = move.ply - 1
            cost = (move.spent - move.stall - move.lag) / 1000
            own, lost = self.own.get(ply, 0.0), self.lost.get(ply, 0.0)
            most = own + self.unknown.get(ply, 0.0)
            assert own - lost - ROUNDED <= cost <= most + ROUNDED, (ply, cost, own, lost)
        assert len(field.replies) <= self.answers
        assert [move.ply for move in field.moves] == [*range(1, len(field.moves) + 1)]
        assert field.refused <= self.refusals
        if field.over is not None and field.over.outcome.winner is Side.WHITE:
            assert field.over.outcome.reason in (Reason.TIME, Reason.ABORTED), field.over
            assert self.left <= ROUNDED, (self.left, self.own)

    @property
    def left(self) -> float:
        """Seconds until he has used up his time."""
        had = self.field.replies[-1].left / 1000 if self.field.replies else FIRST
        return had - self.own.get(self.ply, 0.0)


def live_through(field: Field, steps) -> None:
    truth = Truth(field)
    for kind, value in steps:
        if field.over is not None:
            break
        take(field, truth, kind, value)
        field.pass_by(0.0)
        truth.check()
    end(field, truth)


def take(field: Field, truth: Truth, kind: str, value) -> None:
    bob = field.bob
    if kind == "wait":
        field.pass_by(value)
    elif kind == "brink" and bob.asked is not None:
        field.pass_by(max(0.0, truth.left - value))
    elif kind == "answer" and bob.asked is not None:
        truth.answers += 1
        truth.refusals += value == "illegal"
        field.answers("e7e4" if value == "illegal" else None)
    elif kind == "leave" and bob.ready:
        field.leaves(noticed=value == "noticed")
        if value == "unnoticed":
            truth.breaks()
    elif kind == "return" and bob.broken and value not in field.died:
        field.pass_by(LOGIN)
        if field.over is None:
            truth.returns()
            field.returns(value)
    elif kind == "ready" and not (bob.ready or bob.broken):
        field.gets_ready()
    elif kind == "delay":
        field.delay = value
    elif kind == "lose":
        field.lose = value
    elif kind == "double":
        field.double = value
    elif kind == "silence":
        field.silence(*value)
        if value[1] > NOT_HEARD:
            truth.excuse()
    elif kind == "kill" and not field.died and truth.is_known:
        if not bob.broken:
            truth.breaks()
            truth.lose_server()
        elif not bob.gone:
            truth.excuse()  # nobody knew that he had left before
        field.kill(bob.run)
    elif kind == "take over" and 1 not in field.died:
        truth.forget()
        field.take_over()


def end(field: Field, truth: Truth) -> None:
    """Servers and messages are as they should be; Bob comes back, and his answer counts."""
    field.delay, field.lose, field.double = 0.0, 0, False
    field.pass_by(8.0)
    truth.check()
    if field.over is not None:
        return
    bob = field.bob
    if bob.broken:
        field.pass_by(LOGIN)
        if field.over is not None:
            return
        truth.returns()
        field.returns(5 - bob.run if bob.run in field.died else bob.run)
        field.pass_by(0.1)
    if not field.bob.ready:
        field.gets_ready()
        field.pass_by(0.1)
    truth.check()
    if field.over is not None:
        return
    assert field.bob.asked == truth.ply
    before = truth.ply
    truth.answers += 1
    field.answers()
    field.pass_by(0.1)
    truth.check()
    assert truth.ply == before + 2


@settings(max_examples=5 * settings.default.max_examples)
@given(st.lists(STEPS, min_size=4, max_size=25))
def test_nobody_pays_for_servers_and_nobody_gains_by_them(steps) -> None:
    in_field(lambda field: live_through(field, steps))


def test_an_older_move_that_is_said_again_leaves_the_question_open() -> None:
    def scenario(field: Field) -> None:
        field.answers()
        field.pass_by(1.0)
        field.answers("b8c6", may_repeat=True)
        field.pass_by(0.0)
        assert field.bob.heard[-1] == ("still asked", "b8c6")
        field.bob.asked = len(field.moves)
        field.answers()
        field.pass_by(0.0)
        assert [move.move for move in field.replies] == ["b8c6", "c6b8"]

    in_field(scenario)


def cost(field: Field) -> float:
    """Seconds of Bob's clock that his last move took."""
    move = field.replies[-1]
    return (move.spent - move.stall - move.lag) / 1000


def comes_back(field: Field, run: int, *, away: float = 0.0) -> None:
    field.leaves()
    field.pass_by(away)
    field.returns(run)
    field.pass_by(0.0)
    field.gets_ready()
    field.pass_by(0.0)


def test_who_thinks_in_a_silence_pays_for_that_however_often_it_comes_back() -> None:
    def scenario(field: Field) -> None:
        field.pass_by(1.0)
        field.silence(2, 1.5)
        field.pass_by(4.0)
        for run in (2, 2, 3):
            comes_back(field, run)
        field.answers()
        field.pass_by(0.0)
        assert cost(field) == pytest.approx(5.0, abs=ROUNDED)

    in_field(scenario)


def test_the_way_of_a_go_is_not_paid_though_other_messages_were_lost_since() -> None:
    def scenario(field: Field) -> None:
        field.delay = 0.3
        field.answers()
        field.pass_by(1.0)  # 0.3 s until the answer is read, and 0.3 s for the next go
        field.delay, field.lose = 0.0, 1
        field.remote(2).tell_state(Side.BLACK, "hung")
        field.pass_by(1.0)
        comes_back(field, 2)
        field.answers()
        field.pass_by(0.0)
        assert cost(field) == pytest.approx(1.4, abs=ROUNDED)

    in_field(scenario)


def test_nobody_is_given_the_time_before_a_return_whose_first_word_was_lost() -> None:
    def scenario(field: Field) -> None:
        field.pass_by(20.0)
        field.leaves()
        field.pass_by(1.0)
        field.lose = 1
        field.returns(2)
        field.gets_ready()
        field.pass_by(1.0)
        field.answers()
        field.pass_by(0.0)
        assert 21.0 <= cost(field) <= 22.0

    in_field(scenario)


@pytest.mark.parametrize("befalls", ["takeover", "silence"])
def test_who_is_not_ready_is_not_asked_whatever_befalls_its_servers(befalls) -> None:
    def scenario(field: Field) -> None:
        field.pass_by(1.0)
        field.leaves()
        field.returns(2)
        field.pass_by(0.1)
        if befalls == "takeover":
            field.take_over()
        else:
            field.silence(2, 0.5)
        field.pass_by(5.0)
        assert field.bob.asked is None
        field.gets_ready()
        field.pass_by(0.0)
        assert field.bob.asked == 1

    in_field(scenario)


def test_that_a_player_is_away_is_heard_once_and_prolongs_nothing_when_it_is_said_again() -> None:
    def scenario(field: Field) -> None:
        field.leaves()
        field.pass_by(0.0)
        before = field.table.game.deadline
        field.pass_by(5.0)
        assert field.remote(2).say_gone_again(Side.BLACK)
        field.pass_by(0.0)
        assert field.table.game.deadline == before

    in_field(scenario)


def test_who_may_try_again_does_not_pay_while_nobody_can_say_so() -> None:
    def scenario(field: Field) -> None:
        field.pass_by(1.0)
        field.delay = 0.1
        field.answers("e7e4")
        field.pass_by(0.05)
        field.delay = 0.0
        field.silence(2, 2.0)
        field.pass_by(3.0)
        field.answers()
        field.pass_by(0.1)
        assert cost(field) == pytest.approx(1.99, abs=0.02)

    in_field(scenario)


def test_a_death_costs_nothing_though_the_next_server_is_silent_before_anybody_is_ready() -> None:
    def scenario(field: Field) -> None:
        field.kill(2)
        field.pass_by(0.9)
        field.returns(3)
        field.pass_by(0.0)
        field.silence(3, 5.0)
        field.gets_ready()
        field.pass_by(8.1)
        field.answers()
        field.pass_by(0.0)
        assert cost(field) == pytest.approx(3.09, abs=0.02)

    in_field(scenario)


def test_an_answer_that_was_lost_counts_though_its_player_leaves_before_anybody_knows() -> None:
    def scenario(field: Field) -> None:
        field.pass_by(3.0)
        field.lose = 1
        field.answers()
        field.pass_by(0.2)
        field.leaves()
        field.pass_by(0.5)
        assert (len(field.replies), cost(field)) == (1, pytest.approx(3.0))

    in_field(scenario)


def test_a_new_owner_gets_the_answer_that_the_last_one_lost() -> None:
    def scenario(field: Field) -> None:
        field.pass_by(3.0)
        field.take_over()
        field.answers()
        field.pass_by(2.0)
        assert [move.move for move in field.replies] == ["b8c6"]
        assert cost(field) == 0.0

    in_field(scenario)


def test_a_server_that_died_before_anybody_knew_costs_nothing_and_one_that_lives_does() -> None:
    def scenario(field: Field, *, dies: bool) -> None:
        field.pass_by(1.0)
        if dies:
            field.kill(2)
        else:
            field.leaves(noticed=False)
        field.pass_by(0.8)
        field.returns(3)
        field.pass_by(0.1)
        field.gets_ready()
        field.pass_by(0.0)
        field.answers()
        field.pass_by(0.0)
        assert cost(field) == pytest.approx(1.1 if dies else 1.9, abs=ROUNDED)

    for dies in (True, False):
        in_field(partial(scenario, dies=dies))

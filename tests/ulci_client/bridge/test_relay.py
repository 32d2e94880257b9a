"""Conversations: what the server and the engine say, and what each is told then."""

import math

import pytest

from ulci.protocol import Unread
from ulci.protocol.messages import (
    BestMove,
    Blame,
    Clock,
    Go,
    Info,
    IsReady,
    NewGame,
    PonderHit,
    Position,
    ReadyOk,
    Report,
    SetOption,
    Stop,
    Unknown,
)
from ulci.rules import Side
from ulci_client.bridge.relay import EngineSetup, Outgoing, Relay
from ulci_client.bridge.search import SearchPhase
from ulci_client.bridge.watchdog import RESCUE, SILENCE
from ulci_client.engine_settings import MORE_PING

START = Position()
AFTER_E4 = Position(None, ("e2e4",))
E4_E5 = Position(None, ("e2e4", "e7e5"))
E4_C5 = Position(None, ("e2e4", "c7c5"))
GO = Go(60_000, 60_000, 1_000, 1_000)
LATER = Go(58_000, 59_000, 1_000, 1_000)
PONDER = Go(58_000, 60_000, 1_000, 1_000, ponder=True)
E4 = BestMove("e2e4", "e7e5")
CHESS960 = SetOption("UCI_Chess960", "true")


class Talk:
    """A relay, and everything that was sent to either end since it was last asked for."""

    def __init__(self, *, ponder: bool = False) -> None:
        self.relay = Relay(patience=10.0, ponder=ponder)
        self.relay.side = Side.WHITE
        self.at = 0.0
        self._outgoing = Outgoing()
        self._add(self.relay.engine_back(self.at))

    def _add(self, outgoing: Outgoing) -> None:
        self._outgoing.engine += outgoing.engine
        self._outgoing.server += outgoing.server

    def server(self, *messages) -> "Talk":
        for message in messages:
            self._add(self.relay.server_said(message, self.at))
        return self

    def engine(self, *messages) -> "Talk":
        for message in messages:
            self._add(self.relay.engine_said(message, self.at))
        return self

    def after(self, seconds: float) -> "Talk":
        self.at += seconds
        return self

    def overdue(self) -> "Talk":
        """When the relay wants to be called."""
        self.at = self.relay.due
        outgoing = self.relay.overdue(self.at)
        assert isinstance(outgoing, Outgoing), outgoing
        self._add(outgoing)
        return self

    def over(self) -> "Talk":
        self._add(self.relay.game_over(self.at))
        return self

    def line_lost(self) -> "Talk":
        self._add(self.relay.line_lost(self.at))
        return self

    def engine_lost(self) -> "Talk":
        self.relay.engine_lost()
        return self

    def engine_back(self) -> "Talk":
        self._add(self.relay.engine_back(self.at))
        return self

    def told(self) -> tuple[list, list]:
        """(to the engine, to the server)"""
        outgoing, self._outgoing = self._outgoing, Outgoing()
        return outgoing.engine, outgoing.server


@pytest.fixture
def talk() -> Talk:
    return Talk()


@pytest.fixture
def pondering() -> Talk:
    """White's e2e4 is sent, and the engine ponders on e7e5."""
    talk = Talk(ponder=True).server(START, GO).after(3.0).engine(E4)
    assert talk.relay.phase is SearchPhase.PONDERING
    assert talk.told() == ([START, GO, E4_E5, PONDER], [E4])
    return talk


# Searches


def test_a_position_waits_for_its_go_and_both_are_passed_on_together(talk):
    assert talk.server(START).told() == ([], [])
    assert talk.server(GO).told() == ([START, GO], [])


def test_analysis_and_the_answer_are_passed_on_as_they_are(talk):
    talk.server(START, GO).told()
    line = Unread("info depth 1 score cp 20")
    report = Report(Blame.CLIENT, "no book")
    assert talk.engine(line, report, E4).told() == ([], [line, report, E4])


def test_preparations_are_passed_on_and_answered_only_by_the_engine(talk):
    assert talk.server(CHESS960, NewGame(), IsReady()).told() == (
        [CHESS960, NewGame(), IsReady()],
        [],
    )
    assert talk.engine(ReadyOk()).told() == ([], [ReadyOk()])


def test_a_ping_during_a_search_is_the_engines_to_answer(talk):
    talk.server(START, GO).told()
    assert talk.server(IsReady()).told() == ([IsReady()], [])
    assert talk.engine(ReadyOk()).told() == ([], [ReadyOk()])


def test_stop_is_passed_on_only_to_a_search(talk):
    assert talk.server(Stop()).told() == ([], [])
    assert talk.server(START, GO, Stop()).told() == ([START, GO, Stop()], [])
    assert talk.engine(E4).told() == ([], [E4])


def test_nothing_is_set_during_a_search(talk):
    talk.server(START, GO, CHESS960, IsReady())
    assert talk.told() == ([START, GO], [])
    assert talk.engine(E4).told() == ([CHESS960, IsReady()], [E4])


def test_another_go_during_a_search_stops_it_and_each_gets_its_answer(talk):
    talk.server(START, GO, AFTER_E4, LATER)
    assert talk.told() == ([START, GO, Stop()], [])
    assert talk.engine(E4).told() == ([AFTER_E4, LATER], [E4])
    assert talk.engine(BestMove("e7e5")).told() == ([], [BestMove("e7e5")])


def test_a_stop_for_a_go_that_waits_is_said_after_that_go(talk):
    talk.server(START, GO, AFTER_E4, LATER, Stop()).told()
    assert talk.engine(E4).told() == ([AFTER_E4, LATER, Stop()], [E4])


def test_a_new_game_during_a_search_stops_it_first(talk):
    talk.server(START, GO, NewGame(), IsReady())
    assert talk.told() == ([START, GO, Stop()], [])
    assert talk.engine(E4).told() == ([NewGame(), IsReady()], [E4])


def test_what_is_not_for_an_engine_is_not_passed_on(talk):
    assert talk.server(Clock(1, 1), Unknown("joho"), PonderHit()).told() == ([], [])


def test_an_unexpected_bestmove_is_dropped(talk):
    assert talk.engine(E4).told() == ([], [])


def test_readyok_that_nobody_asked_for_is_dropped(talk):
    assert talk.engine(ReadyOk()).told() == ([], [])


# Patience


def test_an_engine_that_waits_must_answer_isready_in_time(talk):
    assert talk.relay.due == math.inf
    talk.after(5.0).server(IsReady())
    assert talk.relay.due == 15.0
    talk.after(1.0).server(IsReady()).engine(ReadyOk())
    assert talk.relay.due == 15.0
    assert talk.relay.overdue(15.0) == "no answer to `isready` within 10 s; " + MORE_PING
    talk.engine(ReadyOk())
    assert talk.relay.due == math.inf


def test_an_engine_that_clears_its_hash_for_a_new_game_gets_the_time_for_it(talk):
    talk.server(NewGame(), IsReady())
    assert talk.relay.due == 40.0
    talk.engine(ReadyOk()).server(IsReady())
    assert talk.relay.due == 10.0


def test_an_engine_that_thinks_need_not_answer_isready(talk):
    talk.server(START, GO, IsReady())
    assert talk.relay.due == 30.0  # half of its clock


def test_an_engine_must_answer_stop_in_time(talk):
    talk.server(START, GO).after(2.0).server(Stop())
    assert talk.relay.due == 12.0
    assert talk.relay.overdue(12.0) == "no answer to `stop` within 10 s; " + MORE_PING
    talk.engine(E4)
    assert talk.relay.due == math.inf


def test_an_engine_must_stop_pondering_in_time(pondering):
    pondering.server(E4_C5, LATER)
    assert pondering.relay.due == 13.0
    pondering.engine(BestMove("g1f3"))
    assert pondering.relay.due == 32.0  # half of the clock of the search that follows


# Pondering


def test_the_expected_move_is_a_ponderhit_and_its_answer_counts(pondering):
    line = Unread("info depth 9 score cp 30")
    pondering.engine(line)
    assert pondering.server(E4_E5, LATER).told() == ([PonderHit()], [])
    assert pondering.engine(line, BestMove("g1f3")).told() == ([], [line, BestMove("g1f3")])


def test_another_move_stops_the_ponder_search_whose_answer_nobody_sees(pondering):
    assert pondering.server(E4_C5, LATER).told() == ([Stop()], [])
    assert pondering.engine(Unread("info depth 9"), BestMove("g1f3")).told() == (
        [E4_C5, LATER],
        [],
    )
    assert pondering.engine(BestMove("b1c3")).told() == ([], [BestMove("b1c3")])


def test_what_comes_while_a_ponder_search_is_being_stopped_keeps_its_order(pondering):
    pondering.server(E4_C5, LATER, IsReady(), Stop())
    assert pondering.told() == ([Stop()], [])
    pondering.engine(BestMove("g1f3"))
    assert pondering.told() == ([E4_C5, LATER, IsReady(), Stop()], [])


@pytest.mark.parametrize(
    "go", [Go(58_000, 59_000, depth=3), Go(movetime=100), Go(58_000, 59_000, searchmoves=("g1f3",))]
)
def test_a_go_with_other_limits_is_no_ponderhit(pondering, go):
    assert pondering.server(E4_E5, go).told() == ([Stop()], [])
    assert pondering.engine(BestMove("g1f3")).told() == ([E4_E5, go], [])


def test_a_position_that_is_only_shown_disturbs_no_pondering(pondering):
    assert pondering.server(AFTER_E4, Clock(1, 1)).told() == ([], [])
    assert pondering.server(E4_E5, LATER).told() == ([PonderHit()], [])


def test_a_ping_during_pondering_is_answered_by_the_engine(pondering):
    assert pondering.server(IsReady()).told() == ([IsReady()], [])
    assert pondering.engine(ReadyOk()).told() == ([], [ReadyOk()])


def test_a_stop_of_the_server_is_not_meant_for_a_ponder_search(pondering):
    assert pondering.server(Stop()).told() == ([], [])
    assert pondering.relay.phase is SearchPhase.PONDERING


def test_a_ponder_search_that_ends_by_itself_is_followed_by_a_real_one(pondering):
    assert pondering.engine(BestMove("g1f3")).told() == ([], [])
    assert pondering.server(E4_E5, LATER).told() == ([E4_E5, LATER], [])


def test_the_end_of_the_game_ends_the_pondering(pondering):
    assert pondering.over().told() == ([Stop()], [])
    assert pondering.engine(BestMove("g1f3")).told() == ([], [])
    assert pondering.relay.phase is SearchPhase.IDLE


def test_a_new_game_ends_the_pondering_before_anything_is_set(pondering):
    assert pondering.server(CHESS960, NewGame(), IsReady()).told() == ([Stop()], [])
    assert pondering.engine(BestMove("g1f3")).told() == ([CHESS960, NewGame(), IsReady()], [])


@pytest.mark.parametrize(
    "answer",
    [
        BestMove("e2e4"),
        BestMove("e2e4", "(none)"),
        BestMove("0000", "e7e5"),
        BestMove("NULL", "e7e5"),
    ],
)
def test_there_is_no_pondering_without_a_move_to_expect(answer):
    talk = Talk(ponder=True).server(START, GO).engine(answer)
    assert talk.told() == ([START, GO], [answer])
    assert talk.relay.phase is SearchPhase.IDLE


def test_there_is_no_pondering_in_a_game_without_clocks():
    talk = Talk(ponder=True).server(START, Go(depth=5)).engine(E4)
    assert talk.told() == ([START, Go(depth=5)], [E4])


def test_there_is_no_pondering_when_the_answer_was_asked_for_by_stop():
    talk = Talk(ponder=True).server(START, GO, Stop()).engine(E4)
    assert talk.told() == ([START, GO, Stop()], [E4])


def test_there_is_no_pondering_after_the_game_is_over():
    talk = Talk(ponder=True).server(START, GO).over().engine(E4)
    assert talk.told() == ([START, GO], [E4])


def test_a_ponderhit_of_the_server_reaches_a_search_that_it_asked_for(talk):
    go = Go(1_000, 1_000, ponder=True)
    assert talk.server(E4_E5, go, PonderHit()).told() == ([E4_E5, go, PonderHit()], [])


# The line breaks


def test_a_search_goes_on_when_the_connection_breaks_and_its_answer_is_given_to_the_same_question(
    talk,
):
    talk.server(START, GO).line_lost()
    assert talk.told() == ([START, GO], [])
    # An engine that reads nothing while it thinks would not say so.
    assert talk.after(5.0).server(IsReady(), START, LATER).told() == ([], [ReadyOk()])
    line = Unread("info depth 12 score cp 3")
    assert talk.engine(line, E4).told() == ([], [line, E4])


def test_isready_during_a_search_is_answered_by_the_engine(talk):
    talk.server(START, GO).told()
    assert talk.server(IsReady()).told() == ([IsReady()], [])
    assert talk.engine(ReadyOk()).told() == ([], [ReadyOk()])
    assert talk.relay.phase is SearchPhase.THINKING


def test_an_answer_found_while_the_connection_was_broken_is_given_to_the_same_question(talk):
    talk.server(START, GO).line_lost().engine(Unread("info depth 1"), E4)
    assert talk.told() == ([START, GO], [])
    assert talk.server(START, LATER).told() == ([], [E4])
    assert talk.relay.phase is SearchPhase.IDLE


def test_after_such_an_answer_it_may_ponder():
    talk = Talk(ponder=True).server(START, GO).line_lost().engine(E4)
    talk.told()
    talk.server(START, LATER)
    assert talk.told() == ([E4_E5, Go(59_000, 59_000, 1_000, 1_000, ponder=True)], [E4])


def test_what_a_server_repeats_on_a_new_connection_does_not_disturb_the_search(talk):
    talk.server(CHESS960, NewGame(), START, GO).line_lost().told()
    assert talk.server(CHESS960, NewGame(), IsReady(), START, LATER).told() == ([], [ReadyOk()])
    assert talk.relay.phase is SearchPhase.THINKING


def test_another_question_on_the_new_connection_drops_the_old_search(talk):
    talk.server(START, GO).line_lost().told()
    assert talk.server(CHESS960, NewGame(), E4_E5, LATER).told() == ([Stop()], [])
    assert talk.engine(E4).told() == ([CHESS960, NewGame(), E4_E5, LATER], [])


def test_another_question_on_the_new_connection_drops_the_old_answer(talk):
    talk.server(START, GO).line_lost().engine(E4).told()
    assert talk.server(CHESS960, E4_E5, LATER).told() == ([CHESS960, E4_E5, LATER], [])


def test_a_search_that_was_being_stopped_is_nobodys_when_the_connection_breaks(talk):
    talk.server(START, GO, Stop()).line_lost().engine(E4)
    assert talk.told() == ([START, GO, Stop()], [])
    assert talk.server(START, GO).told() == ([START, GO], [])


def test_a_game_that_is_over_when_the_line_is_back_ends_the_search(talk):
    talk.server(START, GO).line_lost().told()
    assert talk.over().told() == ([Stop()], [])
    talk.engine(E4)
    assert talk.relay.phase is SearchPhase.IDLE


def test_pondering_ends_when_the_connection_breaks(pondering):
    assert pondering.line_lost().told() == ([Stop()], [])
    assert pondering.engine(BestMove("g1f3")).told() == ([], [])


def test_what_waited_for_an_engine_is_forgotten_when_the_connection_breaks(pondering):
    pondering.server(E4_C5, LATER).line_lost().engine(BestMove("g1f3"))
    assert pondering.told() == ([Stop()], [])


def test_readyok_for_the_old_connection_is_not_given_to_the_new_one(talk):
    talk.server(IsReady()).line_lost().server(IsReady()).told()
    assert talk.engine(ReadyOk()).told() == ([], [])
    assert talk.engine(ReadyOk()).told() == ([], [ReadyOk()])


def test_a_connection_that_breaks_twice_keeps_the_search(talk):
    talk.server(START, GO).line_lost().server(IsReady()).line_lost().told()
    assert talk.engine(ReadyOk(), E4).told() == ([], [])
    assert talk.server(START, LATER).told() == ([], [E4])


def test_an_answer_that_may_have_was_lost_with_the_connection_is_given_to_the_same_question(talk):
    talk.server(START, GO).engine(E4).line_lost().told()
    assert talk.server(CHESS960, NewGame(), IsReady(), START, LATER).told() == (
        [CHESS960, NewGame(), IsReady()],
        [E4],
    )
    assert talk.server(START, LATER).told() == ([START, LATER], [])  # once


def test_one_that_pondered_gives_it_too(pondering):
    pondering.line_lost().server(START, LATER).engine(BestMove("g1f3"))
    engine, server = pondering.told()
    assert server == [E4]
    assert engine[0] == Stop()


def test_an_answer_that_arrived_is_not_given_again(talk):
    talk.server(START, GO).engine(E4).told()
    assert talk.server(START, LATER).told() == ([START, LATER], [])


def test_an_answer_is_not_given_to_another_question_or_in_another_game(talk):
    talk.server(START, GO).engine(E4).line_lost().told()
    assert talk.server(E4_E5, LATER).told() == ([E4_E5, LATER], [])
    talk.engine(E4).line_lost().over().told()
    assert talk.server(E4_E5, LATER).told() == ([E4_E5, LATER], [])
    talk.engine(E4).line_lost().relay.forget()
    talk.told()
    assert talk.server(E4_E5, LATER).told() == ([E4_E5, LATER], [])


# The engine hangs in a search


def test_an_engine_silent_for_half_its_time_is_probed(talk):
    talk.server(START, GO).told()
    assert talk.relay.due == 30.0
    assert talk.overdue().told() == ([IsReady()], [])
    assert talk.engine(ReadyOk()).told() == ([], [])  # for us alone
    assert talk.relay.due == 30.0 + SILENCE  # it reads while it thinks
    assert talk.server(IsReady()).engine(ReadyOk()).told() == ([IsReady()], [ReadyOk()])


def test_an_engine_that_writes_output_is_not_probed(talk):
    talk.server(START, GO).after(25.0).engine(Unread("info depth 9")).told()
    assert talk.overdue().told() == ([], [])
    assert talk.relay.due == 45.0


def test_an_engine_that_stops_talking_hangs_when_it_does_not_answer(talk):
    talk.server(START, GO).after(1.0).engine(Unread("info depth 9")).overdue()
    assert talk.relay.due == 40.0
    assert talk.relay.overdue(40.0) == (
        "it hangs in its search: no output and no answer to `isready` for 10 s"
    )
    talk.engine_lost().told()
    talk.after(10.5).engine_back()
    assert talk.told() == ([START, Go(19_500, 60_000, 1_000, 1_000)], [])


def test_an_engine_that_never_writes_gets_until_the_last_moment(talk):
    talk.server(START, GO).overdue()
    assert talk.relay.due == 60.0 - RESCUE
    assert isinstance(talk.relay.overdue(talk.relay.due), str)


def test_an_engine_is_watched_while_the_line_is_broken_and_after_a_ponderhit(talk, pondering):
    talk.server(START, GO).line_lost()
    assert talk.relay.due == 30.0
    talk.server(START, LATER)
    assert talk.relay.due == 29.0
    pondering.server(E4_E5, LATER)
    assert pondering.relay.due == 3.0 + 29.0


@pytest.mark.parametrize("go", [Go(3_900, 60_000), Go(movetime=60_000), Go(depth=9), Go()])
def test_where_no_clock_would_wait_for_a_fresh_engine_none_is_watched(talk, go):
    talk.server(START, go)
    assert talk.relay.due == math.inf


@pytest.mark.parametrize(
    "end", [lambda talk: talk.engine(E4), lambda talk: talk.over(), lambda talk: talk.engine_lost()]
)
def test_with_the_search_the_watch_ends(talk, end):
    end(talk.server(START, GO))
    assert talk.relay.due == math.inf


# The engine dies


def test_a_new_engine_is_asked_again_with_the_time_that_is_left(talk):
    talk.server(START, GO).told()
    talk.engine_lost().after(4.0).engine_back()
    assert talk.told() == ([START, Go(56_000, 60_000, 1_000, 1_000)], [])
    assert talk.engine(E4).told() == ([], [E4])


def test_what_is_said_while_there_is_no_engine_waits_for_the_next(talk):
    talk.engine_lost().server(CHESS960, NewGame(), IsReady(), START, GO)
    assert talk.told() == ([], [])
    assert talk.engine_back().told() == ([CHESS960, NewGame(), IsReady(), START, GO], [])


def test_a_new_engine_gets_the_isready_that_the_old_one_did_not_answer(talk):
    talk.server(IsReady()).told()
    talk.engine_lost()
    assert talk.relay.due == math.inf
    assert talk.engine_back().told() == ([IsReady()], [])
    assert talk.engine(ReadyOk()).told() == ([], [ReadyOk()])


def test_a_new_engine_is_stopped_where_the_old_one_was_told_to(talk):
    talk.server(START, GO, Stop()).told()
    assert talk.engine_lost().after(1.0).engine_back().told() == (
        [START, Go(59_000, 60_000, 1_000, 1_000), Stop()],
        [],
    )
    assert talk.engine(E4).told() == ([], [E4])


def test_a_new_engine_must_be_told_what_the_server_has_set(talk):
    assert talk.relay.settings == ()
    opponent = SetOption("UCI_Opponent", "none none human Ada")
    talk.server(CHESS960, opponent, NewGame())
    other = SetOption("uci_opponent", "none none human Bob")
    talk.server(other, NewGame())
    assert talk.relay.settings == (CHESS960, other, NewGame())


def test_a_ponder_search_is_not_repeated_by_a_new_engine(pondering):
    assert pondering.engine_lost().engine_back().told() == ([], [])
    assert pondering.server(E4_E5, LATER).told() == ([E4_E5, LATER], [])


def test_a_stop_that_an_engine_died_of_is_not_repeated(pondering):
    pondering.server(E4_C5, LATER).told()
    assert pondering.engine_lost().engine_back().told() == ([E4_C5, LATER], [])


def test_a_search_of_a_broken_connection_is_not_repeated_by_a_new_engine(talk):
    talk.server(START, GO).line_lost().told()
    assert talk.engine_lost().engine_back().told() == ([], [])
    assert talk.server(START, LATER).told() == ([START, LATER], [])


def test_a_disconnection_while_the_engine_is_down_drops_its_search(talk):
    talk.server(START, GO).engine_lost().line_lost().told()
    assert talk.engine_back().told() == ([], [])


def test_analysis_of_a_ponder_search_is_dropped(pondering):
    assert pondering.engine(Info(depth=5), Report(Blame.ERROR, "x")).told() == ([], [])


@pytest.mark.parametrize("message", [CHESS960, NewGame()])
def test_a_setting_is_said_as_it_is(message):
    assert EngineSetup().say(message) == [message]


def test_a_fresh_engine_is_told_the_last_of_every_setting_and_that_a_game_began():
    told = EngineSetup()
    told.say(NewGame())
    told.say(SetOption("Hash", "16"))
    told.say(CHESS960)
    told.say(SetOption("hash", "32"))
    assert told.settings == (NewGame(), SetOption("hash", "32"), CHESS960)


def test_a_new_game_is_the_last_setting_for_a_fresh_engine():
    told = EngineSetup()
    told.say(NewGame())
    told.say(CHESS960)
    told.say(NewGame())
    assert told.settings == (CHESS960, NewGame())


# What is not the engine's


def test_a_move_from_a_book_ends_a_ponder_search_whose_answer_nobody_gets(pondering):
    pondering.server(E4_C5)
    assert pondering.relay.answered_elsewhere(pondering.at).engine == [Stop()]
    assert pondering.relay.engine_said(BestMove("g1f3"), 4.0) == Outgoing()
    assert pondering.relay.phase is SearchPhase.IDLE
    assert pondering.relay.answered_elsewhere(5.0) == Outgoing()


def test_after_a_suspension_a_search_is_not_resumed_but_begun_again():
    relay = Talk().server(START, GO).relay
    relay.line_lost(1.0)
    assert relay.clocks_jumped(1.0).engine == [Stop()]
    assert relay.server_said(START, 2.0) == relay.server_said(LATER, 2.0) == Outgoing()
    assert relay.engine_said(E4, 3.0) == Outgoing(engine=[START, LATER])
    assert relay.clocks_jumped(4.0) == Outgoing()


def test_another_engine_is_told_nothing_that_was_set_for_the_one_before():
    relay = Talk().server(CHESS960, NewGame()).relay
    assert relay.settings == (CHESS960, NewGame())
    relay.other_engine()
    assert relay.settings == ()


def test_an_illegal_guess_of_an_engine_does_not_go_back_to_it(talk):
    talk.relay.ponder = True
    talk.server(START, GO).engine(BestMove("e2e4", "e2e4"))
    assert talk.told() == ([START, GO], [BestMove("e2e4", "e2e4")])
    assert talk.relay.phase is SearchPhase.IDLE

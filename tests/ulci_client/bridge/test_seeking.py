import pytest

from ulci.protocol.messages import Accept, Quit, Seek, Seeks, Terms, Unseek
from ulci_client.bridge.seeking import (
    LAST_WORDS,
    RETRY,
    CycleStage,
    GameBudget,
    SeekCycle,
    SeekRefused,
)

TERMS = Terms(game="chess", time="60+1")
SEEK = [Seek(TERMS)]


@pytest.fixture
def seeking() -> SeekCycle:
    return SeekCycle(TERMS, GameBudget(2))


def test_a_game_that_does_not_count_leaves_its_place_to_the_next():
    seeking = SeekCycle(Terms(), GameBudget(1), waits=True)
    assert seeking.welcomed() == []
    assert seeking.stage is CycleStage.WAITING
    assert seeking.seek("any") == [Seek(Terms())]
    assert seeking.game_on()
    seeking.do_not_count()
    assert seeking.game_over() == []
    assert seeking.stage is CycleStage.WAITING
    assert seeking.game_on()
    assert seeking.game_over() == [Quit()]


def test_it_seeks_from_game_to_game_and_says_goodbye_after_the_last(seeking):
    assert seeking.welcomed() == SEEK
    seeking.game_on()
    assert seeking.game_over() == SEEK
    seeking.game_on()
    assert seeking.game_over() == [Quit()]
    assert seeking.stage is CycleStage.DONE


def test_without_a_number_of_games_it_never_ends():
    seeking = SeekCycle(TERMS, GameBudget())
    said = seeking.welcomed()
    for _ in range(100):
        assert said == SEEK
        seeking.game_on()
        said = seeking.game_over()


def test_players_with_one_budget_never_begin_more_games_than_it_has():
    budget = GameBudget(1)
    first, second = SeekCycle(TERMS, budget), SeekCycle(TERMS, budget)
    assert first.welcomed() == SEEK
    assert second.welcomed() == [Quit()]


def test_an_unsuccessful_seek_returns_its_game_to_the_budget():
    budget = GameBudget(1)
    first, second = SeekCycle(TERMS, budget), SeekCycle(TERMS, budget)
    first.welcomed()
    first.release()
    first.release()
    assert second.welcomed() == SEEK


def test_a_player_that_quits_returns_its_game_at_once():
    budget = GameBudget(1)
    first, second = SeekCycle(TERMS, budget), SeekCycle(TERMS, budget)
    first.welcomed()
    assert first.depart() == [Quit()]
    assert second.welcomed() == SEEK


def test_a_game_that_has_begun_is_not_given_back():
    budget = GameBudget(1)
    first, second = SeekCycle(TERMS, budget), SeekCycle(TERMS, budget)
    first.welcomed()
    first.game_on()
    first.release()
    assert second.welcomed() == [Quit()]


def test_the_end_of_a_game_that_is_told_twice_counts_once(seeking):
    seeking.welcomed()
    seeking.game_on()
    assert seeking.game_over() == SEEK
    assert seeking.game_over() == []


@pytest.mark.parametrize("code", ["busy", "closed", "too-fast"])
def test_a_seek_refused_for_now_is_said_again_later(seeking, code):
    seeking.welcomed()
    assert seeking.refused(code, "not now", at=10.0) == []
    assert seeking.due == 10.0 + RETRY
    assert seeking.alarm() == SEEK
    assert seeking.alarm() == SEEK  # no harm: only `due` rings it
    assert seeking.due == float("inf")


def test_a_permanent_refusal_ends_seeking(seeking):
    seeking.welcomed()
    with pytest.raises(SeekRefused, match="there is no game go"):
        seeking.refused("no-such-game", "there is no game go", at=0.0)


def test_a_refusal_of_something_else_is_ignored(seeking):
    seeking.welcomed()
    seeking.game_on()
    assert seeking.refused("no-game", "what?", at=0.0) == []


def test_asked_to_leave_during_a_game_it_finishes_that_game(seeking):
    seeking.welcomed()
    seeking.game_on()
    assert seeking.leave(0.0) == []
    assert seeking.game_over() == [Quit()]


def test_asked_to_leave_while_seeking_it_goes_once_the_seek_is_known_to_be_gone(seeking):
    seeking.welcomed()
    assert seeking.leave(3.0) == [Unseek(), Seeks()]
    assert seeking.due == 3.0 + LAST_WORDS
    assert seeking.refused("no-such-seek", "gone", at=3.0) == []
    assert seeking.seeks_listed() == [Quit()]


def test_asked_to_leave_it_still_plays_a_game_that_came_before_the_seek_was_gone(seeking):
    seeking.welcomed()
    seeking.leave(0.0)
    seeking.game_on()
    assert seeking.seeks_listed() == []
    assert seeking.game_over() == [Quit()]


def test_asked_to_leave_it_does_not_wait_for_ever_for_a_server_that_says_nothing(seeking):
    seeking.welcomed()
    seeking.leave(0.0)
    assert seeking.alarm() == [Quit()]


def test_asked_to_leave_before_it_is_welcome_it_goes_at_once(seeking):
    assert seeking.leave(0.0) == [Quit()]


def test_back_during_a_game_it_finds_that_the_game_is_still_on(seeking):
    seeking.welcomed()
    seeking.game_on()
    seeking.line_lost()
    assert seeking.stage is CycleStage.AWAY
    assert seeking.welcomed() == [Accept(0)]
    assert seeking.refused("busy", "you are playing", at=0.0) == []
    assert seeking.stage is CycleStage.PLAYING
    assert seeking.game_over() == SEEK


def test_back_while_the_lobby_moves_it_asks_again_whether_the_game_is_still_on(seeking):
    seeking.welcomed()
    seeking.game_on()
    seeking.line_lost()
    assert seeking.welcomed() == [Accept(0)]
    assert seeking.refused("moving", "try again in a second", at=1.0) == []
    assert seeking.in_game
    assert seeking.due == 1.0 + RETRY
    assert seeking.alarm() == [Accept(0)]
    assert seeking.refused("busy", "you are playing", at=7.0) == []
    assert seeking.stage is CycleStage.PLAYING


def test_a_seek_that_a_moving_lobby_may_not_have_heard_is_said_again(seeking):
    assert seeking.welcomed() == SEEK
    assert seeking.refused("moving", "try again in a second", at=1.0) == []
    assert seeking.due == 1.0 + RETRY
    assert seeking.alarm() == SEEK


def test_back_during_a_game_a_search_is_sign_enough(seeking):
    seeking.welcomed()
    seeking.game_on()
    seeking.line_lost()
    seeking.welcomed()
    seeking.game_on()
    assert seeking.stage is CycleStage.PLAYING
    assert seeking.refused("busy", "you are playing", at=0.0) == []
    assert seeking.stage is CycleStage.PLAYING


def test_back_after_the_game_was_lost_it_counts_that_game_and_goes_on():
    seeking = SeekCycle(TERMS, GameBudget(2))
    seeking.welcomed()
    for said in (SEEK, [Quit()]):
        seeking.game_on()
        seeking.line_lost()
        seeking.welcomed()
        assert seeking.refused("no-such-seek", "there is no seek 0", at=0.0) == said


def test_a_game_that_ends_just_as_it_is_back_is_counted_once(seeking):
    seeking.welcomed()
    seeking.game_on()
    seeking.line_lost()
    assert seeking.welcomed() == [Accept(0)]
    assert seeking.game_over() == []
    assert seeking.refused("no-such-seek", "there is no seek 0", at=0.0) == SEEK


def test_back_during_a_game_of_a_match_it_knows_how_many_are_to_come():
    seeking = SeekCycle(TERMS, GameBudget())
    seeking.welcomed()
    seeking.match_goes_on(2)
    seeking.game_on()
    seeking.line_lost()
    assert seeking.welcomed() == [Accept(0)]
    seeking.match_goes_on(2)  # said again
    assert seeking.refused("busy", "", 0.0) == []
    for _ in range(2):
        assert seeking.game_over() == []
        assert seeking.stage is CycleStage.SEEKING
        assert seeking.game_on()
    assert seeking.game_over() == SEEK


def test_back_while_seeking_it_seeks_again_with_the_game_it_holds():
    seeking = SeekCycle(TERMS, GameBudget(1))
    seeking.welcomed()
    seeking.line_lost()
    assert seeking.welcomed() == SEEK


def test_asked_to_leave_during_a_game_it_comes_back_to_finish_it(seeking):
    seeking.welcomed()
    seeking.game_on()
    seeking.line_lost()
    assert seeking.leave(0.0) == []
    assert seeking.stage is CycleStage.AWAY


def test_asked_to_leave_without_a_game_it_does_not_come_back(seeking):
    seeking.welcomed()
    seeking.leave(0.0)
    seeking.line_lost()
    assert seeking.stage is CycleStage.DONE


def test_a_server_that_pairs_by_itself_is_not_asked():
    seeking = SeekCycle(TERMS, GameBudget(2))
    seeking.game_on()
    assert seeking.game_over() == []
    assert seeking.stage is CycleStage.AWAY
    seeking.game_on()
    assert seeking.game_over() == [Quit()]


def test_a_game_that_begins_after_goodbye_is_not_played(seeking):
    seeking.leave(0.0)
    seeking.game_on()
    assert seeking.stage is CycleStage.DONE


@pytest.mark.parametrize(("text", "wait"), [("soon", RETRY), ("later; retry-after 90", 90.0)])
def test_a_seek_that_comes_too_early_is_said_again_when_the_server_says(seeking, text, wait):
    seeking.welcomed()
    seeking.refused("too-fast", text, at=10.0)
    assert seeking.due == 10.0 + wait

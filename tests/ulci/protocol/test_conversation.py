"""The order of messages."""

import pytest

from ulci.protocol import TRANSITIONS, State
from ulci.protocol.conversation import Conversation, advice
from ulci.protocol.messages import (
    BestMove,
    Clock,
    FromClient,
    FromServer,
    Go,
    Hello,
    HelloOk,
    Id,
    Info,
    IsReady,
    Message,
    Position,
    Query,
    Quit,
    ReadyOk,
    Report,
    Resign,
    Response,
    SetOption,
    Stop,
    Unknown,
    kinds_of,
)

OPEN = [state for state in State if state is not State.CLOSED]
CHATTER = {Info, Report, Unknown}


def talk(*kinds: type) -> Conversation:
    conversation = Conversation()
    for kind in kinds:
        assert conversation.take(kind), f"{kind.__name__} in {conversation.state}"
    return conversation


def test_a_conversation_goes_from_hello_to_goodbye():
    assert talk().state is State.SILENT
    assert talk(Hello).state is State.INTRODUCING
    assert talk(Hello, Id, HelloOk).state is State.IDLE
    assert talk(Hello, HelloOk, Position, Go).state is State.THINKING
    assert talk(Hello, HelloOk, Go, Stop).state is State.STOPPING
    assert talk(Hello, HelloOk, Go, Stop, BestMove).state is State.IDLE
    assert talk(Hello, HelloOk, Go, BestMove, Quit).state is State.CLOSED


def test_every_state_can_be_reached_and_every_message_be_said_somewhere():
    assert set(TRANSITIONS) == set(State)
    reached = {state for row in TRANSITIONS.values() for state in row.values()}
    assert reached == set(State)
    said = {kind for row in TRANSITIONS.values() for kind in row}
    assert said == set(kinds_of(Message))
    assert set(kinds_of(FromServer)) | set(kinds_of(FromClient)) == said


@pytest.mark.parametrize("state", OPEN)
def test_chatter_is_always_in_place_and_changes_nothing(state):
    for kind in CHATTER:
        assert TRANSITIONS[state][kind] is state


@pytest.mark.parametrize("state", OPEN)
def test_everybody_may_leave_at_any_time(state):
    assert TRANSITIONS[state][Quit] is State.CLOSED


@pytest.mark.parametrize(
    ("before", "kind"),
    [
        ((), Id),
        ((), HelloOk),
        ((), Go),
        ((), BestMove),
        ((), ReadyOk),
        ((Hello,), Go),
        ((Hello,), SetOption),
        ((Hello,), Resign),
        ((Hello, HelloOk), Id),
        ((Hello, HelloOk), HelloOk),
        ((Hello, HelloOk), BestMove),
        ((Hello, HelloOk), ReadyOk),
        ((Hello, HelloOk, Go), Go),
        ((Hello, HelloOk, Go), Position),
        ((Hello, HelloOk, Go), SetOption),
        ((Hello, HelloOk, Go), Hello),
        ((Hello, HelloOk, Go, BestMove), BestMove),
        ((Hello, HelloOk, IsReady, ReadyOk), ReadyOk),
        ((Hello, HelloOk), Response),
        ((Hello, HelloOk, Query, Response), Response),
        ((Hello,), Query),
        ((Quit,), Info),
    ],
)
def test_messages_out_of_place_are_refused(before, kind):
    conversation = talk(*before)
    state = conversation.state
    assert not conversation.take(kind)
    assert conversation.state is state
    text = advice(kind, conversation.state)
    assert "; " in text
    assert text.isprintable()


def test_a_clock_and_a_word_to_the_lobby_may_come_during_a_search():
    assert talk(Hello, HelloOk, Go, Clock, Resign, IsReady, ReadyOk).state is State.THINKING


def test_a_gui_may_ask_an_engine_for_its_name_twice():
    assert talk(Hello, HelloOk, Hello, Id, HelloOk).state is State.IDLE


def test_answers_are_matched_to_questions_by_counting():
    conversation = talk(Hello, HelloOk, Go, Stop, Position, Go)
    assert (conversation.asked, conversation.answered) == (2, 0)
    assert conversation.take(BestMove)
    assert conversation.state is State.THINKING
    assert (conversation.asked, conversation.answered) == (2, 1)
    assert conversation.take(BestMove)
    assert conversation.state is State.IDLE
    assert not conversation.take(BestMove)


def test_queries_may_be_asked_one_after_the_other_and_during_a_search():
    conversation = talk(Hello, HelloOk, Position, Query, Query, Response, Response, Go, Query)
    assert conversation.state is State.THINKING
    assert conversation.take(Response)
    assert conversation.state is State.THINKING


def test_several_pings_may_be_under_way():
    conversation = talk(Hello, HelloOk, IsReady, IsReady, ReadyOk, ReadyOk)
    assert not conversation.take(ReadyOk)


def test_an_answer_that_never_comes_is_forgiven():
    conversation = talk(Hello, HelloOk, Go, Stop)
    conversation.forgive()
    assert conversation.state is State.IDLE
    assert (conversation.asked, conversation.answered) == (1, 1)
    assert not conversation.take(BestMove)
    assert conversation.take(Go)
    assert conversation.state is State.THINKING


@pytest.mark.parametrize("before", [(), (Hello,), (Hello, HelloOk), (Quit,)])
def test_forgiving_changes_nothing_where_nothing_is_owed(before):
    conversation = talk(*before)
    state = conversation.state
    conversation.forgive()
    assert conversation.state is state

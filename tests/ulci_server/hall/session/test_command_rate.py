"""How many words a client may say."""

import pytest

from ulci.protocol.messages import (
    Accept,
    Games,
    GiveTime,
    PlayerCommand,
    Resign,
    Say,
    Seek,
    Seeks,
    Terms,
    Unseek,
    Who,
)
from ulci_server.hall.session.command_rate import (
    ADDRESS_FACTOR,
    COMMAND_BURST,
    CommandRate,
    command_bucket,
)

FAR, HERE = "192.0.2.7", "127.0.0.1"


def said(
    pace: CommandRate, command: PlayerCommand, *, own=None, host=FAR, present=10, times=1
) -> int:
    """How many of so many words at once are heard."""
    own = own or command_bucket(0)
    return sum(not pace.wait(command, own, host, present, 0) for _ in range(times))


@pytest.mark.parametrize("word", [Say("x"), GiveTime(1)])
def test_a_connection_says_so_many_words_at_once_and_more_later(word):
    pace, own = CommandRate(), command_bucket(0)
    assert said(pace, word, own=own, times=2 * COMMAND_BURST) == COMMAND_BURST
    assert 0 < pace.wait(word, own, FAR, 10, 0) <= 1
    assert pace.wait(word, own, FAR, 10, 1) == 0


@pytest.mark.parametrize("word", [Seek(Terms()), Unseek(), Accept(1), Seeks(), Games(), Who()])
def test_what_many_hear_or_lists_many_costs_more_and_is_never_impossible(word):
    assert 2 <= said(CommandRate(), word, present=10_000_000, times=COMMAND_BURST) < 5
    assert said(CommandRate(), word, present=1000, times=COMMAND_BURST) == COMMAND_BURST // 6


def test_an_address_says_what_a_few_connections_may_and_this_machine_more():
    for host, most in ((FAR, ADDRESS_FACTOR), (HERE, 10), ("", 10)):
        pace = CommandRate()
        heard = sum(said(pace, Say("x"), host=host, times=COMMAND_BURST) for _ in range(10))
        assert heard == most * COMMAND_BURST


def test_anybody_may_resign_at_any_time():
    assert said(CommandRate(), Resign(), times=10 * COMMAND_BURST) == 10 * COMMAND_BURST

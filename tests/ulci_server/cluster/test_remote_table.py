"""A table at another server, as its players and watchers here know it."""

import trio

from tests.support.clock_field import AGREEMENT
from tests.support.facts import started
from ulci.protocol.messages import Clock, Go, Info, Option, OptionType, Position, Resign
from ulci.rules import Outcome, Reason, Side
from ulci_server.cluster import messages as said
from ulci_server.cluster.remote_table import ANSWERED, PACE, RemoteTable
from ulci_server.game import Answered, Away, Back, Commanded, Ruled, notices
from ulci_server.hall.table.spectators import Spectators
from ulci_server.hall.table.state import TableState
from ulci_server.lobby import Profile, lobby_lines

OWNER = 2

BOB = Side.BLACK


class Post:
    """Notes what is sent. Nobody is elsewhere."""

    run = 1

    def __init__(self) -> None:
        self.messages: list[said.AnyMessage] = []

    def send(self, run: int, message: said.AnyMessage) -> None:
        assert run == OWNER
        self.messages.append(message)

    def link(self, player) -> said.Link:
        return said.Link(1, 11, player.profile, player.key)


class Seat:
    """A player whose connection is here."""

    key, gone = "k", False

    def __init__(self) -> None:
        options = {"uci_opponent": Option("UCI_Opponent", OptionType.STRING, "")}
        self.profile = Profile("bob", "bob", options=options)

    def round_trip(self) -> float:
        return 0.02

    def stop_search(self) -> None: ...

    def ask_move(self, position, go) -> None: ...


class Watcher:
    gone = False


def table_at(now: list[float]) -> tuple[RemoteTable, Post]:
    post = Post()
    spectators = Spectators(lambda _: None)
    arguments = post, OWNER, 1, started(1), AGREEMENT, spectators
    return RemoteTable(*arguments, now=lambda: now[0]), post


def state(running: Side | None = BOB) -> TableState:
    here = {"white": "here", "black": "here"}
    return TableState(Clock(60_000, 50_000), running, here)


def test_who_was_back_and_not_asked_does_not_pay_until_it_comes_by_another_line() -> None:
    now, first, second = [0.0], Seat(), Seat()
    table, post = table_at(now)
    table.seated(BOB, first, 0.0)
    table.handle(Back(BOB, 1.0))
    for now[0], session in ((4.0, first), (5.0, second)):
        table.seated(BOB, session, now[0])
    table.handle(Back(BOB, 6.0))
    assert [message.event.delays for message in post.messages] == [(), ((-5.0, -1.0),)]


def test_only_a_new_line_is_introduced_to_the_game_again() -> None:
    now, first, second = [0.0], Seat(), Seat()
    table, post = table_at(now)
    table.seated(BOB, first, 0.0)
    table.introduced(BOB)
    for player in (first, second):
        table.seated(BOB, player, 1.0)
        table.rejoin(BOB, player)
    backs = [message.event for message in post.messages if isinstance(message, said.Happening)]
    assert [len(back.setup) for back in backs] == [0, 1]


def test_an_answer_without_a_question_of_the_owner_is_not_sent() -> None:
    table, post = table_at([0.0])
    table.answered(Answered(BOB, "e7e5", 0.0), may_repeat=False)
    assert post.messages == []


def test_analysis_is_sent_at_its_pace_and_only_if_it_can_be_read() -> None:
    now = [0.0]
    table, post = table_at(now)
    for now[0], info in ((0.0, 1), (PACE / 2, 2), (PACE, 3)):
        table.add_info(BOB, Info(depth=info))
    assert [message.info.depth for message in post.messages] == [1, 3]


def test_nothing_is_sent_while_nobody_owns_the_game_and_a_resignation_is_said_to_the_next() -> None:
    table, post = table_at([0.0])
    table.seated(BOB, player := Seat(), 0.0)
    table.owner = 0
    table.handle(Commanded(BOB, 0.0, Resign()))
    assert post.messages == []
    table.move_to(OWNER, 2)
    assert player in table.here.values()
    assert isinstance(post.messages[-1].event.command, Resign)
    assert {message.epoch for message in post.messages} == {2}


def test_an_owner_is_told_again_who_is_gone_and_a_new_one_is_not() -> None:
    table, post = table_at([0.0])
    table.seated(BOB, player := Seat(), 0.0)
    table.handle(Away(BOB, 0.0))
    player.gone = True
    table.move_to(OWNER, 1)
    table.move_to(OWNER, 2)
    assert [message.event for message in post.messages] == 2 * [Away(BOB, 0.0)]


def test_a_clock_that_runs_is_shown_running_while_the_game_has_an_owner() -> None:
    now = [0.0]
    table, _ = table_at(now)
    table.know(state())
    now[0] = 3.0
    assert table.state().clocks.btime == 47_000
    table.owner = 0
    assert (table.state().clocks.btime, table.state().running) == (50_000, None)


def test_watchers_are_told_nothing_before_all_that_a_new_one_must_know() -> None:
    table, post = table_at([0.0])
    table.watch(watcher := Watcher())
    feed = said.Feed(1, 1, (Position(None, ("e2e4",)),), (), state(), whole=False)
    table.feed(feed)
    assert table.state() is None
    table.feed(said.Feed(1, 1, feed.messages, (), state(), whole=True))
    assert (table.plies, table.state().running) == (1, BOB)
    table.unwatch(watcher)
    assert post.messages == [said.Follow(1, wanted=True), said.Follow(1, wanted=False)]
    assert table.state() is None


def test_what_a_spectator_here_says_comes_back_from_the_owner_to_all() -> None:
    table, post = table_at([0.0])
    table.watch(Watcher())
    table.feed(whole("e2e4"))
    table.spectators.take()
    line = lobby_lines.said("Cy", "hello")
    assert table.chat(line)
    assert post.messages[1:] == [said.Talk(1, line)]
    assert table.spectators.take_talk() == ()
    table.feed(said.Feed(1, 1, (line, Info(string="news")), (), state()))
    assert table.spectators.take_talk() == (line,)
    assert table.spectators.take() == (Info(string="news"),)
    table.owner = 0
    assert not table.chat(line)
    assert len(post.messages) == 2


def whole(*moves: str) -> said.Feed:
    return said.Feed(1, 1, (Position(None, moves),), (), state(), whole=True)


def test_a_new_watcher_is_told_nothing_that_a_player_here_is_past() -> None:
    table, post = table_at([0.0])
    table.watch(Watcher())
    table.feed(whole("e2e4"))
    table.player_told(Position(None, ("e2e4", "e7e5")))
    late = Watcher()
    table.watch(late)
    assert table.snapshot() == ()
    known = (Position(None, ("e2e4",)),)
    assert table.spectators.part_for(late, known) == ()
    assert post.messages == 2 * [said.Follow(1, wanted=True)]
    table.feed(said.Feed(1, 1, (), ((BOB, Info(depth=1)),), state(), whole=False))
    assert table.snapshot() == ()
    table.feed(whole("e2e4", "e7e5"))
    assert [*table.snapshot()][1] == Position(None, ("e2e4", "e7e5"))


def test_a_new_watcher_is_told_at_once_what_players_here_know_too() -> None:
    table, post = table_at([0.0])
    table.watch(Watcher())
    table.feed(whole("e2e4"))
    table.player_told(Position(None, ("e2e4",)))
    table.watch(Watcher())
    assert [*table.snapshot()][1] == Position(None, ("e2e4",))
    table.player_told(Position(None, ("e2e4", "e7e5")))
    feed = said.Feed(1, 1, (Position(None, ("e2e4", "e7e5")),), (), state(), whole=False)
    table.feed(feed)
    assert [*table.snapshot()][1] == Position(None, ("e2e4", "e7e5"))
    assert len(post.messages) == 1


def test_its_watchers_hear_the_end_once() -> None:
    over = notices.over(1, Outcome(Side.WHITE, Reason.RESIGNATION))
    for told in ((), (over,)):
        table, _ = table_at([0.0])
        table.watch(Watcher())
        sent = table.spectators._queue
        table.feed(said.Feed(1, 1, told, (), state(), whole=True))
        table.end(over)
        assert [*sent] == [over]
        assert table.over is over


async def test_a_ruling_waits_for_the_owner_and_not_for_ever(autojump_clock) -> None:
    table, post = table_at([0.0])
    ruling = Ruled(0.0, Outcome(None, Reason.ABORTED), "why")
    answers: list[int | None] = []

    async def rule() -> None:
        answers.append(await table.rule(ruling))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(rule)
        await trio.sleep(ANSWERED / 2)
        table.ruling_heard(said.RulingHeard(1, post.messages[0].number, 1))
    await rule()
    assert answers == [1, None]


def test_a_go_that_was_lost_costs_no_time_since_the_player_came_to_the_table() -> None:
    now, seat = [5.0], Seat()
    table, post = table_at(now)
    table.seated(BOB, seat, 1.0)
    now[0] = 6.0
    table.ask(BOB, said.Ask(11, 1, 1, 3, Position(None, ()), Go(), thought=10.0))
    table.look(BOB, 3)
    assert post.messages == [said.Looked(1, 1, BOB, 3, 5.0)]


def test_an_owner_that_looks_for_who_was_never_asked_hears_again_that_it_is_back() -> None:
    now, seat = [0.0], Seat()
    table, post = table_at(now)
    table.seated(BOB, seat, 0.0)
    table.handle(Back(BOB, 1.0))
    post.messages.clear()
    now[0] = 3.0
    table.look(BOB, 3)
    expect, back = post.messages
    assert (type(expect), expect.again) == (said.Expect, True)
    assert (type(back.event), back.event.delays) == (Back, ((-2.0, 0.0),))

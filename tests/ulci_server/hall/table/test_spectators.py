"""Who watches is told everything, late enough, and out of the players' way."""

import pytest
import trio
import trio.testing

from tests.support.facts import started
from tests.ulci_server.hall.session.test_handlers import hang_up_in_the_middle
from ulci.protocol import Unread
from ulci.protocol.messages import (
    BestMove,
    Clock,
    Go,
    Info,
    Position,
    Quit,
    Resign,
    Score,
    Seek,
    Takeback,
    Terms,
    Unwatch,
    Watch,
)
from ulci.rules import Side
from ulci_server.game import notices
from ulci_server.hall.table.spectators import (
    AT_A_TIME,
    LONGEST_QUEUE,
    MAX_DELAYED,
    MOST_TALK,
    PACE,
    SpectatorBroadcaster,
    Spectators,
)
from ulci_server.lobby import lobby_lines

DELAY = 10.0


class Spectator:
    """Remembers what it is told."""

    def __init__(self, spectators: Spectators) -> None:
        self.heard = []
        self.told = trio.Event()
        self._spectators = spectators

    def tell(self, *messages) -> None:
        self.heard += messages
        self.told.set()

    def hear_chat(self, line) -> None:
        self.tell(line)

    def stop_watching(self) -> None:
        self._spectators.leave(self)


class Busy(Spectator):
    """Cannot be told anything just now."""

    def tell(self, *messages) -> None:
        raise RuntimeError("it is in a game")


def thought(depth: int) -> Info:
    return Info(depth=depth, score=Score(cp=depth))


def at(*moves: str) -> Position:
    return Position(None, moves)


# An audience


@pytest.fixture
def woken() -> list[Spectators]:
    return []


@pytest.fixture
def spectators(woken) -> Spectators:
    return Spectators(woken.append)


def test_where_nobody_watches_nothing_is_kept_but_the_position(spectators, woken):
    spectators.send(at("e2e4"), Clock(1, 2, 0, 0))
    spectators.add_info(Side.WHITE, thought(1))
    spectators.release_delayed_info(0.0, 0.0)
    assert spectators.position == at("e2e4")
    assert (spectators.take(), woken) == ((), [])


def test_what_is_said_wakes_and_is_taken_once(spectators, woken):
    spectators.join(Spectator(spectators))
    spectators.send(at("e2e4"), Clock(1, 2, 0, 0))
    assert woken
    assert spectators.take() == (at("e2e4"), Clock(1, 2, 0, 0))
    assert spectators.take() == ()


def test_an_audience_that_is_not_told_forgets_the_oldest(spectators):
    spectators.join(Spectator(spectators))
    for number in range(3 * LONGEST_QUEUE):
        spectators.send(thought(number))
    assert spectators.take() == tuple(map(thought, range(2 * LONGEST_QUEUE, 3 * LONGEST_QUEUE)))


def test_a_flood_of_talk_displaces_nothing_but_talk(spectators, woken):
    lines = [lobby_lines.said("Cy", str(number)) for number in range(2 * MOST_TALK)]
    spectators.chat(lines[0])
    assert (spectators.take_talk(), woken) == ((), [])  # nobody watches
    spectators.join(Spectator(spectators))
    spectators.send(at("e2e4"))
    for line in lines:
        spectators.chat(line)
    assert spectators.take() == (at("e2e4"),)
    assert spectators.take_talk() == tuple(lines[MOST_TALK:])
    assert spectators.take_talk() == ()


def test_who_is_told_late_is_told_the_newest_board_and_all_words(spectators):
    spectators.join(Spectator(spectators))
    spectators.send(at("e2e4"), Clock(1, 2, 0, 0))
    spectators.send(thought(1), at("e2e4", "e7e5"), Clock(3, 4, 0, 0), thought(2))
    spectators.send(at("e2e4"))  # the last move was taken back
    assert spectators.take() == (thought(1), Clock(3, 4, 0, 0), thought(2), at("e2e4"))


def test_of_what_a_side_thinks_the_newest_is_said_when_its_time_has_come(spectators):
    spectators.join(Spectator(spectators))
    for depth in range(5):
        spectators.add_info(Side.WHITE, thought(depth))
    spectators.add_info(Side.BLACK, thought(20))
    spectators.release_delayed_info(100.0, DELAY)
    spectators.add_info(Side.WHITE, thought(5))
    spectators.release_delayed_info(101.0, DELAY)
    assert spectators.take() == ()
    spectators.release_delayed_info(110.0, DELAY)
    assert spectators.take() == (thought(4), thought(20))
    spectators.release_delayed_info(111.0, DELAY)
    assert spectators.take() == (thought(5),)


def test_however_long_the_delay_only_so_many_thoughts_are_kept(spectators):
    spectators.join(Spectator(spectators))
    for depth in range(2 * MAX_DELAYED):
        spectators.add_info(Side.WHITE, thought(depth))
        spectators.release_delayed_info(float(depth), 1e6)
    assert len(spectators._delayed) == MAX_DELAYED


@pytest.mark.parametrize(
    "line", ["info depth", "info score cp", "info depth 1 string hello", "info \x1b[31m depth x"]
)
def test_a_players_line_is_written_anew_or_not_at_all(spectators, line):
    spectators.join(Spectator(spectators))
    spectators.add_info(Side.WHITE, Unread(line))
    spectators.release_delayed_info(0.0, 0.0)
    assert all(isinstance(said, Info) and said.string is None for said in spectators.take())


# The gallery


@pytest.fixture
async def broadcaster(autojump_clock, nursery) -> SpectatorBroadcaster:
    broadcaster = SpectatorBroadcaster(DELAY)
    nursery.start_soon(broadcaster.run)
    return broadcaster


async def test_all_who_watch_are_told(autojump_clock, broadcaster):
    spectators = broadcaster.open()
    crowd = [Spectator(spectators) for _ in range(3 * AT_A_TIME + 1)]
    for spectator in crowd:
        spectators.join(spectator)
    spectators.send(at("e2e4"))
    await trio.testing.wait_all_tasks_blocked()
    assert all(spectator.heard == [at("e2e4")] for spectator in crowd)


async def test_between_a_few_and_a_few_others_have_their_turn(autojump_clock, broadcaster, nursery):
    spectators = broadcaster.open()
    crowd = [Spectator(spectators) for _ in range(8 * AT_A_TIME)]
    for spectator in crowd:
        spectators.join(spectator)
    told = []

    async def count():
        while len(told) < 12:
            told.append(sum(bool(spectator.heard) for spectator in crowd))
            await trio.lowlevel.checkpoint()

    spectators.send(at("e2e4"))
    nursery.start_soon(count)
    await trio.testing.wait_all_tasks_blocked()
    assert len(set(told)) > 2
    assert all(number % AT_A_TIME == 0 for number in told)


async def test_who_leaves_in_the_middle_of_it_is_told_nothing_more(
    autojump_clock, broadcaster, nursery
):
    spectators = broadcaster.open()
    crowd = [Spectator(spectators) for _ in range(3 * AT_A_TIME)]
    for spectator in crowd:
        spectators.join(spectator)

    async def leave():
        while not crowd[0].heard:
            await trio.lowlevel.checkpoint()
        crowd[-1].stop_watching()

    spectators.send(at("e2e4"))
    nursery.start_soon(leave)
    await trio.testing.wait_all_tasks_blocked()
    assert crowd[-2].heard == [at("e2e4")]
    assert crowd[-1].heard == []


async def test_when_the_game_is_over_all_are_told_and_free(autojump_clock, broadcaster):
    spectators = broadcaster.open()
    spectator = Spectator(spectators)
    spectators.join(spectator)
    spectators.send(at("e2e4"))
    spectators.close()
    await trio.testing.wait_all_tasks_blocked()
    assert spectator.heard == [at("e2e4")]
    assert len(spectators) == 0


async def test_a_bug_with_one_spectator_is_none_of_the_others_business(
    autojump_clock, broadcaster, errors_logged
):
    spectators = broadcaster.open()
    busy, other = Busy(spectators), Spectator(spectators)
    spectators.join(busy)
    spectators.join(other)
    spectators.send(at("e2e4"))
    await trio.testing.wait_all_tasks_blocked()
    assert other.heard == [at("e2e4")]
    assert busy not in spectators
    assert "spectator not told" in errors_logged.take()[0]


async def test_thoughts_are_told_after_the_delay_and_nobody_wakes_for_those_of_unwatched_games(
    autojump_clock, broadcaster
):
    spectators = broadcaster.open()
    spectator = Spectator(spectators)
    spectators.join(spectator)
    began = trio.current_time()
    spectators.add_info(Side.WHITE, thought(7))
    await spectator.told.wait()
    assert DELAY <= trio.current_time() - began <= DELAY + 2 * PACE
    spectators.leave(spectator)
    await trio.sleep(2 * PACE)
    assert broadcaster._watched == {}


async def test_a_watcher_who_waits_gets_nothing_before_the_line_that_names_the_game(
    nursery, autojump_clock
):
    broadcaster = SpectatorBroadcaster(0.0)
    nursery.start_soon(broadcaster.run)
    spectators = broadcaster.open()
    first, late, later = (Spectator(spectators) for _ in range(3))
    heading = lobby_lines.watching(started(7), 1)
    state, over = notices.seen(7, Side.WHITE, "hung"), lobby_lines.error("no-game", "it is over")
    spectators.join(first)
    spectators.join(late, waits=True)
    spectators.send(at("e2e4"), Clock(1, 2, 0, 0), state)
    await trio.testing.wait_all_tasks_blocked()
    assert (len(first.heard), late.heard) == (3, [])
    spectators.send(thought(1), heading, at("e2e4"))
    await trio.testing.wait_all_tasks_blocked()
    assert late.heard == [heading, at("e2e4")]
    spectators.join(later, waits=True)
    spectators.send(at("e2e4", "e7e5"), over)
    spectators.close()
    await trio.testing.wait_all_tasks_blocked()
    assert late.heard[2:] == [at("e2e4", "e7e5"), over]
    assert later.heard == [over]
    assert not len(spectators)


# Watching, through sessions


async def watching(h, name: str = "Cy", game: int = 1):
    client = await h.person(name)
    client.say(Watch(game))
    await client.hear_line(f"watch {game} ")
    return client


async def test_who_comes_late_sees_the_game_as_it_stands_and_then_every_move(
    autojump_clock, server
):
    async with server() as h:
        ada, bob = await h.people()
        await ada.move("e2e4")
        await bob.be_asked()
        await trio.sleep(5)
        cy = await h.person("Cy")
        cy.say(Watch(1))
        assert await cy.hear_line("watch") == (
            "watch 1 white Ada black Bob game chess time 60+1 rated no ply 1"
        )
        assert await cy.hear(Position) == at("e2e4")
        clock = await cy.hear(Clock)
        assert (clock.wtime, clock.btime) == (61_000, 55_000)
        bob.say(BestMove("e7e5"))
        assert await cy.hear(Position) == at("e2e4", "e7e5")
        assert (await cy.hear(Clock)).btime == 56_000
        ada.say(Resign())
        await cy.hear_line("game 1 over result 0-1 reason resignation")
        assert not any(isinstance(message, Go) for message in cy.heard)


async def test_what_is_not_durable_is_shown_to_nobody(autojump_clock, server):
    async with server() as h:
        ada, _ = await h.people()
        await ada.be_asked()
        cy = await watching(h)
        h.journal.hold()
        ada.say(BestMove("e2e4"))
        await trio.sleep(5)
        late = await watching(h, "Di")
        late.say(Unwatch())
        await late.hear_line("unwatch 1")
        assert not any(isinstance(m, Position) and m.moves for m in cy.heard + late.heard)
        h.journal.release()
        assert (await cy.hear(Position)).moves in ((), ("e2e4",))


async def test_a_takeback_is_seen(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.people()
        await ada.move("e2e4")
        await bob.be_asked()
        cy = await watching(h)
        ada.say(Takeback())
        await bob.hear_line("game 1 offer takeback")
        bob.say(Takeback())
        await cy.hear_line("game 1 takeback 1 ply 0")
        assert await cy.hear(Position) == at()


async def test_a_watcher_who_begins_a_game_sees_nothing_more_of_the_other(autojump_clock, server):
    async with server() as h:
        ada, bob = await h.people()
        await ada.be_asked()
        cy = await watching(h)
        await cy.hear(Clock)
        di = await h.person("Di")
        for person, color in ((cy, "white"), (di, "black")):
            person.say(Seek(Terms(color=color)))
            await trio.testing.wait_all_tasks_blocked()
        ada.say(BestMove("e2e4"))
        await bob.be_asked()
        await cy.get_ready()
        await di.get_ready()
        await cy.be_asked()
        assert len(h.hall.tables[1].spectators) == 0
        assert at("e2e4") not in cy.heard


async def test_one_game_is_watched_at_a_time(autojump_clock, server):
    async with server() as h:
        await h.people()
        await h.engine("E1")
        await h.engine("E2")
        cy = await watching(h)
        cy.say(Watch(2))
        await cy.hear_line("watch 2")
        assert [len(h.hall.tables[number].spectators) for number in (1, 2)] == [0, 1]
        cy.say(Unwatch(1))
        await cy.hear_line("error not-watching")
        cy.say(Unwatch(2), Unwatch())
        await cy.hear_line("unwatch 2")
        await cy.hear_line("error not-watching")


async def test_who_plays_does_not_watch_and_what_is_not_played_is_not_watched(
    autojump_clock, server
):
    async with server() as h:
        ada, _ = await h.people()
        await ada.be_asked()
        cy, dan = await h.person("Cy"), await h.person("Dan")
        for person, color in ((cy, "white"), (dan, "black")):
            person.say(Seek(Terms(color=color)))
        await cy.hear_line("game 2 start")
        ada.say(Watch(2))
        await ada.hear_line("error busy")
        eve = await h.person("Eve")
        eve.say(Watch(3))
        await eve.hear_line("error no-such-game")


@pytest.mark.parametrize("how", ["quits", "is cut", "hangs up"])
async def test_a_watcher_who_goes_is_forgotten(autojump_clock, server, how):
    async with server() as h:
        ada, bob = await h.people()
        await ada.be_asked()
        cy = await watching(h)
        if how == "quits":
            cy.say(Quit())
        elif how == "is cut":
            cy.peer.cut("gone")
        else:
            await hang_up_in_the_middle(cy, "unwa")
        await trio.testing.wait_all_tasks_blocked()
        assert len(h.hall.tables[1].spectators) == 0
        ada.say(BestMove("e2e4"))
        await bob.be_asked()


async def test_after_the_end_one_may_watch_another(autojump_clock, server):
    async with server() as h:
        ada, _ = await h.people()
        await ada.be_asked()
        cy = await watching(h)
        ada.say(Resign())
        await cy.hear_line("game 1 over")
        await h.engine("E1")
        await h.engine("E2")
        cy.say(Watch(2))
        await cy.hear_line("watch 2")


async def test_what_the_players_think_is_seen_after_the_delay(autojump_clock, server):
    async with server(delay=30.0) as h:
        white, _ = await h.engines()
        await white.be_asked()
        cy = await watching(h)
        began = trio.current_time()
        white.say(thought(8), thought(9))
        assert await cy.hear(Info) == thought(9)
        assert 30.0 <= trio.current_time() - began <= 30.0 + 3 * PACE


async def test_an_unwatched_game_keeps_no_thoughts(autojump_clock, server):
    async with server() as h:
        white, _ = await h.engines()
        await white.be_asked()
        white.say(thought(8))
        await trio.testing.wait_all_tasks_blocked()
        spectators = h.hall.tables[1].spectators
        assert (spectators._newest, len(spectators._delayed)) == ({}, 0)

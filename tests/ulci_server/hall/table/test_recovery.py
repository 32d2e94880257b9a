"""Which games a new server goes on with, and what had been thought when the old one ended."""

from datetime import timedelta

import pytest
import trio
import trio.testing
from msgspec.structs import replace

from tests.support.facts import ADA, BOB, NOON, happened, played, started
from tests.support.journal import now
from ulci.protocol.messages import (
    BestMove,
    Clock,
    Draw,
    Go,
    Id,
    NewGame,
    OptionType,
    Position,
    Resign,
    Seek,
    SetOption,
    Terms,
    Watch,
)
from ulci.protocol.messages import Option as Offered
from ulci.rules import Reason, Side
from ulci_server.game import EventKind, GameFinished, GameStarted, Happened, MovePlayed
from ulci_server.hall import Downtime, Table
from ulci_server.hall.table.recovery import cannot_return, downtime, thinking
from ulci_server.storage import Noted, RunInfo, Unfinished

W, B = Side.WHITE, Side.BLACK


def noted(*facts, second: float = 0) -> list[Noted]:
    """Each a second after the one before it."""
    return [Noted(fact, NOON + timedelta(seconds=second + n)) for n, fact in enumerate(facts)]


def at(second: float):
    return NOON + timedelta(seconds=second)


def move(ply: int) -> MovePlayed:
    return played(1, ply, "e2e4", seq=ply, side=Side((ply - 1) % 2))


def what(kind: EventKind, side: Side | None = None) -> Happened:
    return happened(1, 1, kind, side=side)


# When the earlier server was last alive


@pytest.mark.parametrize(
    ("beat", "alive", "away"),
    [
        (0.5, 1, 59_000),  # it died before its next heartbeat
        (9, 9, 51_000),  # or it ended in order
        (99, 1, 59_000),  # the clock of the machine was put back since then
        (None, 1, 59_000),  # its run is not known
    ],
)
def test_a_server_was_alive_when_anything_was_last_noted(beat, alive, away):
    game = Unfinished(started(1), at(0), noted(move(1), move(2)))
    before = None if beat is None else RunInfo(1, at(beat), 17)

    down = downtime(game, before, at(60))

    assert (down.alive, down.back, down.ms) == (at(alive), at(60), away)
    known = (0, None) if before is None else (17, at(beat))
    assert (down.slowest, down.beaten) == known


def test_if_all_was_noted_later_than_now_nobody_knows_how_long_the_server_was_away():
    game = Unfinished(started(1), at(0), noted(move(1), second=3600))
    assert downtime(game, RunInfo(1, at(3605)), at(60)).ms is None


def test_of_a_game_of_which_nothing_is_known_nor_its_run_neither_is_that():
    assert downtime(Unfinished(started(1), at(0), []), None, at(60)).ms is None


# What had been thought


@pytest.mark.parametrize(
    ("history", "alive", "thought"),
    [
        ([], 9, 0),  # nobody had moved: the first to move is given what it thought
        ([move(1)], 9.25, 9250),
        ([move(1), move(2)], 9, 8000),
        ([move(1)], -3, 0),  # the clock of the machine went back
        ([move(1), what(EventKind.DRAW_OFFERED, W)], 9, 9000),
        ([move(1), what(EventKind.AWAY, B)], 9, 9000),  # whose line is lost has a clock that runs
        ([move(1), what(EventKind.AWAY, B), what(EventKind.BACK, B)], 9, 9000),
        ([move(1), move(2), what(EventKind.TAKEN_BACK, B)], 9, 0),
    ],
)
def test_the_mover_has_thought_since_the_last_move_was_noted(history, alive, thought):
    assert thinking(noted(*history), Downtime(at(alive), at(60))) == thought


def test_what_a_slow_disk_took_is_not_counted_as_thought():
    history = noted(move(1))
    assert thinking(history, Downtime(at(9), at(60), slowest=2500)) == 6500
    assert thinking(history, Downtime(at(9), at(60), slowest=20_000)) == 0


def test_what_came_after_the_last_heartbeat_is_given_back_since_nobody_knows_when_it_was_asked():
    history = noted(move(1))
    assert thinking(history, Downtime(at(9), at(60), slowest=500, beaten=at(8.5))) == 8000
    assert thinking(history, Downtime(at(9), at(60), slowest=500, beaten=at(0.25))) == 0


@pytest.mark.parametrize("end", [EventKind.PAUSED, EventKind.RESUMED])
@pytest.mark.parametrize(
    ("then", "thought"),
    [
        ([], 0),
        ([what(EventKind.BACK, B)], 7000),  # the mover
        ([what(EventKind.BACK, W)], 0),
        ([what(EventKind.BACK, W), what(EventKind.BACK, B)], 6000),
        ([what(EventKind.BACK, B), what(EventKind.BACK, W)], 7000),
        ([what(EventKind.BACK, B), what(EventKind.AWAY, B), what(EventKind.BACK, B)], 7000),
        ([what(EventKind.BACK, B), move(2)], 0),  # White has not come back
        ([what(EventKind.BACK, B), move(2), what(EventKind.AGAIN, B)], 5000),  # nor needs to
        ([what(EventKind.BACK, W), what(EventKind.BACK, B), move(2)], 5000),
        ([what(EventKind.BACK, B), move(2), what(EventKind.BACK, W)], 5000),
    ],
)
def test_after_an_earlier_end_a_clock_runs_when_its_side_is_back(end, then, thought):
    history = noted(move(1), what(end, B), *then)
    assert thinking(history, Downtime(at(9), at(60))) == thought


def gave_back(kind: EventKind, side: Side, amount: int) -> Happened:
    return happened(1, 1, kind, side=side, amount=amount)


CUT_OFF = happened(1, 1, EventKind.AWAY, side=B, text="its server ended")


@pytest.mark.parametrize(
    ("history", "thought"),
    [
        ([move(1), gave_back(EventKind.AWAY, B, 2000)], 7000),
        ([move(1), gave_back(EventKind.AWAY, B, 2000), gave_back(EventKind.BACK, B, 2500)], 6500),
        ([move(1), gave_back(EventKind.AWAY, B, 2000), move(2)], 7000),  # its next turn
        ([move(1), CUT_OFF, gave_back(EventKind.BACK, B, 1500)], 7000),  # before it went on
        (
            [
                move(1),
                CUT_OFF,
                gave_back(EventKind.BACK, B, 1500),
                gave_back(EventKind.AWAY, B, 1700),
            ],
            6800,
        ),
    ],
)
def test_what_a_player_does_not_pay_for_is_given_back_after_an_end_too(history, thought):
    assert thinking(noted(*history), Downtime(at(9), at(60))) == thought


def test_a_clock_stands_while_its_side_is_cut_off_by_its_server():
    cut_off = happened(1, 1, EventKind.AWAY, side=B, text="its server ended")
    down = Downtime(at(9), at(60))
    assert thinking(noted(move(1), cut_off), down) == 0  # what it had thought is recorded
    assert thinking(noted(move(1), cut_off, what(EventKind.BACK, B)), down) == 7000
    cut_off = replace(cut_off, side=W)
    assert thinking(noted(move(1), cut_off), down) == 9000
    assert thinking(noted(cut_off, move(1), move(2)), down) == 0


DAY = 24 * 3600


@pytest.mark.parametrize(
    ("alive", "back", "heard_ago", "ms"),
    [
        (1, 3.5, None, 2500),
        (1, 1, None, 0),
        (1, 11 * 3600, None, (11 * 3600 - 1) * 1000),
        (3, 1, None, None),
        (1, 1 + DAY, None, None),
        (DAY, 1, None, None),
        (1, 3.5, 2.144, 2144),
        (1, 1 + DAY + 2.144, 2.144, 2144),
        (DAY, 1, 2.144, 2144),
    ],
)
def test_how_long_the_server_was_away_is_told_unless_clocks_make_it_absurd(
    alive, back, heard_ago, ms
):
    assert Downtime(at(alive), at(back), heard_ago=heard_ago).ms == ms


def test_who_has_neither_secret_nor_account_cannot_return():
    ada, bob = replace(ADA, key="5ec2e7"), replace(BOB, account=7)
    assert cannot_return(started(seats=(ada, bob))) == ""
    assert cannot_return(started(seats=(ADA, bob))) == "Ada cannot return to this game"
    assert cannot_return(started(seats=(ADA, BOB))) == "Ada and Bob cannot return to this game"


# Through the hall


async def interrupted(h):
    """Ada and Bob have each moved once, Ada has thought for 3 s more; then the server dies."""
    ada, bob = await h.people()
    await ada.move("e2e4")
    await bob.move("e7e5")
    await ada.be_asked()
    await trio.sleep(3)
    return ada, bob


async def test_a_game_goes_on_after_the_servers_end_and_nobody_pays_for_it(autojump_clock, server):
    async with server() as h:
        ada, bob = await interrupted(h)
        later = await h.resumed()
        assert later.resumes == 1
        [resumed] = later.journal.kinds(Happened)
        assert (resumed.what, resumed.side, resumed.amount) == (EventKind.RESUMED, W, 3000)
        await trio.sleep(5)
        again = await later.back("Ada", ada.secret)
        await again.get_ready()
        assert await again.hear_line("game 1 resumed") == "game 1 resumed downtime 5000"
        assert await again.hear(Position) == Position(None, ("e2e4", "e7e5"))
        assert (await again.be_asked()).wtime == 58_000
        other = await later.back("Bob", bob.secret)
        await other.get_ready()
        await again.hear_line("game 1 opponent back")
        again.say(BestMove("g1f3"))
        await other.hear_line("game 1 resumed downtime 5000")
        go = await other.be_asked()
        assert (go.wtime, go.btime) == (59_000, 61_000)
        assert later.journal.kinds(MovePlayed)[-1].left == 59_000


@pytest.mark.parametrize("first", [0, 1])
async def test_both_return_in_either_order(autojump_clock, server, first):
    async with server() as h:
        people = await interrupted(h)
        later = await h.resumed()
        names, order = ("Ada", "Bob"), (first, 1 - first)
        again = {}
        for index in order:
            again[index] = await later.back(names[index], people[index].secret)
            await again[index].get_ready()
            await again[index].hear_line("game 1 start white Ada black Bob")
        await again[0].move("g1f3")
        await again[1].move("g8f6")
        assert (await again[0].be_asked()).btime is not None
        assert [m.move for m in later.journal.kinds(MovePlayed)] == ["g1f3", "g8f6"]


async def test_the_opponent_is_told_until_when_who_is_not_back_may_come(autojump_clock, server):
    async with server() as h:
        ada, _ = await interrupted(h)
        later = await h.resumed()
        await trio.sleep(2)
        again = await later.back("Ada", ada.secret)
        await again.get_ready()
        assert await again.hear_line("game 1 opponent") == "game 1 opponent away claim-in 18000"


async def test_by_its_account_one_comes_back_without_the_secret(
    autojump_clock, server, authenticator, database
):

    async with server(authenticator=authenticator) as h:
        ada = await h.person("", Id("token", "ada-token"))
        root = await h.person("", Id("token", "root-token"))
        for person, color in ((ada, "white"), (root, "black")):
            person.say(Seek(Terms(color=color)))
            await trio.testing.wait_all_tasks_blocked()
        await ada.get_ready()
        await root.get_ready()
        await ada.be_asked()
        later = await h.resumed(authenticator=authenticator, database=database)
        again = await later.person("", Id("token", "ada-token"))
        await again.get_ready()
        await again.hear_line("game 1 resumed")
        await again.be_asked()


async def test_who_has_a_wrong_secret_is_a_stranger_and_the_name_is_taken(autojump_clock, server):
    async with server() as h:
        await interrupted(h)
        later = await h.resumed()
        stranger = await later.back("Ada", "guess")
        assert any("Ada-2" in getattr(m, "words", ()) for m in stranger.heard)
        assert later.hall.tables[1].seats[0].gone


async def test_a_game_without_a_move_gets_its_setup_again(autojump_clock, server):
    option = Offered("UCI_Opponent", OptionType.STRING, "")
    async with server() as h:
        ada, _ = await h.people()
        await ada.be_asked()
        later = await h.resumed()
        again = await later.person("Ada", Id("resume", ada.secret), option)
        await again.get_ready()
        await again.be_asked()
        said = [m for m in again.heard if isinstance(m, SetOption | NewGame | Go)]
        assert said[:2] == [SetOption("UCI_Opponent", "none none human Bob"), NewGame()]
        assert said[2].wtime == 60_000


async def test_nobody_comes_back_and_the_clock_decides_after_the_grace(autojump_clock, server):
    async with server() as h:
        await interrupted(h)
        later = await h.resumed()
        await trio.sleep(200)
        [end] = later.journal.kinds(GameFinished)
        assert (end.outcome.winner, end.outcome.reason) == (B, Reason.TIME)
        assert later.hall.tables == {}
        assert not later.hall.present


async def test_what_was_on_offer_still_is(autojump_clock, server):
    async with server() as h:
        ada, bob = await interrupted(h)
        bob.say(Draw())
        await ada.hear_line("game 1 offer draw")
        later = await h.resumed()
        again = await later.back("Ada", ada.secret)
        await again.get_ready()
        await again.hear_line("game 1 offer draw from Bob")
        again.say(Draw())
        await again.hear_line("game 1 over result 1/2-1/2 reason agreement")


async def test_a_game_that_goes_on_may_be_watched(autojump_clock, server):
    async with server() as h:
        await interrupted(h)
        later = await h.resumed()
        cy = await later.person("Cy")
        cy.say(Watch(1))
        assert await cy.hear(Position) == Position(None, ("e2e4", "e7e5"))
        assert (await cy.hear(Clock)).wtime == 58_000


async def test_who_can_end_the_game_alone_may_do_so(autojump_clock, server):
    async with server() as h:
        ada, _ = await interrupted(h)
        later = await h.resumed()
        again = await later.back("Ada", ada.secret)
        await again.get_ready()
        again.say(Resign())
        await again.hear_line("game 1 over result 0-1")
        await trio.testing.wait_all_tasks_blocked()
        assert [session.handle for session in later.hall.present] == ["Ada"]


async def test_a_second_end_of_the_server_loses_nothing_either(autojump_clock, server):
    async with server() as h:
        ada, bob = await interrupted(h)
        later = await h.resumed()
        again = await later.back("Ada", ada.secret)
        await again.get_ready()
        await again.be_asked()
        await trio.sleep(2)
        last = await later.resumed(noted=[*h.journal.noted, *later.journal.noted])
        once_more = await last.back("Ada", ada.secret)
        await once_more.get_ready()
        assert (await once_more.be_asked()).wtime == 56_000
        other = await last.back("Bob", bob.secret)
        await other.get_ready()
        await other.hear_line("game 1 resumed")


async def test_numbers_go_on_where_they_were(autojump_clock, server):
    async with server() as h:
        await interrupted(h)
        later = await h.resumed()
        await later.engine("E1")
        await later.engine("E2")
        assert set(later.hall.tables) == {1, 100}


# What cannot go on


def kept(*facts) -> list[Noted]:
    return [Noted(fact, now() - timedelta(seconds=60)) for fact in facts]


KEYED = (replace(ADA, key="aa"), replace(BOB, key="bb"))


async def give_up(h, *facts) -> GameFinished:
    """How the game that the record has ends when a server finds it."""
    later = await h.resumed(noted=kept(*facts))
    assert later.resumes == 0
    assert later.hall.tables == {}
    assert not later.hall.present
    [end] = later.journal.kinds(GameFinished)
    assert end.outcome.reason is Reason.SERVER
    return end


async def test_a_game_whose_players_cannot_come_back_has_no_result(autojump_clock, server):
    async with server() as h:
        end = await give_up(h, started(1))
        assert end.detail == (
            "the server ended during the game, and Ada and Bob cannot return to this game"
        )


async def test_a_game_that_is_not_played_here_any_more_has_no_result(autojump_clock, server):
    async with server() as h:
        end = await give_up(h, started(1, rules="nim", seats=KEYED))
        assert "the game nim is no longer configured" in end.detail


async def test_a_record_that_contradicts_itself_ends_that_game_and_no_other(
    autojump_clock, server, errors_logged
):
    async with server() as h:
        wrong = played(1, 1, "e2e5", seq=1, side=W)
        seats = (replace(ADA, key="cc"), replace(BOB, key="dd"))
        fine = GameStarted(2, "chess", None, "300+3", seats)
        later = await h.resumed(noted=kept(started(1, seats=KEYED), wrong, fine))
        assert later.resumes == 1
        assert set(later.hall.tables) == {2}
        [end] = later.journal.kinds(GameFinished)
        assert (end.game, end.outcome.reason) == (1, Reason.SERVER)
        assert "the stored facts of this game contradict each other" in end.detail
        assert len(later.hall.present) == 2
    assert "stored game contradicts itself" in errors_logged.take()[0]


SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")


async def test_a_game_goes_on_by_the_rule_of_draws_that_it_began_with(autojump_clock, server):
    async with server(claims=True) as h:
        ada, bob = await h.people()
        for ply, move_ in enumerate([*SHUFFLE * 2, "e2e4"]):  # the start occurs three times
            await (ada, bob)[ply % 2].move(move_)
        await bob.be_asked()
        later = await h.resumed(claims=False)
        assert later.resumes == 1
        again = await later.back("Bob", bob.secret)
        await again.get_ready()
        await again.move("e7e5")
        await trio.testing.wait_all_tasks_blocked()
        assert [move.move for move in later.journal.kinds(MovePlayed)] == ["e7e5"]


async def test_a_draw_that_came_by_itself_at_first_still_does(autojump_clock, server):
    async with server(claims=False) as h:
        ada, bob = await h.people()
        for ply, move_ in enumerate([*SHUFFLE, *SHUFFLE[:3]]):
            await (ada, bob)[ply % 2].move(move_)
        await bob.be_asked()
        later = await h.resumed(claims=True)
        again = await later.back("Bob", bob.secret)
        await again.get_ready()
        await again.move(SHUFFLE[3])
        await trio.testing.wait_all_tasks_blocked()
        [end] = later.journal.kinds(GameFinished)
        assert (end.outcome.winner, end.outcome.reason) == (None, Reason.REPETITION)


@pytest.mark.parametrize(("claims", "resumes"), [(True, 1), (False, 0)])
async def test_of_a_game_that_does_not_say_the_configuration_decides(
    autojump_clock, server, errors_logged, claims, resumes
):
    moves = [*SHUFFLE * 2, "e2e4"]
    steps = [
        played(1, ply, move_, seq=ply, side=Side(1 - ply % 2), spent=0, left=left)
        for ply, (move_, left) in enumerate(
            zip(moves, (300_000 + (ply // 2 + 1) * 3000 for ply in range(9)), strict=True), 1
        )
    ]
    async with server() as h:
        later = await h.resumed(noted=kept(started(1, seats=KEYED), *steps), claims=claims)
        assert later.resumes == resumes
    assert len(errors_logged.take()) == 1 - resumes


async def test_a_game_whose_start_is_refused_by_now_ends_and_no_other(autojump_clock, server):
    async with server() as h:
        seats = (replace(ADA, key="cc"), replace(BOB, key="dd"))
        fine = GameStarted(2, "chess", None, "300+3", seats)
        later = await h.resumed(noted=kept(started(1, seats=KEYED, start="8/8 w"), fine))
        assert set(later.hall.tables) == {2}
        [end] = later.journal.kinds(GameFinished)
        assert (end.game, end.outcome.reason) == (1, Reason.SERVER)
        assert "its start or opening is no longer playable: the FEN has 2 fields" in end.detail
        assert len(later.hall.present) == 2


async def test_a_game_whose_time_control_is_not_read_by_now_ends_and_no_other(
    autojump_clock, server
):
    """A newer program may have written it, or somebody has changed it."""
    async with server() as h:
        seats = (replace(ADA, key="cc"), replace(BOB, key="dd"))
        fine = GameStarted(2, "chess", None, "300+3", seats)
        spoilt = started(1, seats=KEYED, control="as it pleases")
        later = await h.resumed(noted=kept(spoilt, fine))
        assert set(later.hall.tables) == {2}
        [end] = later.journal.kinds(GameFinished)
        assert (end.game, end.outcome.reason) == (1, Reason.SERVER)
        assert "its time control 'as it pleases' cannot be read here" in end.detail


async def test_a_game_whose_resumption_fails_for_a_reason_that_nobody_foresaw_ends_and_no_other(
    autojump_clock, server, monkeypatch, errors_logged
):
    begin = Table.resume

    def fail(table, *args) -> None:
        if table.id == 1:
            raise RuntimeError("a bug")
        begin(table, *args)

    monkeypatch.setattr(Table, "resume", fail)
    async with server() as h:
        seats = (replace(ADA, key="cc"), replace(BOB, key="dd"))
        fine = GameStarted(2, "chess", None, "300+3", seats)
        later = await h.resumed(noted=kept(started(1, seats=KEYED), fine))
        assert set(later.hall.tables) == {2}
        [end] = later.journal.kinds(GameFinished)
        assert (end.game, end.outcome.reason) == (1, Reason.SERVER)
        assert len(later.hall.present) == 2
    assert "game not resumed" in errors_logged.take()[0]


async def test_a_game_that_was_over_but_for_its_last_line_is_over(autojump_clock, server):
    async with server() as h:
        mate = [
            played(1, ply, move, seq=ply, side=Side((ply - 1) % 2), spent=0, left=left)
            for ply, (move, left) in enumerate(
                [("f2f3", 303_000), ("e7e5", 303_000), ("g2g4", 306_000), ("d8h4", 306_000)], 1
            )
        ]
        later = await h.resumed(noted=kept(started(1, seats=KEYED), *mate))
        await trio.testing.wait_all_tasks_blocked()
        [end] = later.journal.kinds(GameFinished)
        assert (end.outcome.winner, end.outcome.reason) == (B, Reason.CHECKMATE)
        assert later.hall.tables == {}
        assert not later.hall.present

"""Games that begin with moves of a book, at their tables."""

from collections.abc import Sequence

import pytest
import trio.testing
from msgspec import structs

from tests.support.facts import ADA, BOB, NOON, started
from tests.ulci_server.hall.conftest import POOL
from ulci.protocol.messages import BestMove, IsReady, Position, ReadyOk, Takeback, Watch
from ulci.rules import GAMES, Reason, Side
from ulci_server.game import GameFinished, GameStarted, MovePlayed
from ulci_server.lobby import Agreement
from ulci_server.storage import Noted

BOOK = ("e2e4", "c7c5", "g1f3")


def agreement(opening: Sequence[str], rules: str = "chess", start: str | None = None) -> Agreement:
    game = GAMES[rules]
    return Agreement(game, POOL.control, start, rated=False, pool="chess", opening=(*opening,))


async def people(h, agreed: Agreement):
    """Ada has White, and Bob has Black, who is asked first after three plies."""
    ada, bob = await h.person("Ada"), await h.person("Bob")
    pair = [h.hall.lobby.known(name).player for name in ("Ada", "Bob")]
    h.hall.begin_game(7, agreed, (pair[0], pair[1]), pytest.fail)
    await ada.get_ready()
    await bob.get_ready()
    return ada, bob


def positions(client) -> list[Position]:
    return [message for message in client.heard if isinstance(message, Position)]


async def test_the_players_hear_the_moves_of_the_opening_from_the_first_ply(autojump_clock, server):
    async with server() as h:
        ada, bob = await people(h, agreement(BOOK))
        assert (await ada.hear_line("game 7 start")).endswith("lag none book 3")
        go = await bob.be_asked()
        assert (go.wtime, go.btime) == (60_000, 60_000)
        assert positions(bob) == [Position(None, BOOK)]
        bob.say(BestMove("d7d6"))
        await ada.be_asked()
        assert positions(ada)[-1] == Position(None, (*BOOK, "d7d6"))
        [begun] = h.journal.kinds(GameStarted)
        assert begun.opening == BOOK
        [move] = h.journal.kinds(MovePlayed)
        assert (move.ply, move.side) == (4, Side.BLACK)


async def test_moves_of_the_opening_are_recorded_as_the_game_spells_them(autojump_clock, server):
    castling = "rn2k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    async with server() as h:
        await people(h, agreement(("E1C1", "e8g8"), start=castling))
        [begun] = h.journal.kinds(GameStarted)
        assert begun.opening == ("e1c1", "e8g8")


@pytest.mark.parametrize(
    ("rules", "opening", "asked"),
    [
        ("liberty", ("e2e4", "e7e5", "g1f3", "b8c6"), Side.WHITE),
        ("atomic", ("g1f3", "f7f6", "e2e3"), Side.BLACK),
        ("crazyhouse", ("e2e4", "d7d5", "e4d5", "d8d5"), Side.WHITE),
    ],
)
async def test_other_games_begin_with_openings_too(autojump_clock, server, rules, opening, asked):
    async with server() as h:
        players = await people(h, agreement(opening, rules))
        await players[asked].be_asked()
        assert positions(players[asked]) == [Position(None, opening)]


async def test_watchers_are_told_how_many_plies_are_of_a_book(autojump_clock, server):
    async with server() as h:
        await people(h, agreement(BOOK))
        eve = await h.person("Eve")
        eve.say(Watch(7))
        assert (await eve.hear_line("watch 7")).endswith("ply 3 book 3")
        assert await eve.hear(Position) == Position(None, BOOK)


@pytest.mark.parametrize(
    ("opening", "why"),
    [
        (("e2e4", "e2e4"), "ply 2 of the opening, e2e4, is illegal: "),
        (("f2f3", "e7e5", "g2g4", "d8h4"), "the opening ends the game at ply 4, d8h4: won by"),
    ],
)
async def test_a_game_whose_opening_cannot_be_played_does_not_begin(
    autojump_clock, server, opening, why
):
    async with server() as h:
        for name in ("Ada", "Bob"):
            await h.person(name)
        pair = [h.hall.lobby.known(name).player for name in ("Ada", "Bob")]
        failed: list[str] = []
        h.hall.begin_game(7, agreement(opening), (pair[0], pair[1]), failed.append)
        [said] = failed
        assert said.startswith(why)
        assert not h.hall.tables
        assert h.journal.kinds(GameStarted) == []


async def test_the_opening_outlives_the_server(autojump_clock, server):
    async with server() as h:
        ada, bob = await people(h, agreement(BOOK))
        await bob.move("d7d6")
        await ada.move("d2d4")
        await bob.be_asked()
        later = await h.resumed()
        assert later.resumes == 1
        again = await later.back("Bob", bob.secret)
        await again.get_ready()
        assert (await again.hear_line("game 7 start")).endswith("book 3")
        await again.be_asked()
        assert positions(again) == [Position(None, (*BOOK, "d7d6", "d2d4"))]
        again.say(Takeback(3))
        await again.hear_line("error no-takeback so many moves were not made")
        [table] = later.hall.tables.values()
        assert table.agreement.opening == BOOK


async def test_who_comes_back_before_the_first_move_of_its_own_is_prepared_anew(
    autojump_clock, server
):
    async with server() as h:
        ada, bob = await people(h, agreement(BOOK))
        await bob.be_asked()
        ada.peer.cut("the line is lost")
        await bob.hear_line("game 7 opponent away")
        again = await h.back("Ada", ada.secret)
        await again.hear(IsReady)
        again.say(ReadyOk())
        await bob.hear_line("game 7 opponent back")
        await trio.testing.wait_all_tasks_blocked()
        bob.peer.cut("the line is lost")
        back = await h.back("Bob", bob.secret)
        await back.get_ready()
        await back.be_asked()
        assert positions(back) == [Position(None, BOOK)]


async def test_a_game_whose_stored_opening_cannot_be_played_ends_and_no_other(
    autojump_clock, server
):
    seats = (structs.replace(ADA, key="cc"), structs.replace(BOB, key="dd"))
    async with server() as h:
        spoilt = started(seats=seats, opening=("e2e5",))
        later = await h.resumed(noted=[Noted(spoilt, NOON)])
        assert later.resumes == 0
        [end] = later.journal.kinds(GameFinished)
        assert end.outcome.reason is Reason.SERVER
        assert "no longer playable: ply 1 of the opening, e2e5, is illegal" in end.detail

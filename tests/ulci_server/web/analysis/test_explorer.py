"""What was played here."""

import pytest
import trio
import trio.testing

from tests.support.facts import finished, happened, noted, played, started
from tests.ulci_server.web.analysis.asking import ask
from tests.ulci_server.web.test_games import facts
from tests.ulci_server.web.test_openapi import OPENAPI, fits
from ulci.net import Turns
from ulci.rules import GAMES, Reason, Side
from ulci_server.game import EventKind
from ulci_server.storage import StorageError
from ulci_server.web.analysis import explorer
from ulci_server.web.analysis.explorer import FIRST_PLIES, MOST_GAMES, PAGE, Explorer
from ulci_server.web.archive import Archive


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """A busy machine has read all games, too, however long that takes."""
    monkeypatch.setattr(explorer, "PATIENCE", 60)


def save(site, number: int, moves: str, winner=Side.WHITE, reason=Reason.RESIGNATION, **start):
    record = facts(number, moves, **start)
    site.database.save(noted([*record, finished(number, winner, reason)]))


async def told(site, moves: str = "", **asked) -> dict[str, tuple[int, int, int]]:
    answer = (await ask(site, "explorer", rules="chess", moves=moves.split(), **asked)).json
    return {each["san"]: (each["white"], each["drawn"], each["black"]) for each in answer["moves"]}


async def test_moves_are_counted_with_their_results_the_most_frequent_first(web):
    async with web() as site:
        save(site, 1, "e2e4 e7e5 g1f3")
        save(site, 2, "e2e4 c7c5", Side.BLACK)
        save(site, 3, "d2d4", None, Reason.AGREEMENT)
        save(site, 4, "e7e5 g1f3", opening=("e2e4",))
        save(site, 5, "e2e4", rules="liberty")
        save(site, 6, "c2c4", None, Reason.ABORTED)
        site.database.save(noted(facts(7, "b2b3")))
        found = await told(site)
        assert list(found.items()) == [("e4", (2, 0, 1)), ("d4", (0, 1, 0))]
        assert await told(site, "e2e4") == {"e5": (2, 0, 0), "c5": (0, 0, 1)}
        assert await told(site, "d2d4") == {}
        answer = await ask(site, "explorer", rules="chess")
        described = OPENAPI["paths"]["/api/analysis/explorer"]["post"]["responses"]["200"]
        assert fits(answer.json, described["content"]["application/json"]["schema"])
        assert answer.json["whole"] is True
        assert (await ask(site, "explorer", rules="chess", moves=["e2e5"])).status == 400


async def test_a_game_whose_beginning_was_taken_back_is_left_out(web):
    async with web() as site:
        record = [
            started(1),
            played(1, 1, "e2e4", seq=1, side=Side.WHITE),
            happened(1, 2, EventKind.TAKEN_BACK, amount=1, ply=1),
            played(1, 1, "d2d4", seq=3, side=Side.WHITE),
        ]
        site.database.save(noted([*record, finished(1)]))
        assert await told(site) == {}


async def test_games_that_end_later_are_told_later(web):
    async with web() as site:
        site.database.save(noted(facts(1, "d2d4")))
        for number in range(2, PAGE + 10):
            save(site, number, "e2e4 e7e5")
        archive = Archive(site.database, GAMES, 0, Turns())
        known = Explorer(site.database, archive)
        await known.read()
        assert {each.move for each in explorer.explored(known.lines, "chess", None, [])} == {"e2e4"}
        site.database.save(noted([finished(1)]))
        await known.read()
        games = {
            each.move: each.games for each in explorer.explored(known.lines, "chess", None, [])
        }
        assert games == {"e2e4": PAGE + 8, "d2d4": 1}


async def test_the_newest_games_are_kept(web, monkeypatch):
    monkeypatch.setattr(explorer, "MOST_GAMES", 3)
    async with web() as site:
        for number, move in enumerate(("a2a3", "b2b3", "c2c3", "d2d3", "e2e3"), 1):
            save(site, number, move)
        known = Explorer(site.database, Archive(site.database, GAMES, 0, Turns()))
        await known.read()
        moves = [each.move for each in explorer.explored(known.lines, "chess", None, [])]
        assert moves == ["c2c3", "d2d3", "e2e3"]


async def test_a_database_that_does_not_answer_is_asked_again(web, monkeypatch):
    monkeypatch.setattr(explorer, "OLD_AFTER", 0.0)
    async with web() as site:
        save(site, 1, "e2e4")
        find = site.database.games.find

        def broken(**_):
            monkeypatch.setattr(site.database.games, "find", find)
            raise StorageError("no database")

        monkeypatch.setattr(site.database.games, "find", broken)
        assert (await ask(site, "explorer", rules="chess")).status == 503
        await trio.testing.wait_all_tasks_blocked()
        assert await told(site) == {"e4": (1, 0, 0)}


def test_what_is_asked_looks_only_at_lines_that_begin_so():
    class Counting(list):
        looks = 0

        def __getitem__(self, index):
            self.looks += 1
            return super().__getitem__(index)

    begin = "chess\x1f\x1f"
    lines = Counting(sorted(f"{begin}a{n:05} b \x1e1-0" for n in range(MOST_GAMES)))
    (found,) = explorer.explored(lines, "chess", None, ["a00042"])
    assert (found.move, found.games) == ("b", 1)
    assert lines.looks < 20


async def test_deep_positions_are_not_looked_for(web):
    async with web() as site:
        pawns = [f"{file}2{file}3 {file}7{file}6" for file in "abcdefgh"]
        pawns += [f"{file}3{file}4 {file}6{file}5" for file in "abcd"]
        moves = " ".join(pawns).split()
        assert len(moves) == FIRST_PLIES
        save(site, 1, " ".join([*moves, "e3e4"]))
        assert await told(site, " ".join(moves)) == {}
        assert set(await told(site, " ".join(moves[:-1]))) == {"d5"}


@pytest.mark.parametrize("rules", ["nim", "x"])
async def test_games_that_are_not_judged_here_are_refused(web, rules):
    async with web() as site:
        assert (await ask(site, "explorer", rules=rules)).status == 400

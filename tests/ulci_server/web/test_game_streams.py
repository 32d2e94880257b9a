"""What event streams carry, and what they never do."""

import pytest
import structlog.testing
import trio
import trio.testing

from tests.support.facts import finished, noted
from tests.support.servers import until
from tests.ulci.net.test_turns import Loop
from tests.ulci_server.web.test_games import facts
from ulci.net import Turns
from ulci.protocol.messages import BestMove, Info, Resign, Say, Score, Takeback
from ulci.rules import Side
from ulci_server.lobby import lobby_lines
from ulci_server.storage import StorageError
from ulci_server.web import all_games, event_stream, feed
from ulci_server.web.answers import SiteContext
from ulci_server.web.archive import Archive
from ulci_server.web.event_stream import FINAL
from ulci_server.web.quotas import Quotas

GAME = "/api/games/1/events"


async def test_a_stream_begins_with_the_game_and_goes_on_with_its_moves(web):
    async with web() as site:
        ada, bob = await site.game()
        async with site.stream(GAME) as stream:
            assert stream.answer.headers["content-type"].startswith("text/event-stream")
            name, game = await stream.event()
            assert (name, game["moves"], game["state"]) == ("game", [], "running")
            assert game["clocks"]["running"] == "white"
            ada.say(BestMove("e2e4"))
            name, move = await stream.event()
            assert name == "move"
            assert (move["ply"], move["side"], move["move"], move["san"]) == (
                1, "white", "e2e4", "e4",
            )  # fmt: skip
            assert move["board"]["ranks"][4] == "....P..."
            assert move["clocks"]["running"] == "black"
            assert "now" in move
            bob.say(Resign())
            over = await stream.until("over")
            assert (over["result"], over["reason"]) == ("1-0", "resignation")
            assert await stream.rest() == b""
        assert stream.ids[-1] == FINAL
        assert stream.ids == sorted(stream.ids)


async def test_a_stream_of_a_game_with_an_opening_has_its_moves_before_anybody_is_asked(web):
    async with web() as site:
        players = await site.opened(("e2e4", "e7e5"))
        async with site.stream("/api/games/7/events") as stream:
            game = await stream.until("game")
            assert [move["san"] for move in game["moves"]] == ["e4", "e5"]
            assert (game["plies"], game["book"]) == (2, 2)
            for client in players:
                await client.get_ready()
            await players[0].move("g1f3")
            move = await stream.until("move")
            assert (move["ply"], move["side"], move["san"]) == (3, "white", "Nf3")
            players[1].say(Resign())
            await stream.until("over")


async def test_who_comes_late_gets_all_moves_with_their_ledger(web):
    async with web() as site:
        ada, bob = await site.game()
        ada.say(BestMove("e2e4"))
        await bob.move("e7e5")
        await ada.be_asked()
        async with site.stream(GAME) as stream:
            game = await stream.until("game")
            assert [move["san"] for move in game["moves"]] == ["e4", "e5"]
            assert game["moves"][0]["spent_ms"] is not None


async def test_a_lost_line_goes_on_after_the_last_event_that_it_brought(web):
    async with web() as site:
        ada, bob = await site.game()
        async with site.stream(GAME) as stream:
            await stream.until("game")
            ada.say(BestMove("e2e4"))
            await stream.until("move")
            last = stream.ids[-1]
        await bob.move("e7e5")
        await ada.be_asked()
        async with site.stream(GAME, {"Last-Event-ID": str(last)}) as stream:
            name, move = await stream.event()
            assert name == "move"
            assert move["san"] == "e5"
        async with site.stream(GAME, {"Last-Event-ID": "17"}) as stream:
            assert (await stream.event())[0] == "game"


async def test_who_does_not_follow_hears_what_was_missed_and_no_more(web):
    async with web() as site:
        ada, _ = await site.game()
        async with site.stream(f"{GAME}?follow=no") as stream:
            assert (await stream.event())[0] == "game"
            assert await stream.rest() == b""
        seen = {"Last-Event-ID": str(stream.ids[-1])}
        async with site.stream(GAME) as following:
            await following.until("game")
            ada.say(BestMove("e2e4"))
            await following.until("move")
        async with site.stream(f"{GAME}?follow=no", seen) as stream:
            name, move = await stream.event()
            assert (name, move["san"]) == ("move", "e4")
            assert await stream.rest() == b""


async def test_json_lines_carry_the_same(web):
    async with web() as site:
        ada, _ = await site.game()
        for path, headers in (
            (f"{GAME}.ndjson", {}),
            (GAME, {"Accept": "application/x-ndjson"}),
        ):
            async with site.stream(path, headers) as stream:
                assert stream.answer.headers["content-type"] == "application/x-ndjson"
                game = await stream.line()
                assert (game["event"], game["id"]) == ("game", 1)
        async with site.stream(f"{GAME}.ndjson") as stream:
            await stream.line()
            ada.say(BestMove("e2e4"))
            assert (await stream.line())["event"] == "move"


async def test_a_takeback_is_told_with_the_board_before(web):
    async with web() as site:
        ada, bob = await site.game()
        async with site.stream(GAME) as stream:
            await stream.until("game")
            ada.say(BestMove("e2e4"))
            await stream.until("move")
            ada.say(Takeback())
            await bob.hear_line("game 1 offer takeback")
            bob.say(Takeback())
            back = await stream.until("takeback")
            assert back["ply"] == 0
            assert back["board"]["ranks"][6] == "PPPPPPPP"


async def test_thoughts_come_late_and_say_whose_they_are(web):
    async with web(delay=0.05) as site:
        ada, _ = await site.game()
        async with site.stream(GAME) as stream:
            await stream.until("game")
            ada.say(Info(depth=9, score=Score(cp=31), pv=("e2e4",)))
            thought = await stream.until("info")
            assert (thought["side"], thought["depth"], thought["score_cp"]) == ("white", 9, 31)
            assert thought["pv"] == ["e2e4"]


async def test_thoughts_recorded_with_a_move_are_not_told_before_their_time(web):
    async with web(delay=100) as site:
        ada, bob = await site.game()
        ada.say(Info(depth=9, score=Score(cp=31), pv=("e2e4",)), BestMove("e2e4"))
        await bob.be_asked()
        assert site.database.games.moves(1)[0].info.depth == 9
        game = (await site.ask("/api/games/1")).json
        assert game["moves"][0]["depth"] is None
        assert game["moves"][0]["spent_ms"] is not None
        assert "%eval" not in (await site.ask("/api/games/1.pgn")).text
        async with site.stream(GAME) as stream:
            assert (await stream.until("game"))["moves"][0]["score_cp"] is None


async def test_chat_and_secrets_are_not_told(web):
    async with web() as site:
        ada, bob = await site.game()
        async with site.stream(f"{GAME}.ndjson") as stream, site.stream("/api/events") as every:
            ada.say(Say("psst"), BestMove("e2e4"))
            await bob.be_asked()
            bob.say(Resign())
            told = await stream.rest()
            await every.until("over")
        for path in ("/api/games/1", "/api/games/1/why", "/api/games/1.pgn", "/api/games"):
            told += (await site.ask(path)).body
        assert b"psst" not in told
        assert b"secret" not in told
        assert b"key" not in told


async def test_a_finished_game_is_one_event_and_nothing_after_it(web):
    async with web() as site:
        site.database.save(noted([*facts(), finished(1, Side.BLACK)]))
        async with site.stream(GAME) as stream:
            name, game = await stream.event()
            assert (name, game["state"]) == ("game", "finished")
            assert await stream.rest() == b""
        again = await site.ask(GAME, {"Last-Event-ID": str(stream.ids[-1])})
        assert again.status == 204
        assert (await site.ask("/api/games/2/events")).status == 404


async def test_all_games_are_told_in_one_stream(web):
    async with web() as site, site.stream("/api/events") as stream:
        ada, bob = await site.game()
        started = await stream.until("started")
        assert (started["id"], started["white"]["name"]) == (1, "Ada")
        ada.say(BestMove("e2e4"))
        move = await stream.until("move")
        assert (move["id"], move["ply"], move["side"], move["move"]) == (1, 1, "white", "e2e4")
        bob.say(Resign())
        over = await stream.until("over")
        assert (over["id"], over["result"], over["reason"]) == (1, "1-0", "resignation")


async def beginnings_and_ends(stream, games):
    """Of so many games, in order: the name of the event and the number of the game."""
    told = []
    while [name for name, _ in told].count("over") < games:
        name, document = await stream.event()
        if name != "move":
            told.append((name, document["id"]))
    return told


async def play_quickly(site, games):
    """Games that are over before anybody looks."""
    for _ in range(games):
        ada, bob = await site.game()
        ada.say(BestMove("e2e4"))
        await bob.be_asked()
        bob.say(Resign())
        await ada.hear_line("game")
        for client in (ada, bob):
            await client.peer.aclose()


async def test_every_game_is_told_once_however_short_it_is(web):
    async with web() as site, site.stream("/api/events") as stream:
        await play_quickly(site, 5)
        first = await stream.until("started")
        assert (first["state"], first["plies"], first["result"]) == ("running", 0, None)
        told = [("started", first["id"]), *await beginnings_and_ends(stream, 5)]
        assert sorted(told) == sorted(
            (name, n) for n in range(1, 6) for name in ("started", "over")
        )
        for name in ("started", "over"):
            assert [number for event, number in told if event == name] == [1, 2, 3, 4, 5]
        assert all(told.index(("started", n)) < told.index(("over", n)) for n in range(1, 6))


async def test_games_of_the_time_of_a_lost_line_are_told_to_who_comes_back(web):
    async with web() as site:
        async with site.stream("/api/events") as stream:
            await play_quickly(site, 1)
            await stream.until("over")
        await play_quickly(site, 2)
        last = {"Last-Event-ID": str(stream.ids[-1])}
        async with site.stream("/api/events", last) as stream:
            told = await beginnings_and_ends(stream, 2)
        assert sorted(told) == [("over", 2), ("over", 3), ("started", 2), ("started", 3)]


async def test_who_comes_back_too_late_begins_with_what_happens_next(web, monkeypatch):
    monkeypatch.setattr(all_games, "LINGER", 0.0)
    async with web() as site, trio.open_nursery() as nursery:
        turns = Turns()
        archive, quotas = Archive(site.database, site.games, 0.0, turns), Quotas(lambda _: False)
        context = SiteContext(
            site.config, site.hall, site.journal, site.games, archive, quotas, turns
        )
        every = all_games.AllGames(context, event_stream.Waker())
        nursery.start_soon(every.run)
        seen = every.begin(None)
        assert every.begin(seen) == seen
        await until(lambda: every.begin(seen) != seen, "the games are followed no more")
        nursery.cancel_scope.cancel()


async def test_a_number_of_another_stream_is_never_taken_for_one_of_this():
    one, other = (event_stream.Ring(event_stream.Waker(), 5000) for _ in range(2))
    for ring in (one, other):
        for _ in range(3000):
            ring.add("move", {})
    assert one.follows(one.last - 3000)
    assert not one.follows(other.last)
    assert not other.follows(one.last)


async def test_an_address_has_so_many_streams_and_no_more(web, monkeypatch):
    monkeypatch.setattr("ulci_server.web.quotas.MOST_STREAMS_OF_ONE", 2)
    async with web() as site:
        await site.game()
        async with site.stream(GAME), site.stream("/api/events"):
            refused = await site.ask(GAME)
            assert refused.status == 429
            assert "retry-after" in refused.headers
            async with site.stream(GAME, host="198.51.100.7") as other:
                assert other.answer.status == 200
        async with site.stream(GAME) as again:
            assert again.answer.status == 200


async def test_who_reads_too_slowly_begins_again_with_the_game(web, monkeypatch):
    monkeypatch.setattr(feed, "KEPT", 2)
    async with web() as site:
        ada, bob = await site.game()
        async with site.stream(GAME, room=0) as stream, site.stream(GAME) as quick:
            await quick.until("game")
            await stream.until("game")
            for white, black in (("e2e4", "e7e5"), ("g1f3", "b8c6"), ("f1b5", "a7a6")):
                for player, move, other in ((ada, white, bob), (bob, black, ada)):
                    player.say(BestMove(move))
                    await quick.until("move")
                    await other.be_asked()
            seen = [await stream.event()]
            while seen[-1][0] != "game":
                seen.append(await stream.event())
            assert len(seen[-1][1]["moves"]) == 6


async def test_a_game_that_nobody_streams_is_watched_no_more(web, monkeypatch):
    monkeypatch.setattr(feed, "LINGER", 0.02)
    async with web() as site:
        await site.game()
        table = site.hall.tables[1]
        async with site.stream(GAME) as stream:
            await stream.until("game")
            assert len(table.spectators) == 1
        await until(lambda: not table.spectators, "it is watched no more")


async def test_a_game_of_quick_moves_that_nobody_streams_is_watched_no_more(web, monkeypatch):
    monkeypatch.setattr(feed, "LINGER", 0.02)
    async with web() as site:
        ada, bob = await site.game()
        table = site.hall.tables[1]
        async with site.stream(GAME) as stream:
            await stream.until("game")
        ada.say(BestMove("e2e4"))
        for move, player in (("e7e5", bob), ("g1f3", ada), ("b8c6", bob)):
            await player.move(move)
        await ada.be_asked()
        await until(lambda: not table.spectators, "it is watched no more")


async def test_many_streams_are_told_a_few_at_a_time(web):
    async with web() as site:
        ada, _ = await site.game()
        told, most = 0, 0

        async def count(number):
            nonlocal told
            async with site.stream(GAME, host=f"198.51.100.{number}") as stream:
                await stream.until("game")
                ready.append(None)
                await stream.until("move")
                told += 1

        ready: list[None] = []
        async with trio.open_nursery() as nursery:
            for number in range(200):
                nursery.start_soon(count, number)
            while len(ready) < 200:
                await trio.testing.wait_all_tasks_blocked()
            ada.say(BestMove("e2e4"))
            before = 0
            while told < 200:
                await trio.lowlevel.checkpoint()
                most, before = max(most, told - before), told
        assert most <= 2 * 16


@pytest.mark.parametrize("path", ["/api/events", GAME])
async def test_a_head_request_opens_no_stream(web, path):
    async with web() as site:
        await site.game()
        answer = await site.ask(path, method="HEAD")
        assert (answer.status, answer.body) == (200, b"")


async def test_a_feed_that_fails_ends_its_streams_and_no_game(web, monkeypatch, errors_logged):
    async with web() as site:
        ada, bob = await site.game()
        async with site.stream(GAME) as stream:
            await stream.until("game")
            monkeypatch.setattr(feed.GameFeed, "_report", None)
            ada.say(BestMove("e2e4"))
            await stream.until("move")
            assert await stream.rest() == b""
        await bob.move("e7e5")
        await ada.be_asked()
        assert len(errors_logged.take()) == 1


async def test_a_paused_game_ends_its_stream_without_an_end_of_the_game(web):
    async with web() as site:
        await site.game()
        async with site.stream(GAME) as stream:
            await stream.until("game")
            site.hall.tables[1].pause()
            assert b"event: over" not in await stream.rest()
        assert (await site.ask(GAME)).status == 503
        assert (await site.ask("/api/games/1")).json["players"]["white"] == "away"


async def test_how_many_look_on_is_told_and_who_plays_is_not_counted(web):
    async with web() as site:
        await site.game()
        async with site.stream(GAME) as first:
            assert (await first.until("game"))["spectators"] == 1
            async with site.stream(f"{GAME}?playing=yes") as player:
                assert (await player.until("game"))["spectators"] == 1
                async with site.stream(GAME) as second:
                    assert (await second.until("game"))["spectators"] == 2
                    assert (await player.until("spectators"))["count"] == 2
                assert (await player.until("spectators"))["count"] == 1
            counts = [(await first.until("spectators"))["count"] for _ in range(2)]
            assert counts == [2, 1]


async def test_what_spectators_say_is_in_the_stream(web):
    async with web() as site:
        await site.game()
        async with site.stream(GAME) as stream:
            await stream.until("game")
            site.hall.tables[1].chat(lobby_lines.said("Cy", "<b>well"))
            chat = await stream.until("chat")
            assert (chat["by"], chat["text"]) == ("Cy", "<b>well")


async def test_who_is_away_is_told(web):
    async with web() as site:
        _, bob = await site.game()
        async with site.stream(GAME) as stream:
            await stream.until("game")
            await bob.peer.aclose()
            assert (await stream.until("player")) | {"now": ""} == {
                "now": "",
                "side": "black",
                "state": "away",
            }
        assert (await site.ask("/api/games/1")).json["players"]["black"] == "away"


async def test_a_database_that_fails_for_long_is_logged_once_and_again_when_it_fails_anew(
    web, monkeypatch
):
    monkeypatch.setattr(all_games, "LOOK", 0.0)
    failures = iter(["it hangs"] * 50 + [""] + ["it hangs"] * 50 + ["it is full"] * 50)
    over = trio.Event()

    async def look(_: object) -> None:
        if (why := next(failures, None)) is None:
            over.set()
        elif why:
            raise StorageError(why)

    monkeypatch.setattr(all_games.AllGames, "_look", look)
    with structlog.testing.capture_logs() as logs:
        async with web() as site, site.stream("/api/events"):
            await over.wait()
    told = [event["why"] for event in logs if event["event"] == "games not told"]
    assert told == ["it hangs", "it hangs", "it is full"]


# Crowds

CROWD = 100


async def test_a_game_is_made_once_for_all_who_ask_for_its_stream_at_once(web, monkeypatch):
    made, made_by = [], Archive.running_game

    def make(archive, *asked):
        made.append(asked)
        return made_by(archive, *asked)

    monkeypatch.setattr(Archive, "running_game", make)
    async with web() as site:
        await site.game()
        seen = []

        async def view(number: int) -> None:
            async with site.stream(GAME, host=f"192.0.2.{number}") as stream:
                seen.append(await stream.event())

        async with trio.open_nursery() as nursery:
            for number in range(CROWD):
                nursery.start_soon(view, number)
    assert [name for name, _ in seen] == ["game"] * CROWD
    assert len(made) == 1


async def test_of_a_crowd_few_streams_begin_in_a_turn_of_the_loop(web, monkeypatch):
    loop, begin = Loop(), event_stream.WholeGame.pieces

    def pieces(whole, *, ndjson):
        loop.passed()
        return begin(whole, ndjson=ndjson)

    monkeypatch.setattr(event_stream.WholeGame, "pieces", pieces)
    async with web() as site:
        await site.game()
        trio.lowlevel.add_instrument(loop)
        async with trio.open_nursery() as nursery:

            async def view(number: int) -> None:
                async with site.stream(GAME, host=f"192.0.2.{number}") as stream:
                    await stream.event()

            for number in range(CROWD):
                nursery.start_soon(view, number)
    assert loop.most <= 2  # one whose turn it is, and the one for whom the game was read


@pytest.mark.parametrize("running", [True, False])
async def test_a_game_is_made_once_at_a_time_for_all_who_ask_for_it_at_once(
    web, monkeypatch, running
):
    made, now, most = [], [0], [0]
    made_by = Archive._game

    def make(archive, game):  # in a worker thread
        made.append(game.id)
        now[0] += 1
        most[0] = max(most[0], now[0])
        try:
            return made_by(archive, game)
        finally:
            now[0] -= 1

    monkeypatch.setattr(Archive, "_game", make)
    async with web() as site:
        _, bob = await site.game()
        if not running:
            bob.say(Resign())
            await bob.hear_line("game 1 over")
            await site.journal.drain()

        async def ask(number: int) -> None:
            answer = await site.ask("/api/games/1", host=f"192.0.2.{number}")
            assert answer.json["state"] == ("running" if running else "finished")

        async with trio.open_nursery() as nursery:
            for number in range(CROWD):
                nursery.start_soon(ask, number)
    assert most == [1]
    assert running or len(made) == 1  # a running game may have changed

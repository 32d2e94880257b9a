"""The standings of a match, for programs and for the page."""

import trio

from tests.support.standings import match
from ulci_server.web.all_games import LOOK
from ulci_server.web.standings import MOST_IN_CROSSTABLE, MOST_RANKED, standings_document

STANDINGS = "/api/standings"


async def test_a_server_on_which_no_match_is_played_has_no_standings(web):
    async with web() as site:
        assert (await site.ask(STANDINGS)).status == 404
        assert (await site.ask("/api/server")).json["standings"] is False


async def test_two_engines_have_figures_a_test_and_a_course(web):
    async with web(standings=match(games=10)) as site:
        assert (await site.ask("/api/server")).json["standings"] is True
        found = (await site.ask(STANDINGS)).json
    assert (found["finished"], found["total"], found["over"]) == (10, 10_000, False)
    first, second = sorted(found["entrants"], key=lambda each: each["number"])
    assert (first["name"], first["games"], first["points"]) == ("engine 1", 10, 5.5)
    assert (first["wins"], first["draws"], first["losses"]) == (3, 5, 2)
    assert (second["wins"], second["draws"], second["losses"]) == (2, 5, 3)
    assert first["pairs"] == [0, 1, 2, 2, 0]
    assert first["elo"] > 0 > second["elo"]
    assert found["test"]["lower"] < found["test"]["llr"] < found["test"]["upper"]
    assert found["test"]["accepted"] is None
    assert [point[0] for point in found["course"]] == [2, 4, 6, 8, 10]
    assert found["course"][-1][1] == first["elo"]
    assert found["crosstable"] == [{"first": 1, "second": 2, "wins": 3, "draws": 5, "losses": 2}]


async def test_what_no_game_can_tell_is_null(web):
    async with web(standings=match(games=0)) as site:
        found = (await site.ask(STANDINGS)).json
    assert [entrant["elo"] for entrant in found["entrants"]] == [None, None]
    assert (found["course"], found["crosstable"]) == ([], [])


async def test_more_engines_are_ranked_and_have_a_crosstable(web):
    async with web(standings=match(games=24, engines=4)) as site:
        found = (await site.ask(STANDINGS)).json
    assert [entrant["rank"] for entrant in found["entrants"]] == [1, 2, 3, 4]
    elo = [entrant["elo"] for entrant in found["entrants"]]
    assert elo == sorted(elo, reverse=True)
    assert len(found["crosstable"]) == 6
    assert (found["test"], found["course"]) == (None, [])


def test_the_answer_is_bounded_whoever_plays():
    many = standings_document(match(games=8, engines=MOST_RANKED + 1, rounds=1).now(), 8)
    assert (len(many["entrants"]), many["present"]) == (MOST_RANKED, MOST_RANKED + 1)
    assert many["crosstable"] is None
    assert standings_document(match(0, MOST_IN_CROSSTABLE).now(), 8)["crosstable"] == []


async def test_the_answer_is_made_once_for_each_version(web, monkeypatch):
    played, made = match(games=2), []
    now = played.now
    monkeypatch.setattr(played, "now", lambda: made.append(played.version) or now())
    async with web(standings=played) as site:
        for _ in range(3):
            assert (await site.ask(STANDINGS)).json["version"] == 2
        played.play(2)
        assert (await site.ask(STANDINGS)).json["finished"] == 4
    assert made == [2, 4]


async def test_streams_of_all_games_hear_of_a_new_version_once_a_look(web, autojump_clock):
    played = match(games=2)
    async with web(standings=played) as site, site.stream("/api/events") as stream:
        played.play(3)
        name, told = await stream.event()
        assert (name, told["version"]) == ("standings", 5)
        await trio.sleep(10 * LOOK)
        played.play(1)
        name, told = await stream.event()
        assert (name, told["version"]) == ("standings", 6)
        assert stream.ids[1] == stream.ids[0] + 1

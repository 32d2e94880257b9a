"""Tournaments for programs and pages."""

from datetime import datetime, timedelta

from tests.support.facts import NOON, finished, line, noted
from ulci_server.game import EncounterBegun
from ulci_server.storage import EntrantRecord, PairingRecord, TournamentState
from ulci_server.web.tournament_pairings import MOST_PAIRINGS

SETTINGS = """
name = "Winter Cup"
format = "roundrobin"
pool = "chess"
openings = { file = "/srv/secret/book.epd" }
[[entrant]]
account = "Ada"
[[entrant]]
account = "Bob"
"""


def cup(site, first_game: int = 1) -> None:
    """Ada has won the first game, the second one runs, and the next round is paired."""
    entrants = [EntrantRecord(1, "Ada", engine="Ada"), EntrantRecord(2, "Bob", engine="Bob")]
    made = site.database.tournaments.create(SETTINGS, 7, "cup", NOON, entrants=entrants)
    pairings = [
        PairingRecord(1, 1, 1, 2, 0),
        PairingRecord(2, 1, 2, 1, 0),
        PairingRecord(3, 2, 1, None, 0, "1-0", "nobody was left to play"),
    ]
    site.database.tournaments.save(
        made.id, 0, NOON, state=TournamentState.RUNNING, begun_at=NOON, pairings=pairings
    )
    for number in (1, 2):
        game = first_game + number - 1
        site.database.save(noted([*line(game, "e2e4"), EncounterBegun(game, made.id, number)]))
    site.database.save(noted([finished(first_game)]))


async def test_tournaments_are_listed_the_newest_first(web):
    async with web() as site:
        cup(site)
        site.database.tournaments.create(SETTINGS, 7, "later", NOON)
        listed = (await site.ask("/api/tournaments")).json["tournaments"]
        assert [(one["name"], one["state"], one["entrants"]) for one in listed] == [
            ("later", "created", 0),
            ("cup", "running", 2),
        ]


async def test_one_whose_settings_cannot_be_read_is_listed_by_its_name_in_commands(web):
    async with web() as site:
        cup(site)
        site.database.tournaments.create('format = "of another version"', 7, "strange", NOON)
        listed = (await site.ask("/api/tournaments")).json["tournaments"]
        assert [one["title"] for one in listed] == ["strange", "Winter Cup"]


async def test_one_has_its_standings_and_the_pairings_of_its_last_round(web):
    async with web() as site:
        cup(site)
        answer = await site.ask("/api/tournaments/cup")
        found = answer.json
        assert (found["title"], found["state"], found["rounds"]) == ("Winter Cup", "running", 2)
        first, second = found["standings"]["entrants"]
        assert (first["name"], first["points"], second["points"]) == ("Ada", 2.0, 0.0)
        (bye,) = found["pairings"]
        assert (bye["white"], bye["black"], bye["score"]) == ("Ada", None, "1-0")
        assert "secret" not in answer.text, "no path of the server is told"


async def test_one_that_its_server_has_paused_says_why(web):
    async with web() as site:
        cup(site)
        paused, why = TournamentState.PAUSED, "the book is empty"
        site.database.tournaments.save(1, 0, NOON, state=paused, why_paused=why)
        found = (await site.ask("/api/tournaments/cup")).json
        assert (found["state"], found["why_paused"]) == ("paused", why)


async def test_an_arena_that_has_begun_says_when_it_ends(web):
    arena = 'name = "Evening"\nformat = "arena"\npool = "chess"\nminutes = 90.5\nopen = true\n'
    async with web() as site:
        cup(site)
        made = site.database.tournaments.create(arena, 7, "evening", NOON)
        site.database.tournaments.create(arena, 7, "later", NOON)
        site.database.tournaments.save(made.id, 0, NOON, begun_at=NOON)
        found = {
            name: (await site.ask(f"/api/tournaments/{name}")).json["ends_at"]
            for name in ("cup", "evening", "later")
        }
        end = NOON + timedelta(minutes=90, seconds=30)
        assert (found["cup"], found["later"]) == (None, None)
        assert datetime.fromisoformat(found["evening"]) == end


async def test_an_earlier_round_is_asked_for_by_its_number(web):
    async with web() as site:
        cup(site)
        rows = (await site.ask("/api/tournaments/cup?round=1")).json["pairings"]
        assert [(row["score"], row["game"], row["running"]) for row in rows] == [
            ("1-0", 1, False),
            (None, 2, True),
        ]


async def test_the_pairings_of_a_long_round_come_a_page_at_a_time(web):
    async with web() as site:
        entrants = [EntrantRecord(1, "Ada", engine="Ada"), EntrantRecord(2, "Bob", engine="Bob")]
        made = site.database.tournaments.create(SETTINGS, 7, "cup", NOON, entrants=entrants)
        rows = [PairingRecord(n, 1 + n % 2, 1, 2, n) for n in range(1, 2 * MOST_PAIRINGS + 7)]
        site.database.tournaments.save(made.id, 0, NOON, pairings=rows)
        seen: list[int] = []
        for page in ("round=1", f"round=1&after={rows[2 * MOST_PAIRINGS - 1].number}"):
            found = (await site.ask(f"/api/tournaments/cup?{page}")).json
            assert (found["paired"], found["before"]) == (MOST_PAIRINGS + 3, len(seen))
            seen += [row["number"] for row in found["pairings"]]
            assert len(seen) in (MOST_PAIRINGS, MOST_PAIRINGS + 3)
        assert seen == [row.number for row in rows if row.round == 1]
        beyond = (await site.ask(f"/api/tournaments/cup?round=1&after={seen[-1]}")).json
        assert (beyond["pairings"], beyond["before"]) == ([], MOST_PAIRINGS + 3)


async def test_what_is_no_tournament_or_round_is_refused(web):
    async with web() as site:
        cup(site)
        assert (await site.ask("/api/tournaments/none")).status == 404
        for query in ("round=0", "round=x", "round=1&round=2", "after=-1", "x=1"):
            assert (await site.ask(f"/api/tournaments/cup?{query}")).status == 400, query
        assert (await site.ask("/api/tournaments?x=1")).status == 400
        assert (await site.ask(f"/api/tournaments/{'x' * 65}")).status == 400


async def test_it_says_when_it_is_over(web, monkeypatch):
    monkeypatch.setattr("ulci_server.web.tournaments.KEPT_FOR", 0.0)
    async with web() as site:
        cup(site)
        assert not (await site.ask("/api/tournaments/cup")).json["standings"]["over"]
        site.database.tournaments.save(1, 0, NOON, state=TournamentState.FINISHED)
        found = (await site.ask("/api/tournaments/cup")).json
        assert (found["state"], found["standings"]["over"]) == ("finished", True)


async def test_settings_of_another_version_are_no_fault_of_whoever_asks(web):
    async with web() as site:
        site.database.tournaments.create("format = 'draughts'", 7, "cup", NOON)
        answer = await site.ask("/api/tournaments/cup")
        assert answer.status == 503
        assert "of another version" in answer.text


async def test_it_is_read_once_for_a_while(web, monkeypatch):
    monkeypatch.setattr("ulci_server.web.tournaments.KEPT_FOR", 600.0)
    async with web() as site:
        cup(site)
        before = (await site.ask("/api/tournaments/cup")).json
        site.database.tournaments.save(1, 0, NOON, state=TournamentState.FINISHED)
        after = (await site.ask("/api/tournaments/cup?round=1")).json
        assert (after["state"], after["round"]) == (before["state"], 1)


async def test_running_games_are_listed_and_lead_back_to_their_tournament(web):
    async with web() as site:
        cup(site)
        found = (await site.ask("/api/tournaments/cup")).json
        assert found["running"] == [{"game": 2, "white": "Bob", "black": "Ada"}]
        assert (await site.ask("/api/games/1")).json["tournament"] == "cup"


async def test_it_is_sent_again_only_if_it_has_changed(web, monkeypatch):
    monkeypatch.setattr("ulci_server.web.tournaments.KEPT_FOR", 0.0)
    async with web() as site:
        cup(site)
        etag = (await site.ask("/api/tournaments/cup")).headers["etag"]
        known = {"If-None-Match": etag}
        assert (await site.ask("/api/tournaments/cup", headers=known)).status == 304
        site.database.save(noted([finished(2)]))
        assert (await site.ask("/api/tournaments/cup", headers=known)).status == 200


async def test_its_files_are_for_other_programs(web):
    async with web() as site:
        cup(site)
        standings = await site.ask("/api/tournaments/cup/standings.csv")
        assert standings.text.splitlines()[1].startswith("1,Ada,2,1,1,0,0,")
        report = await site.ask("/api/tournaments/cup/report.trf")
        assert report.text.startswith("012 Winter Cup\n001    1      Ada")
        games = await site.ask("/api/tournaments/cup/games.pgn")
        assert games.text.count('[Event "') == 1, "only finished games"
        assert (await site.ask("/api/tournaments/cup/games.pgn?after=1")).text == ""
        for path in ("standings.csv", "report.trf", "games.pgn"):
            assert (await site.ask(f"/api/tournaments/none/{path}")).status == 404
        for query in ("after=0", "after=x", "x=1"):
            assert (await site.ask(f"/api/tournaments/cup/games.pgn?{query}")).status == 400


async def test_those_that_are_over_are_listed_last(web):
    async with web() as site:
        cup(site)
        late = site.database.tournaments.create(SETTINGS, 7, "late", NOON)
        site.database.tournaments.change(late.id, NOON, state=TournamentState.STOPPED)
        listed = (await site.ask("/api/tournaments")).json["tournaments"]
        assert [one["name"] for one in listed] == ["cup", "late"]

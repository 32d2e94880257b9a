"""Health, metrics, files, and what holds for every answer."""

import json
import re
import threading
from datetime import timedelta
from functools import partial

import pytest
import structlog
import trio
import trio.testing
from prometheus_client import ProcessCollector
from prometheus_client.parser import text_string_to_metric_families

from tests.support.facts import NOON, finished, noted
from tests.ulci_server.web.test_games import facts
from ulci.conduct import MEANINGS
from ulci.protocol.lobby.lines import ROWS
from ulci.protocol.messages import BestMove, Resign, Stop, Takeback
from ulci.rules import GAMES, Reason, Side
from ulci.rules.liberty.pieces import LETTERS
from ulci_server.hall.lobby_service import Roster
from ulci_server.storage import Games, StorageError
from ulci_server.web import metrics
from ulci_server.web import site as site_module
from ulci_server.web.quotas import WORK_BURST

NAMES = {
    "ulci_build_info", "ulci_commit_seconds", "ulci_connections", "ulci_event_streams",
    "ulci_games_finished", "ulci_games_running", "ulci_journal_pending", "ulci_move_delay_seconds",
    "ulci_moves", "ulci_referee_restarts", "ulci_refusals", "ulci_resumes",
    "ulci_slow_clients_dropped", "ulci_stall_seconds", "ulci_time_returned_seconds",
    "ulci_watchers",
}  # fmt: skip


async def read_metrics(site):
    answer = await site.ask("/metrics", host="127.0.0.1")
    assert answer.status == 200
    return {family.name: family for family in text_string_to_metric_families(answer.text)}


async def test_metrics_count_games_moves_and_commits(web):
    async with web() as site:
        ada, bob = await site.game()
        ada.say(BestMove("e2e4"))
        await bob.be_asked()
        families = await read_metrics(site)
        assert set(families) >= NAMES
        [running] = families["ulci_games_running"].samples
        assert (running.labels, running.value) == ({"pool": "chess"}, 1)
        [connected] = families["ulci_connections"].samples
        assert connected.value == 2
        bob.say(Resign())
        await ada.hear_line("game 1 over")
        families = await read_metrics(site)
        [finished] = [s for s in families["ulci_games_finished"].samples if "_total" in s.name]
        assert finished.labels == {"pool": "chess", "reason": "resignation"}
        [moves] = [s for s in families["ulci_moves"].samples if "_total" in s.name]
        assert moves.value == 1
        counts = [s for s in families["ulci_commit_seconds"].samples if s.name.endswith("_count")]
        assert counts[0].value > 1


async def test_the_files_of_the_process_are_not_counted_in_the_loop(web, monkeypatch):
    counted_in = []

    class Noting(ProcessCollector):
        def collect(self):
            counted_in.append(threading.current_thread())
            return super().collect()

    monkeypatch.setattr(metrics, "ProcessCollector", Noting)
    async with web() as site:
        families = await read_metrics(site)
        assert any(name.startswith("process_open_fds") for name in families)
    assert counted_in
    assert threading.main_thread() not in counted_in


async def test_metrics_are_open_metrics_where_these_are_asked_for(web):
    async with web() as site:
        accept = {"Accept": "application/openmetrics-text;version=1.0.0"}
        answer = await site.ask("/metrics", accept, host="127.0.0.1")
        assert answer.headers["content-type"].startswith("application/openmetrics-text")
        assert answer.text.endswith("# EOF\n")


@pytest.mark.parametrize(
    ("allowed", "host", "headers", "status"),
    [
        ("local", "127.0.0.1", {}, 200),
        ("local", "::1", {}, 200),
        ("local", "192.0.2.1", {}, 403),
        ("local", "127.0.0.1", {"X-Forwarded-For": "192.0.2.1"}, 403),
        ("local", "127.0.0.1", {"Host": "localhost:25566"}, 200),
        ("local", "127.0.0.1", {"Host": "[::1]:25566"}, 200),
        ("local", "127.0.0.1", {"Host": "evil.example:25566"}, 403),
        ("all", "192.0.2.1", {}, 200),
        ("off", "127.0.0.1", {}, 404),
    ],
)
async def test_metrics_are_for_whom_the_setting_names(web, allowed, host, headers, status):
    async with web(metrics=allowed) as site:
        assert (await site.ask("/metrics", headers, host=host)).status == status


async def test_it_is_ready_until_it_drains_or_cannot_write(web):
    async with web() as site:
        assert (await site.ask("/readyz")).status == 200
        site.journal.healthy = False
        assert (await site.ask("/readyz")).status == 503
        site.journal.healthy = True
        site.hall.closing.begun = True
        assert (await site.ask("/readyz")).status == 503
        assert (await site.ask("/livez")).text == "ok\n"


async def test_a_finished_game_is_sent_once_to_who_keeps_it(web):
    async with web() as site:
        site.database.save(noted([*facts(), finished(1, Side.BLACK)]))
        for path in ("/api/games/1", "/api/games/1.pgn"):
            first = await site.ask(path)
            assert "max-age" in first.headers["cache-control"]
            again = await site.ask(path, {"If-None-Match": first.headers["etag"]})
            assert (again.status, again.body) == (304, b"")


async def test_a_game_of_the_same_number_in_another_database_is_another_one(web):
    tags = []
    for began in (NOON, NOON + timedelta(days=1)):
        async with web() as site:
            site.database.save(noted([*facts(), finished(1, Side.BLACK)], began))
            tags.append((await site.ask("/api/games/1")).headers["etag"])
            again = await site.ask("/api/games/1", {"If-None-Match": tags[0]})
            assert again.status == (304 if len(tags) == 1 else 200)


async def test_pgn_is_exported_with_filters(web):
    async with web() as site:
        for number in (1, 2):
            site.database.save(noted([*facts(number), finished(number, Side.BLACK)]))
        assert '[GameId "1"]' in (await site.ask("/api/games/1.pgn")).text
        games = (await site.ask("/api/games.pgn?limit=1")).text
        assert games.count("[Event ") == 1
        assert '[GameId "2"]' in games


async def test_why_is_what_the_command_says(web):
    async with web() as site:
        site.database.save(noted([*facts(), finished(1, Side.BLACK)]))
        answer = await site.ask("/api/games/1/why")
        assert "ended 0-1 by checkmate" in answer.text
        assert (await site.ask("/api/games/1/why?format=json")).json["id"] == 1


async def test_legal_moves_and_typed_moves_are_those_of_the_position(web):
    async with web() as site:
        ada, bob = await site.game()
        legal = (await site.ask("/api/games/1/legal")).json
        assert len(legal["moves"]) == 20
        assert legal["san"]["g1f3"] == "Nf3"
        ada.say(BestMove("e2e4"))
        await bob.be_asked()
        assert (await site.ask("/api/games/1/legal")).json["ply"] == 1
        assert (await site.ask("/api/games/1/parse?text=Nf6")).json["move"] == "g8f6"
        unclear = (await site.ask("/api/games/1/parse?text=Nf3")).json
        assert unclear["move"] is None
        assert unclear["why"]
        assert (await site.ask("/api/games/1/parse")).status == 400
        assert (await site.ask("/api/games/2/legal")).status == 404


async def test_legal_moves_are_those_of_all_moves_before_also_after_a_takeback(web):
    async with web() as site:
        ada, bob = await site.game()
        for first in ("e2e4", "d2d4"):
            ada.say(BestMove(first))
            await bob.move("e7e5")
            await ada.be_asked()
            legal = (await site.ask("/api/games/1/legal")).json
            assert legal["ply"] == 2
            assert first not in legal["moves"]
            ada.say(Takeback(2))
            await bob.hear_line("game 1 offer takeback")
            bob.say(Takeback())
            await ada.hear(Stop)
            ada.say(BestMove("0000"))
            await ada.be_asked()


async def test_who_asks_too_often_is_told_when_to_come_again(web, mock_clock):
    async with web() as site:
        statuses = [(await site.ask("/api/games")).status]
        while statuses[-1] == 200 and len(statuses) < 100 * WORK_BURST:
            statuses.append((await site.ask("/api/games")).status)
        assert statuses[-1] == 429
        assert len(statuses) > WORK_BURST
        assert (await site.ask("/api/games", host="198.51.100.7")).status == 200


async def test_every_answer_has_the_headers_that_keep_browsers_safe(web):
    async with web() as site:
        for path in ("/api/server", "/livez", "/nothing", "/static/../site.py", "/"):
            answer = await site.ask(path)
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert "default-src 'none'" in answer.headers["content-security-policy"]
            assert "referrer-policy" in answer.headers


@pytest.mark.parametrize(
    "path",
    ["/static/../site.py", "/static/%2e%2e/site.py", "/static//etc/passwd", "/static/", "/static"],
)
async def test_no_path_leads_out_of_the_folder_of_the_page(web, path):
    async with web() as site:
        assert (await site.ask(path)).status == 404


async def test_players_are_who_is_in_the_lobby(web):
    async with web() as site:
        await site.game()
        players = (await site.ask("/api/players")).json["players"]
        assert {player["name"] for player in players} == {"Ada", "Bob"}
        assert players[0]["game"] == 1


async def test_a_bug_is_an_answer_and_its_cause_stays_here(web, monkeypatch, errors_logged):
    async with web() as site:

        def broken(*_, **__):
            raise RuntimeError("sesame")

        monkeypatch.setattr(site.database.games, "find", broken)
        answer = await site.ask("/api/games")
        assert answer.status == 500
        assert b"sesame" not in answer.body
    assert len(errors_logged.take()) == 1


@pytest.fixture
def page(monkeypatch, tmp_path):
    """The page, of which only the names are known here."""
    folder = tmp_path / "static"
    (folder / "parts").mkdir(parents=True)
    for name in ("index.html", "game.html", "play.html", "embed.html"):
        (folder / name).write_text(f"<!doctype html><title>{name}</title>")
    with (folder / "index.html").open("a") as index:
        index.write("<!-- standings.part -->")
    (folder / "standings.part").write_text("<p>standings</p>")
    (folder / "parts" / "board.js").write_text("export {}\n")
    (folder / "notes.secret").write_text("sesame")
    (tmp_path / "beside.txt").write_text("sesame")
    monkeypatch.setattr("ulci_server.web.site.files", lambda _: tmp_path)


@pytest.mark.usefixtures("page")
async def test_pages_are_files_under_a_policy_without_inline_script(web):
    async with web() as site:
        for path, title in (
            ("/", "index"), ("/games/42", "game"), ("/play", "play"), ("/embed/42", "embed"),
        ):  # fmt: skip
            answer = await site.ask(path)
            policy = answer.headers["content-security-policy"]
            assert f"<title>{title}.html" in answer.text
            assert answer.headers["content-type"].startswith("text/html")
            assert "script-src 'self';" in policy
            assert "unsafe" not in policy
            assert policy.endswith("frame-ancestors 'none'")
        for path in ("/games/x", "/games/", "/play/", "/static/notes.secret", "/static/parts"):
            assert (await site.ask(path)).status == 404


@pytest.mark.usefixtures("page")
async def test_a_file_that_is_asked_for_by_its_name_is_sent_again_only_if_it_has_changed(web):
    async with web() as site:
        first = await site.ask("/static/parts/board.js")
        assert first.headers["content-type"].startswith("text/javascript")
        assert first.headers["cache-control"] == "no-cache"
        again = await site.ask("/static/parts/board.js", {"If-None-Match": first.headers["etag"]})
        assert (again.status, again.body) == (304, b"")


async def test_the_page_reads_what_reasons_games_and_pieces_are_called_from_the_rules(web):
    async with web() as site:
        answer = await site.ask("/static/tables.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    tables = {
        name: json.loads(table)
        for name, table in re.findall("^export const (.+) = (.+);$", answer.text, re.MULTILINE)
    }
    assert list(tables["REASONS"]) == [*Reason]
    assert tables["REASONS"]["time"] == "on time"
    assert list(tables["GAMES"]) == [*GAMES]
    gomoku = {"title": "Gomoku", "stones": True, "typed": "b2"}
    assert tables["GAMES"]["gomoku"].items() >= gomoku.items()
    assert tables["GAMES"]["gomoku"]["about"] == "Five stones in a row win."
    assert tables["GAMES"]["gomoku"]["ranks"] == 15 * ["." * 15]
    assert "".join(tables["PIECES"]) == LETTERS
    assert tables["CONDUCT"] == MEANINGS
    assert tables["PIECES"]["u"] == "centaur"
    assert [line["line"] for line in tables["LINES"]] == [row.kind.__name__ for row in ROWS]
    text = {"name": "text", "optional": True, "rest": True, "choices": []}
    by = {**text, "name": "name", "optional": False, "rest": False}
    number = {**by, "name": "id"}
    declined = {
        "line": "ChallengeDecline", "head": ["declined", number, "by", by, text], "pairs": False
    }  # fmt: skip
    assert declined in tables["LINES"]


@pytest.mark.usefixtures("page")
async def test_others_may_frame_a_game_where_the_setting_says_so(web):
    async with web(embed=True) as site:
        framed = await site.ask("/embed/42")
        assert framed.headers["content-security-policy"].endswith("frame-ancestors *")
        alone = await site.ask("/games/42")
        assert alone.headers["content-security-policy"].endswith("frame-ancestors 'none'")


@pytest.mark.usefixtures("page")
async def test_nobody_plays_on_a_page_that_is_for_watching(web):
    async with web(serve="watch") as site:
        assert (await site.ask("/play")).status == 404
        assert (await site.ask("/api/server")).json["serve"] == "watch"
        assert (await site.ask("/")).status == 200


SHARED = ("/static/app.js", "/api/games/1", "/api/games/1/events", "/api/tournaments/cup")
TOURNAMENTS = ("/api/tournaments", "/api/tournaments/cup/standings.csv")
OWN = (
    *TOURNAMENTS,
    "/api/server",
    "/api/games",
    "/api/games/1/why",
    "/api/games/1/legal",
    "/livez",
)
ALLOWED = "access-control-allow-origin"


@pytest.mark.usefixtures("page")
@pytest.mark.parametrize("embed", [True, False])
async def test_pages_of_others_may_read_what_a_frame_shows_and_only_where_frames_are(web, embed):
    async with web(embed=embed) as site:
        for path in SHARED:
            answer = await site.ask(path)
            assert (answer.headers.get(ALLOWED) == "*") is embed, path
            asked = await site.ask(path, method="OPTIONS")
            assert asked.status == (204 if embed else 405), path
            assert (asked.headers.get("access-control-allow-headers") == "Last-Event-ID") is embed
        for path in OWN:
            assert ALLOWED not in (await site.ask(path)).headers, path


BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


async def test_a_person_who_asks_for_nothing_that_is_there_reads_a_page(web):
    async with web() as site:
        answer = await site.ask("/no<b>such", BROWSER)
        assert answer.status == 404
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert "This server has no page of that address." in answer.text
        assert 'href="/"' in answer.text
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "<b>" not in answer.text
        refused = await site.ask("/", BROWSER, method="POST")
        assert (refused.status, refused.headers["content-type"][:9]) == (405, "text/html")


async def test_a_program_reads_an_error_as_json_whatever_else_it_would_take(web):
    async with web() as site:
        for path, headers in (("/nosuch", {}), ("/api/nosuch", BROWSER), ("/static/x", BROWSER)):
            answer = await site.ask(path, headers)
            assert answer.json["error"]["code"] == "not-found", path


async def test_the_lobby_is_asked_once_for_all_who_want_to_know_who_is_here(web, monkeypatch):
    """It may be at another server, whose answer wakes all of them."""
    asked, answered = [], trio.Event()

    async def players() -> Roster:
        asked.append(1)
        await answered.wait()
        return Roster((), 0)

    async with web() as site, trio.open_nursery() as nursery:
        monkeypatch.setattr(site.hall.lobby, "players", players)
        for number in range(50):
            nursery.start_soon(partial(site.ask, "/api/players", host=f"192.0.2.{number}"))
        await trio.testing.wait_all_tasks_blocked()
        answered.set()
    assert 1 <= len(asked) <= 2


async def test_a_database_that_does_not_answer_is_one_line_in_the_log_however_many_ask(
    web, monkeypatch
):
    def fail(*_: object, **__: object) -> None:
        raise StorageError("it hangs")

    monkeypatch.setattr(Games, "find", fail)
    monkeypatch.setattr(site_module, "FAILURES_LOGGED", (1e-6, 1))  # however slow the machine is
    with structlog.testing.capture_logs() as logs:
        async with web() as site:
            for _ in range(10):
                assert (await site.ask("/api/games")).status == 503
    [told] = [entry for entry in logs if entry["event"] == "no answer from the database"]
    assert told["why"] == "it hangs"


async def test_it_says_whether_anybody_may_direct_tournaments(web):
    async with web() as site:
        assert (await site.ask("/api/server")).json["directing"] is False

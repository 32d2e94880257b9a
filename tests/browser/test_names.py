"""Under which names of a server its page can be played on, and what it says under others."""

import re
import socket

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import pages_server
from tests.browser.pages import PATIENCE_MS, POLL_MS
from tests.support.servers import Server

pytestmark = [pytest.mark.system, pytest.mark.slow]

ANYWHERE = ("--listen", "tcp://*:0", "--listen", "ws://*:0")
NAMES = '[web]\nnames = ["games.test", "chess.test"]\n'


def come_in_refused(visitor) -> None:
    """Try to, where the browser will say on its console that it could not connect."""
    visitor.offline = True
    visitor.page.get_by_label("Your name").fill("Ada")
    visitor.press("Enter")


@pytest.mark.parametrize("server", [NAMES], indirect=True, ids=["names"])
@pytest.mark.parametrize("host", ["games.test", "chess.test", "localhost", "127.0.0.1"])
def test_a_page_is_played_on_under_each_name_that_the_operator_has_set(host, visit, opponent):
    visitor = visit("/play", host=host)
    visitor.come_in("Ada")
    visitor.play_against(opponent("Bob"))


def test_a_name_may_stand_on_the_command_line(tmp_path, chromium):
    options = ("--known-as", "games.test", "--known-as", "chess.test")
    with pages_server(tmp_path, options=options) as server:
        for host in options[1::2]:
            page = chromium.new_page()
            page.goto(f"http://{host}:{server.port('ws')}/play")
            page.get_by_label("Your name").fill("Ada")
            page.get_by_role("button", name="Enter", exact=True).click()
            page.locator("#lobby-title").wait_for()
            page.close()


def logged(page: Page, server: Server, words: str) -> list[str]:
    """The lines of the log with these words, as soon as a thread of the server has written one."""
    found: list[str] = []
    waited = 0
    while not found and waited < PATIENCE_MS:
        page.wait_for_timeout(POLL_MS)
        waited += POLL_MS
        found = [line for line in server.log.read_text().splitlines() if words in line]
    return found


def test_under_another_name_the_page_and_the_log_say_what_the_operator_sets(visit, server):
    visitor = visit("/play", host="games.test")
    come_in_refused(visitor)
    visitor.see("#enter-fault", "games.test is not known to be a name of this server")
    visitor.see("#enter-fault", 'names = ["games.test"] under [web]')
    visitor.see("#enter-fault", "--known-as games.test")
    visitor.page.get_by_label("Your name").wait_for()
    [line] = logged(visitor.page, server, "games.test")
    assert "A page of http://games.test" in line
    assert 'names = ["games.test"] under [web]' in line


def test_a_page_under_another_name_is_watched_all_the_same(visit, opponent):
    number = opponent("Bob").play(opponent("Cat"))
    visitor = visit(f"/games/{number}", host="games.test")
    visitor.see("h1", re.compile("Bob.*Cat"))


def own_addresses() -> list[str]:
    """Addresses of this machine that others can reach, as far as it has any."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            return []
        return [probe.getsockname()[0]]


def own_names() -> list[str]:
    """The name of this machine, if it leads anywhere."""
    name = socket.gethostname()
    try:
        socket.getaddrinfo(name, None)
    except OSError:
        return []
    return [name]


def test_a_server_that_others_can_reach_is_played_on_under_its_addresses(tmp_path, chromium):
    with pages_server(tmp_path, options=ANYWHERE) as server:
        for host in ("127.0.0.1", *own_addresses(), *own_names()):
            page = chromium.new_page()
            page.goto(f"http://{host}:{server.port('ws')}/play")
            page.get_by_label("Your name").fill("Ada")
            page.get_by_role("button", name="Enter", exact=True).click()
            page.locator("#lobby-title").wait_for()
            page.close()


def test_a_public_server_is_played_on_under_any_name(tmp_path, chromium):
    with pages_server(tmp_path, options=("--public", *ANYWHERE)) as server:
        for host in ("games.test", "127.0.0.1", *own_addresses()):
            page = chromium.new_page()
            page.goto(f"http://{host}:{server.port('ws')}/play")
            page.get_by_label("Your name").fill("Ada")
            page.get_by_role("button", name="Enter", exact=True).click()
            page.locator("#lobby-title").wait_for()
            page.close()


def test_a_public_server_answers_questions_for_analysis_under_any_name(tmp_path, chromium):
    with pages_server(tmp_path, options=("--public", *ANYWHERE)) as server:
        page = chromium.new_page()
        page.goto(f"http://games.test:{server.port('ws')}/analysis")
        page.locator("#status", has_text="White to move").wait_for()
        page.get_by_label("Type a move").fill("e4")
        page.get_by_label("Type a move").press("Enter")
        page.locator("#status", has_text="Black to move").wait_for()
        page.close()


def test_under_another_name_the_analysis_asks_once_and_says_what_the_operator_sets(visit):
    visitor = visit("/", host="games.test")
    visitor.page.clock.install()
    visitor.page.goto("/analysis")
    visitor.see("#fault", 'names = ["games.test"] under [web]')
    asked = []
    visitor.page.on("request", lambda request: asked.append(request.url))
    visitor.page.clock.run_for(60_000)
    visitor.page.locator("#typed").fill("e4")
    with visitor.page.expect_response("**/api/analysis/position"):
        visitor.page.locator("#typed").press("Enter")
    visitor.see("#typed-fault", "games.test is not known to be a name of this server")
    # The move that was typed, and the position that is shown again.
    assert len([url for url in asked if "/api/analysis/position" in url]) <= 2


def test_under_another_name_account_and_log_say_what_the_operator_sets(tmp_path, chromium):
    sign_up = '[clients]\nsign_up = "open"\n'
    with pages_server(tmp_path, sign_up, options=("--public", *ANYWHERE)) as server:
        page = chromium.new_page()
        page.goto(f"http://games.test:{server.port('ws')}/account")
        for _ in range(2):
            form = page.locator("#in-form")
            form.get_by_label("Name").fill("Ada")
            form.get_by_label("Password").fill("correct horse")
            with page.expect_response("**/api/account/sign-in") as answered:
                form.get_by_role("button").click()
            assert answered.value.status == 403
        page.locator("#in-fault", has_text='names = ["games.test"] under [web]').wait_for()
        [line] = logged(page, server, "a page was refused")
        page.close()
    assert "games.test" in line


def test_a_public_server_tells_metrics_and_directs_under_no_unknown_name(tmp_path, chromium):
    director = '[tournaments]\ndirectors = ["Dot"]\n'
    with pages_server(tmp_path, director, options=("--public", *ANYWHERE)) as server:
        page = chromium.new_page()
        page.goto(f"http://games.test:{server.port('ws')}/")
        answers = page.evaluate("""Promise.all([
            fetch("/metrics").then(({ status }) => status),
            fetch("/api/tournaments", { method: "POST", body: "{}", headers: {
                "Content-Type": "application/json", Authorization: "Basic RG90OmRvdA==",
            } }).then((answer) => answer.text()),
        ])""")
        page.close()
        assert answers[0] == 403
        assert "games.test is not known to be a name of this server" in answers[1]

"""People sign up, in and out on the page, and make tokens for their programs."""

import os
import re
from pathlib import Path
from typing import Any

import pytest
import trustme

from tests.browser.conftest import CHESS, DESKTOP, HOUSE, PHONE, pages_server
from tests.browser.pages import Visitor, expect, in_both_schemes, judged
from tests.browser.test_directing import Keyboard
from tests.browser.test_watching import wait_for_ever
from tests.support.bridges import bridged
from tests.support.servers import serving

pytestmark = [pytest.mark.system, pytest.mark.slow]

SCREENSHOTS = "ULCI_TEST_SCREENSHOTS"
PASSWORD = "correct horse"
MORE = '[clients]\nsign_up = "open"\n'


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with pages_server(tmp_path_factory.mktemp("server"), MORE) as running:
        yield running


def keep(visitor: Visitor, name: str) -> None:
    if folder := os.environ.get(SCREENSHOTS):
        visitor.page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def sign_up(visitor: Visitor, name: str) -> None:
    form = visitor.page.locator("#up-form")
    form.get_by_label("New name").fill(name)
    form.get_by_label("New password").fill(PASSWORD)
    form.get_by_role("button").click()
    visitor.see("#me", name)


def sign_in(visitor: Visitor, name: str, password: str = PASSWORD) -> None:
    form = visitor.page.locator("#in-form")
    form.get_by_label("Name").fill(name)
    form.get_by_label("Password").fill(password)
    form.get_by_role("button").click()


def enter(visitor: Visitor) -> None:
    visitor.page.goto("/play")
    visitor.see("#signed-in", "You are signed in as")
    visitor.press("Enter")
    visitor.see("#lobby-title")


def test_by_the_keyboard_alone_one_signs_up_makes_a_token_revokes_it_and_signs_out(visit, server):
    visitor = visit("/account")
    visitor.see("#out")
    keyboard = Keyboard(visitor)
    keyboard.fill("New name", "Kim")
    keyboard.fill("New password", PASSWORD)
    visitor.page.keyboard.press("Enter")
    visitor.see("#me", "Kim")
    keyboard.fill("What it is for", "laptop")
    visitor.page.keyboard.press("Enter")
    visitor.see("#tokens", "laptop")
    token = made_token(visitor)
    visitor.focused("id", "new-token")

    with bridged(server.folder, "kims", *argv(server, token)):
        visitor.until(
            "fetch('/api/players').then((answer) => answer.json())"
            ".then(({ players }) => players.some(({ name }) => name === 'Kim'))"
        )

    keyboard.press("Revoke")
    visitor.see("dialog", "Revoke laptop?")
    keyboard.press("Revoke")
    visitor.see("#no-tokens", "You have none.")
    keyboard.press("Sign out")
    visitor.see("#in-title")
    visitor.focused("name", "name")
    keyboard.fill("Name", "kim")
    keyboard.fill("Password", PASSWORD)
    visitor.page.keyboard.press("Enter")
    visitor.see("#me", "Kim")


def made_token(visitor: Visitor) -> str:
    """The one that is shown once."""
    visitor.see("#made")
    expect(visitor.page.locator("#new-token")).not_to_have_value("")
    return visitor.page.locator("#new-token").input_value()


def argv(server, token: str) -> list[str]:
    """Of a bridge that plays by this token."""
    path = server.folder / "token"
    path.write_text(token)
    path.chmod(0o600)
    address = f"tcp://127.0.0.1:{server.port()}"
    return ["--server", address, "--token-file", str(path), "--", *HOUSE]


def test_a_revoked_token_lets_no_program_in(visit, server):
    visitor = visit("/account")
    sign_up(visitor, "Rex")
    visitor.page.locator("#token-form").get_by_role("button").click()
    token = made_token(visitor)
    visitor.page.get_by_role("button", name=re.compile("Revoke")).click()
    visitor.page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    visitor.see("#no-tokens")
    with bridged(server.folder, "rexs", *argv(server, token)) as bridge:
        assert bridge.process.wait(60) != 0
    assert "token is not valid" in bridge.spoken + bridge.shown


def test_one_plays_under_the_accounts_name_also_after_a_reload(visit, opponent):
    visitor = visit("/account")
    sign_up(visitor, "Ada")
    enter(visitor)
    expect(visitor.page.locator("#me")).to_have_text("Ada")
    visitor.see("#rated-part")
    visitor.page.reload()
    visitor.see("#lobby-title")
    expect(visitor.page.locator("#me")).to_have_text("Ada")
    visitor.name = "Ada"
    rival = opponent("Bob")
    visitor.play_against(rival)
    visitor.page.reload()
    assert visitor.my_turn()
    visitor.resign()
    rival.hear("lobby game", " over ")


def sign_out_in_another_tab(visitor: Visitor) -> Visitor:
    other = Visitor(visitor.page.context.new_page())
    other.page.goto("/account")
    other.see("#me")
    other.press("Sign out")
    other.see("#in-title")
    return other


def test_who_signs_out_leaves_no_seat_of_the_account_in_any_tab(visit, opponent):
    """At a computer that others use, too."""
    visitor = visit("/account")
    sign_up(visitor, "Uma")
    enter(visitor)
    visitor.name = "Uma"
    rival = opponent("Vic")
    visitor.play_against(rival)
    other = sign_out_in_another_tab(visitor)
    visitor.see("#enter-fault", "You are signed out.")
    visitor.see("#name-part")
    assert visitor.page.evaluate("sessionStorage.getItem('ulci.seat')") is None
    other.until("localStorage.getItem('ulci.game') === null")
    visitor.page.reload()
    visitor.see("#enter-form")
    visitor.page.goto("/account")
    sign_in(visitor, "Uma")
    visitor.see("#me", "Uma")
    visitor.page.goto("/play")
    visitor.see("#signed-in", "You are signed in as")
    visitor.press("Enter")
    visitor.see("#table .status", "Your move")
    visitor.resign()
    rival.hear("lobby game", "over")
    assert other.faults == []


def test_a_tab_that_comes_back_after_the_sign_out_has_no_seat_of_the_account(visit, opponent):
    visitor = visit("/account")
    sign_up(visitor, "Wim")
    enter(visitor)
    visitor.name = "Wim"
    visitor.play_against(opponent("Xia"))
    visitor.page.goto("about:blank")
    sign_out_in_another_tab(visitor)
    visitor.page.goto("/play")
    visitor.see("#enter-fault", "You are signed out.")
    assert visitor.page.locator("#go-back").is_hidden()
    assert visitor.page.evaluate("sessionStorage.getItem('ulci.seat')") is None


def test_a_spectator_who_signs_out_talks_no_more_under_the_account(visit, opponent):
    ann, ben = opponent("Ann"), opponent("Ben")
    game = ann.play(ben, "time 600")
    visitor = visit("/account")
    sign_up(visitor, "Yan")
    held: list[Any] = []
    wait_for_ever(visitor)
    visitor.page.route("**/api/account", lambda route: held.append(route))
    visitor.page.goto(f"/games/{game}")
    visitor.becomes(lambda: len(held) > 0, True)
    ann.move("e2e4")
    visitor.said_move(1)  # the page draws the game anew while it does not know who is signed in
    expect(visitor.page.locator("#say-form")).to_be_hidden()
    for route in held:
        route.continue_()
    visitor.page.locator("#said").fill("hello")
    visitor.page.locator("#said").press("Enter")
    visitor.see("#chat", "hello")
    sign_out_in_another_tab(visitor)
    visitor.see("#talk-note", "You are signed out.")
    visitor.see("#talk-name-part")
    visitor.page.get_by_label("Your name").fill("Zoe")
    visitor.page.locator("#said").fill("it is me")
    visitor.page.locator("#said").press("Enter")
    visitor.see("#chat", re.compile("Zoe.*it is me"))
    ann.say("resign")


def test_who_talks_as_a_spectator_does_not_lose_the_own_game_to_that_page(visit, opponent):
    other_game = opponent("Pia").play(opponent("Quinn"))
    visitor = visit("/account")
    sign_up(visitor, "Nora")
    enter(visitor)
    visitor.name = "Nora"
    visitor.play_against(opponent("Ron"))
    playing, visitor.page = visitor.page, visitor.page.context.new_page()
    playing.close()  # a phone that sleeps: its line is gone, and the seat is free
    visitor.page.goto(f"/games/{other_game}")
    visitor.see("#talk-hint", "The players are not shown it")
    visitor.page.get_by_label("Say to the spectators").fill("well played")
    visitor.page.get_by_label("Say to the spectators").press("Enter")
    visitor.see("#talk-note", "Your game goes on.")
    expect(visitor.page.get_by_label("Say to the spectators")).to_have_value("well played")
    again = Visitor(visitor.page.context.new_page())
    again.page.goto("/play?back")
    again.see("#table .status", "Your move")
    again.resign()


def test_in_another_browser_nobody_is_signed_in(visit):
    visitor, other = visit("/account"), visit("/account")
    sign_up(visitor, "Cleo")
    other.see("#out")
    sign_in(other, "Cleo", "wrong horse")
    other.see("#in-fault", "The name or the password is wrong.")
    sign_in(other, "cleo")
    other.see("#me", "Cleo")
    other.page.get_by_role("button", name="Sign out everywhere").click()
    other.see("#in-title")
    visitor.page.reload()
    visitor.see("#out")


def test_no_script_reads_the_cookie_and_no_page_of_another_site_uses_it(visit, server):
    visitor = visit("/account")
    sign_up(visitor, "Dora")
    assert visitor.page.evaluate("document.cookie") == ""
    here = f"http://127.0.0.1:{server.port('ws')}"
    [cookie] = visitor.page.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    visitor.page.route("http://evil.test/", lambda route: route.fulfill(body="<title>x</title>"))
    visitor.offline = True  # what the browser refuses stands in its console
    visitor.page.goto("http://evil.test/")
    script = f"""async () => {{
        const url = '{here}/api/account/sign-out-everywhere';
        const said = {{ method: 'POST', credentials: 'include', body: '{{}}' }};
        const json = {{ ...said, headers: {{ 'Content-Type': 'application/json' }} }};
        const results = [];
        for (const one of [json, {{ ...said, mode: 'no-cors' }}]) {{
            const answer = await fetch(url, one).catch(() => ({{ type: 'refused' }}));
            results.push(answer.type);
        }}
        return results;
    }}"""
    assert visitor.page.evaluate(script) == ["refused", "opaque"]
    visitor.faults = [fault for fault in visitor.faults if "evil.test" not in fault]
    visitor.page.goto(f"{here}/account")
    visitor.see("#me", "Dora")


@pytest.fixture
def encrypted(tmp_path):
    """A server that encrypts by itself, under the names of a site and its neighbour."""
    certificate = trustme.CA().issue_cert("games.test", "evil.games.test")
    certificate.private_key_and_cert_chain_pem.write_to_path(tmp_path / "server.pem")
    config = tmp_path / "server.toml"
    listen = '{ address = "wss://127.0.0.1:0", certificate = "server.pem" }'
    config.write_text(f'listen = [{{ address = "tcp://127.0.0.1:0" }}, {listen}]\n{CHESS}{MORE}')
    with serving(tmp_path, "--config", str(config)) as running:
        yield running


def test_over_tls_a_neighbouring_name_neither_sets_nor_uses_the_cookie(chromium, encrypted):
    port = encrypted.port("wss")
    here, neighbour = f"https://games.test:{port}", f"https://evil.games.test:{port}"
    context = chromium.new_context(base_url=here, ignore_https_errors=True)
    visitor = Visitor(context.new_page())
    visitor.page.goto("/account")
    sign_up(visitor, "Ada")
    [cookie] = context.cookies()
    assert (cookie["name"], cookie["domain"]) == ("__Host-ulci_session", "games.test")
    assert (cookie["secure"], cookie["httpOnly"], cookie["sameSite"]) == (True, True, "Strict")
    evil = Visitor(context.new_page())
    evil.offline = True
    evil.page.route(f"{neighbour}/", lambda route: route.fulfill(body="<title>x</title>"))
    evil.page.goto(f"{neighbour}/")
    evil.page.evaluate("""() => {
        for (const name of ['__Host-ulci_session', 'ulci_session'])
            for (const path of ['/', '/api/account'])
                document.cookie = `${name}=eves; Domain=games.test; Path=${path}; Secure`;
    }""")
    answers = evil.page.evaluate(
        """async (url) => {
            const said = { method: 'POST', credentials: 'include', body: '{}' };
            const json = { ...said, headers: { 'Content-Type': 'application/json' } };
            const results = [];
            for (const one of [json, { ...said, mode: 'no-cors' }]) {
                const answer = await fetch(url, one).catch(() => ({ type: 'refused' }));
                results.push(answer.type);
            }
            return results;
        }""",
        f"{here}/api/account/sign-out-everywhere",
    )
    assert answers == ["refused", "opaque"]
    enter(visitor)
    visitor.until("document.querySelector('#me').textContent === 'Ada'")
    set_by_evil = {one["name"] for one in context.cookies() if one["value"] == "eves"}
    assert set_by_evil == {"ulci_session"}  # which over TLS is none of ours
    visitor.page.goto("/account")
    visitor.see("#me", "Ada")
    visitor.press("Sign out")
    visitor.see("#in-title")
    assert [one["name"] for one in context.cookies() if one["httpOnly"]] == []
    assert visitor.faults == []
    context.close()


def test_an_invitation_stands_in_a_link_that_the_server_never_sees(visit, server):
    server.run("player", "add", "Old")
    code = server.run("player", "invite", "Old").strip()
    visitor = visit(f"/account#invite={code}")
    visitor.see("#out")
    visitor.page.wait_for_url("**/account")
    expect(visitor.page.get_by_label("Invitation")).to_have_value(code)
    sign_up(visitor, "Old")
    assert code not in server.log.read_text()


def test_a_guests_name_is_remembered(visit):
    visitor = visit("/play")
    visitor.come_in("Gus")
    page = visitor.page.context.new_page()
    page.goto("/play")
    page.locator("#enter-button:enabled").wait_for()
    Visitor(page)
    expect(page.locator("#name")).to_have_value("Gus")


def test_a_guests_game_of_days_outlives_the_browser(chromium, server, opponent, tmp_path):
    """What the browser has stored on its disk is all that is left of it."""
    base = f"http://127.0.0.1:{server.port('ws')}"
    kept = tmp_path / "browser.json"
    context = chromium.new_context(base_url=base)
    visitor = Visitor(context.new_page())
    visitor.page.goto("/play")
    visitor.come_in("Hal")
    rival = opponent("Ida")
    visitor.play_against(rival, "time 3days")
    game = visitor.game
    context.storage_state(path=kept)
    context.close()

    context = chromium.new_context(base_url=base, storage_state=kept)
    visitor = Visitor(context.new_page())
    visitor.page.goto("/play")
    visitor.see("#go-back", "Your game goes on.")
    visitor.press("Back to your game")
    visitor.see("#table .status", "Your move")
    assert visitor.game == game
    assert visitor.my_turn()
    visitor.click_move("e2e4")
    visitor.said_move(1)
    rival.say("resign")
    visitor.see(".status", "White won by resignation")
    visitor.page.evaluate("sessionStorage.clear()")
    visitor.page.goto("/play")
    visitor.see("#enter-form")
    visitor.until("localStorage.getItem('ulci.game') === null")
    assert visitor.page.locator("#go-back").is_hidden()
    assert visitor.faults == []
    context.close()


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_it_fits_and_axe_finds_no_serious_fault(visit, axe, size):
    tag = f"{size[0]}"
    visitor = visit("/account", size)
    visitor.see("#out")
    faults = {}

    def look(name: str) -> None:
        for scheme in in_both_schemes(visitor):
            keep(visitor, f"account_{name}_{tag}_{scheme}")
            assert visitor.widest() <= size[0], (name, scheme)
            if found := judged(visitor, axe):
                faults[name, scheme] = found

    look("out")
    sign_in(visitor, "Nobody")
    visitor.see("#in-fault")
    look("refused")
    sign_up(visitor, f"A-name-of-{tag}-that-is-rather-long-for-a-page")
    visitor.page.locator("#token-form").get_by_label("What it is for").fill("W" * 60)
    visitor.page.locator("#token-form").get_by_role("button").click()
    visitor.see("#made")
    look("in")
    visitor.page.goto("/play")
    visitor.see("#signed-in")
    look("enter")
    assert faults == {}

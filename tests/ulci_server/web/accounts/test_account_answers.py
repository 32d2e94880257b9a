"""Signing up, in and out on the page, and each attack on it."""

import json
import math
import threading
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from http.cookies import SimpleCookie

import pytest
import trio
from argon2 import PasswordHasher

from tests.ulci_server.web.test_openapi import OPENAPI, fits
from ulci_server.hall.login.authenticator import WrongTokenError
from ulci_server.lobby import Profile
from ulci_server.storage import secret_hash
from ulci_server.web.accounts import answers, guesses, passwords
from ulci_server.web.accounts.own_pages import LONGEST_BODY
from ulci_server.web.accounts.passwords import Passwords
from ulci_server.web.accounts.sessions import LASTS

PASSWORD = "correct horse"
OWN = {"Origin": "http://127.0.0.1:25566", "Sec-Fetch-Site": "same-origin"}


class Browser:
    """Keeps the cookie that the server gives, as a browser does, and says what pages it shows."""

    def __init__(self, site, host: str = "192.0.2.1", scheme: str = "http") -> None:
        self.site = site
        self.host = host
        self.scheme = scheme
        self.cookie = ""
        self.given = SimpleCookie()

    async def post(self, act: str, headers: Mapping[str, str] | None = None, **said):
        body = json.dumps(said).encode()
        origin = f"{self.scheme}://127.0.0.1:25566"
        fields = {
            "Host": "127.0.0.1:25566",
            "Content-Type": "application/json",
            **OWN,
            "Origin": origin,
            **({"Cookie": self.cookie} if self.cookie else {}),
            **(headers or {}),
        }
        fields = {name: value for name, value in fields.items() if value is not None}
        return await self._ask(f"/api/account/{act}", fields, "POST", body)

    async def look(self):
        fields = {"Cookie": self.cookie} if self.cookie else {}
        return await self._ask("/api/account", fields, "GET", b"")

    async def _ask(self, path, fields, method, body):
        answer = await self.site.ask(
            path, fields, self.host, method=method, body=body, scheme=self.scheme
        )
        if "set-cookie" in answer.headers:
            self.given = SimpleCookie(answer.headers["set-cookie"])
            [morsel] = self.given.values()
            self.cookie = f"{morsel.key}={morsel.value}" if morsel.value else ""
        return answer

    async def sign_up(self, name: str = "Ada", password: str = PASSWORD, **more):
        return await self.post("sign-up", name=name, password=password, **more)

    async def sign_in(self, name: str = "Ada", password: str = PASSWORD, **more):
        return await self.post("sign-in", name=name, password=password, **more)

    async def account(self):
        return (await self.look()).json["account"]


@pytest.fixture
def hashed(monkeypatch):
    """The passwords of the site, which are hashed at little cost, and counted."""
    made = []

    def make() -> Passwords:
        made.append(Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)))
        return made[-1]

    monkeypatch.setattr(answers, "Passwords", make)
    return made


@pytest.fixture
def opened(web, hashed):
    return partial(web, sign_up="open")


# What a person does


async def test_whoever_signs_up_is_signed_in_and_the_cookie_is_no_scripts(opened):
    async with opened() as site:
        ada = Browser(site)
        answer = await ada.sign_up()
        assert (answer.status, answer.json["name"]) == (201, "Ada")
        [morsel] = ada.given.values()
        assert (morsel.key, morsel["httponly"], morsel["samesite"], morsel["secure"]) == (
            "ulci_session",
            True,
            "strict",
            "",
        )
        assert (morsel["path"], morsel["domain"]) == ("/", "")
        assert int(morsel["max-age"]) == LASTS.total_seconds()
        seen = await ada.look()
        assert fits(
            seen.json,
            OPENAPI["paths"]["/api/account"]["get"]["responses"]["200"]["content"][
                "application/json"
            ]["schema"],
        )
        assert (seen.json["account"]["name"], seen.json["account"]["sessions"]) == ("Ada", 1)
        assert seen.headers["cache-control"] == answer.headers["cache-control"] == "no-store"


async def test_over_tls_the_cookie_is_sent_nowhere_else(opened):
    async with opened() as site:
        ada = Browser(site, scheme="https")
        assert (await ada.sign_up()).status == 201
        [morsel] = ada.given.values()
        assert (morsel.key, morsel["secure"]) == ("__Host-ulci_session", True)
        assert (await ada.account())["name"] == "Ada"
        ada.cookie = f"ulci_session={morsel.value}"  # which another host could have set
        assert await ada.account() is None


async def test_the_cookie_and_the_password_are_stored_as_hashes(opened):
    async with opened() as site:
        ada = Browser(site)
        await ada.sign_up()
        secret = ada.cookie.partition("=")[2]
        session = site.database.sign_ins.session(secret_hash(secret), datetime.now(UTC))
        assert session.player.name == "Ada"
        assert site.database.sign_ins.session(secret, datetime.now(UTC)) is None
        stored = site.database.sign_ins.credentials("Ada").hash
        assert stored.startswith("$argon2id$")
        assert PASSWORD not in stored


async def test_one_signs_out_and_in_again_under_any_spelling_of_the_name(opened):
    async with opened() as site:
        ada = Browser(site)
        await ada.sign_up()
        before = ada.cookie
        assert (await ada.post("sign-out")).status == 200
        assert ada.cookie == ""
        ada.cookie = before
        assert await ada.account() is None
        answer = await ada.sign_in("aDA")
        assert (answer.status, answer.json["name"]) == (200, "Ada")
        assert ada.cookie != before
        assert (await ada.account())["name"] == "Ada"


async def test_signing_out_everywhere_ends_all_browsers(opened):
    async with opened() as site:
        here, there = Browser(site), Browser(site)
        await here.sign_up()
        await there.sign_in()
        assert (await here.account())["sessions"] == 2
        assert (await there.post("sign-out-everywhere")).status == 200
        assert await here.account() is None


async def test_a_new_password_needs_the_old_one_and_signs_the_others_out(opened):
    async with opened() as site:
        here, there = Browser(site), Browser(site)
        await here.sign_up()
        await there.sign_in()
        refused = await here.post("password", old="wrong horse", new="battery staple")
        assert refused.status == 401
        before = here.cookie
        assert (await here.post("password", old=PASSWORD, new="battery staple")).status == 200
        assert here.cookie != before
        assert await there.account() is None
        assert (await there.sign_in()).status == 401
        assert (await there.sign_in(password="battery staple")).status == 200


async def test_a_session_expires(opened):
    async with opened() as site:
        ada = Browser(site)
        await ada.sign_up()
        secret = "a" * 43
        now, kept = datetime.now(UTC), site.database.sign_ins
        known = kept.credentials("Ada")
        kept.begin(
            *(known.player.id, secret_hash(secret), "", now - LASTS, now), password=known.hash
        )
        ada.cookie = f"ulci_session={secret}"
        assert await ada.account() is None
        assert (await ada.post("ticket")).status == 401


async def test_a_page_that_was_loaded_over_tls_gets_a_secure_cookie_though_the_proxy_does_not_tell(
    opened,
):
    async with opened() as site:
        ada = Browser(site)
        answer = await ada.post(
            "sign-up", {"Origin": "https://127.0.0.1:25566"}, name="Ada", password=PASSWORD
        )
        assert answer.status == 201
        [morsel] = ada.given.values()
        assert (morsel.key, morsel["secure"]) == ("ulci_session", True)
        assert (await ada.account())["name"] == "Ada"
        await ada.post("sign-out", {"Origin": "https://127.0.0.1:25566"})
        assert ada.cookie == ""


# Who may


async def test_where_it_is_off_nobody_signs_up_or_in(web, hashed):
    async with web() as site:
        site.database.sign_ins.sign_up("Ada", "hash", None, datetime.now(UTC))
        visitor = Browser(site)
        assert (await visitor.sign_up("Bob")).status == 403
        assert (await visitor.sign_in()).status == 403
        assert (await visitor.look()).json["sign_up"] == "off"
        assert hashed[0].computed == 0


async def test_by_invitation_only_who_has_a_code_signs_up_and_once(web, hashed):
    async with web(sign_up="invite") as site:
        now = datetime.now(UTC)
        site.database.sign_ins.add_invite(secret_hash("code"), now, now + timedelta(days=1))
        ada, bob = Browser(site), Browser(site)
        assert (await ada.sign_up()).status == 403
        assert (await ada.sign_up(invite="other")).status == 403
        assert hashed[0].computed == 0
        assert (await ada.sign_up(invite=" code ")).status == 201
        assert (await bob.sign_up("Bob", invite="code")).status == 403
        assert site.database.accounts.find_player("Bob") is None


async def test_an_invitation_for_an_account_gives_it_a_password(web, hashed):
    async with web(sign_up="invite") as site:
        now = datetime.now(UTC)
        ada = site.database.accounts.add_player("Ada", "human")
        site.database.sign_ins.add_invite(secret_hash("c"), now, now + timedelta(days=1), ada.id)
        visitor = Browser(site)
        assert (await visitor.sign_in()).status == 401
        assert (await visitor.sign_up("Bob", invite="c")).status == 403
        assert (await visitor.sign_up("ada", invite="c")).status == 201
        assert (await visitor.account())["name"] == "Ada"


@pytest.mark.parametrize("name", ["Ada", "ADA", "Аda", "Ada-2", "\uff21da"])
async def test_no_name_of_an_account_nor_one_that_looks_like_it_can_be_had(opened, name):
    async with opened() as site:
        site.database.accounts.add_player("Ada", "human")
        answer = await Browser(site).sign_up(name)
        assert answer.status == 409
        assert len(site.database.accounts.players()) == 1


@pytest.mark.parametrize(
    "name",
    ["", " Ada", "Ada Lovelace", "<b>Ada</b>", "a\nb", "x" * 65, "192.0.2.7", "all", "/etc"],
)
async def test_no_odd_name_can_be_had(opened, name):
    async with opened() as site:
        assert (await Browser(site).sign_up(name)).status == 422
        assert site.database.accounts.players() == []


@pytest.mark.parametrize("password", ["", "short", "x" * 257, "Ada-Lovelace"])
async def test_no_short_or_endless_password_and_not_the_name_is_taken(opened, hashed, password):
    async with opened() as site:
        assert (await Browser(site).sign_up("ada-lovelace", password)).status == 422
        assert hashed[0].computed == 0


async def test_who_is_banned_signs_neither_up_nor_in(opened):
    async with opened() as site:
        ada = Browser(site)
        await ada.sign_up()
        for kind, value in (("name", "Ada"), ("address", "192.0.2.77")):
            site.database.accounts.add_ban(kind, value, by="root")
        assert (await Browser(site).sign_in()).status == 403
        assert (await ada.post("ticket")).status == 403
        assert (await Browser(site, "192.0.2.77").sign_up("Bob")).status == 403


# Attacks by guessing


async def guess_until_refused(browser: Browser, names, most: int = 200) -> int:
    """How many wrong passwords were looked at."""
    for number in range(most):
        answer = await browser.sign_in(next(names), f"wrong password {number}")
        if answer.status == 429:
            assert int(answer.headers["retry-after"]) >= 1
            return number
        assert answer.status == 401
    return most


def unlimited(monkeypatch) -> None:
    """Let the quota of work count nothing: here are limits of their own, and the first wait is
    longer than a busy machine takes from one guess to the next."""
    monkeypatch.setattr(answers, "HASH_COST", 0.0)
    for name in ("OF_BOTH", "OF_ADDRESS", "OF_NAME"):
        limit = getattr(guesses, name)
        monkeypatch.setattr(guesses, name, limit._replace(first=60.0))


def always(name: str):
    while True:
        yield name


async def test_guesses_at_one_name_from_one_address_are_few(opened, monkeypatch, hashed):
    unlimited(monkeypatch)
    async with opened() as site:
        await Browser(site, "192.0.2.9").sign_up()
        eve = Browser(site)
        assert await guess_until_refused(eve, always("Ada")) == guesses.OF_BOTH.free
        computed = hashed[0].computed
        assert (await eve.sign_in()).status == 429  # the right one, too
        assert hashed[0].computed == computed
        assert (await Browser(site, "192.0.2.9").sign_in()).status == 200


async def test_whom_a_crowd_turns_away_has_tried_nothing(opened, monkeypatch, hashed):
    unlimited(monkeypatch)
    async with opened() as site:
        ada = Browser(site)
        await ada.sign_up()
        with monkeypatch.context() as crowded:
            crowded.setattr(passwords, "PLACES", 0)
            for _ in range(guesses.OF_BOTH.free + 1):
                for refused in (await ada.sign_in(), await ada.sign_up("Bob")):
                    assert (refused.status, refused.headers["retry-after"]) == (503, "2")
        assert (await ada.sign_in(password="wrong horse")).status == 401
        assert (await ada.sign_up("Bob")).status == 201


async def test_of_a_crowd_that_comes_at_once_few_are_counted(opened, monkeypatch, hashed):
    """The others cost the database nothing, by whose one writer the moves of all games go, too."""
    most, counted = passwords.PLACES, []
    async with opened() as site:
        attempt, go = site.database.sign_ins.attempt, threading.Event()

        def held(*args, **more):
            counted.append(args)
            go.wait(60)
            return attempt(*args, **more)

        monkeypatch.setattr(site.database.sign_ins, "attempt", held)
        arrive, answers_come = trio.open_memory_channel[int](math.inf)

        async def come(number: int) -> None:
            answer = await Browser(site, f"198.51.100.{number}").sign_in("Nobody", "wrong horse")
            arrive.send_nowait(answer.status)

        async with trio.open_nursery() as nursery:
            for number in range(most + 20):
                nursery.start_soon(come, number)
            assert [await answers_come.receive() for _ in range(20)] == [503] * 20
            go.set()
        assert [await answers_come.receive() for _ in range(most)] == [401] * most
        assert len(counted) == most


@pytest.mark.parametrize("letter", ["x", "\u8d85", "\ufdfa"])
async def test_an_endless_name_is_limited_as_a_short_one(opened, monkeypatch, letter):
    unlimited(monkeypatch)
    name = letter * (LONGEST_BODY // 16)
    async with opened() as site:
        assert await guess_until_refused(Browser(site), always(name)) == guesses.OF_BOTH.free
    keys = guesses.guess(name, "192.0.2.1", ()).limits
    assert max(len(key.encode()) for key in keys) < 2704  # PostgreSQL's longest


async def test_an_unknown_name_is_limited_as_a_known_one(opened, monkeypatch):
    unlimited(monkeypatch)
    async with opened() as site:
        assert await guess_until_refused(Browser(site), always("Nobody")) == guesses.OF_BOTH.free


async def test_guesses_at_many_names_from_one_address_are_limited(opened, monkeypatch):
    unlimited(monkeypatch)
    async with opened() as site:
        names = (f"name{number}" for number in range(1000))
        assert await guess_until_refused(Browser(site), names) == guesses.OF_ADDRESS.free


async def test_guesses_at_one_name_from_many_addresses_are_limited(opened, monkeypatch):
    unlimited(monkeypatch)
    async with opened() as site:
        owner = Browser(site, "192.0.2.9")
        await owner.sign_up()
        tried = 0
        for number in range(guesses.OF_NAME.free + 1):
            answer = await Browser(site, f"198.51.100.{number}").sign_in(password="wrong horse")
            tried += answer.status == 401
        assert tried == guesses.OF_NAME.free
        assert (await Browser(site, "192.0.2.9").sign_in()).status == 200  # is signed in there


async def test_the_right_password_takes_the_wrong_ones_back(opened, monkeypatch):
    unlimited(monkeypatch)
    async with opened() as site:
        ada = Browser(site)
        await ada.sign_up()
        for _ in range(3):
            for _ in range(guesses.OF_BOTH.free - 1):
                assert (await ada.sign_in(password="wrong horse")).status == 401
            assert (await ada.sign_in()).status == 200


async def test_an_address_makes_few_accounts(opened, monkeypatch):
    unlimited(monkeypatch)
    async with opened() as site:
        made = 0
        while (await Browser(site).sign_up(f"bot{made}x")).status == 201:
            made += 1
        assert made == guesses.OF_NEW_ACCOUNTS.free
        assert (await Browser(site, "198.51.100.1").sign_up("person")).status == 201


async def test_passwords_count_more_of_an_addresss_quota_than_other_work(opened, mock_clock):
    async with opened() as site:
        eve, answered = Browser(site), []
        names = (f"name{number}" for number in range(1000))
        while (answer := await eve.sign_in(next(names), "wrong horse")).status == 401:
            answered.append(answer)
        assert answer.status == 429
        assert len(answered) <= 60 / answers.HASH_COST + 2


# Attacks to learn who is here


async def test_unknown_names_cost_as_many_hashes_as_known_ones(opened, hashed):
    async with opened() as site:
        await Browser(site, "192.0.2.9").sign_up("Ada")
        site.database.accounts.add_player("Tokens-only", "human")
        said = set()
        for number, name in enumerate(("Ada", "Tokens-only", "Nobody")):
            before = hashed[0].computed
            answer = await Browser(site, f"192.0.2.{number}").sign_in(name, "wrong horse")
            assert hashed[0].computed == before + 1
            said.add((answer.status, answer.json["error"]["text"]))
        assert said == {(401, answers.WRONG)}


# Attacks on sessions


async def test_a_session_that_the_browser_brings_is_never_taken_over(opened):
    """Fixation: the attacker knows what the victim's browser brings."""
    async with opened() as site:
        ada = Browser(site)
        ada.cookie = "ulci_session=known-to-eve"
        await ada.sign_up()
        assert ada.cookie != "ulci_session=known-to-eve"
        eve = Browser(site)
        eve.cookie = "ulci_session=known-to-eve"
        assert await eve.account() is None


async def test_signing_in_ends_the_session_that_the_browser_had(opened):
    async with opened() as site:
        ada, eve = Browser(site), Browser(site)
        await ada.sign_up("Ada")
        await eve.sign_up("Eve")
        known = eve.cookie
        victim = Browser(site)
        victim.cookie = known
        await victim.sign_in("Ada")
        assert victim.cookie != known
        assert await eve.account() is None


@pytest.mark.parametrize("order", [1, -1])
async def test_a_cookie_that_a_neighbouring_host_adds_makes_nobody_another_account(opened, order):
    """Over plain HTTP a page of b.example can set a cookie for all of example."""
    async with opened() as site:
        ada, eve = Browser(site), Browser(site)
        await ada.sign_up("Ada")
        await eve.sign_up("Eve")
        both = Browser(site)
        both.cookie = "; ".join([ada.cookie, eve.cookie][::order])
        assert await both.account() is None
        assert (await both.post("ticket")).status == 401
        assert (await ada.account())["name"] == "Ada"
        both.cookie = "; ".join([ada.cookie, eve.cookie][::order])
        await both.post("sign-out")
        assert await ada.account() is None


class Meanwhile(Passwords):
    """While a password is computed, something else happens."""

    def __init__(self) -> None:
        super().__init__(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        self.then = None

    async def fits(self, hash_, password):
        then, self.then = self.then, None
        fits = await super().fits(hash_, password)
        if then is not None:
            await then()
        return fits


@pytest.fixture
def meanwhile(monkeypatch):
    made = []

    def make() -> Meanwhile:
        made.append(Meanwhile())
        return made[-1]

    monkeypatch.setattr(answers, "Passwords", make)
    return made


async def test_who_proved_the_old_password_before_it_was_changed_is_not_signed_in(web, meanwhile):
    async with web(sign_up="open") as site:
        ada, eve = Browser(site), Browser(site, "198.51.100.1")
        await ada.sign_up()

        async def change() -> None:
            await ada.post("password", old=PASSWORD, new="battery staple")

        meanwhile[0].then = change
        refused = await eve.sign_in()
        assert refused.status == 401
        assert "set-cookie" not in refused.headers
        assert (await ada.account())["sessions"] == 1


async def test_who_knew_the_old_password_does_not_change_the_new_one(web, meanwhile):
    async with web(sign_up="open") as site:
        ada, eve = Browser(site), Browser(site, "198.51.100.1")
        await ada.sign_up()
        await eve.sign_in()

        async def change() -> None:
            await ada.post("password", old=PASSWORD, new="battery staple")

        meanwhile[0].then = change
        assert (await eve.post("password", old=PASSWORD, new="horse of Eve")).status == 401
        assert (await ada.sign_in(password="battery staple")).status == 200


@pytest.mark.parametrize("cookie", ["", "x", "'; DROP TABLE players; --", "é", "a" * 5000])
async def test_what_is_no_session_signs_nobody_in(opened, cookie):
    async with opened() as site:
        eve = Browser(site)
        eve.cookie = f"ulci_session={cookie}".encode("utf-8", "replace").decode("latin-1")
        assert await eve.account() is None
        assert (await eve.post("ticket")).status == 401


# Attacks from other sites

FOREIGN = [
    {"Origin": "https://evil.example", "Sec-Fetch-Site": None},
    {"Origin": "null", "Sec-Fetch-Site": None},
    {"Origin": "http://sub.127.0.0.1:25566", "Sec-Fetch-Site": None},
    {"Origin": "http://127.0.0.1:25566", "Sec-Fetch-Site": "cross-site"},
    {"Origin": "http://127.0.0.1:25566", "Sec-Fetch-Site": "same-site"},
    {"Origin": None, "Sec-Fetch-Site": "none"},
    {"Origin": "http://127.0.0.1:9999", "Sec-Fetch-Site": None},
    {"Host": "evil.example", "Origin": "http://evil.example", "Sec-Fetch-Site": "same-origin"},
]
ACTS = [
    ("sign-in", {"name": "Ada", "password": PASSWORD}),
    ("sign-up", {"name": "Eve", "password": PASSWORD}),
    ("sign-out", {}),
    ("sign-out-everywhere", {}),
    ("password", {"old": PASSWORD, "new": "another horse"}),
    ("tokens", {"label": "evil"}),
    ("tokens/revoke", {"id": "1"}),
    ("ticket", {}),
]


@pytest.mark.parametrize("headers", FOREIGN)
async def test_a_page_of_another_site_does_nothing(opened, headers):
    async with opened(origins=["https://evil.example"]) as site:
        ada = Browser(site)
        await ada.sign_up()
        cookie = ada.cookie
        for act, said in ACTS:
            answer = await ada.post(act, headers, **said)
            assert answer.status == 403, act
            assert "access-control-allow-origin" not in answer.headers
            assert "set-cookie" not in answer.headers
        assert ada.cookie == cookie
        seen = await ada.account()
        assert (seen["name"], seen["tokens"]) == ("Ada", [])


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
async def test_what_a_form_can_send_does_nothing(opened, kind):
    async with opened() as site:
        ada = Browser(site)
        await ada.sign_up()
        for act, said in ACTS:
            assert (await ada.post(act, {"Content-Type": kind}, **said)).status == 415


async def test_looking_changes_nothing_and_acts_are_no_gets(opened):
    async with opened() as site:
        ada = Browser(site)
        await ada.sign_up()
        for act, _ in ACTS:
            fields = {"Cookie": ada.cookie}
            assert (await site.ask(f"/api/account/{act}", fields)).status == 405
            preflight = await site.ask(f"/api/account/{act}", fields, method="OPTIONS")
            assert preflight.status == 405
            assert "access-control-allow-origin" not in preflight.headers
        assert (await ada.account())["name"] == "Ada"


async def test_nothing_leads_to_another_site(opened):
    async with opened() as site:
        ada = Browser(site)
        await ada.sign_up()
        for act, said in ACTS:
            for asked in (f"{act}?next=https://evil.example", f"{act}?return_to=//evil.example"):
                answer = await ada.post(asked, **said)
                assert answer.status == 400
                assert "location" not in answer.headers
        for path in ("/account?next=//evil.example", "//evil.example", "/account/", "/players/"):
            answer = await site.ask(path)
            assert answer.status in (200, 404)
            assert "location" not in answer.headers


@pytest.mark.parametrize(
    "body",
    [
        b"\xff",
        b"[]",
        b'"name"',
        b'{"name": 1}',
        b'{"name": null, "password": "x"}',
        b'{"nome": "Ada"}',
        b'{"name": "\\ud800", "password": "correct horse"}',
        b"[" * 4000,
        b"{" * 4000,
    ],
)
async def test_what_is_no_object_of_texts_is_refused(opened, body):
    async with opened() as site:
        fields = {"Content-Type": "application/json", "Host": "127.0.0.1:25566", **OWN}
        for act in ("sign-in", "sign-up", "tokens"):
            answer = await site.ask(f"/api/account/{act}", fields, method="POST", body=body)
            assert answer.status == 400, answer.text


async def test_a_long_body_is_refused(opened):
    async with opened() as site:
        assert (await Browser(site).sign_in(password="x" * LONGEST_BODY)).status == 413


# Tokens


async def test_a_token_lets_a_program_in_until_it_is_revoked(opened):
    async with opened() as site:
        ada = Browser(site)
        await ada.sign_up()
        made = await ada.post("tokens", label="laptop")
        assert made.status == 201
        token, number = made.json["token"], made.json["id"]
        assert secret_hash(token) != token
        [listed] = (await ada.account())["tokens"]
        assert (listed["id"], listed["label"], listed["scope"]) == (number, "laptop", "play")
        assert "token" not in listed
        known = await site.authenticator.authenticate(Profile("x", "", token=token), "192.0.2.1")
        assert (known.name, known.admin) == ("Ada", False)
        assert (await ada.post("tokens/revoke", id=str(number))).status == 200
        assert (await ada.account())["tokens"] == []
        with pytest.raises(Exception, match="not valid"):
            await site.authenticator.authenticate(Profile("x", "", token=token), "192.0.2.1")
        assert (await ada.post("tokens/revoke", id=str(number))).status == 404


async def test_nobody_revokes_the_token_of_another_account(opened):
    async with opened() as site:
        ada, eve = Browser(site), Browser(site)
        await ada.sign_up("Ada")
        await eve.sign_up("Eve")
        number = (await ada.post("tokens", label="")).json["id"]
        assert (await eve.post("tokens/revoke", id=str(number))).status == 404
        assert len((await ada.account())["tokens"]) == 1
        for wrong in ("", "x", "-1", "9" * 30, "１"):
            assert (await eve.post("tokens/revoke", id=wrong)).status in (404, 422)


async def test_an_account_has_a_bounded_number_of_tokens(opened):
    async with opened() as site:
        ada = Browser(site)
        await ada.sign_up()
        player = site.database.accounts.find_player("Ada").id
        for number in range(answers.MOST_TOKENS):
            site.database.accounts.add_token(player, f"{number}", "play")
        assert (await ada.post("tokens", label="more")).status == 409
        tokens = site.database.accounts.tokens(player)
        assert len(tokens) == answers.MOST_TOKENS
        assert (await ada.post("tokens/revoke", id=str(tokens[0].id))).status == 200
        assert (await ada.post("tokens", label="more")).status == 201
        for label in ("x" * 61, "a\nb", "\u202e"):
            assert (await ada.post("tokens", label=label)).status == 422


async def test_who_is_signed_out_makes_no_token_or_ticket(opened):
    async with opened() as site:
        for act in ("tokens", "tokens/revoke", "ticket", "sign-out-everywhere", "password"):
            said = {"tokens/revoke": {"id": "1"}, "password": {"old": "x", "new": "y" * 9}}
            assert (await Browser(site).post(act, **said.get(act, {}))).status == 401, act


# Tickets


async def test_a_ticket_logs_in_once_and_only_as_a_player(opened):
    async with opened() as site:
        ada = Browser(site)
        await ada.sign_up()
        made = await ada.post("ticket")
        assert (made.status, made.json["name"]) == (201, "Ada")
        ticket = made.json["ticket"]
        with pytest.raises(WrongTokenError):  # it directs nothing
            await site.authenticator.prove("Ada", ticket, "192.0.2.1")
        said = Profile("Ada", "", token=ticket)
        known = await site.authenticator.authenticate(said, "192.0.2.2")
        assert (known.name, known.admin, known.token) == ("Ada", False, "")
        with pytest.raises(Exception, match="not valid"):
            await site.authenticator.authenticate(said, "192.0.2.2")


async def test_a_ticket_ends_with_its_session(opened):
    async with opened() as site:
        ada = Browser(site)
        await ada.sign_up()
        ticket = (await ada.post("ticket")).json["ticket"]
        await ada.post("sign-out")
        with pytest.raises(Exception, match="not valid"):
            await site.authenticator.authenticate(Profile("Ada", "", token=ticket), "192.0.2.2")

"""Tournaments made and directed from afar, and who may not."""

import json
from urllib.parse import quote

import pytest

from tests.ulci_server.web.test_openapi import OPENAPI, fits
from ulci_server.storage import TournamentState, secret_hash
from ulci_server.web.directing import ACTS, LONGEST_ARGUMENTS, LONGEST_DESCRIPTION, MOST_OPEN

CUP = 'name = "Cup"\nformat = "roundrobin"\npool = "chess"\nopen = true\n'
LISTED = CUP + '[[entrant]]\naccount = "Ada"\n[[entrant]]\naccount = "Bob"\n'

DIRECTORS = ("ada", "Ирина")


TOKENS = {name: f"token-of-{name}" for name in ("Ada", "Bob", "Cyd")} | {"Ирина": "token-of-Irina"}


def populate(site) -> None:
    for name, token in TOKENS.items():
        player = site.database.accounts.add_player(name, "human")
        site.database.accounts.add_token(player.id, secret_hash(token), "play")


def proof(name: str = "Ada", token: str = "") -> dict[str, str]:
    return {"Authorization": f"Bearer {quote(name)}:{token or TOKENS[name]}"}


def _without_none(said):
    return {name: value for name, value in said.items() if value is not None}


async def make(site, text: str | bytes = CUP, query: str = "", headers=None, **more):
    body = text.encode() if isinstance(text, str) else text
    said = {"Content-Type": "application/toml", "Content-Length": str(len(body)), **proof()}
    said = _without_none(said | (headers or {}))
    return await site.ask(f"/api/tournaments{query}", said, method="POST", body=body, **more)


async def act(site, what: str, arguments=None, headers=None, cup: str = "cup"):
    body = json.dumps(arguments or {}).encode()
    said = {"Content-Type": "application/json", "Content-Length": str(len(body)), **proof()}
    said = _without_none(said | (headers or {}))
    path = f"/api/tournaments/{cup}/{what}"
    return await site.ask(path, said, method="POST", body=body)


def stored(site, name: str = "cup"):
    found = site.database.tournaments.named(name)
    return None if found is None else site.database.tournaments.stored(found.id)


@pytest.fixture
def directed(web):
    def open_site(**kwargs):
        return web(**{"directors": DIRECTORS, **kwargs})

    return open_site


# What a director does


async def test_a_director_makes_a_tournament_which_says_who_made_it(directed):
    async with directed() as site:
        populate(site)
        answer = await make(site, LISTED)
        assert answer.status == 201
        assert fits(answer.json, {"$ref": "#/components/schemas/Made"})
        assert answer.json["name"] == "cup"
        record, entrants, *_ = stored(site)
        assert (record.by, record.state, record.settings) == (
            "Ada",
            TournamentState.CREATED,
            LISTED,
        )
        assert [row.name for row in entrants] == ["Ada", "Bob"]


async def test_it_may_have_another_name_and_start_at_once(directed):
    async with directed() as site:
        populate(site)
        assert (await make(site, query="?name=evening&start=1")).status == 201
        assert stored(site, "evening").record.state is TournamentState.RUNNING


async def test_a_check_makes_none(directed):
    async with directed() as site:
        populate(site)
        answer = await make(site, LISTED, "?check=1")
        assert (answer.status, answer.json["text"]) == (
            200,
            "nothing is wrong with cup, with 2 entrants",
        )
        assert stored(site) is None


async def test_all_that_is_wrong_is_told_at_once(directed):
    async with directed() as site:
        populate(site)
        text = CUP.replace('"chess"', '"go"') + 'schedule = "2001-01-01 10:00"\n'
        text += 'openings = { file = "/etc/passwd" }\n[[entrant]]\naccount = "Nobody"\n'
        answer = await make(site, text, "?name=..")
        assert answer.status == 422
        assert fits(answer.json, {"$ref": "#/components/schemas/Faults"})
        told = answer.json["error"]["errors"]
        for word in ("schedule", "openings", "pool", "entrant.1", "'..'"):
            assert any(word in one for one in told), word


@pytest.mark.parametrize("text", ["x", "", 'name = "a"', b"\xff", "a = " + "[" * 5000])
async def test_what_is_no_description_is_refused_with_reasons(directed, text):
    async with directed() as site:
        populate(site)
        answer = await make(site, text)
        assert answer.status == 422
        assert answer.json["error"]["errors"]


async def test_two_tournaments_cannot_have_one_name(directed):
    async with directed() as site:
        populate(site)
        assert (await make(site)).status == 201
        for query in ("", "?check=1"):
            answer = await make(site, query=query)
            assert (answer.status, answer.json["error"]["code"]) == (409, "conflict")


async def test_no_more_are_made_than_the_server_looks_at(directed):
    async with directed() as site:
        populate(site)
        for number in range(MOST_OPEN):
            site.database.tournaments.create(CUP, 7, f"cup{number}", site.now())
        answer = await make(site)
        assert answer.status == 409
        assert "stop one first" in answer.text


async def test_a_director_leads_it_through_an_evening(directed):
    async with directed() as site:
        populate(site)
        await make(site, LISTED)
        for what, arguments in (
            ("start", {}),
            ("enter", {"account": "cyd", "boards": 2}),
            ("pair", {"white": "Ada", "black": "2"}),
            ("correct", {"pairing": 1, "score": "1-0", "why": "Bob has gone"}),
            ("remove", {"entrant": "Bob", "why": "it went home"}),
            ("pause", {}),
            ("next-round", {}),
        ):
            answer = await act(site, what, arguments)
            assert answer.status == 200, answer.text
            assert fits(answer.json, {"$ref": "#/components/schemas/Done"})
        record, entrants, pairings, _ = stored(site)
        assert record.state is TournamentState.PAUSED
        assert record.allowed_round == 2
        [pairing] = pairings
        assert (pairing.score, pairing.why, pairing.by) == ("1-0", "Bob has gone", "Ada")
        assert [(row.name, row.boards) for row in entrants if row.left is None] == [
            ("Ada", 1),
            ("cyd", 2),
        ]
        assert entrants[1].why == "removed by Ada: it went home"
        assert (await act(site, "stop")).status == 200
        late = await act(site, "start")
        assert (late.status, "it is over" in late.text) == (409, True)


async def test_the_answers_of_others_have_the_change_at_once(directed):
    async with directed() as site:
        populate(site)
        await make(site)
        assert (await site.ask("/api/tournaments/cup")).json["state"] == "created"
        await act(site, "start")
        assert (await site.ask("/api/tournaments/cup")).json["state"] == "running"


@pytest.mark.parametrize(
    ("what", "arguments", "status"),
    [
        ("start", {"x": 1}, 422),
        ("enter", {}, 422),
        ("enter", {"account": "Ada", "remote": "Bob"}, 422),
        ("enter", {"account": "Cyd", "boards": 0}, 422),
        ("enter", {"account": "Ada"}, 409),
        ("enter", {"account": "Nobody"}, 409),
        ("enter", {"engine": "Fish"}, 409),
        ("enter", {"remote": "a\u0007b"}, 422),
        ("enter", {"remote": "\ud800"}, 422),
        ("remove", {}, 422),
        ("remove", {"entrant": "Cyd"}, 409),
        ("remove", {"entrant": "Ada", "why": "x" * 501}, 422),
        ("correct", {"pairing": 9, "score": "1-0"}, 409),
        ("correct", {"pairing": "1", "score": "1-0"}, 422),
        ("correct", {"pairing": 1, "score": "2-0"}, 422),
        ("pair", {"white": "Ada", "black": "Ada"}, 409),
        ("pair", {"white": "Ada"}, 422),
    ],
)
async def test_what_cannot_be_done_is_refused_and_changes_nothing(
    directed, what, arguments, status
):
    async with directed() as site:
        populate(site)
        await make(site, LISTED)
        before = stored(site)
        answer = await act(site, what, arguments)
        assert answer.status == status, answer.text
        assert answer.json["error"]["text"]
        assert stored(site) == before


async def test_bodies_that_are_no_json_object_are_refused(directed):
    async with directed() as site:
        populate(site)
        await make(site)
        for body in (b"", b"[]", b"{", b"\xff", b"[" * 4000, b"9" * 4000):
            said = {"Content-Type": "application/json", "Content-Length": str(len(body))}
            path = "/api/tournaments/cup/start"
            answer = await site.ask(path, said | proof(), method="POST", body=body)
            assert (answer.status, answer.json["error"]["code"]) == (422, "invalid"), body
        assert stored(site).record.state is TournamentState.CREATED


async def test_unknown_tournaments_and_acts_are_not_found(directed):
    async with directed() as site:
        populate(site)
        assert (await act(site, "start", cup="none")).status == 404
        await make(site)
        answer = await act(site, "delete")
        assert (answer.status, answer.json["error"]["code"]) == (404, "not-found")


async def test_settings_of_another_version_are_directed_by_nobody(directed):
    async with directed() as site:
        populate(site)
        site.database.tournaments.create("format = 'draughts'", 7, "cup", site.now())
        answer = await act(site, "next-round")
        assert (answer.status, "of another version" in answer.text) == (409, True)


async def test_the_acts_are_those_that_are_described():
    parameters = OPENAPI["paths"]["/api/tournaments/{name}/{act}"]["post"]["parameters"]
    assert parameters[1]["schema"]["enum"] == [*ACTS]


# Who may not


async def refused(site, headers, status: int, code: str, **more) -> dict[str, str]:
    """Neither makes nor changes anything; the fields of the answer."""
    before = stored(site, "kept")
    for answer in (
        await make(site, headers=headers, **more),
        await act(site, "start", headers=headers, cup="kept"),
    ):
        assert (answer.status, answer.json["error"]["code"]) == (status, code)
    assert stored(site) is None
    assert stored(site, "kept") == before
    return answer.headers


@pytest.fixture
def kept(directed):
    """With a tournament that strangers want to change."""

    def fill(site):
        populate(site)
        site.database.tournaments.create(CUP, 7, "kept", site.now())
        return site

    return fill


@pytest.mark.parametrize(
    "said",
    [
        {"Authorization": None},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer Ada"},
        {"Authorization": "Bearer Ada:"},
        {"Authorization": "Bearer :token-of-Ada"},
        {"Authorization": "Basic QWRhOnRva2VuLW9mLUFkYQ=="},
        {"Authorization": f"Bearer {'A' * 65}:x"},
        {"Authorization": None, "Cookie": "Authorization=Bearer Ada:token-of-Ada"},
        proof("Ada", "guess"),
        proof("Nobody", "token-of-Ada"),
        proof("Ada", "token-of-Bob"),
    ],
)
async def test_whoever_does_not_prove_who_it_is_is_refused(directed, kept, said):
    async with directed() as site:
        headers = await refused(kept(site), said, 401, "unauthorized")
        assert headers["www-authenticate"] == "Bearer", "no browser asks its visitor for that"


async def test_another_account_directs_nothing(directed, kept):
    async with directed() as site:
        await refused(kept(site), proof("Bob"), 403, "forbidden")


async def test_a_name_is_taken_whatever_its_letters(directed):
    async with directed() as site:
        populate(site)
        assert (await make(site, headers=proof("Ирина"))).status == 201
        assert stored(site).record.by == "Ирина"


async def test_nobody_directs_unless_the_operator_allows_it(directed, kept):
    async with directed(directors=()) as site:
        await refused(kept(site), proof(), 403, "forbidden")


async def test_who_is_banned_directs_nothing(directed, kept):
    async with directed() as site:
        kept(site)
        site.database.accounts.add_ban(
            "name", "Ada", by="Root", why="spam", until=None, at=site.now()
        )
        await refused(site, proof(), 403, "forbidden")


async def test_who_guesses_tokens_must_wait_and_the_right_one_waits_too(directed, mock_clock):
    async with directed() as site:
        populate(site)
        answers = [await make(site, headers=proof("Ada", f"guess{n}")) for n in range(7)]
        assert answers[0].status == 401
        assert (answers[-1].status, answers[-1].json["error"]["code"]) == (429, "too-often")
        assert int(answers[-1].headers["retry-after"]) >= 1
        assert (await make(site)).status == 429
        assert (await make(site, host="198.51.100.1")).status == 201


async def test_a_page_of_another_site_directs_nothing_even_with_a_token(directed, kept):
    async with directed() as site:
        kept(site)
        for origin in ("https://evil.example", "null", "http://192.0.2.9"):
            await refused(site, {"Origin": origin, "Host": "192.0.2.7"}, 403, "forbidden")
        # DNS rebinding: the page and the server have the same name, which is not the server's.
        rebound = {"Origin": "http://evil.example", "Host": "evil.example"}
        await refused(site, rebound, 403, "forbidden")


async def test_a_page_of_the_server_directs(directed):
    async with directed() as site:
        populate(site)
        own = {"Origin": "http://192.0.2.7", "Host": "192.0.2.7"}
        assert (await make(site, headers=own)).status == 201


@pytest.mark.parametrize(
    "kind",
    ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"],
)
async def test_the_form_of_a_foreign_page_is_no_description(directed, kept, kind):
    async with directed() as site:
        await refused(kept(site), {"Content-Type": kind}, 415, "unsupported-media-type")


async def test_no_other_site_is_allowed_to_ask_by_a_preflight(directed):
    async with directed(embed=True) as site:
        populate(site)
        asked = {
            "Origin": "https://evil.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization, content-type",
        }
        for path in ("/api/tournaments", "/api/tournaments/cup/start"):
            answer = await site.ask(path, asked, method="OPTIONS")
            assert answer.status == 405
            assert "access-control-allow-origin" not in answer.headers


async def test_a_body_without_its_length_is_refused(directed, kept):
    async with directed() as site:
        kept(site)
        said = {"Transfer-Encoding": "chunked", "Content-Type": "application/toml", **proof()}
        answer = await site.ask("/api/tournaments", said, method="POST", body=CUP.encode())
        assert (answer.status, answer.json["error"]["code"]) == (411, "length-required")


async def test_bodies_are_bounded(directed):
    async with directed() as site:
        populate(site)
        answer = await make(site, CUP + "#" * LONGEST_DESCRIPTION)
        assert (answer.status, answer.json["error"]["code"]) == (413, "too-large")
        await make(site)
        answer = await act(site, "remove", {"entrant": "x" * LONGEST_ARGUMENTS})
        assert (answer.status, answer.json["error"]["code"]) == (413, "too-large")


async def test_each_path_has_its_methods(directed):
    async with directed() as site:
        populate(site)
        assert (await site.ask("/api/tournaments/cup/start")).status == 405
        for path in ("/api/tournaments/cup", "/api/server", "/tournaments"):
            answer = await site.ask(path, proof(), method="POST")
            assert (answer.status, answer.json["error"]["code"]) == (405, "method-not-allowed")
        for method in ("PUT", "DELETE", "PATCH"):
            answer = await site.ask("/api/tournaments", proof(), method=method)
            assert answer.status == 405


async def test_odd_parameters_are_refused(directed):
    async with directed() as site:
        populate(site)
        for query in ("?x=1", "?check=0", "?start=1&start=1", f"?name={'x' * 65}"):
            assert (await make(site, query=query)).status == 400, query
        assert (await act(site, "start?x=1")).status == 400
        assert stored(site) is None

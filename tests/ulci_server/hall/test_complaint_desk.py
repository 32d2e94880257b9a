"""Complaints, from the player who makes one to the administrator who settles it."""

import pytest
import trio

from tests.support.facts import finished, line, noted
from tests.ulci_server.hall.conftest import TOKENS
from tests.ulci_server.hall.test_admin import ask, root
from ulci.protocol.messages import Complain, Id
from ulci_server.game import Seat
from ulci_server.hall.complaint_desk import COMPLAINTS_BURST
from ulci_server.storage import Complaints, StorageError


@pytest.fixture
def desk(server, authenticator, database):
    """A server that takes complaints."""
    return lambda: server(authenticator=authenticator, complaints=database.complaints)


async def test_an_administrator_reads_and_settles_it(autojump_clock, desk, database):
    seats = (Seat("Ada", "human", handle="Ada", account=1), Seat("Bob", "human", handle="Bob"))
    database.save(noted([*line(17, "e2e4 e7e5", seats=seats), finished(17)]))
    async with desk() as h:
        ada = await h.person("x", Id("token", TOKENS["Ada"]))
        await h.person("Bob")
        ada.say(Complain("Bob", "he let  me wait"))
        said = await ada.hear_line("note complaint")
        assert said.endswith("with your last games against Bob: 17")
        admin = await root(h)
        (told,) = await ask(admin, "complaints")
        words = told.split()
        assert words[:3] == ["admin", "complaint", "1"]
        assert told.endswith("by Ada about Bob(guest) games 17 text he let me wait")
        assert await ask(admin, "settle 1") == []
        assert await ask(admin, "complaints") == []
        assert "closed-by Root" in (await ask(admin, "complaints all"))[0]
        assert await ask(admin, "settle 1") == [
            "error no-such-complaint there is no open complaint 1"
        ]


async def test_only_administrators_read_them(autojump_clock, desk):
    async with desk() as h:
        ada = await h.person("x", Id("token", TOKENS["Ada"]))
        (refused,) = await ask(ada, "complaints")
        assert refused.startswith("error not-allowed")


async def test_who_was_met_and_has_gone_may_be_named(autojump_clock, desk, database):
    seats = (Seat("Ada", "human", account=1), Seat("Gone", "human", handle="Gone-3"))
    database.save(noted([*line(3, "e2e4", seats=seats)]))
    async with desk() as h:
        ada = await h.person("x", Id("token", TOKENS["Ada"]))
        ada.say(Complain("Gone-3", "gone"))
        assert "against Gone: 3" in await ada.hear_line("note complaint")


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("Zoe", "error not-heard there is no Zoe here"),
        ("Ada", "error bad-name you cannot complain about yourself"),
    ],
)
async def test_nobody_and_oneself_cannot_be_meant(autojump_clock, desk, name, answer):
    async with desk() as h:
        ada = await h.person("x", Id("token", TOKENS["Ada"]))
        ada.say(Complain(name, "why"))
        assert (await ada.hear_line("error")).startswith(answer)


async def test_an_account_says_a_few_and_then_waits_whatever_its_connections(
    autojump_clock, desk, database
):
    async with desk() as h:
        await h.person("Bob")
        for number in range(COMPLAINTS_BURST + 1):
            ada = await h.person("x", Id("token", TOKENS["Ada"]))
            ada.say(Complain("Bob", f"again {number}"))
            expected = "note complaint" if number < COMPLAINTS_BURST else "error too-fast"
            await ada.hear_line(expected)
        assert len(database.complaints.all()) == COMPLAINTS_BURST
        await trio.sleep(601)
        ada.say(Complain("Bob", "later"))
        await ada.hear_line("note complaint")


async def test_a_database_that_fails_is_told(autojump_clock, desk, monkeypatch):
    def fail(*_: object) -> None:
        raise StorageError("the disk is full")

    monkeypatch.setattr(Complaints, "add", fail)
    async with desk() as h:
        ada = await h.person("x", Id("token", TOKENS["Ada"]))
        await h.person("Bob")
        ada.say(Complain("Bob", "why"))
        assert "disk" not in await ada.hear_line("error database")


async def test_a_server_that_keeps_none_says_so(autojump_clock, server):
    async with server() as h:
        ada = await h.person("Ada")
        ada.say(Complain("Bob", "why"))
        await ada.hear_line("error not-allowed this server keeps no complaints")

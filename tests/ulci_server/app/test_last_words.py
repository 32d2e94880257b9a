"""Whoever is turned away or sent away hears why, whatever lies between it and the server."""

import pytest
import trio

from tests.support.clients import Client
from tests.support.hosting import hosting
from tests.ulci_server.app.conftest import SCHEMES, configured
from ulci.net import DialError
from ulci.protocol.messages import (
    Admin,
    Blame,
    CopyProtection,
    Hello,
    Id,
    Message,
    Quit,
    Report,
    Status,
)
from ulci_server.storage import Database

pytestmark = pytest.mark.system

PROXIED = {"X-Forwarded-For": "192.0.2.7"}
"""What a reverse proxy on this machine says of somebody."""

every_kind_of_line = pytest.mark.parametrize(
    ("number", "headers"),
    [
        *(pytest.param(number, {}, id=scheme) for number, scheme in enumerate(SCHEMES)),
        pytest.param(2, PROXIED, id="ws behind a proxy"),
    ],
)


async def last_words(client: Client) -> str:
    """What the client hears of why its line ends, and that it was meant."""
    [*_, why, goodbye] = await client.hear_the_end()
    assert isinstance(why, Report)
    assert goodbye == Quit()
    return why.text


async def turned_away(client: Client, *said: Message) -> str:
    await client.introduce(*said)
    return await last_words(client)


@every_kind_of_line
async def test_of_a_wrong_token(settings, number, headers):
    async with (
        hosting(configured(settings)) as hosted,
        hosted.client(number, headers) as client,
    ):
        why = await turned_away(client, Id("username", "Ada"), Id("token", "guess"))
    assert "your token is not valid" in why


@every_kind_of_line
async def test_of_the_ban_of_an_address(settings, number, headers):
    database = Database(settings["url"])
    database.accounts.add_ban(
        "address", headers.get("X-Forwarded-For", "127.0.0.1"), by="Root", why="spam"
    )
    database.close()
    async with (
        hosting(configured(settings)) as hosted,
        hosted.client(number, headers) as client,
    ):
        assert "banned" in await turned_away(client, Id("username", "Ada"))


@every_kind_of_line
@pytest.mark.parametrize(
    ("word", "why"),
    [
        (("ban", "Ada", "forever", "spam"), "you are banned here: spam"),
        (("kick", "Ada", "go", "out"), "you were kicked by Root: go out"),
    ],
    ids=["ban", "kick"],
)
async def test_of_an_administrator(settings, number, headers, word, why):
    async with (
        hosting(configured(settings)) as hosted,
        hosted.client() as root,
        hosted.client(number, headers) as client,
    ):
        await client.introduce_person("Ada")
        await root.introduce(
            Id("username", "Root"), Id("token", "root-token"), Id("feature", "lobby")
        )
        await root.hear_line("welcome")
        root.say(Admin(word))
        assert await last_words(client) == why


@pytest.mark.parametrize("number", range(len(SCHEMES)), ids=SCHEMES)
async def test_that_it_has_too_many_connections(settings, number):
    limits = {"address_connections": 1, "exempt": []}
    async with hosting(configured(settings, limits=limits)) as hosted, hosted.client() as first:
        await first.introduce_person("Ada")
        try:
            async with hosted.client(number) as client:
                why = await last_words(client)
        except DialError as error:
            why = str(error)
    assert "your address already has 1 connection, which is the limit; retry-after 10" in why


@pytest.mark.parametrize("number", range(len(SCHEMES)), ids=SCHEMES)
async def test_that_the_server_ends_and_the_game_does_not(settings, number):
    async with hosting(configured(settings)) as hosted, hosted.game(number) as players:
        hosted.shutdown.ask()
        for player in players:
            await player.hear_line("game 1 paused")


@pytest.mark.parametrize("number", range(len(SCHEMES)), ids=SCHEMES)
async def test_that_the_server_ends(settings, number):
    async with hosting(configured(settings)) as hosted, hosted.client(number) as client:
        await client.introduce_person("Ada")
        hosted.shutdown.ask()
        assert await last_words(client) == "the server is shutting down"


@every_kind_of_line
async def test_that_there_is_nothing_to_play(settings, number, headers):
    pool = {"name": "board", "game": "liberty", "time": "60"}
    async with (
        hosting(configured(settings, pool=[pool])) as hosted,
        hosted.client(number, headers) as client,
    ):
        assert "nothing to play here" in await turned_away(client, Id("name", "Plain"))


@every_kind_of_line
async def test_that_it_did_not_introduce_itself_in_time(settings, number, headers):
    clients = {"handshake": 0.05}
    async with (
        hosting(configured(settings, clients=clients)) as hosted,
        hosted.client(number, headers) as client,
    ):
        await client.hear(Hello)
        assert await last_words(client) == "no uciok within 0.05 s; retry-after 1"


@every_kind_of_line
async def test_that_its_program_is_not_to_be_copied(settings, number, headers):
    async with (
        hosting(configured(settings)) as hosted,
        hosted.client(number, headers) as client,
    ):
        await client.introduce_person("Ada")
        client.say(CopyProtection(Status.ERROR))
        assert "copyprotection error" in await last_words(client)


@every_kind_of_line
async def test_that_it_says_too_much_even_while_it_does(settings, number, headers):
    limits = {"burst": 65_536, "patience": 0.1, "exempt": []}
    async with (
        hosting(configured(settings, limits=limits)) as hosted,
        hosted.client(number, headers) as client,
        trio.open_nursery() as nursery,
    ):
        await client.introduce_person("Ada")
        nursery.start_soon(flood, client)
        assert "retry-after" in await last_words(client)


async def flood(client: Client) -> None:
    while not client.peer.why:
        if client.peer.waiting < 200_000:
            client.say(*[Report(Blame.CLIENT, "x" * 200)] * 20)
        await trio.lowlevel.checkpoint()

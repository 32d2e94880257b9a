"""The whole server: a rated game changes ratings, which everybody then sees."""

from datetime import UTC, datetime

import pytest
import trio

from tests.support.clients import Client
from tests.support.hosting import config, hosting
from ulci.protocol.messages import Accept, BestMove, Challenge, Id, Rematch, Terms, Who
from ulci_server.storage import Database, migrate, secret_hash
from ulci_server.storage.verify import check_ratings

pytestmark = pytest.mark.system


@pytest.fixture
def url(database_url: str) -> str:
    """With accounts of Ada and Bob, whose tokens are their names, and Bob anchored at 1800."""
    migrate(database_url)
    database = Database(database_url)
    for name in ("Ada", "Bob"):
        player = database.accounts.add_player(name, "human")
        database.accounts.add_token(player.id, secret_hash(name), "play")
    database.ratings.anchor(2, "chess", 1800, datetime.now(UTC))
    database.close()
    return database_url


async def mate(white: Client, black: Client, number: int) -> str:
    """White is mated. Returns how the game was announced."""
    for client in (white, black):
        await client.get_ready()
    started = await white.hear_line(f"game {number} start")
    await white.move("f2f3")
    await black.move("e7e5")
    await white.move("g2g4")
    await black.be_asked()
    black.say(BestMove("d8h4"))
    for client in (white, black):
        await client.hear_line(f"game {number} over")
        await client.get_ready()
    return started


async def ratings(client: Client) -> dict[str, str]:
    client.say(Who())
    count = int((await client.hear_line("who")).split()[1])
    lines = [(await client.hear_line("player")).split() for _ in range(count)]
    return {line[1]: line[-1] if line[-2] == "rating" else "" for line in lines}


async def test_a_game_changes_what_who_and_the_next_game_tell(url: str) -> None:
    async with (
        hosting(config(url)) as hosted,
        hosted.client() as ada,
        hosted.client() as bob,
    ):
        for client, name in ((ada, "Ada"), (bob, "Bob")):
            await client.introduce_person("x", Id("token", name))
        assert await ratings(ada) == {"Ada": "", "Bob": "1800"}
        ada.say(Challenge("Bob", Terms(color="white", rated=True)))
        await bob.hear_line("challenge")
        bob.say(Accept(1))
        assert (await mate(ada, bob, 1)).endswith(" black-rating 1800")

        while (told := await ratings(bob))["Ada"] == "":  # noqa: ASYNC110 - nothing tells it
            await trio.sleep(0.1)  # until the database has been asked
        assert told["Bob"] == "1800"
        assert told["Ada"].endswith("?")
        assert int(told["Ada"][:-1]) < 1500

        ada.say(Rematch())
        await bob.hear_line("challenge")
        bob.say(Rematch())
        black = f"black-rating {told['Ada'][:-1]}"
        assert (await mate(bob, ada, 2)).endswith(f" white-rating 1800 {black}")
    database = Database(url)
    assert check_ratings(database) == 5
    assert [seat.rating for seat in database.games.find()[0].seats] == [1800, int(told["Ada"][:-1])]
    database.close()

"""Ratings of players whose connections are at other servers than the lobby and the game."""

import pytest
import trio

from ulci.protocol.messages import Accept, Challenge, Id, Resign, Terms, Who
from ulci_server.hall import Authenticator
from ulci_server.lobby import KnownRating


@pytest.fixture
def rated(monkeypatch) -> dict[int, int]:
    """The ratings of accounts, as the database has them."""
    known: dict[int, int] = {}

    async def ratings_of(_, players):
        await trio.lowlevel.checkpoint()
        return {
            player: {"chess": KnownRating(known[player])} if player in known else {}
            for player in players
        }

    monkeypatch.setattr(Authenticator, "ratings_of", ratings_of)
    return known


async def ratings(client) -> dict[str, str]:
    client.say(Who())
    count = int((await client.hear_line("who")).split()[1])
    lines = [(await client.hear_line("player")).split() for _ in range(count)]
    return {line[1]: line[-1] if line[-2] == "rating" else "" for line in lines}


async def test_new_ratings_are_known_everywhere_after_a_game(cluster, autojump_clock, rated):
    servers = [await cluster.start(name) for name in "abc"]
    rated[1] = 1812
    root = await servers[1].person("x", Id("token", "root-token"))
    bob = await servers[2].person("Bob")
    assert await ratings(bob) == {"Root": "1812", "Bob": ""}
    for number, rating in ((1, 1812), (2, 1700)):
        root.say(Challenge("Bob", Terms(time="60+1", color="white", rated=True)))
        challenge = int((await bob.hear_line("challenge")).split()[1])
        bob.say(Accept(challenge))
        for player in (root, bob):
            await player.get_ready()
        assert (await bob.hear_line(f"game {number} start")).endswith(f"white-rating {rating}")
        rated[1] = 1700
        root.say(Resign())
        for player in (root, bob):
            await player.hear_line(f"game {number} over")
            await player.get_ready()
        await trio.sleep(1)
        assert await ratings(bob) == {"Root": "1700", "Bob": ""}

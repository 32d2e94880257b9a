"""A bot that keeps house by its file, as people run it: a real server, real challengers."""

import re
import signal
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import chess
import chess.polyglot
import pytest
import trio

from tests.support.bots import Challenger, challenger
from tests.support.bridges import Bridge, bridged
from tests.support.servers import Server, serving, until
from ulci.protocol import Accept, Challenge, Decline, Seeks, Terms, Unknown
from ulci.protocol.lobby.lines import ErrorLine, GameOver, GameStart, OpenSeek

pytestmark = pytest.mark.system

HOUSE = f'["{sys.executable}", "-m", "ulci_client.house_engine"]'

UGI = HOUSE.replace("]", ', "--dialect", "ugi"]')

FILE = """
name = "Fish"
server = "tcp://127.0.0.1:{port}"
concurrency = 2

[[engine]]
command = {engine}
options = {{ Depth = 1 }}
games = ["chess", "chess960"]

[seek]
when = "never"

[accept]
own_starts = false
base = [10, 600]
bonus = [0, 5]
rated = "no"
refuse = ["Rude*"]

[limits]
kept_for_people = 1
opponent_a_day = 2
quiet_hours = []

[greeting]
begin = "Hello {{opponent}}, enjoy our {{game}}."
end = "Thank you, {{opponent}}: {{result}}."
"""


@contextmanager
def hosting(folder: Path) -> Iterator[Server]:
    config = folder / "server.toml"
    config.write_text('listen = [{ address = "tcp://127.0.0.1:0" }]\nshutdown = { grace = 0 }\n')
    with serving(folder, "--config", str(config)) as server:
        yield server


@contextmanager
def bot(
    server: Server, text: str = FILE, folder: Path | None = None, **words: object
) -> Iterator[Bridge]:
    """A bot by this file; {port} and {engine} stand for the server's and the house engine."""
    folder = folder or server.folder
    file = folder / "bot.toml"
    file.write_text(text.format(port=server.port(), engine=HOUSE, ugi=UGI, **words))
    with bridged(folder, "bot", "--config", str(file)) as bridge:
        yield bridge


async def here(bridge: Bridge, count: int = 1) -> None:
    await until(lambda: bridge.shown.count("is known to the server as") >= count, "it is there")


CROWD = 12
"""Players who come all at once."""

CHESS = Terms("chess", "60+1")

# What is asked for, and why it is declined.
DECLINED = {
    "I play chess and chess960, not atomic": (Terms("atomic", "60+1"), "games"),
    "I play from the usual start only": (
        Terms("chess", "60+1", start="8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"),
        "own_starts",
    ),
    "I play only with a clock, not 3days": (Terms("chess", "3days"), "clocks"),
    "I play only with a clock, not depth=3": (Terms("chess", "depth=3"), "clocks"),
    "I play only with a clock, not inf": (Terms("chess", "inf"), "clocks"),
    "I play with 10 to 600 s on the clock, not 5": (Terms("chess", "5+1"), "base"),
    "I play with 10 to 600 s on the clock, not 900": (Terms("chess", "900"), "base"),
    "I play with 10 to 600 s on the clock, not 1200": (Terms("chess", "60|1200"), "base"),
    "I play with 0 to 5 s per move, not 30": (Terms("chess960", "60+30"), "bonus"),
    "I play only unrated games": (Terms("chess", "60+1", rated=True), "rated"),
}


@pytest.mark.slow
async def test_three_hundred_challenges_are_answered_by_every_line_of_the_file(tmp_path):
    with hosting(tmp_path) as server, bot(server) as bridge:
        await here(bridge, 2)
        port = server.port()
        async with (
            challenger(port, "Ada") as ada,
            challenger(port, "Ada") as twin,
            challenger(port, "Rude") as rude,
            challenger(port, "Rude") as ruder,
            challenger(port, "RudeToo") as rudest,
            challenger(port, "Deep", "engine") as deep,
            challenger(port, "Deeper", "engine") as deeper,
        ):
            for reason, (terms, _) in DECLINED.items():  # 10
                assert await ada.declined("Fish", terms) == reason
            assert await rude.declined("Fish", CHESS) == "I do not play you"

            # Two games at once, one of them for people, two a day with one opponent: 14.
            await play_within_the_limits(bridge, ada, twin, deep, deeper)

            assert ruder.name == "Rude-2"
            async with trio.open_nursery() as nursery:
                for number in range(CROWD):  # 132
                    nursery.start_soon(crowd, port, number)
                for one in (rude, ruder, rudest):  # 120
                    nursery.start_soon(flood, one)
                nursery.start_soon(garbage, port)  # 1, and 60 that are none
                nursery.start_soon(withdraw, ada)  # 10

            # It is as it was.
            async with challenger(port, "Eve") as eve:
                begun = await eve.plays("Fish", CHESS)
                assert {begun.white, begun.black} == {"Eve", "Fish"}
                await over(bridge, eve)
        assert bridge.process.poll() is None
        shown = bridge.shown
        games = server.games()
    for reason, (_, rule) in DECLINED.items():
        assert f": {reason} [{rule}]" in shown
    declined = re.findall(
        r"^declined challenge (\d+) of (\S+) \(.*\): .+ \[\w+\]$", shown, re.MULTILINE
    )
    accepted = re.findall(r"^accepted challenge (\d+) of (\S+) ", shown, re.MULTILINE)
    assert len({number for number, _ in [*declined, *accepted]}) == len(declined) + len(accepted)
    # A line for each but for those of a flood: ten a minute, whoever it is.
    for number in range(CROWD):
        assert sum(name == f"Crowd{number}" for _, name in declined) == 10
    for name in ("Rude", "Rude-2", "RudeToo"):
        assert 10 <= sum(who == name for _, who in declined) <= 30
    # Nobody played who may not.
    players = {name for game in games for name in names(game)}
    assert players - {f"Crowd{number}" for number in range(CROWD)} == {
        "Fish", "Ada", "Deep", "Eve"
    }  # fmt: skip
    assert "Traceback" not in shown


def names(game: dict) -> tuple[str, str]:
    return game["white"]["name"], game["black"]["name"]


async def over(bridge: Bridge, one: Challenger) -> None:
    """He resigns, and the bot knows."""
    before = bridge.shown.count(" is over: ")
    await one.resign()
    await until(lambda: bridge.shown.count(" is over: ") > before, "the bot knows", every=0.01)


async def play_within_the_limits(
    bridge: Bridge, ada: Challenger, twin: Challenger, deep: Challenger, deeper: Challenger
) -> None:
    """Of two games one is for people, and two a day with one opponent."""
    begun = await deep.plays("Fish", CHESS)
    assert begun.time == "60+1"
    kept = "the rest of my games is kept for people; try again later"
    assert await deeper.declined("Fish", CHESS) == kept
    assert await deeper.declined("Fish-2", CHESS) == kept
    assert await ada.declined("Fish", CHESS) == "I am playing; challenge Fish-2"
    await ada.plays("Fish-2", CHESS)
    full = "I play 2 games already; try again later"
    assert await deeper.declined("Fish", CHESS) == full
    assert await twin.declined("Fish", CHESS) == "we play a game already; finish one first"
    await over(bridge, deep)
    await over(bridge, ada)
    await ada.plays("Fish", CHESS)
    await over(bridge, ada)
    twice = "we have played 2 games within a day; come back tomorrow"
    assert await ada.declined("Fish", CHESS) == twice
    assert await ada.declined("Fish-2", Terms("chess960", "120")) == twice
    await deep.plays("Fish", CHESS)
    await over(bridge, deep)
    assert await deep.declined("Fish", CHESS) == twice
    # The greetings were for the person, and for nobody else.
    assert [text.split(" ", 1)[1] for text in ada.told if "Hello" in text] == [
        "Hello Ada, enjoy our chess.",
        "Hello Ada, enjoy our chess.",
    ]
    assert deep.told == deeper.told == []


async def crowd(port: int, number: int) -> None:
    """Ten challenges to what it does not play, and then a game, if it is free, that is left at
    once. Two thirds challenge its second player, whose first one stays free for others."""
    reasons = [*DECLINED.items()]
    async with challenger(port, f"Crowd{number}") as one:
        for turn in range(10):
            reason, (terms, _) = reasons[(number + turn) % len(reasons)]
            seat = "Fish-2" if number % 3 else "Fish"
            assert await one.declined(seat, terms) == reason
        if number % 3:
            await one.challenge("Fish-2", CHESS)


async def garbage(port: int) -> None:
    """What is no challenge at all, and challenges to nobody, in wrong words and by wrong names."""
    async with challenger(port, "Babel") as one:
        for turn in range(20):
            one.say(Unknown(f"challenge Fish tim{turn}"), Challenge(f"Fish{turn}", CHESS))
            one.say(Accept(10_000 + turn), Decline(10_000 + turn, "no"), Unknown("challenge"))
        while (await one.line(ErrorLine)).text != "nobody challenged you with 10019":
            pass
        assert "chess" in await one.declined("Fish", Terms("atomic", "60+1"))


async def flood(rude: Challenger) -> None:
    """Forty, as fast as the server lets him."""
    for _ in range(40):
        await rude.challenge_and_withdraw("Fish", CHESS)


async def withdraw(ada: Challenger) -> None:
    """She may not play any more today, and has it in writing; still."""
    for _ in range(CROWD):
        await ada.challenge_and_withdraw("Fish", CHESS)


TWO_ENGINES = """
server = "tcp://127.0.0.1:{port}"
name = "Fish"

[[engine]]
command = {engine}
options = {{ Depth = 1 }}
games = ["chess"]

[[engine]]
command = {ugi}
dialect = "ugi"
games = ["tictactoe"]

[seek]
when = "never"

[[book]]
path = "book.bin"

[[options]]
set = {{ Depth = 2 }}
opponents = ["Ada"]
"""


def book(path: Path) -> None:
    """With one move, which no engine finds."""
    move = chess.Move.from_uci("a2a3")
    raw = move.from_square << 6 | move.to_square
    path.write_bytes(struct.pack(">QHHI", chess.polyglot.zobrist_hash(chess.Board()), raw, 1, 0))


async def test_a_bot_changes_its_engine_with_the_game_and_outlives_its_server(
    tmp_path,
):
    book(tmp_path / "book.bin")
    with hosting(tmp_path) as server:
        port = server.port()
        with bot(server, TWO_ENGINES) as bridge:
            await here(bridge)
            async with challenger(port, "Ada") as ada:
                mine = Terms("tictactoe", "60+1", color="white")
                assert (await ada.plays("Fish", mine)).game == "tictactoe"
                await over(bridge, ada)
                await ada.plays("Fish", Terms("chess", "60+1", color="black"))
                assert (await ada.position(1)).moves == ("a2a3",)
                assert bridge.said(" engine > setoption name Depth value 2") == 1
                await over(bridge, ada)
                await ada.plays("Fish", Terms("chess", "60+1", color="black"))
                assert (await ada.position(1)).moves == ("a2a3",)
                # The server is killed during their third game, and started again.
                server.kill()
            server.options = (*server.options, "--listen", f"tcp://127.0.0.1:{port}")
            server.start()
            await until(
                lambda: "game 3 continues: the server was down" in bridge.shown, "it is back"
            )
            async with challenger(port, "Eve") as eve:
                assert "I play a game already" in await eve.declined("Fish", CHESS)
            bridge.process.send_signal(signal.SIGTERM)
            assert await bridge.ended() == 0
            assert bridge.processes() == []
    assert bridge.shown.count(" begins: ") == 3
    assert "Traceback" not in bridge.shown


ONE_GAME = """
name = "{name}"
server = "tcp://127.0.0.1:{port}"
games = 1
[[engine]]
command = {engine}
options = {{ Depth = 1 }}
[seek]
when = "{when}"
game = "tictactoe"
time = "60+1"
[accept]
refuse = ["Rude"]
[matchmaking]
after = {after}
"""


async def test_who_takes_its_seek_and_is_refused_is_told_why_and_then_two_bots_find_each_other(
    tmp_path,
):
    (tmp_path / "other").mkdir()
    with (
        hosting(tmp_path) as server,
        bot(server, ONE_GAME, name="Fish", when="always", after=0) as fish,
    ):
        await here(fish)
        async with challenger(server.port(), "Rude") as rude:
            rude.say(Seeks())
            seek = await rude.line(OpenSeek)
            rude.say(Accept(seek.id))
            await rude.line(GameStart)
            over = await rude.line(GameOver)
            assert (over.result, over.reason) == ("*", "aborted")
            assert rude.told[0].endswith(" I do not play you")
        # It did not count as its one game; for a while it seeks no other.
        with bot(
            server, ONE_GAME, folder=tmp_path / "other", name="Fowl", when="never", after=0.1
        ) as fowl:
            assert (await fish.ended(), await fowl.ended()) == (0, 0)
        played = [game for game in server.games() if game["result"] != "*"]
    [game] = played
    assert {*names(game)} == {"Fish", "Fowl"}
    assert "nobody came: challenging Fish" in fowl.shown
    assert "accepted challenge" in fish.shown


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", 'Error: which engine? the file has no [[engine]]'),
        ('[[engine]]\ncommand = ["true"]\n[[book]]\npath = "bot.toml"', "is no Polyglot book"),
        (f"[[engine]]\ncommand = {HOUSE}\noptions = {{ Dpeth = 1 }}", "did you mean 'Depth'?"),
    ],
)  # fmt: skip
async def test_a_file_with_an_error_starts_nothing(tmp_path, text, complaint):
    (tmp_path / "bot.toml").write_text(text)
    with bridged(tmp_path, "bot", "--config", str(tmp_path / "bot.toml")) as bridge:
        assert await bridge.ended() == 2
        assert complaint in bridge.shown
        assert bridge.processes() == []

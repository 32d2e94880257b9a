"""A bot that keeps house by its file, as people run it: a real server, real challengers."""

import re
import signal
import struct
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import chess
import chess.polyglot
import pytest
import trio

from tests.support.bots import HOUSE, BotFile, Challenger, bot, challenger, here, over
from tests.support.bridges import Bridge, bridged
from tests.support.servers import Server, serving, until
from ulci.protocol.lobby.lines import ErrorLine, GameOver, GameStart, OpenSeek
from ulci.protocol.messages import Accept, Challenge, Decline, Seeks, Terms, Unknown
from ulci_client.bot.decline_queue import LINES

pytestmark = pytest.mark.system

FISH = BotFile(
    """
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
games = ["chess", "chess960", "atomic"]
own_starts = false
match = 2
clocks = ["clock", "days"]
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
""",
    """server name concurrency engine.command engine.options engine.games seek.when accept.games
    accept.own_starts accept.match accept.clocks accept.base accept.bonus accept.rated accept.refuse
    limits.kept_for_people limits.opponent_a_day greeting.begin greeting.end""",
)


@contextmanager
def hosting(folder: Path) -> Iterator[Server]:
    config = folder / "server.toml"
    config.write_text('listen = [{ address = "tcp://127.0.0.1:0" }]\nshutdown = { grace = 0 }\n')
    with serving(folder, "--config", str(config)) as server:
        yield server


CROWD = 13
"""Players who come all at once."""

CHESS = Terms("chess", "60+1")

# What is asked for, and why it is declined.
DECLINED = {
    "I play chess and chess960, not atomic": (Terms("atomic", "60+1"), "games"),
    "I play atomic, chess and chess960, not tictactoe": (Terms("tictactoe", "60+1"), "games"),
    "I play from the usual start only": (
        Terms("chess", "60+1", start="8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"),
        "own_starts",
    ),
    "I agree on 2 games at once, not on 3": (Terms("chess", "60+1", games=3), "match"),
    "I play only with a clock or with days per move, not depth=3": (
        Terms("chess", "depth=3"),
        "clocks",
    ),
    "I play only with a clock or with days per move, not inf": (Terms("chess", "inf"), "clocks"),
    "I play with 10 to 600 s on the clock, not 5": (Terms("chess", "5+1"), "base"),
    "I play with 10 to 600 s on the clock, not 900": (Terms("chess", "900"), "base"),
    "I play with 10 to 600 s on the clock, not 1200": (Terms("chess", "60|1200"), "base"),
    "I play with 0 to 5 s per move, not 30": (Terms("chess960", "60+30"), "bonus"),
    "I play only unrated games": (Terms("chess", "60+1", rated=True), "rated"),
}


@pytest.mark.slow
async def test_three_hundred_challenges_are_answered_by_every_line_of_the_file(tmp_path):
    heard: dict[int, str] = {}  # why a challenge was declined, as its challenger heard it
    with hosting(tmp_path) as server, bot(server, FISH) as bridge:
        await here(bridge, 2)
        port = server.port()
        async with (
            challenger(port, "Ada", heard=heard) as ada,
            challenger(port, "Ada", heard=heard) as twin,
            challenger(port, "Rude", heard=heard) as rude,
            challenger(port, "Rude", heard=heard) as ruder,
            challenger(port, "RudeToo", heard=heard) as rudest,
            challenger(port, "Deep", "engine", heard) as deep,
            challenger(port, "Deeper", "engine", heard) as deeper,
        ):
            for reason, (terms, _) in DECLINED.items():
                assert await ada.declined("Fish", terms) == reason
            assert await rude.declined("Fish", CHESS) == "I do not play you"
            await play_within_the_limits(bridge, ada, twin, deep, deeper)
            assert await ada.seeks() == []

            assert ruder.name == "Rude-2"
            async with trio.open_nursery() as nursery:
                for number in range(CROWD):
                    nursery.start_soon(crowd, port, number, heard)
                for one in (rude, ruder, rudest):
                    nursery.start_soon(flood, one)
                nursery.start_soon(garbage, port, heard)
                nursery.start_soon(withdraw, ada)

            # It is as it was.
            async with challenger(port, "Eve", heard=heard) as eve:
                begun = await eve.plays("Fish", CHESS)
                assert {begun.white, begun.black} == {"Eve", "Fish"}
                await over(bridge, eve)
        # The log of the wire is a moment late.
        last = f" server < lobby game {begun.id} over "
        await until(lambda: bridge.said(last) == 1, "all that was said is in the log")
        assert bridge.process.poll() is None
        shown, spoken = bridge.shown, bridge.spoken
        games = server.games()
    assert spoken.count(" engine > setoption name Depth value 1") >= 2

    # Each of them was accepted, declined, or withdrawn before.
    met = {int(number) for number in re.findall(r" server < lobby challenge (\d+) ", spoken)}
    assert len(met) >= 300
    accepted = {int(number) for number in re.findall(r" server > accept (\d+)", spoken)}
    declined = {
        int(number): why
        for number, why in re.findall(r" server > decline (\d+) (.*)$", spoken, re.MULTILINE)
    }
    gone = {int(number) for number in re.findall(r" server < lobby gone (\d+)", spoken)}
    assert accepted.isdisjoint(declined)
    assert met <= accepted | declined.keys() | gone

    # Challenger and log got the same reason.
    logged = {
        int(number): why
        for number, why in re.findall(
            r"^declined challenge (\d+) of .+?\): (.+) \[\w+\]$", shown, re.MULTILINE
        )
    }
    assert len(heard) >= 150
    assert {number: declined[number] for number in heard} == heard
    assert {number: logged[number] for number in declined.keys() & logged.keys()} == {
        number: declined[number] for number in declined.keys() & logged.keys()
    }
    for reason, (_, rule) in DECLINED.items():
        assert f": {reason} [{rule}]" in shown
    assert len(re.findall("^accepted challenge ", shown, re.MULTILINE)) >= len(accepted)

    # A line for each but for those of a flood: ten a minute, whoever it is.
    lines = re.findall(r"^declined challenge \d+ of (\S+) ", shown, re.MULTILINE)
    for number in range(CROWD):
        assert lines.count(f"Crowd{number}") == min(10, LINES)
    for name in ("Rude", "Rude-2", "RudeToo"):
        assert LINES <= lines.count(name) <= 3 * LINES
    assert {number for number in heard if number not in logged} <= flooded(spoken)

    # Nobody played who may not.
    players = {name for game in games for name in names(game)}
    assert players - {f"Crowd{number}" for number in range(CROWD)} == {
        "Fish", "Ada", "Deep", "Eve"
    }  # fmt: skip
    assert "Traceback" not in shown


def flooded(spoken: str) -> set[int]:
    """The challenges of those who made more than the log has lines for."""
    found = re.findall(r" server < lobby challenge (\d+) player (\S+) ", spoken)
    made = Counter(name for _, name in found)
    return {int(number) for number, name in found if made[name] > LINES}


def names(game: dict) -> tuple[str, str]:
    return game["white"]["name"], game["black"]["name"]


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
    await ada.plays("Fish", Terms("chess", "3days"))
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


async def crowd(port: int, number: int, heard: dict[int, str]) -> None:
    """Ten challenges to what it does not play, and then a game, if it is free, that is left at
    once. Two thirds challenge its second player, whose first one stays free for others."""
    reasons = [*DECLINED.items()]
    async with challenger(port, f"Crowd{number}", heard=heard) as one:
        for turn in range(10):
            reason, (terms, _) = reasons[(number + turn) % len(reasons)]
            seat = "Fish-2" if number % 3 else "Fish"
            assert await one.declined(seat, terms) == reason
        if number % 3:
            await one.challenge("Fish-2", CHESS)


async def garbage(port: int, heard: dict[int, str]) -> None:
    """What is no challenge at all, and challenges to nobody, in wrong words and by wrong names."""
    async with challenger(port, "Babel", heard=heard) as one:
        for turn in range(20):
            one.say(Unknown(f"challenge Fish tim{turn}"), Challenge(f"Fish{turn}", CHESS))
            one.say(Accept(10_000 + turn), Decline(10_000 + turn, "no"), Unknown("challenge"))
        while (await one.line(ErrorLine)).text != "nobody challenged you with 10019":
            pass
        assert "chess" in await one.declined("Fish", Terms("atomic", "60+1"))


async def flood(rude: Challenger) -> None:
    """As many as the server lets him say at once."""
    for _ in range(45):
        await rude.challenge_and_withdraw("Fish", CHESS)


async def withdraw(ada: Challenger) -> None:
    """She may not play any more today, and has it in writing; still."""
    for _ in range(CROWD):
        await ada.challenge_and_withdraw("Fish", CHESS)


TWO_ENGINES = BotFile(
    """
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
""",
    "engine.dialect book.path options.set",
)


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
                depth = " engine > setoption name Depth value 2"
                await until(lambda: bridge.said(depth) == 1, "its depth is set")
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


ONE_GAME = BotFile(
    """
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
""",
    "games matchmaking.after seek.game seek.time",
)


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
            server, ONE_GAME, tmp_path / "other", name="Fowl", when="never", after=0.1
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

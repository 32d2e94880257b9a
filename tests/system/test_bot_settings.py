"""Each setting of a bot.toml, put to the test by scripted players at a real server."""

import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import chess
import pytest

from tests.support.bots import BotFile, Challenger, bot, challenger, here, over, to_and_fro
from tests.support.bridges import bridged, wire
from tests.support.servers import Server, serving, until
from tests.support.wires import authority
from tests.system.test_bot import FISH, ONE_GAME, TWO_ENGINES
from tests.system.test_bot_own_moves import BOOKISH, ENDINGS
from tests.system.test_strange_servers import LENDER
from ulci.protocol.lobby.lines import (
    Chat,
    DrawOffer,
    GameOver,
    GameStart,
    Gone,
    IncomingChallenge,
    OpenSeek,
    PrivateChat,
)
from ulci.protocol.messages import Accept, Decline, Draw, Terms
from ulci_client.bot.load import KNOWN

pytestmark = pytest.mark.system

CHESS = Terms("chess", "60+1")
BOT_TOML = Path(__file__).parent.parent.parent / "deploy" / "bot.toml"


@contextmanager
def hosting(folder: Path) -> Iterator[Server]:
    """A server that speaks TCP, WS and WSS, where Hermit has an account."""
    certificate = authority().issue_cert("localhost").private_key_and_cert_chain_pem
    certificate.write_to_path(str(folder / "server.pem"))
    authority().cert_pem.write_to_path(str(folder / "ca.pem"))
    config = folder / "server.toml"
    config.write_text(
        """
        listen = [
            { address = "tcp://127.0.0.1:0" },
            { address = "ws://127.0.0.1:0" },
            { address = "wss://localhost:0", certificate = "server.pem" },
        ]
        shutdown = { grace = 0 }
        [[pool]]
        name = "chess"
        time = "60+1"
        [[pool]]
        name = "rapid"
        game = "chess"
        time = "900"
        """
    )
    with serving(folder, "--config", str(config)) as server:
        token = folder / "bot.token"
        token.touch(0o600)
        token.write_text(server.run("player", "add", "Hermit", "--kind", "engine"))
        yield server


# Whom it plays, and how often, by a connection that is encrypted.

HERMIT = BotFile(
    """
server = "wss://localhost:{port}"
cafile = "{cafile}"
token_file = "{folder}/bot.token"
wire_log = "said.log"
show = "details"
concurrency = 3
[[engine]]
command = {scripted}]
[seek]
when = "never"
[accept]
kinds = ["engine"]
only = ["Deep*", "Ada"]
[limits]
opponent_at_once = 2
a_day = 3
games_file = "hermit.games"
[greeting]
begin = "Hello."
to = ["engine"]
""",
    """cafile token_file wire_log show accept.kinds accept.only limits.opponent_at_once limits.a_day
    limits.games_file greeting.to""",
)


async def test_a_hermit_plays_three_games_a_day_with_few_and_remembers_them(tmp_path):
    with hosting(tmp_path) as server:
        words = {"port": server.port("wss"), "cafile": tmp_path / "ca.pem", "folder": tmp_path}
        port, folder = server.port(), tmp_path / "hermit"
        async with (
            challenger(port, "Ada") as ada,
            challenger(port, "Eve", "engine") as eve,
            challenger(port, "Deep", "engine") as deep,
            challenger(port, "Deep", "engine") as deep2,
            challenger(port, "Deep", "engine") as deep3,
        ):
            with bot(server, HERMIT, folder, **words) as bridge:
                await here(bridge, 3)
                assert await ada.declined("Hermit", CHESS) == "I play only engines"
                assert await eve.declined("Hermit", CHESS) == "I play only a few people"
                await deep.plays("Hermit", CHESS)
                await deep2.plays("Hermit-2", CHESS)
                twice = "we play 2 games already; finish one first"
                assert await deep3.declined("Hermit-3", CHESS) == twice
                await deep.line(Chat, PrivateChat)  # it may come after the end of a short game
                assert deep.told == ["Hermit Hello."]
                await over(bridge, deep)
                await deep3.plays("Hermit", CHESS)
                await over(bridge, deep2)
                await over(bridge, deep3)
                enough = "I have played 3 games within a day, which is all I play"
                assert await deep.declined("Hermit-3", CHESS) == enough
                assert "connected to wss://localhost:" in bridge.shown  # a detail
                bridge.process.send_signal(signal.SIGTERM)
                assert await bridge.ended() == 0
            with bot(server, HERMIT, folder, **words) as bridge:
                await here(bridge, 3)
                assert await deep.declined("Hermit", CHESS) == enough
        assert (folder / "hermit.games").read_text().count(" deep\n") == 3


# What it seeks, where anybody on the way can listen.

SEEKER = BotFile(
    """
server = "ws://0.0.0.0:{port}"
token_file = "{folder}/bot.token"
token_in_clear = true
msgpack = true
games = 1
[[engine]]
command = {scripted}]
[seek]
when = "idle"
after = 0.2
game = "chess"
time = "90+2"
start = "4k3/8/8/8/8/8/8/4K1NR w K - 0 1"
against = "human"
color = "white"
rated = true
[accept]
challenges = false
""",
    """token_file token_in_clear msgpack games seek.when seek.after seek.game seek.time seek.start
    seek.against seek.color seek.rated accept.challenges""",
)


async def test_what_it_seeks_is_what_its_file_says(tmp_path):
    with hosting(tmp_path) as server:
        async with challenger(server.port(), "Ada") as ada, wire(server.port("ws")) as line:
            with bot(server, SEEKER, tmp_path / "bot", port=line.port, folder=tmp_path) as bridge:
                await here(bridge)
                seek = await ada.line(OpenSeek)
                assert seek == OpenSeek(
                    seek.id, "Hermit", "engine", "chess", "90+2", "white", True, seek.lag, 1,
                    "4k3/8/8/8/8/8/8/4K1NR w K - 0 1",
                )  # fmt: skip
                refused = "I take no challenges; accept a seek of mine"
                assert await ada.declined("Hermit", CHESS) == refused
                async with challenger(server.port(), "Deep", "engine") as deep:
                    deep.say(Accept(seek.id))
                    assert "of that kind" in (await deep.refused()).text
                ada.say(Accept(seek.id))
                begun = await ada.line(GameStart)
                assert (begun.white, begun.rated) == ("Hermit", True)
                await ada.resign()
                assert await bridge.ended() == 0
            assert b"Sec-WebSocket-Protocol: ulci.msgpack" in line.heard
            assert (tmp_path / "bot.token").read_bytes().strip() in line.heard


POOLED = BotFile(
    """
server = "wss://localhost:{port}"
insecure = true
name = "Pooled"
[[engine]]
command = {scripted}]
[seek]
pool = "rapid"
""",
    "insecure seek.pool",
)

SLEEPER = BotFile(
    """
server = "tcp://127.0.0.1:{port}"
name = "Sleeper"
[[engine]]
command = {scripted}]
[limits]
quiet_hours = ["00:00-00:00"]
""",
    "limits.quiet_hours",
)


async def test_one_seeks_in_a_pool_at_any_server_and_another_rests_all_day(tmp_path):
    with (
        hosting(tmp_path) as server,
        bot(server, POOLED, tmp_path / "pooled", port=server.port("wss")) as pooled,
        bot(server, SLEEPER, tmp_path / "sleeper") as sleeper,
    ):
        await here(sleeper)
        await here(pooled)
        async with challenger(server.port(), "Ada") as ada:
            why = await ada.declined("Sleeper", CHESS)
            assert re.fullmatch(r"I rest until 00:00 \(it is \d\d:\d\d here\)", why)
            while not (seeks := await ada.seeks()):
                pass
            assert [(seek.player, seek.time) for seek in seeks] == [("Pooled", "900")]


# Whom it asks itself, when nobody comes.

MATCHMAKER = BotFile(
    """
server = "tcp://127.0.0.1:{port}"
name = "Fish"
[[engine]]
command = {scripted}]
[seek]
when = "never"
game = "chess"
[matchmaking]
after = 0.1
every = 0.3
answer = 0.5
again = 1.5
kinds = ["human"]
opponents = ["Ada*", "Bob"]
times = ["75+1"]
""",
    """matchmaking.after matchmaking.every matchmaking.answer matchmaking.again matchmaking.kinds
    matchmaking.opponents matchmaking.times""",
)


async def test_it_challenges_those_who_are_named_and_lets_them_be_for_a_while(tmp_path):
    with hosting(tmp_path) as server:
        port = server.port()
        async with (
            challenger(port, "Ada") as ada,
            challenger(port, "Bob") as bob,
            challenger(port, "Adam", "engine") as engine,
            challenger(port, "Eve") as eve,
        ):
            with bot(server, MATCHMAKER) as bridge:
                # Nobody answers: both are asked, and asked again.
                for one in (ada, bob, ada, bob):
                    asked = await one.line(IncomingChallenge)
                    assert (asked.player, asked.game, asked.time) == ("Fish", "chess", "75+1")
                    assert (await one.line(Gone)).id == asked.id
                answered = (IncomingChallenge, GameStart)
                # A challenge may be over when we read of it: then the next one is answered.
                while "Bob declines our challenge: not now" not in bridge.shown:
                    bob.say(Decline((await bob.line(IncomingChallenge)).id, "not now"))
                while isinstance(line := await ada.line(*answered), IncomingChallenge):
                    ada.say(Accept(line.id))
                assert bridge.shown.count("Ada does not answer our challenge") >= 2
            for one in (engine, eve):
                assert await one.seeks() == []
                assert not any(isinstance(line, IncomingChallenge) for line in one.lines)


# How it runs its engine.

RUNNER = BotFile(
    """
server = "tcp://127.0.0.1:{port}"
name = "Fish"
[[engine]]
command = {scripted}, "--ponder", "--transcript", "said.txt", "--slow-quit", "2.5"]
cwd = "{folder}"
ponder = true
quit_timeout = 60.0
[seek]
when = "never"
""",
    "engine.cwd engine.ponder engine.quit_timeout",
)


async def test_its_engine_ponders_in_its_folder_and_has_time_to_end(tmp_path):
    said = tmp_path / "said.txt"
    with (
        hosting(tmp_path) as server,
        bot(server, RUNNER, tmp_path / "bot", folder=tmp_path) as bridge,
    ):
        await here(bridge)
        async with challenger(server.port(), "Ada") as ada:
            ada.mover = to_and_fro
            await ada.plays("Fish", Terms("chess", "60+1", color="black"))
            await ada.position(1)
            await until(lambda: re.search("go .*ponder", said.read_text()), "it ponders")
            await ada.resign()
        bridge.process.send_signal(signal.SIGTERM)
        assert await bridge.ended() == 0
        assert said.read_text().endswith("quit\ngone\n")


UNSTARTED = BotFile(
    """
[[engine]]
command = {scripted}, "--no-uciok"]
start_timeout = 0.4
""",
    "engine.start_timeout",
)

UNREADY = BotFile(
    """
[[engine]]
command = {scripted}, "--hang-at-ready", "1"]
ping_timeout = 0.4
""",
    "engine.ping_timeout",
)


@pytest.mark.parametrize(
    ("file", "complaint"),
    [(UNSTARTED, "no uciok within 0.4 s"), (UNREADY, "no readyok within 0.4 s")],
)
async def test_an_engine_that_hangs_is_not_waited_for(tmp_path, file, complaint):
    (tmp_path / "bot.toml").write_text(file.written())
    with bridged(tmp_path, "bot", "--config", str(tmp_path / "bot.toml")) as bridge:
        assert await bridge.ended() == 1
        assert complaint in bridge.shown


# What it does by the scores of its engine, which are told it for each opponent.

JUDGE = BotFile(
    """
server = "tcp://127.0.0.1:{port}"
name = "Fish"
[[engine]]
command = {scripted},
    "--option", "name Score type spin default 0 min -900 max 900",
    "--option", "name UCI_Chess960 type check default false"]
[seek]
when = "never"
[resign]
moves = 2
score = 300
[draw]
accept = false
offer = true
after = 3
moves = 2
score = 20
[[options]]
set = {{ Score = -400 }}
opponents = ["Lost*"]
[[options]]
set = {{ Score = 15 }}
opponents = ["Level*"]
kinds = ["engine"]
games = ["chess960"]
base = [50, 70]
""",
    """resign.moves resign.score draw.accept draw.offer draw.after draw.moves draw.score options.set
    options.opponents options.kinds options.games options.base""",
)

KEEN = BotFile(
    """
server = "tcp://127.0.0.1:{port}"
name = "Keen"
[[engine]]
command = {scripted}, "--option", "name Score type spin default -60 min -900 max 900"]
options = {{ Score = -60 }}
[seek]
when = "never"
[draw]
moves = 1
behind = 50
""",
    "engine.options draw.moves draw.behind",
)


async def test_it_resigns_and_draws_by_its_scores(tmp_path):
    with (
        hosting(tmp_path) as server,
        bot(server, JUDGE, tmp_path / "judge") as judge,
        bot(server, KEEN, tmp_path / "keen") as keen,
    ):
        await here(judge)
        await here(keen)
        port = server.port()
        async with challenger(port, "Lost") as lost, challenger(port, "Level", "engine") as level:
            lost.mover = to_and_fro
            # Who moves declines the offer.
            level.mover = lambda place: "" if len(place.moves) == 6 else to_and_fro(place)
            assert await result(lost, "Fish", CHESS) == ("1-0", "resignation", 3)
            usual = chess.STARTING_FEN
            # It offers a draw with its third move; of ours it wants nothing to know.
            await level.plays("Fish", Terms("chess960", "60+1", color="white", start=usual))
            await level.position(0)
            level.say(Draw())
            while (await level.line(DrawOffer)).by != "Fish":
                pass
            assert len(level.place.moves) == 6
            assert any("I see more in this position than a draw" in text for text in level.told)
            level.say(Draw())
            over_ = await level.line(GameOver)
            assert (over_.result, over_.reason) == ("1/2-1/2", "agreement")
            # Only where all holds that its table says does the engine have another score.
            short, long = (Terms("chess960", time, start=usual) for time in ("60+1", "90"))
            async with challenger(port, "Levelled") as person:
                for one, terms in (
                    (level, CHESS), (level, short), (level, long), (level, short), (person, short)
                ):  # fmt: skip
                    await one.plays("Fish", terms)
                    await over(judge, one)
            told = ["-400", "15", "0", "15", "0", "15", "0"]
            await until(  # the log of the wire is written a moment later
                lambda: (
                    re.findall(r" engine > setoption name Score value (\S+)", judge.spoken) == told
                ),
                "the engine has its scores",
            )
            # Whoever is behind takes a draw at once.
            await lost.plays("Keen", Terms("chess", "60+1", color="black"))
            await lost.position(1)
            lost.say(Draw())
            assert (await lost.line(GameOver)).result == "1/2-1/2"


async def result(one: Challenger, name: str, terms: Terms) -> tuple[str, str, int]:
    """How his game ends that he begins, and after how many half-moves that he knows of."""
    await one.plays(name, Terms(terms.game, terms.time, color="white"))
    ended = await one.line(GameOver)
    assert isinstance(ended, GameOver)
    return ended.result, ended.reason, len(one.place.moves)


# All of it


FILES = (
    FISH, TWO_ENGINES, ONE_GAME, HERMIT, SEEKER, POOLED, SLEEPER, MATCHMAKER, RUNNER, UNSTARTED,
    UNREADY, JUDGE, KEEN, BOOKISH, ENDINGS, LENDER,
)  # fmt: skip


def settings_of(text: str) -> set[str]:
    """The settings of an explained file, also those behind a comment: ``accept.kinds``."""
    found, table = set(), ""
    for line in text.splitlines():
        if head := re.fullmatch(r"(?:# )?\[\[?(\w+)\]\]?", line):
            table = f"{head[1]}."
        elif key := re.match(r"(?:# )?(\w+) = ", line):
            found.add(f"{table}{key[1]}")
    return found


def test_every_setting_of_the_explained_file_is_put_to_the_test():
    explained = settings_of(BOT_TOML.read_text(encoding="utf-8"))
    tables = {name for table in KNOWN for name in [table.partition(".")[0]]}
    known = {
        f"{table}.{key}".lstrip(".")
        for table, keys in KNOWN.items()
        for key in keys
        if table or key not in tables
    }
    assert explained == known
    tried = {key for file in FILES for key in file.tries.split()}
    assert explained - tried == set(), "nobody tries these"
    assert tried - explained == set(), "there are no such settings"


@pytest.mark.parametrize("file", FILES)
def test_what_a_file_puts_to_the_test_it_sets_to_something_else_than_the_default(file):
    assert file.tried_by_default() == set()

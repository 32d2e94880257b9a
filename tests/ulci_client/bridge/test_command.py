"""The command line: what becomes of it, and how its faults are told."""

import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.support.clients import memory_client
from tests.support.engines import SCRIPT
from ulci.net import DEFAULT_SERVER, TOKEN_VARIABLE
from ulci.protocol.messages import Hello, Terms
from ulci.wire_log import conversation
from ulci_client.bridge import command as module
from ulci_client.bridge.command import command
from ulci_client.bridge.console import Console
from ulci_client.bridge.engine_pool import ExitCode
from ulci_client.bridge.settings import BridgeSettings
from ulci_client.engine_settings import ClientEngineSettings
from ulci_client.wire_log import Follow, open_wire_log

ENGINE = ("--", sys.executable, str(SCRIPT))


class FakePool:
    """Takes what a crew takes, and is done at once."""

    made: list["FakePool"]
    code = ExitCode.DONE

    def __init__(self, settings: BridgeSettings, view: Console, follow: Follow) -> None:
        self.settings, self.view, self.follow = settings, view, follow
        self.made.append(self)

    async def run(self) -> ExitCode:
        self.view.note("note")
        self.view.detail("detail")
        near, _ = memory_client()
        self.follow(near, "server")
        near.put(Hello())
        return self.code


@pytest.fixture(autouse=True)
def pools(monkeypatch: pytest.MonkeyPatch) -> list[FakePool]:
    made: list[FakePool] = []
    monkeypatch.setattr(FakePool, "made", made, raising=False)
    monkeypatch.setattr(module, "EnginePool", FakePool)
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    return made


def run(*argv: str) -> Result:
    return CliRunner().invoke(command, argv, prog_name="ulci bridge")


def asked(pools: list[FakePool], *argv: str) -> BridgeSettings:
    """The settings that a command line comes to."""
    done = run(*argv)
    assert done.exit_code == 0, done.output
    [crew] = pools
    return crew.settings


def test_nothing_but_the_engine_has_to_be_said(pools):
    settings = asked(pools, "--", "stockfish")
    assert str(settings.servers[0].address) == DEFAULT_SERVER
    assert settings.engine == ClientEngineSettings(("stockfish",))
    assert settings.terms == Terms()
    assert (settings.games, settings.concurrency, settings.name) == (None, 1, "")


def test_a_dialect_that_cannot_express_chess_plays_its_own_game(pools):
    settings = asked(pools, "--dialect", "uti", "--", "engine")
    assert settings.engine.dialect == "uti"
    assert settings.terms.game == "tictactoe"


def test_another_game_of_that_dialect_can_be_asked_for(pools):
    settings = asked(pools, "--dialect", "uti", "--game", "gomoku", "--", "engine")
    assert settings.terms.game == "gomoku"


def test_every_option_reaches_the_settings(pools, tmp_path):
    settings = asked(
        pools,
        "--server", "wss://chess.example/play", "--insecure", "--msgpack",
        "--name", " Nimzo ", "--game", "chess960", "--time", "40/300", "--against", "engine",
        "--color", "black", "--pool", "night", "--start", "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1",
        "--games", "7", "--concurrency", "3", "--option", "Hash=64",
        "--option", "Clear Hash", "--ponder", "--cwd", str(tmp_path), "--start-timeout", "1",
        "--ping-timeout", "2.5", "--quit-timeout", "3", "--", "engine", "--its", "option",
    )  # fmt: skip
    assert str(settings.servers[0].address) == "wss://chess.example:25566/play"
    assert settings.servers[0].msgpack
    assert settings.servers[0].ssl_context is not None
    assert settings.engine == ClientEngineSettings(
        ("engine", "--its", "option"),
        tmp_path,
        ("Hash=64", "Clear Hash"),
        ponder=True,
        start=1.0,
        ping=2.5,
        quit=3.0,
    )
    start = "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"
    assert settings.terms == Terms("chess960", "40/300", "black", against="engine", start=start)
    assert settings.sought.game == "night"
    assert (settings.name, settings.games, settings.concurrency) == ("Nimzo", 7, 3)


def test_the_pools_exit_code_is_the_programs(pools, monkeypatch):
    monkeypatch.setattr(FakePool, "code", ExitCode.INTERRUPTED)
    assert run("--", "stockfish").exit_code == 130


@pytest.mark.parametrize(
    ("switches", "shown"),
    [([], "note\n"), (["-v"], "note\ndetail\n"), (["-q"], "")],
)
def test_it_shows_as_much_as_was_asked_for(switches, shown):
    assert run(*switches, "--", "stockfish").stdout == shown


def test_what_ends_it_is_told_on_standard_error(pools):
    run("--", "stockfish")
    assert pools[0].view._errors is not pools[0].view._out


# Logs and tokens


def test_the_log_is_appended_to_and_closed(tmp_path):
    log = tmp_path / "log"
    run("--wire-log", str(log), "--", "stockfish")
    run("--wire-log", str(log), "--", "stockfish")
    said = [(who, entry.text) for who, entry in conversation(log) if entry.event == "said"]
    assert said == [("server", "uci")] * 2


def test_of_two_programs_with_the_same_log_each_has_its_own(tmp_path):
    with ExitStack() as stack:
        for _ in range(3):
            open_wire_log(tmp_path / "wire.log", "test", pytest.fail, stack)
        names = {path.name for path in tmp_path.iterdir()}
    assert names == {"wire.log", "wire-2.log", "wire-3.log"}


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("--server", "tcp://chess.example"), False),
        (("--server", "tcp://chess.example", "--token-in-clear"), True),
        (("--server", "tls://chess.example"), True),
    ],
)
def test_a_token_is_not_sent_unencrypted(pools, monkeypatch, argv, said):
    monkeypatch.setenv(TOKEN_VARIABLE, "s3cret")
    done = run(*argv, "--", "stockfish")
    assert [crew.settings.servers[0].token for crew in pools] == (["s3cret"] if said else [])
    assert ("could read your token" in done.output) is not said
    assert "s3cret" not in done.output


# Faults


@pytest.mark.parametrize(
    ("argv", "complaint"),
    [
        ([], "which engine? put -- and the engine at the end"),
        (["--server", "foo://x", "--", "e"], "an address begins with one of tcp://, tls://"),
        (["--server", "tcp://x:port", "--", "e"], "--server"),
        (["--server", "tcp://x", "--cafile", "f", "--", "e"], "--cafile is for tls:// and wss://"),
        (["--server", "tls://x", "--cafile", "/no/f", "--", "e"], "cannot read /no/f: No such"),
        (
            ["--server", "tls://x", "--cafile", "f", "--insecure", "--", "e"],
            "--cafile and --insecure exclude each other",
        ),
        (["--server", "tls://x", "--msgpack", "--", "e"], "--msgpack is for ws:// and wss://"),
        (["--token-file", "/no/file", "--", "e"], "cannot read /no/file: No such file"),
        (["--games", "0", "--", "e"], "0 is not in the range x>=1"),
        (["--concurrency", "none", "--", "e"], "'none' is not a valid integer"),
        (["--start-timeout", "0", "--", "e"], "0.0 is not in the range x>0"),
        (["--color", "green", "--", "e"], "'green' is not one of 'white', 'black', 'random'"),
        (["--cwd", "/no/folder", "--", "e"], "'/no/folder' does not exist"),
        (["--wire-log", "/no/folder/log", "--", "e"], "wire log /no/folder/log: No such"),
        (["--quiet", "--verbose", "--", "e"], "--quiet and --verbose exclude each other"),
        (["--name", "a\nb", "--", "e"], "the name must be one line"),
        (["--game", "a b", "--", "e"], "the game must be one word, not 'a b'"),
        (["--time", "15 10", "--", "e"], "write 15m+10s for 15 minutes and 10 seconds a move"),
        (["--time", "5+3", "--", "e"], "5+3 may mean minutes or seconds: write 5m+3s or 5s+3s"),
    ],
)
def test_wrong_usage_is_told_in_one_line_before_anything_is_started(pools, argv, complaint):
    done = run(*argv)
    assert done.exit_code == ExitCode.USAGE
    *_, last = done.stderr.splitlines()
    assert last.startswith("Error: ")
    assert complaint in last
    assert pools == []


# Showing the options of an engine


def test_the_options_of_an_engine_are_listed_without_any_server(pools):
    patient = ("--start-timeout", "120")
    style = ("--option", "name Style type combo default a var a var b")
    done = run("--list-options", *patient, *ENGINE, *style)
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        "Style = a  (combo, one of: a, b)",
        "Hash = 16  (spin, 1 to 1024)",
    ]
    assert pools == []


def test_the_options_of_what_is_no_engine_cannot_be_listed(tmp_path: Path):
    done = run("--list-options", "--", str(tmp_path / "none"))
    assert done.exit_code == ExitCode.FAILED
    assert done.stderr.startswith("error: cannot start ")
    assert done.stdout == ""


def test_the_help_tells_the_exit_codes_and_keeps_its_example_in_one_line():
    help_text = run("--help").output
    assert "Exit codes: 0 all games played" in help_text
    assert "    ulci bridge --server tls://chess.example --games 10 -- stockfish\n" in help_text


def test_the_help_warns_of_letting_a_server_set_an_option_with_a_file():
    words = " ".join(run("--help").output.split())
    assert "Do not name one that holds a file: the server could then write it." in words


# A file


CONFIG = """\
server = "tcp://127.0.0.1:7000"
name = "Fish"
games = 5
concurrency = 3
show = "details"
[[engine]]
command = ["fish", "-x"]
options = {{ Hash = 16 }}
ponder = true
ping_timeout = 3
games = ["chess"]
[[engine]]
command = ["fowl"]
[seek]
game = "chess"
time = "60+1"
rated = true
against = "engine"
[accept]
kinds = ["human"]
"""


def written(tmp_path: Path) -> str:
    path = tmp_path / "bot.toml"
    path.write_text(CONFIG.replace("{{", "{").replace("}}", "}"))
    return str(path)


def test_everything_may_stand_in_a_file(pools, tmp_path):
    settings = asked(pools, "--config", written(tmp_path))
    assert str(settings.servers[0].address) == "tcp://127.0.0.1:7000"
    assert (settings.name, settings.games, settings.concurrency) == ("Fish", 5, 3)
    assert settings.terms == Terms("chess", "60+1", rated=True, against="engine")
    fish = ClientEngineSettings(("fish", "-x"), options=("Hash=16",), ponder=True, ping=3.0)
    assert settings.engine == fish
    assert [(line.settings, line.games) for line in settings.engines] == [
        (fish, ("chess",)),
        (ClientEngineSettings(("fowl",)), ()),
    ]
    assert settings.bot is not None
    assert settings.bot.accept.kinds == ("human",)


def test_the_command_line_wins_over_the_file(pools, tmp_path):
    settings = asked(
        pools, "--config", written(tmp_path), "--name", "Eel", "--games", "1", "--concurrency", "1",
        "--time", "300", "--against", "any", "--option", "Hash=8", "--server", "tcp://127.0.0.1:1",
    )  # fmt: skip
    assert str(settings.servers[0].address) == "tcp://127.0.0.1:1"
    assert (settings.name, settings.games, settings.concurrency) == ("Eel", 1, 1)
    assert settings.terms == Terms("chess", "300", rated=True)
    assert [line.settings.options for line in settings.engines] == [("Hash=8",), ("Hash=8",)]
    assert settings.engine.argv == ("fish", "-x")
    assert settings.bot is not None
    assert settings.bot.concurrency == 1
    assert settings.bot.seek.against == "any"


def test_an_engine_on_the_command_line_is_the_only_one(pools, tmp_path):
    settings = asked(pools, "--config", written(tmp_path), *ENGINE)
    assert settings.engine == ClientEngineSettings((sys.executable, str(SCRIPT)))
    assert [line.settings for line in settings.engines] == [settings.engine]


def test_how_much_is_shown_may_stand_in_the_file(pools, tmp_path):
    shown = run("--config", written(tmp_path))
    assert "detail" in shown.output
    shown = run("--config", written(tmp_path), "--quiet")
    assert shown.exit_code == 0
    assert "note" not in shown.output


@pytest.mark.parametrize("text", ["games = 0", "[accept]\nbase = 5"])
def test_a_file_with_an_error_is_wrong_usage(pools, tmp_path, text):
    path = tmp_path / "bot.toml"
    path.write_text(text)
    done = run("--config", str(path), *ENGINE)
    assert done.exit_code == 2
    assert f"{path} has 1 error:" in done.output
    assert pools == []

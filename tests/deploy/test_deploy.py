"""The files that an operator copies."""

import re
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.games import keep, moves
from tests.support.servers import serving
from ulci_client.bot.load import KNOWN as BOT_SETTINGS
from ulci_client.bot.load import load as load_bot
from ulci_client.bot.sections import BookTable, Engine, OptionsTable
from ulci_client.bot.sections import Config as BotConfig
from ulci_client.bridge.engine_pool import ExitCode
from ulci_server.config import Config, load
from ulci_server.config.load import KNOWN
from ulci_server.storage import open_database
from ulci_server.tournament import TournamentSettings, parse_tournament

DEPLOY = Path(__file__).parent.parent.parent / "deploy"
SETTINGS = DEPLOY / "server.toml"
BOT = DEPLOY / "bot.toml"
UNIT = DEPLOY / "ulci-server.service"
ONE_OF_SEVERAL = DEPLOY / "ulci-server@.service"
BRIDGE = DEPLOY / "ulci-bridge.service"
README = DEPLOY.parent / "server" / "README.md"

EXPOSURE = 2.0
"""What `systemd-analyze security` may say of the unit; 10 is a service that may do everything."""


def test_the_explained_configuration_has_every_setting_with_its_default() -> None:
    assert load(SETTINGS) == Config()
    text = SETTINGS.read_text(encoding="utf-8")
    for keys in KNOWN.values():
        for key in keys:
            assert re.search(rf"\b{key}\b", text), key


def test_the_explained_file_of_a_bot_has_every_setting_with_its_default() -> None:
    engine = Engine(command=("/usr/games/stockfish",))
    assert load_bot(BOT) == BotConfig(engine=(engine,))
    text = BOT.read_text(encoding="utf-8")
    for keys in BOT_SETTINGS.values():
        for key in keys:
            assert re.search(rf"\b{key}\b", text), key


def test_the_file_of_a_bot_warns_of_letting_a_server_set_an_option_with_a_file() -> None:
    text = " ".join(BOT.read_text(encoding="utf-8").replace("#", " ").split())
    assert "Do not name one that holds a file: the server could then write it." in text


def test_what_the_file_of_a_bot_shows_behind_a_comment_is_the_default_too(tmp_path: Path) -> None:
    (tmp_path / "book.bin").touch()
    shown = re.findall(r"^# (\[\[\w+\]\]|\w+ = .*?)(?: {3,}.*)?$", BOT.read_text(), re.MULTILINE)
    tables = ("[[book]]", "[[options]]")
    begins = [at for at, line in enumerate(shown) if line in tables]
    file = tmp_path / "bot.toml"
    file.write_text("\n".join(shown[begins[0] :]))
    config = load_bot(file)
    [book], [options] = config.book, config.options
    assert book == BookTable(path=tmp_path / "book.bin")
    assert options.model_copy(update={"opponents": (), "base": None}) == OptionsTable(
        set={"Skill Level": 5}
    )


@pytest.mark.system
def test_a_server_starts_with_it(tmp_path: Path) -> None:
    with serving(tmp_path, "--config", str(SETTINGS), "--listen", "tcp://127.0.0.1:0") as server:
        assert server.stop() == 0
    assert (tmp_path / "ulci.db").exists()


def test_the_files_that_the_readme_names_exist() -> None:
    named = re.findall(r"deploy/([\w./@-]*\w)|`([\w-]+\.(?:toml|yaml|yml))`", README.read_text())
    for path in {one or other for one, other in named} - {"alerts.yml"}:
        assert (DEPLOY / path).exists(), path


def test_the_lines_of_an_env_file_that_the_readme_names_are_read_by_compose() -> None:
    lines = re.findall(r"^([A-Z_]+)=", README.read_text(), re.MULTILINE)
    compose = "".join(path.read_text() for path in DEPLOY.glob("compose*.yaml"))
    assert lines
    for name in {*lines} - {"COMPOSE_PROFILES"}:
        assert f"${{{name}:" in compose, name


def test_a_copy_made_as_the_readme_says_has_the_games(tmp_path: Path) -> None:
    [command] = re.findall(r'^docker exec ulci python -c "(.*)"$', README.read_text(), re.MULTILINE)
    with closing(open_database(f"sqlite:///{tmp_path}/ulci.db")) as served:
        keep(served, moves("e2e4 e7e5"))
        subprocess.run([sys.executable, "-c", command], cwd=tmp_path, check=True, timeout=60)
    with closing(open_database(f"sqlite:///{tmp_path}/copy.db", writing=False)) as copy:
        assert copy.games.last_id() == 1


def analyze(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not installed")
    return subprocess.run(
        [program, *arguments], capture_output=True, text=True, check=False, timeout=120
    )


@pytest.fixture(params=[UNIT, ONE_OF_SEVERAL, BRIDGE], ids=lambda unit: unit.stem)
def unit(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The unit, as if the program were installed where it says."""
    text = request.param.read_text(encoding="utf-8")
    path = tmp_path / request.param.name.replace("@.", "@a.")
    path.write_text(re.sub(r"/opt/ulci/\.venv/bin/[a-z-]+", "/bin/true", text), encoding="utf-8")
    return path


@pytest.mark.system
def test_systemd_understands_the_unit(unit: Path) -> None:
    done = analyze("verify", "--man=no", str(unit))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.system
def test_the_service_may_do_little(unit: Path) -> None:
    threshold = str(round(10 * EXPOSURE))
    done = analyze(
        "security", "--no-pager", "--offline=true", f"--threshold={threshold}", str(unit)
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", [UNIT, ONE_OF_SEVERAL], ids=lambda path: path.stem)
def test_the_unit_and_the_help_agree_on_the_exit_codes(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "SuccessExitStatus=3\n" in text
    assert "RestartPreventExitStatus=2\n" in text


def test_one_of_several_services_may_do_no_more_than_the_only_one() -> None:
    only, one = (path.read_text(encoding="utf-8") for path in (UNIT, ONE_OF_SEVERAL))
    bounds = only.partition("# A connection is a file descriptor")[2]
    assert bounds
    assert one.endswith(bounds)


def test_a_bridge_that_is_not_wanted_is_not_started_again() -> None:
    codes = f"{ExitCode.USAGE:d} {ExitCode.REJECTED:d}"
    assert f"RestartPreventExitStatus={codes}\n" in BRIDGE.read_text(encoding="utf-8")


def test_the_explained_tournament_is_one() -> None:
    text = (DEPLOY / "tournament.toml").read_text()
    settings = parse_tournament(text)
    assert [one.account for one in settings.entrant] == ["Ada", "Bob"]
    shown = re.sub(r"^# (?=[a-z_]+ = )", "", text, flags=re.MULTILINE)
    told = parse_tournament(shown.replace('format = "roundrobin"', 'format = "sprt"'))
    unset = {"format", "openings", "sprt", "entrant", "noswap", "concurrency"}
    usual = TournamentSettings.model_validate({"name": "x", "format": "sprt", "pool": "chess"})
    for name in TournamentSettings.model_fields.keys() - {*unset, "name", "pool"}:
        assert getattr(told, name) == getattr(usual, name), name
    assert told.concurrency == usual.at_once

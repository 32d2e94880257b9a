"""The file that ``ulci-server config --print`` makes is a configuration, and the explained one."""

from pathlib import Path

from click.testing import CliRunner

from ulci_client.cli import main as client
from ulci_server.cli import main
from ulci_server.config import Config, load

DEPLOY = Path(__file__).parents[3] / "deploy"


def test_the_printed_configuration_explains_the_defaults(tmp_path: Path) -> None:
    printed = CliRunner().invoke(main, ["config", "--print"])
    assert printed.exit_code == 0
    assert printed.output == (DEPLOY / "server.toml").read_text("utf-8")
    (tmp_path / "server.toml").write_text(printed.output, "utf-8")
    assert load(tmp_path / "server.toml") == Config()


def test_without_print_it_says_what_to_write() -> None:
    done = CliRunner().invoke(main, ["config"])
    assert done.exit_code == 2
    assert "--print shows all settings" in done.output


def test_the_printed_file_of_a_bot_is_the_explained_one() -> None:
    printed = CliRunner().invoke(client, ["bridge", "--print-config"])
    assert printed.exit_code == 0
    assert printed.output == (DEPLOY / "bot.toml").read_text("utf-8")

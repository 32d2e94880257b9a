import pytest
from click.testing import CliRunner

from ulci_client.house import command as module
from ulci_client.house.command import command


def test_the_help_names_every_option_and_its_range():
    done = CliRunner().invoke(command, ["--help"])
    assert done.exit_code == 0
    assert "  Depth = 2  (spin, 1 to 64)\n" in done.output
    assert "  UCI_Chess960 = false  (check)\n" in done.output


def test_options_are_handed_to_the_engine(monkeypatch: pytest.MonkeyPatch):
    seen: list[tuple[object, ...]] = []
    monkeypatch.setattr(module, "run_house_engine", lambda *given: seen.append(given))
    for words in ([], ["--dialect", "uti"]):
        done = CliRunner().invoke(command, [*words, "Depth=3", "Move Overhead=100"])
        assert done.exit_code == 0
    options = ("Depth=3", "Move Overhead=100")
    assert seen == [(options, "uci"), (options, "uti")]


def test_an_unknown_dialect_is_wrong_usage():
    done = CliRunner().invoke(command, ["--dialect", "usi"])
    assert done.exit_code == 2
    assert "'ulci', 'uci', 'ugi', 'uti'" in done.output


def test_a_wrong_option_is_wrong_usage():
    done = CliRunner().invoke(command, ["Hash=16"])
    assert done.exit_code == 2
    assert "there is no option 'Hash', only Depth" in done.output

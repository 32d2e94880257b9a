"""The help of the command."""

from ulci_server.cli.match import help_text, parse
from ulci_server.cli.match.option_table import SECTIONS


def test_it_names_every_option_and_how_the_command_is_called() -> None:
    text = help_text("runner")
    assert text.startswith("Usage: runner -engine ")
    for options in SECTIONS.values():
        for name, option in options.items():
            assert f"    {name} {option.usage}".rstrip() in text.splitlines()
            assert option.about.endswith(".")


def test_it_fits_on_a_terminal() -> None:
    assert max(map(len, help_text("ulci-server match").splitlines())) <= 100


def test_its_examples_are_read() -> None:
    examples = help_text("runner").replace("\\\n", " ").split("\n\n")[2:4]
    for example in examples:
        assert parse(example.split()[1:], 8).entrants[0].command == "./new"

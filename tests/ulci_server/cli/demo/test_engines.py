"""Which engines the demonstration takes."""

from pathlib import Path

import pytest

from ulci_server.cli.demo.engines import HOUSE, Contender, two_engines
from ulci_server.cli.words import words


def install(folder: Path, *names: str) -> list[str]:
    """Programs of these names, and a search path that has only them."""
    for name in names:
        (folder / name).touch(mode=0o755)
    return [str(folder)]


def test_the_two_strongest_that_are_found_play(tmp_path: Path) -> None:
    folders = install(tmp_path, "gnuchess", "toga2", "stockfish")
    assert two_engines((), folders) == (
        Contender((f"{tmp_path}/stockfish",)),
        Contender((f"{tmp_path}/toga2",)),
    )


def test_an_engine_gets_the_arguments_that_make_it_speak_uci(tmp_path: Path) -> None:
    one, other = two_engines((), install(tmp_path, "gnuchess"))
    assert one == Contender((f"{tmp_path}/gnuchess", "--uci"))
    assert other == HOUSE


def test_where_there_is_none_our_own_plays_itself_under_two_names(tmp_path: Path) -> None:
    one, other = two_engines((), [str(tmp_path)])
    assert one.argv == other.argv == HOUSE.argv
    assert (one.name, other.name) == ("House 1", "House 2")


def test_what_was_asked_for_comes_first_and_is_called_by_its_program(tmp_path: Path) -> None:
    folders = install(tmp_path, "stockfish")
    one, other = two_engines(["./mine --uci"], folders)
    assert one == Contender(("./mine", "--uci"), "mine")
    assert other == Contender((f"{tmp_path}/stockfish",))
    assert two_engines(["a", "b"], folders) == (Contender(("a",), "a"), Contender(("b",), "b"))


def test_two_of_the_same_program_have_two_names() -> None:
    for asked in (["sf -x", "sf -y"], ["sf", "sf"], ["/old/sf", "/new/sf"]):
        assert [engine.name for engine in two_engines(asked, [])] == ["sf 1", "sf 2"]


def test_a_command_is_split_as_a_shell_does_it() -> None:
    assert words("'my engine' -x") == ("my engine", "-x")


@pytest.mark.parametrize(
    ("command", "why"), [("'x", "quotation mark without its second"), (" ", "no words")]
)
def test_what_is_no_command_is_refused(command: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        words(command)

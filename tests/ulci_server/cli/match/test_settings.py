"""How an engine of a match is started."""

from pathlib import Path

import pytest

from ulci_server.cli.match import Entrant, MatchError
from ulci_server.game import Limit


def argv(command: str, folder: str | None, *there: str, arguments: tuple[str, ...] = ()):
    place = None if folder is None else Path(folder)
    entrant = Entrant(
        name="A", command=command, folder=place, arguments=arguments, control=Limit("depth", 1)
    )
    return entrant.argv({Path(each) for each in there}.__contains__)


def test_a_bare_name_is_looked_for_on_the_search_path() -> None:
    assert argv("sf", None) == ("sf",)
    assert argv("sf", None, "sf") == ("sf",)


def test_a_program_of_its_folder_comes_before_one_of_the_search_path() -> None:
    assert argv("sf", "bin", "bin/sf") == ("./sf",)
    assert argv("sf", "bin") == ("sf",)


def test_a_path_counts_from_the_folder() -> None:
    assert argv("./sf", "bin", "bin/sf") == ("././sf",)
    assert argv("x/sf", None, "x/sf") == ("./x/sf",)
    assert argv("/opt/sf", "bin", "/opt/sf") == ("/opt/sf",)


def test_a_program_that_is_not_there_is_named() -> None:
    for command, folder, place in (
        ("./sf", "bin", "bin/sf"), ("/opt/sf", None, "/opt/sf"), ("x/sf", None, "x/sf"),
    ):  # fmt: skip
        with pytest.raises(MatchError, match=f"^Engine binary does not exist: {place}$"):
            argv(command, folder)


def test_arguments_follow_the_program() -> None:
    assert argv("sf", None, arguments=("-x", "a b")) == ("sf", "-x", "a b")

"""From a text to tables, and the line of each setting."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulci.settings import NotTomlError, SettingPath, lines_of, nests_deeply, parse
from ulci.settings.toml_text import MOST_NESTED

DEPLOY = Path(__file__).parent.parent.parent.parent / "deploy"

TEXT = '''\
a = 1  # x = 1
b.c = "d = 1"
["t"]
  d = [
    1, "]", # [
    { e = 2, "f g" = """
h = 1
""" }, [3],
  ]
[[l]]
i = 07:32:00
[l.m]
j = """"n" = \\""" """
[[l]]
k = {}
[[l.o]]
p = 1
[q.r]
'''


def test_lines_are_those_of_all_that_there_is() -> None:
    found = lines_of(TEXT)
    assert {place for place, _ in _places(tomllib.loads(TEXT))} == found.keys()
    assert found == {
        ("a",): 1,
        ("b",): 2, ("b", "c"): 2,
        ("t",): 3, ("t", "d"): 4, ("t", "d", 0): 5, ("t", "d", 1): 5, ("t", "d", 2): 6,
        ("t", "d", 2, "e"): 6, ("t", "d", 2, "f g"): 6, ("t", "d", 3): 8, ("t", "d", 3, 0): 8,
        ("l",): 10, ("l", 0): 10, ("l", 0, "i"): 11, ("l", 0, "m"): 12, ("l", 0, "m", "j"): 13,
        ("l", 1): 14, ("l", 1, "k"): 15, ("l", 1, "o"): 16, ("l", 1, "o", 0): 16,
        ("l", 1, "o", 0, "p"): 17,
        ("q",): 18, ("q", "r"): 18,
    }  # fmt: skip


def _places(value: Any, place: SettingPath = ()) -> Iterator[tuple[SettingPath, Any]]:
    """All that is in a value, but not itself."""
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    for part, below in parts:
        yield (*place, part), below
        if isinstance(below, dict | list):
            yield from _places(below, (*place, part))


@pytest.mark.parametrize("path", [*DEPLOY.glob("*.toml"), DEPLOY.parent / "pyproject.toml"])
def test_all_that_a_real_file_says_has_a_line_that_names_it(path: Path) -> None:
    text = path.read_text("utf-8")
    lines, found = text.splitlines(), lines_of(text)
    for place, _ in _places(parse(text)):
        name = place[-1]
        assert isinstance(name, int) or name in lines[found[place] - 1], place


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("x = 1\ny = ", "line 2, column 5: invalid value"),
        ("a = \0", "line 1, column 5: invalid value"),
        ("a = " + "[" * 5000, "is not TOML: its lists or tables are nested too deeply"),
    ],
)
def test_what_is_no_toml_is_told_where_it_stops_to_be(text: str, what: str) -> None:
    with pytest.raises(NotTomlError, match=f"^{what}"):
        parse(text)


TWICE = [
    ("a = 1\na = 2", "line 2, column 6: this is set already, or is a table already: a = 2"),
    ("[t]\n[t.a]\n[t]\na = 1", "line 3, column 3: this table is there already: [t]"),
    ("[t]\na.b = 1\na = 1", "line 3, column 6: this is set already, or is a table already"),
    ("[t]\n[u]\n[t]", "line 3, column 3: this table is there already: [t]"),
    ("[[t]]\n[t]", "line 2, column 3: this table is there already: [t]"),
    ("t = {a = 1}\nt.b = 2", "this belongs to a table that is closed"),
    ("t = {a = 1, a = 2}", "this is set already"),
]


@pytest.mark.parametrize(("text", "what"), TWICE, ids=[text for text, _ in TWICE])
def test_what_is_there_twice_is_told_as_a_person_would_say_it(text: str, what: str) -> None:
    with pytest.raises(NotTomlError) as raised:
        parse(text)
    told = str(raised.value)
    assert what in told
    assert not set(told) & {"(", "'"}
    assert ("quotes" in told) is False


@given(st.text("ab=[]{}.,\"'\n #1", max_size=40))
def test_whatever_is_toml_is_walked_through(text: str) -> None:
    try:
        settings = parse(text)
    except NotTomlError:
        return
    assert {place for place, _ in _places(settings)} == lines_of(text).keys()


def test_brackets_that_are_closed_do_not_nest() -> None:
    assert parse("[[a]]\n" * 5000)["a"][4999] == {}
    assert not nests_deeply("[" * MOST_NESTED)
    assert nests_deeply("{" * (MOST_NESTED + 1))


def test_what_nests_too_deeply_is_not_read_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tomllib, "loads", lambda _: pytest.fail("it was read"))
    with pytest.raises(NotTomlError, match="nested too deeply"):
        parse("a = " + "[" * (MOST_NESTED + 1))

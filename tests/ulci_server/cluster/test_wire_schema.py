"""What servers say to each other changes only with the version that they speak."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import msgspec
import pytest

from tests.support import wire_schema
from tests.support.wire_schema import COMMAND, kept, problem, schema, unreadable
from ulci.rules import outcome
from ulci_server.storage.schema import GAMES


def test_the_schema_is_the_one_that_is_kept():
    assert not (what := problem(kept(), schema())), what


class Reason(StrEnum):
    TIME = "time"


class Move(NamedTuple):
    ply: int
    name: str


@dataclass
class Profile:
    name: str
    reason: Reason | None = None


class Asked(msgspec.Struct, tag=True, tag_field="is"):
    profile: Profile
    moves: tuple[Move, ...] = ()


class Answered(msgspec.Struct, tag=True, tag_field="is"):
    number: int


BEFORE = schema(Asked | Answered, speaks=1)


def test_all_that_travels_is_in_it_and_nothing_else():
    assert BEFORE["messages"] == ["Answered", "Asked"]
    assert BEFORE["types"] == {
        "Answered": {"(is)": "Answered", "number": "int"},
        "Asked": {"(is)": "Asked", "profile": "Profile", "moves": "vartuple[Move] = ()"},
        "Move": ["ply: int", "name: str"],
        "Profile": {"name": "str", "reason": "Reason | none = None"},
        "Reason": ["time"],
    }
    assert schema(Answered | Asked, speaks=1) == BEFORE


def test_values_that_a_column_lists_are_left_to_the_version_of_the_tables(monkeypatch) -> None:
    monkeypatch.setattr(wire_schema, "STORED", {Reason: "as a column allows"})
    assert schema(Asked | Answered, speaks=1)["types"]["Reason"] == ["as a column allows"]


def test_the_column_of_reasons_lists_all_of_them() -> None:
    assert {*wire_schema.STORED} == {outcome.Reason}
    checks = {
        check.name: str(check.sqltext) for check in GAMES.constraints if hasattr(check, "sqltext")
    }
    assert all(f"'{reason}'" in checks["ck_games_reason"] for reason in outcome.Reason)


def changed(name: str, fields: object) -> wire_schema.Schema:
    return {**BEFORE, "types": {**BEFORE["types"], name: fields}}


ANSWERED, PROFILE = BEFORE["types"]["Answered"], BEFORE["types"]["Profile"]

UNREADABLE = {
    "a field of another type": (changed("Answered", {**ANSWERED, "number": "str"}), "number"),
    "a new field without a default": (changed("Answered", {**ANSWERED, "at": "int"}), "at"),
    "a field is missing": (changed("Profile", {"name": "str"}), "reason"),
    "another default": (
        changed("Profile", {**PROFILE, "reason": "Reason | none = 'time'"}),
        "reason",
    ),
    "another name": (changed("Answered", {**ANSWERED, "(is)": "Told"}), "Answered"),
    "a new value": (changed("Reason", ["time", "stop"]), "Reason"),
    "fields in another order": (changed("Move", ["name: str", "ply: int"]), "Move"),
    "a new message": ({**BEFORE, "messages": [*BEFORE["messages"], "Told"]}, "messages"),
    "another frame": ({**BEFORE, "frame": [*BEFORE["frame"], "int"]}, "frame"),
}


@pytest.mark.parametrize("what", UNREADABLE)
def test_a_change_that_others_cannot_read_needs_another_version(what):
    now, culprit = UNREADABLE[what]
    told = problem(BEFORE, now)
    assert culprit in told
    assert f"Raise SPEAKS in ulci_server.cluster.messages, then run: {COMMAND}" in told
    assert problem(BEFORE, {**now, "speaks": 2}).endswith(f"has changed; run: {COMMAND}")


def test_a_new_field_with_a_default_needs_none():
    now = changed("Answered", {**ANSWERED, "at": "float = 0.0"})
    assert unreadable(BEFORE, now) == []
    assert problem(BEFORE, now).endswith(f"has changed; run: {COMMAND}")


def test_the_file_is_written_only_with_a_version_that_is_raised(monkeypatch, tmp_path):
    file = tmp_path / "wire_schema.json"
    monkeypatch.setattr(wire_schema, "FILE", file)
    wire_schema.main()
    assert kept() == schema()
    written = kept()
    written["messages"].remove("Ping")
    file.write_text(msgspec.json.encode(written).decode())
    with pytest.raises(SystemExit, match="could not read each other: messages changed"):
        wire_schema.main()
    assert kept() == written
    file.write_text(msgspec.json.encode({**written, "speaks": written["speaks"] - 1}).decode())
    wire_schema.main()
    assert kept() == schema()

"""What the lobby is told of a program of the server, by real processes."""

import sys

import pytest
import trio

from tests.support.wires import HANG
from ulci.engines.process import open_engine
from ulci.engines.settings import EngineSettings
from ulci_server.engines.profile import profile_of
from ulci_server.lobby import ServerProgram

TALKATIVE = """
print("id name Fish 1.0")
print("id author Ada")
print("id token secret")
print("id username Bob")
print("id feature lobby Boardsize")
print("id feature admin")
print("option name Hash type spin default 16 min 1 max 64")
print("option name Skill type spin default 20 min 0 max 20")
print("option name UCI_Variant type combo default chess var chess var atomic")
print("uciok")
while True:
    if input() == "isready":
        print("readyok")
"""


async def test_it_is_told_what_the_engine_may_say_and_what_is_left_to_set():
    settings = EngineSettings(
        (sys.executable, "-c", TALKATIVE),
        options=("Skill=3", "UCI_Variant=atomic"),
        start=HANG,
    )
    with trio.fail_after(HANG):
        async with open_engine(settings) as engine:
            await engine.prepare()
            profile = profile_of(engine, pool="blitz")
            assert profile_of(engine, name="Cod").name == "Cod"
    assert (profile.name, profile.author, profile.kind) == ("Fish 1.0", "Ada", "engine")
    assert (profile.token, profile.pool) == ("", "blitz")
    assert not profile.lobby
    assert not profile.administers
    assert profile.features == {"boardsize"}
    assert [*profile.options] == ["hash", "uci_variant"]
    assert profile.options["uci_variant"].vars == ("atomic",)


WEAKENED = TALKATIVE.replace("option name Skill type", "option name Skill Level type")


@pytest.mark.parametrize(("options", "count"), [((), 8), (("Skill Level=3",), 0)])
async def test_an_engine_whose_strength_was_set_has_no_levels(
    options: tuple[str, ...], count: int
) -> None:
    settings = EngineSettings((sys.executable, "-c", WEAKENED), options=options, start=HANG)
    program = ServerProgram(("human",), levels=True)
    with trio.fail_after(HANG):
        async with open_engine(settings) as engine:
            await engine.prepare()
            assert profile_of(engine, program=program).levels == count
            assert profile_of(engine).levels == 0

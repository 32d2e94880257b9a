"""What programs in the field do that no standard asks for: they can play here all the same.

The graphical program of Liberty Chess, and whatever was recorded of it and of its engines.
"""

import ast
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
import trio
import trio.testing

from tests.support.clients import Client
from ulci.protocol import ULCI, Role
from ulci.protocol.messages import (
    BestMove,
    Clock,
    Go,
    Hello,
    HelloOk,
    Id,
    Info,
    IsReady,
    Lobby,
    NewGame,
    Option,
    Position,
    Quit,
    Report,
    SetOption,
    Stop,
    Unknown,
)
from ulci.protocol.text import ANALYSIS_WORDS
from ulci_server.game import GameFinished, GameStarted, MovePlayed
from ulci_server.game.facts import Reported

RECORDINGS = Path(__file__).parents[2] / "data" / "conversations"

# What the graphical program says of itself; the user name is whatever its person has typed.
GUI = (
    Id("version", "1"),
    Id("pieces", "kmqcaehuriwbznxlop"),
    Id("name", "Liberty Chess v0.21.1"),
)
AUTHOR = Id("author", "Mathmagician")


async def gui_of(server, username: str = "") -> Client:
    return await server.engine("Liberty Chess", *GUI, Id("username", username), AUTHOR)


async def at_a_table(server, username: str = "") -> tuple[Client, Client]:
    """The graphical program with White, and an engine, both ready."""
    gui, engine = await gui_of(server, username), await server.engine("B")
    await gui.get_ready()
    await engine.get_ready()
    return gui, engine


def raw(*lines: str) -> Sequence[Unknown]:
    return [Unknown(line) for line in lines]


# The graphical program


async def test_a_gui_has_the_board_before_it_is_asked_for_a_move(autojump_clock, server):
    async with server() as h:
        gui, engine = await at_a_table(h)
        await gui.move("e2e4")
        await engine.move("e7e5")
        await gui.be_asked()
        told = [message for message in gui.heard if isinstance(message, Position | Go)]
        for before, asked in zip([None, *told], told, strict=False):
            assert not isinstance(asked, Go) or isinstance(before, Position)
        assert told[0] == Position()
        assert isinstance(told[1], Go)
        assert any(isinstance(message, Clock) for message in gui.heard)
        assert not any(isinstance(message, Lobby) for message in gui.heard)


async def test_a_gui_whose_move_is_refused_is_shown_the_board_again(autojump_clock, server):
    async with server() as h:
        gui, engine = await at_a_table(h)
        await gui.move("e2e5")
        heard = len(gui.heard)
        await gui.be_asked()
        assert Position() in gui.heard[heard:]  # it has made the move on its own board already
        gui.say(BestMove("e2e4"))
        await engine.be_asked()
        assert [move.move for move in h.journal.kinds(MovePlayed)] == ["e2e4"]


async def test_a_person_who_typed_no_name_is_a_person_all_the_same(autojump_clock, server):
    async with server() as h:
        await at_a_table(h)
        [started] = h.journal.kinds(GameStarted)
        assert [(seat.name, seat.kind) for seat in started.seats] == [
            ("anonymous", "human"),
            ("B", "engine"),
        ]


async def test_two_people_without_a_name_are_two(autojump_clock, server):
    async with server() as h:
        for gui in (await gui_of(h), await gui_of(h)):
            await gui.get_ready()
        await trio.testing.wait_all_tasks_blocked()
        assert {session.handle for table in h.hall.tables.values() for session in table.seats} == {
            "anonymous",
            "anonymous-2",
        }


async def test_a_gui_that_says_readyok_while_its_person_thinks_has_not_moved(
    autojump_clock, server
):
    async with server() as h:
        gui, engine = await at_a_table(h)
        await gui.be_asked()
        gui.say(*raw("readyok", "readyok"))
        await trio.testing.wait_all_tasks_blocked()
        assert h.journal.kinds(MovePlayed) == h.journal.kinds(GameFinished) == []
        gui.say(BestMove("e2e4"))
        await engine.be_asked()


async def test_a_gui_that_never_answers_stop_plays_the_next_game(autojump_clock, server):
    async with server() as h:
        gui, engine = await at_a_table(h)
        await gui.be_asked()
        engine.say(Quit())
        await gui.hear(Stop)
        await gui.get_ready()  # at once, from the thread that reads
        other = await h.engine("C")
        players = {gui, other}
        for player in players:
            await player.hear(NewGame)
            await player.get_ready()
        [_, second] = h.journal.kinds(GameStarted)
        white, black = (gui, other) if second.seats[0].kind == "human" else (other, gui)
        await white.move("d2d4")
        await black.move("d7d5")
        await white.be_asked()
        assert [move.move for move in h.journal.kinds(MovePlayed)] == ["d2d4", "d7d5"]


async def test_a_gui_that_is_closed_has_left_the_game(autojump_clock, server):
    async with server() as h:
        gui, engine = await at_a_table(h)
        await gui.move("e2e4")
        await engine.move("e7e5")
        await gui.be_asked()
        await gui.peer.aclose()  # without a word, as its button does
        await engine.hear(IsReady)
        [finished] = h.journal.kinds(GameFinished)
        assert finished.outcome.score == "0-1"


async def test_a_gui_is_set_nothing_that_it_did_not_offer(autojump_clock, server):
    async with server() as h:
        gui, _ = await at_a_table(h)
        assert not any(isinstance(message, SetOption) for message in gui.heard)


# Errors, in all their spellings


@pytest.mark.parametrize(
    "spelled", ["error", "clienterror", "servererror", "string clienterror", "string servererror"]
)
async def test_a_clients_complaint_is_kept_with_its_game_however_it_is_spelled(
    autojump_clock, server, spelled
):
    async with server() as h:
        gui, engine = await at_a_table(h)
        await gui.be_asked()
        gui.say(*raw(f"info {spelled} illegal move depth 5"), BestMove("e2e4"))
        await engine.be_asked()
        [reported] = h.journal.kinds(Reported)
        assert reported.text == f"{spelled.split()[-1]} illegal move depth 5"
        [move] = h.journal.kinds(MovePlayed)
        assert move.info is None  # a text is no analysis


# Words that a faulty client might get back in an error's text.
NASTY = "depth 5 seldepth 6 score cp 3 time 4 nodes 9 nps 1 wdl 1 2 3 multipv 2 hashfull 1 pv e2e4"


async def test_no_error_of_the_server_reads_as_an_analysis(autojump_clock, server):
    async with server() as h:
        gui, engine = await at_a_table(h)
        await gui.be_asked()
        gui.say(*raw(f"option {NASTY}", f"option name {NASTY} type {NASTY}", f"id {NASTY}"))
        gui.say(*raw(f"go {NASTY}", f"copyprotection {NASTY}", f"registration {NASTY}"))
        gui.say(BestMove("depth"))
        await gui.be_asked()
        gui.say(BestMove("score"))
        await gui.be_asked()
        h.hall.trouble(f"the disk says: {NASTY}")
        engine.say(Quit())
        await gui.hear(Stop)
        await trio.testing.wait_all_tasks_blocked()
        await gui.hear(IsReady)
        assert len(gui.reports()) >= 5
        for text in gui.reports():
            assert not ANALYSIS_WORDS & set(text.split()), text
        # Behind the last word of a result no value can stand: ``reason time``.
        for text in (m.string for m in gui.heard if isinstance(m, Info) and m.string):
            assert not ANALYSIS_WORDS & set(text.split()[:-1]), text


async def test_the_names_in_a_result_do_not_read_as_an_analysis(autojump_clock, server):
    async with server() as h:
        gui, engine = await at_a_table(h, f"Ada {NASTY}")
        await gui.move("e2e4")
        await engine.be_asked()
        engine.say(Quit())
        told = await gui.hear(Info)
        assert told.string.startswith("result ")
        for message in gui.heard:
            if isinstance(message, Report):
                assert not ANALYSIS_WORDS & set(message.text.split())


# What was recorded


def recorded() -> dict[str, list[str]]:
    """What clients have said, a conversation each."""
    said: dict[str, list[str]] = {}
    for path in sorted(RECORDINGS.glob("oxidation_*.txt")):
        said[path.stem] = re.findall(r"^ *[0-9.]+ < (.*)$", path.read_text(), re.MULTILINE)
    sessions = re.split(r"^ *[0-9.]+ #####(.*)$", (RECORDINGS / "guinet.txt").read_text(),
                        flags=re.MULTILINE)  # fmt: skip
    for title, session in zip(sessions[1::2], sessions[2::2], strict=True):
        lines = re.findall(r"client > ('.*')$", session, re.MULTILINE)
        said[f"gui:{title}"] = [ast.literal_eval(line) for line in lines]
    other = (RECORDINGS / "arrangedmatch_A.txt").read_text()
    for who, line in re.findall(r"^ *[0-9.]+ \[(.*?)\] > (.*)$", other, re.MULTILINE):
        said.setdefault(f"other:{who}", []).append(line)
    return said


SAID = recorded()

# Verbs of a client. What else engines print is what ``perft`` and ``bench`` ask for, as no server
# here does.
VERBS = ("id ", "option ", "uciok", "readyok", "info", "bestmove", "quit")


def split(lines: Sequence[str]) -> tuple[list[Id | Option], list[str]]:
    """How it introduced itself, and what it said then."""
    introduction, rest = [], []
    for line in lines:
        message = ULCI.read_untrusted(line, Role.SERVER)
        if isinstance(message, Id | Option):
            introduction.append(message)
        elif not isinstance(message, HelloOk) and line.startswith(VERBS):
            rest.append(line)
    return introduction, rest


@pytest.mark.parametrize("name", [*SAID])
async def test_after_all_that_a_program_was_recorded_to_say_it_can_still_play(
    autojump_clock, server, name
):
    introduction, rest = split(SAID[name])
    async with server() as h:
        client = h.connect()
        await client.hear(Hello)
        client.say(*(introduction or [Id("name", "Oxidation v0.7.2")]), HelloOk())
        client.say(*raw(*rest))
        await trio.testing.wait_all_tasks_blocked()
        other = await h.engine("B")
        await client.get_ready()
        await other.get_ready()
        await client.move("e2e4")
        await other.be_asked()
        [started] = h.journal.kinds(GameStarted)
        names = {each.key: each.value for each in introduction if isinstance(each, Id)}
        wanted = names.get("username", names.get("name", "Oxidation v0.7.2"))
        assert started.seats[0].name == (wanted or "anonymous")
        assert [move.move for move in h.journal.kinds(MovePlayed)] == ["e2e4"]
        # Answers that nobody had asked for here are the only thing to complain of.
        assert all(text.startswith(('"bestmove', '"readyok')) for text in client.reports())


@pytest.mark.parametrize("name", [name for name in SAID if name.startswith("oxidation_")])
async def test_what_it_was_recorded_to_say_in_a_game_ends_no_game(autojump_clock, server, name):
    _, rest = split(SAID[name])
    async with server() as h:
        white, black = await h.engines()
        await white.be_asked()
        thoughts = [line for line in rest if not line.startswith(("bestmove", "quit"))]
        white.say(*raw(*thoughts), BestMove("e2e4"))
        await black.be_asked()
        [move] = h.journal.kinds(MovePlayed)
        scored = [line for line in thoughts if " score " in line]
        assert (move.info is not None) == bool(scored)
        if scored:
            assert f" depth {move.info.depth} " in scored[-1] or move.info.depth is None
        complaints = [line for line in thoughts if line.startswith("info error")]
        kept = [report for report in h.journal.kinds(Reported) if report.source == "player"]
        assert len(kept) == len(complaints)
        assert h.journal.kinds(GameFinished) == []


def test_recordings_are_there():
    assert len(SAID) >= 25
    assert sum(len(lines) for lines in SAID.values()) > 100

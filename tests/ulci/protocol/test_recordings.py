"""Recorded lines of real programs are read without an error."""

import ast
import re
from pathlib import Path

import pytest

from ulci.protocol import ULCI, Connection, Role, TextCodec, Unread, read_info_untrusted
from ulci.protocol.messages import (
    BestMove,
    Blame,
    Clock,
    Hello,
    HelloOk,
    Id,
    Info,
    Message,
    Option,
    OptionType,
    Report,
    Unknown,
)

RECORDINGS = Path(__file__).parents[2] / "data" / "conversations"
ENGINES = sorted(path.name for path in RECORDINGS.glob("oxidation_*.txt"))


def lines_of(name: str, pattern: str) -> list[str]:
    text = (RECORDINGS / name).read_text(encoding="utf-8")
    return re.findall(pattern, text, re.MULTILINE)


def read(line: str, reader: Role) -> Message | Unread:
    return ULCI.read_untrusted(line, reader)


@pytest.mark.parametrize("name", ENGINES)
def test_what_an_engine_said_is_read(name):
    for line in lines_of(name, r"^ *[0-9.]+ < (.*)$"):
        message = read(line, Role.SERVER)
        if isinstance(message, Unknown):  # what perft and bench print is nobody's protocol
            assert not line.startswith(("id ", "option ", "info", "bestmove", "uciok", "readyok"))
        elif isinstance(message, Info) and message.string is None:
            assert read_info_untrusted(line) == message
            tokens = [word for word in line.split() if word != "pv" or message.pv]
            assert sorted(ULCI.write(message).split()) == sorted(tokens)


def test_an_engines_introduction_and_complaints_are_read():
    said = [read(line, Role.SERVER) for line in lines_of("oxidation_main.txt", r" < (.*)$")]
    assert said[:4] == [
        Id("version", "1"),
        Id("pieces", "kmqcaehuriwbznxlop"),
        Id("name", "Oxidation v0.7.2"),
        Id("author", "Mathmagician"),
    ]
    assert Option("MultiPV", OptionType.SPIN, "1", 1, 1024) in said
    assert Option("UCI_Variant", OptionType.COMBO, "chess", vars=("horde", "chess")) in said
    assert HelloOk() in said
    assert BestMove("f6g7") in said
    assert Report(Blame.ERROR, "unknown go parameter ponder") in said


def test_what_the_gui_said_goes_well_in_conversation():
    for session in re.split(
        r"^ *[0-9.]+ #####.*$", (RECORDINGS / "guinet.txt").read_text(), flags=re.MULTILINE
    )[1:]:
        connection = Connection(Role.SERVER, TextCodec())
        heard = []
        for speaker, said in re.findall(r"(server <|client >) ('.*')$", session, re.MULTILINE):
            line = ast.literal_eval(said)
            if speaker == "server <":
                message = read(line, Role.CLIENT)
                assert not isinstance(message, Unknown), line
                if ULCI.can_say(message):
                    connection.send(message)
            else:
                connection.receive_data(f"{line}\n".encode())
                heard.append(connection.next_message())
        assert None not in heard
        assert heard[0] == Id("version", "1")
        assert not any(isinstance(message, Unknown) for message in heard)


def test_an_empty_user_name_is_one():
    said = lines_of("guinet.txt", r"client > '(.*)'$")
    assert "id username " in said
    assert read("id username ", Role.SERVER) == Id("username", "")


def test_what_the_other_server_said_is_read():
    said = [
        ast.literal_eval(line).strip() for line in lines_of("arrangedmatch_A.txt", r"\] < ('.*')$")
    ]
    messages = [read(line, Role.CLIENT) for line in said if line]
    assert Hello() in messages
    assert Clock(wtime=1199999, winc=15000, btime=1200000, binc=15000) in messages
    assert not any(isinstance(message, Unknown) for message in messages)


def test_what_its_players_said_is_read():
    said = lines_of("arrangedmatch_A.txt", r"\] > (.*)$")
    unknown = [line for line in said if isinstance(read(line, Role.SERVER), Unknown)]
    assert unknown == ["hello?"]
    assert read("bestmove rubbish", Role.SERVER) == BestMove("rubbish")
    assert "bestmove rubbish" in said

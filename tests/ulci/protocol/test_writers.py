"""The exact spelling of each message."""

import pytest

from tests.support.lobby import lobby_line
from ulci.protocol import UCI, ULCI
from ulci.protocol.messages import (
    BestMove,
    Challenge,
    Clock,
    CopyProtection,
    Debug,
    Go,
    Id,
    Message,
    Option,
    OptionType,
    Perft,
    Position,
    Register,
    Seek,
    SetOption,
    Status,
    Terms,
    Unseek,
    kinds_of,
)
from ulci.protocol.writers import WRITERS


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (Debug(on=False), "debug off"),
        (SetOption("Clear Hash"), "setoption name Clear Hash"),
        (SetOption("Style", "Very Risky"), "setoption name Style value Very Risky"),
        (SetOption("NalimovPath", ""), "setoption name NalimovPath value <empty>"),
        (Register(), "register later"),
        (Register("Stefan MK", "4359874324"), "register name Stefan MK code 4359874324"),
        (Position(), "position startpos"),
        (Position(None, ("e2e4",)), "position startpos moves e2e4"),
        (Position("8/8 w", ("e2e4", "e7e5")), "position fen 8/8 w moves e2e4 e7e5"),
        (Go(), "go"),
        (Go(1, 2, 3, 4, 5), "go wtime 1 btime 2 winc 3 binc 4 movestogo 5"),
        (
            Go(depth=1, nodes=2, mate=3, movetime=4, infinite=True, searchmoves=("e2e4", "d2d4")),
            "go depth 1 nodes 2 mate 3 movetime 4 infinite searchmoves e2e4 d2d4",
        ),
        (Go(wtime=0, ponder=True), "go wtime 0 ponder"),
        (Clock(1, 2, 3, 4), "clock wtime 1 btime 2 winc 3 binc 4"),
        (Perft(3), "perft 3"),
        (lobby_line("gone 17"), "lobby gone 17"),
        (lobby_line(""), "lobby"),
        (Id("username", ""), "id username "),
        (
            Option("Hash", OptionType.SPIN, "1", 1, 128),
            "option name Hash type spin default 1 min 1 max 128",
        ),
        (
            Option("Style", OptionType.COMBO, "Normal", vars=("Solid", "")),
            "option name Style type combo default Normal var Solid var <empty>",
        ),
        (Option("Clear Hash", OptionType.BUTTON), "option name Clear Hash type button"),
        (BestMove("e2e4"), "bestmove e2e4"),
        (Register(code="1"), "register code 1"),
        (Register("A"), "register name A"),
        (Option("P", OptionType.STRING, ""), "option name P type string default <empty>"),
        (BestMove("e2e4", "e7e5"), "bestmove e2e4 ponder e7e5"),
        (CopyProtection(Status.OK), "copyprotection ok"),
        (Seek(), "seek"),
        (
            Challenge("Bob", Terms("chess", "300+3", "white", False, "human", start="8/8")),
            "challenge Bob game chess time 300+3 color white rated no against human start 8/8",
        ),
        (Unseek(3), "unseek 3"),
    ],
)
def test_each_message_is_spelled_as_the_standards_spell_it(message, line):
    assert UCI.write(message) == line


def test_every_message_has_a_writer():
    assert set(WRITERS) == set(kinds_of(Message))
    assert ULCI.write(Id("name", "X")) == "id name X"

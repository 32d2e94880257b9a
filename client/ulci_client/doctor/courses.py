"""Which steps a dialect has, in which order: one table for each."""

from collections.abc import Mapping
from types import MappingProxyType

from . import chess, common
from .common import on
from .findings import Severity
from .steps import Course, Step

_UCI = "UCI 2004"
_ULCI = "ULCI"

READ = "Read standard input line by line, and flush standard output after every answer."
SEARCH = "Answer every go with one bestmove, also when the limit is small."
POSITION = "Set the board up anew at every position, and play all of its moves."
IGNORE = "Ignore what you do not know, without ending or falling silent."
STOP = "Read the input while searching, and answer stop with bestmove at once."


def _opening(standard: str, hello: str, new_game: str) -> Course:
    return (
        Step(
            "introduces itself",
            f"{standard}, {hello}",
            f"Answer `{hello}` with id name, id author, options and `{hello}ok`. {READ}",
            common.introduces,
        ),
        Step("its options are well formed", f"{standard}, option", READ, common.options),
        Step(
            "answers isready",
            f"{standard}, isready",
            "Answer every isready with readyok, whatever was said before.",
            common.is_ready,
        ),
        Step(f"takes {new_game}", f"{standard}, {new_game}", IGNORE, common.new_game),
    )


def _searches(standard: str) -> Course:
    """Limits and ``stop``, from the usual start of chess."""
    start = chess.USUAL
    return (
        Step("go with clocks", f"{standard}, go wtime", SEARCH, on(common.go_clocks, start)),
        Step("go movetime", f"{standard}, go movetime", SEARCH, on(common.go_movetime, start)),
        Step("go depth", f"{standard}, go depth", SEARCH, chess.go_depth),
        Step("go nodes", f"{standard}, go nodes", SEARCH, chess.go_nodes),
        Step(
            "go infinite waits for stop",
            f"{standard}, go infinite",
            STOP,
            on(common.go_infinite, start),
        ),
        Step("a second stop is ignored", f"{standard}, stop", STOP, on(common.stop_twice, start)),
        Step(
            "answers isready during a search",
            f"{standard}, isready",
            STOP,
            on(common.ready_while_searching, start),
        ),
        Step("go searchmoves", f"{standard}, go searchmoves", SEARCH, chess.searchmoves),
    )


def _positions(standard: str) -> Course:
    clause = f"{standard}, position"
    none = "Answer with `bestmove 0000`: every go needs its bestmove, even when no move is legal."
    return (
        Step("position with moves", clause, POSITION, chess.with_moves),
        Step("castling in fen and moves", clause, POSITION, chess.castled),
        Step("capture in passing", clause, POSITION, chess.in_passing),
        Step("a pawn before promotion", clause, POSITION, chess.promotes),
        Step(
            "keeps the position at isready",
            f"{standard}, isready",
            "Do not touch the board at isready.",
            chess.keeps_position,
        ),
        Step("a mated position", f"{standard}, bestmove", none, chess.mated),
        Step("a stalemated position", f"{standard}, bestmove", none, chess.stalemated),
    )


def _tolerance(standard: str) -> Course:
    # UCI 2004 does not speak of blanks, the text of 2006 does.
    notes = f"{'UCI 2006' if standard == _UCI else standard}, general notes"
    blanks = "Strip CR and any blanks, and split lines at any run of blanks and tabs."
    return (
        Step("debug on and off", f"{standard}, debug", IGNORE, common.debug),
        Step(
            "ignores unknown commands", f"{standard}, general notes", IGNORE, common.ignores_unknown
        ),
        Step("ignores stop when idle", f"{standard}, stop", IGNORE, common.ignores_stop),
        Step(
            "reads lines that end with CRLF",
            f"{standard}, general notes",
            blanks,
            common.reads_crlf,
            silence=Severity.WARNING,
        ),
        Step("reads blanks and tabs", notes, blanks, common.reads_blanks),
        Step(
            "reads blanks in position and go",
            notes,
            blanks,
            chess.blanks_in_position,
        ),
        Step(
            "option names in any case",
            f"{standard}, setoption",
            "Take what you can of a setoption, and ignore the rest.",
            common.sets_options,
        ),
    )


def _heard(standard: str) -> Course:
    """What is judged of all that was said."""
    return (
        Step("one bestmove for each go", f"{standard}, bestmove", "", common.one_answer),
        Step("info lines are well formed", f"{standard}, info", "", common.infos),
        Step("every pv is legal", f"{standard}, info pv", "", common.lines_are_legal),
        Step("only protocol on stdout", f"{standard}, general notes", "", common.only_protocol),
    )


def _end(standard: str) -> Course:
    advice = "End the process at quit, also while searching."
    return (
        Step("quits", f"{standard}, quit", advice, common.quits, last=True),
        Step(
            "quits during a search",
            f"{standard}, quit",
            advice,
            on(common.quits_searching, chess.USUAL),
            last=True,
        ),
    )


UCI: Course = (
    *_opening(_UCI, "uci", "ucinewgame"),
    *_searches(_UCI),
    Step("go movestogo", f"{_UCI}, go movestogo", SEARCH, chess.go_moves_to_go),
    *_positions(_UCI),
    *_tolerance(_UCI),
    Step("go ponder", f"{_UCI}, go ponder", STOP, chess.ponders, option="Ponder"),
    Step(
        "castling in Chess960",
        "UCI 2006, UCI_Chess960",
        POSITION,
        chess.chess960,
        option="UCI_Chess960",
    ),
    *_heard(_UCI),
    *_end(_UCI),
)

ULCI: Course = (
    *_opening(_ULCI, "uci", "ucinewgame"),
    Step("says its version and pieces", f"{_ULCI}, id version", READ, chess.version),
    *_searches(_ULCI),
    *_positions(_ULCI),
    Step("positions of its pieces", f"{_ULCI}, id pieces", POSITION, chess.declared),
    *_tolerance(_ULCI),
    *_heard(_ULCI),
    Step("bestmove is the move alone", f"{_ULCI}, bestmove", "", chess.no_ponder),
    *_end(_ULCI),
)

COURSES: Mapping[str, Course] = MappingProxyType({"uci": UCI, "ulci": ULCI})

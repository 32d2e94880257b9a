"""The steps of each dialect, in order: one table each."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from .checks import chess, common, conversation, ugi, uti
from .checks.common import on
from .report import Severity
from .step_context import Context, Start


@dataclass(frozen=True, slots=True)
class Step:
    """One step of an examination. advice: shown if no answer comes.

    silence: the severity of that. option: run only if the engine offers it. last: the engine is
    not usable afterwards.
    """

    name: str
    clause: str
    advice: str
    run: Callable[[Context], Awaitable[None]]
    option: str = ""
    silence: Severity = Severity.FAULT
    last: bool = False


Suite = Sequence[Step]

_UCI = "UCI 2004"
_ULCI = "ULCI"

BLANKS = "Strip CR and any blanks, and split lines at any run of blanks and tabs."
READ = "Read standard input line by line, and flush standard output after every answer."
SEARCH = "Answer every go with one bestmove, also when the limit is small."
POSITION = "Set up the board afresh at every position, and play all of its moves."
IGNORE = "Ignore unknown input, and go on answering."
STOP = "Read the input while searching, and answer stop with bestmove at once."


def _opening(standard: str, hello: str, new_game: str) -> Suite:
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
            Context.ready,
        ),
        Step(
            "copy protection and registration",
            "UCI 2004, copyprotection",  # only this standard has them
            "After copyprotection checking or registration checking say ok or error.",
            common.may_be_used,
        ),
        Step(f"takes {new_game}", f"{standard}, {new_game}", IGNORE, common.new_game),
    )


def _searches(standard: str, start: Start, clock: str = "wtime") -> Suite:
    """Limits and ``stop``."""
    return (
        Step("go with clocks", f"{standard}, go {clock}", SEARCH, on(common.go_clocks, start)),
        Step("go movetime", f"{standard}, go movetime", SEARCH, on(common.go_movetime, start)),
        Step("go depth", f"{standard}, go depth", SEARCH, on(common.go_depth, start)),
        Step("go nodes", f"{standard}, go nodes", SEARCH, on(common.go_nodes, start)),
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
    )


def _positions(standard: str) -> Suite:
    clause = f"{standard}, position"
    none = "Answer with `bestmove 0000`: every go needs its bestmove, even when no move is legal."
    return (
        Step("go searchmoves", f"{standard}, go searchmoves", SEARCH, chess.searchmoves),
        Step("position with moves", clause, POSITION, on(common.go_depth, chess.OPENED)),
        Step("castling in fen and moves", clause, POSITION, on(common.go_depth, chess.CASTLED)),
        Step("capture in passing", clause, POSITION, on(common.go_depth, chess.PASSING)),
        Step("a pawn before promotion", clause, POSITION, on(common.go_depth, chess.PROMOTES)),
        Step(
            "keeps the position at isready",
            f"{standard}, isready",
            "Do not touch the board at isready.",
            chess.keeps_position,
        ),
        Step("a mated position", f"{standard}, bestmove", none, chess.mated),
        Step("a stalemated position", f"{standard}, bestmove", none, chess.stalemated),
    )


def _tolerance(standard: str) -> Suite:
    # UCI 2004 says nothing about blanks, the text of 2006 does.
    notes = f"{standard if standard == _ULCI else 'UCI 2006'}, general notes"
    return (
        Step("debug on and off", f"{standard}, debug", IGNORE, common.debug),
        Step(
            "ignores unknown commands", f"{standard}, general notes", IGNORE, common.ignores_unknown
        ),
        Step("ignores stop when idle", f"{standard}, stop", IGNORE, common.ignores_stop),
        Step(
            "reads lines that end with CRLF",
            f"{standard}, general notes",
            BLANKS,
            common.reads_crlf,
            silence=Severity.WARNING,
        ),
        Step("reads blanks and tabs", notes, BLANKS, common.reads_blanks),
        Step(
            "option names in any case",
            f"{standard}, setoption",
            "Take what you can of a setoption, and ignore the rest.",
            common.sets_options,
        ),
    )


def _heard(standard: str) -> Suite:
    """Steps that judge the whole conversation."""
    return (
        Step("one bestmove for each go", f"{standard}, bestmove", "", conversation.one_answer),
        Step("info lines are well formed", f"{standard}, info", "", conversation.infos),
        Step("every pv is legal", f"{standard}, info pv", "", conversation.lines_are_legal),
        Step(
            "only protocol on stdout", f"{standard}, general notes", "", conversation.only_protocol
        ),
    )


def _end(standard: str, start: Start) -> Suite:
    advice = "End the process at quit, also while searching."
    return (
        Step("quits", f"{standard}, quit", advice, common.quits, last=True),
        Step(
            "quits during a search",
            f"{standard}, quit",
            advice,
            on(common.quits_searching, start),
            last=True,
        ),
    )


UCI: Suite = (
    *_opening(_UCI, "uci", "ucinewgame"),
    *_searches(_UCI, chess.USUAL),
    Step("go movestogo", f"{_UCI}, go movestogo", SEARCH, chess.go_moves_to_go),
    *_positions(_UCI),
    *_tolerance(_UCI),
    Step(
        "reads blanks in position and go",
        "UCI 2006, general notes",
        BLANKS,
        chess.blanks_in_position,
    ),
    Step("go ponder", f"{_UCI}, go ponder", STOP, chess.ponders, option="Ponder"),
    Step(
        "castling in Chess960",
        "UCI 2006, UCI_Chess960",
        POSITION,
        chess.chess960,
        option="UCI_Chess960",
    ),
    *_heard(_UCI),
    *_end(_UCI, chess.USUAL),
)

ULCI: Suite = (
    *_opening(_ULCI, "uci", "ucinewgame"),
    Step("says its version and pieces", f"{_ULCI}, id version", READ, chess.version),
    *_searches(_ULCI, chess.USUAL),
    *_positions(_ULCI),
    Step("positions of its pieces", f"{_ULCI}, id pieces", POSITION, chess.declared),
    *_tolerance(_ULCI),
    Step(
        "reads blanks in position and go",
        f"{_ULCI}, general notes",
        BLANKS,
        chess.blanks_in_position,
    ),
    *_heard(_ULCI),
    Step("bestmove is the move alone", f"{_ULCI}, bestmove", "", chess.no_ponder),
    *_end(_ULCI, chess.USUAL),
)

_UGI = "UGI"
_QUERY = "Answer each query by one response, about the last position."

UGI: Suite = (
    *_opening(_UGI, "ugi", "uginewgame"),
    *_searches(_UGI, ugi.USUAL, "p1time"),
    Step("answers queries", f"{_UGI}, query", _QUERY, ugi.queries),
    Step("plays a game by its own moves", f"{_UGI}, query", _QUERY, ugi.plays_a_game),
    Step("keeps the position at isready", f"{_UGI}, isready", _QUERY, ugi.keeps_position),
    # UGI is UCI except for the game: UCI applies where UGI is silent.
    *_tolerance(_UCI),
    Step("one bestmove for each go", f"{_UGI}, go", "", conversation.one_answer),
    Step("info lines are well formed", f"{_UCI}, info", "", conversation.infos),
    Step("only protocol on stdout", f"{_UCI}, general notes", "", conversation.only_protocol),
    *_end(_UCI, ugi.USUAL),
)

_UTI = "UTI"
_MOVE = f"{_UTI}, standard commands"
_ANSWER = "Answer every question by one line, `<square> <score>` or CommandNotKnowError."

UTI: Suite = (
    Step("introduces itself", f"{_UTI}, uti", f"Answer `uti` with `utiok`. {READ}", uti.introduces),
    Step("tells its name and author", f"{_UTI}, id", READ, uti.identity),
    Step("tells what it supports", f"{_UTI}, info", READ, uti.capabilities),
    Step("answers isready", f"{_UTI}, isready", READ, Context.ready),
    Step("begins a game", _MOVE, _ANSWER, uti.begins),
    Step("replies to a move", _MOVE, _ANSWER, uti.replies),
    Step("takes a board by pos", f"{_UTI}, pos", _ANSWER, uti.board),
    Step("takes a board by posmoves", f"{_UTI}, posmoves", _ANSWER, uti.board_by_moves),
    Step("plays 0 on a full board", _MOVE, _ANSWER, uti.full_board),
    Step("scores are player 1's", f"{_UTI}, score", _ANSWER, uti.score_view),
    Step("plays on a larger board", f"{_UTI}, size", _ANSWER, uti.larger_board),
    Step("evaluates without a move", f"{_UTI}, eval", _ANSWER, uti.evaluates),
    Step("refuses what it does not know", f"{_UTI}, errors", _ANSWER, uti.refuses),
    Step("debug on and off", f"{_UTI}, debug", IGNORE, common.debug),
    Step("ignores stop when idle", f"{_UTI}, stop", IGNORE, common.ignores_stop),
    Step("quits", f"{_UTI}, quit", "", common.quits, last=True),
)

SUITES: Mapping[str, Suite] = MappingProxyType({"uci": UCI, "ulci": ULCI, "ugi": UGI, "uti": UTI})

"""The position after some moves, its legal moves, and the meaning of a typed move. For a worker
thread."""

from collections.abc import Sequence

from ulci.rules import Illegal, Over, Position, Rules, Side, StartError, reason_in_english
from ulci.rules.outcome import Outcome
from ulci_server.web.documents import Document, board
from ulci_server.web.played_moves import Resting

MOST_SQUARES, MOST_KINGS = 256, 16
"""The largest board of a start: with it an answer takes 20 ms."""


class UnknownPositionError(ValueError):
    """There is no such position. The text says why."""


def position_document(
    rules: Rules, start: str | None, moves: Sequence[str], typed: str
) -> Document:
    """The position after these moves, and after the typed one if that is legal; else `why` in the
    answer gives the reason. Raises `UnknownPositionError`."""
    position, resting = begun(rules, start), Resting()
    last: Document | None = None
    ended = position.outcome()
    for ply, move in enumerate(moves, 1):
        last, ended = _played(position, move, ended, f"ply {ply}")
        resting.rest()
    why: str | None = None
    if typed:
        try:
            last, ended = _played(position, _meant(position, typed), ended, "")
        except UnknownPositionError as refusal:
            why = str(refusal)
    legal = [] if ended is not None else position.legal_moves()
    shown = board(position, position.turn)
    return {
        "rules": rules.name,
        "start": start,
        "moves": [*position.moves],
        "last": last,
        "fen": position.fen(),
        "board": shown,
        "legal": legal,
        "over": None if ended is None else in_words(ended),
        "why": why,
    }


def names_of(
    rules: Rules, start: str | None, moves: Sequence[str], of: Sequence[str]
) -> dict[str, str]:
    """The moves in `of` that are legal after `moves`, each with its name in the notation of the
    game. Raises `UnknownPositionError`."""
    position, names = begun(rules, start), dict[str, str]()
    for ply, move in enumerate(moves, 1):
        if isinstance(verdict := position.play_untrusted(move), Illegal):
            raise UnknownPositionError(f"ply {ply}: {verdict.why}")
    for move in of:
        if position.is_legal_untrusted(move):
            names[move] = position.san(move)
    return names


def begun(rules: Rules, start: str | None) -> Position:
    """The position at the start. Raises `UnknownPositionError` if there is none, or if its board is
    too large."""
    try:
        size = rules.size(start)
        if size.squares > MOST_SQUARES or size.kings > MOST_KINGS:
            raise UnknownPositionError(
                f"boards of more than {MOST_SQUARES} squares or {MOST_KINGS} kings are not judged"
            )
        return rules.new(start, claims=True)
    except StartError as fault:
        raise UnknownPositionError(str(fault)) from None


def _meant(position: Position, typed: str) -> str:
    return position.parse_untrusted(typed) or typed


def _played(
    position: Position, move: str, ended: Outcome | None, what: str
) -> tuple[Document, Outcome | None]:
    """Play a move. Returns it as JSON, and the outcome if it ended the game. Raises
    `UnknownPositionError` if it is illegal or `ended` is an outcome. what: names the move in the
    error."""
    if ended is not None:
        raise UnknownPositionError(f"{what or 'the move'}: the game is over")
    side = position.turn
    try:
        san = position.san(move)
    except ValueError:
        san = move
    verdict = position.play_untrusted(move)
    if isinstance(verdict, Illegal):
        raise UnknownPositionError(f"{what}: {verdict.why}" if what else verdict.why)
    outcome = verdict.outcome if isinstance(verdict, Over) else None
    return {"side": side.word, "move": verdict.move, "san": san}, outcome


def in_words(outcome: Outcome) -> Document:
    """An outcome as JSON: its score, and a sentence."""
    if outcome.winner is None:
        said = "Draw" if outcome.score != "*" else "No result"
        loser = ""
    else:
        said = "White won" if outcome.winner is Side.WHITE else "Black won"
        loser = outcome.winner.other.word.capitalize()
    return {"score": outcome.score, "text": f"{said} {reason_in_english(outcome.reason, loser)}"}

"""Our moves: reading, making, explaining why not; and the end of a game. Pure."""

import re
from collections.abc import Iterator

from ulci.protocol.messages import BestMove
from ulci.rules import Illegal, Position

from .game import Game, Ply
from .phrases import COLORS, PIECES, Result, joined, move_in_words, result_for, result_in_words
from .state import ClientState, Effect, News, NewsKind, Send, YesNoQuestion

_LONG = re.compile(r"([a-z]{1,2}[0-9]{1,3})[-x:]?([a-z]{1,2}[0-9]{1,3})=?([a-z]?)", re.IGNORECASE)
_SHORT = re.compile(r"([KQRBN]?)([a-h]?[1-8]?)[x:]?([a-h][1-8])[=/]?([QRBNqrbn]?)")
# Other board sizes and pieces.
_SHORT_ELSEWHERE = re.compile(
    r"([A-Z]?)([a-z]{0,2}?[0-9]{0,3}?)[x:]?([a-z]{1,2}[0-9]{1,3})[=/]?([A-Za-z]?)"
)
_DROP = re.compile(r"([PNBRQpnbrq]?)@([a-h][1-8])")
_CASTLING = re.compile(r"[Oo0]-?[Oo0](-?[Oo0])?")

# Files with one-letter names.
ONE_LETTER = 26

_NAME = r"[a-z]{1,2}[0-9]{1,3}"

# Alternatives shown for an ambiguous move.
MAX_WAYS = 4


def looks_like_move(text: str) -> bool:
    """Whether the text looks like a move rather than a command."""
    bare = text.rstrip("+#!?")
    forms = (_LONG, _DROP, _CASTLING)
    return bool(any(form.fullmatch(bare) for form in forms) or _short(bare))


def why_not(position: Position, text: str) -> str:
    """Why the move is not possible: a sentence without a full stop. `position` may be changed."""
    bare = text.strip().rstrip("+#!?")
    if (drop := _DROP.fullmatch(bare)) is not None:
        return _why_not_long(position, f"{(drop[1] or 'P').upper()}@{drop[2]}")
    if (long := _LONG.fullmatch(bare)) is not None:
        return _why_not_long(position, "".join(long.groups()).lower())
    wide = len(position.squares()[0]) > ONE_LETTER
    if (short := _SHORT_ELSEWHERE.fullmatch(bare) if wide else _short(bare)) is not None:
        return _why_not_short(position, bare, short)
    if _CASTLING.fullmatch(bare):
        return _with_check(position, "castling is not possible now")
    return f"{text} is not a move that can be made here"


def _short(text: str) -> re.Match[str] | None:
    """SAN, also with a lower-case piece letter."""
    capital = text[:1].upper() + text[1:]
    usual = _SHORT.fullmatch(text) or _SHORT.fullmatch(capital)
    return usual or _SHORT_ELSEWHERE.fullmatch(text) or _SHORT_ELSEWHERE.fullmatch(capital)


def _why_not_long(position: Position, move: str) -> str:
    verdict = position.play_untrusted(move)
    return verdict.why if isinstance(verdict, Illegal) else f"{move} could not be read"


def _why_not_short(position: Position, text: str, match: re.Match[str]) -> str:
    piece, _, to, into = match.groups()
    sans = {move: position.san(move) for move in position.legal_moves()}
    if all(san == move for move, san in sans.items()):
        return _why_not_long(position, text)  # m,n,k-games: stones are placed
    ways = [san for move, san in sans.items() if _goes(san, move, piece, to)]
    if not ways:
        man = PIECES.get(piece or "P", f"man {piece}")
        return _with_check(position, f"no {man} of yours can go to {to}")
    if all("=" in san for san in ways) and not into:
        return f"say what the pawn becomes: {joined(ways[:MAX_WAYS])}"
    return f"{text} is not exact: say {joined(ways[:MAX_WAYS])}"


def _goes(san: str, move: str, piece: str, to: str) -> bool:
    """Whether the legal move takes that piece to that square."""
    kind = san[0] if san[0].isupper() else ""
    return kind == piece and re.findall(_NAME, move)[-1] == to and not san.startswith("O-")


def _with_check(position: Position, why: str) -> str:
    return f"{why}: you are in check" if position.checked() else why


# Answers a `go` for which no move will come (ULCI: a null move is 0000).
NO_MOVE = BestMove("0000")

_RESULT = re.compile(r"result (1-0|0-1|1/2-1/2|\*)(?: reason (\S+))?(?: .*)?")


def read_result(text: str) -> Result | None:
    """Parse ``result 1-0 reason checkmate``; None if it is something else."""
    match = _RESULT.fullmatch(" ".join(text.split()))
    return Result(match[1], match[2] or "unknown") if match else None


def finish_game(state: ClientState, result: Result, at: float) -> Iterator[Effect]:
    """The game is over at `at` (s). Further calls do nothing."""
    game = state.game
    if game is None or game.over:
        return
    game.result = result
    game.offers.clear()
    game.away, game.sent, game.trouble, game.thought = None, None, "", ""
    game.premove = ""
    if not game.watched:
        game.viewed = None  # show the final position
    game.clocks = game.clocks and game.clocks.stopped(at)
    if state.question is YesNoQuestion.RESIGN or state.question is YesNoQuestion.QUIT:
        state.question = None
    if game.mine is not None and not game.watched:
        state.last_rival = game.names[game.mine.other]
    if game.asked:
        # Every `go` needs an answer, or the next game's first move answers this one.
        game.asked = False
        yield Send(NO_MOVE)
    words = result_in_words(result)
    verdict = result_for(result, game.mine)
    yield News(
        NewsKind.RESULT,
        f"{words}. {verdict}".strip(),
        f"result {result.score} {result.reason} {words}",
    )


def move_news(ply: Ply) -> News:
    """The news of a move, by either side."""
    spoken = move_in_words(ply.san, ply.move)
    who = "Move" if ply.side is None else COLORS[ply.side]
    also = "" if ply.san == ply.move else f" ({ply.san})"
    return News(NewsKind.MOVE, f"{who}: {spoken}.", f"move {ply.move}{also}")


def make_premove(game: Game, at: float) -> Iterator[Effect]:
    """Our turn has come: make the premove, or say why it is not possible."""
    text, game.premove = game.premove, ""
    move = text if game.position is None else game.position.parse_untrusted(text)
    if move is not None:
        yield from make_move(game, move, at)
        yield News(NewsKind.OK, f"Your premove {text} is made.", f"ok premove made {text}")
        return
    trial = game.trial()
    assert trial is not None
    why = f"your premove {text} is not possible: {why_not(trial, text)}"
    yield News(NewsKind.ERROR, f"{why[:1].upper()}{why[1:]}.", f"error {why}")
    yield News(NewsKind.TURN, "Your move.", "your move")


def make_move(game: Game, move: str, at: float) -> Iterator[Effect]:
    """Make our move, which is legal."""
    ply = game.play(move)
    assert ply is not None, "what the rules have read they can play, and without rules anything"
    game.asked, game.sent = False, move
    game.clocks = game.clocks and game.clocks.pressed(at)
    yield Send(BestMove(move))
    yield move_news(ply)

"""Why is what was typed not a move that can be made? In words, before the server is asked. Pure."""

import re

from ulci.rules import Illegal, Position

from .words import PIECES, listed

_LONG = re.compile(r"([a-z]{1,2}[0-9]{1,3})[-x:]?([a-z]{1,2}[0-9]{1,3})=?([a-z]?)", re.IGNORECASE)
_SHORT = re.compile(r"([KQRBN]?)([a-h]?[1-8]?)[x:]?([a-h][1-8])[=/]?([QRBNqrbn]?)")
# On boards of other sizes, with other men.
_SHORT_ELSEWHERE = re.compile(
    r"([A-Z]?)([a-z]{0,2}?[0-9]{0,3}?)[x:]?([a-z]{1,2}[0-9]{1,3})[=/]?([A-Za-z]?)"
)
_DROP = re.compile(r"([PNBRQpnbrq]?)@([a-h][1-8])")
_CASTLING = re.compile(r"[Oo0]-?[Oo0](-?[Oo0])?")

# Files whose names are one letter.
ONE_LETTER = 26

_NAME = r"[a-z]{1,2}[0-9]{1,3}"

# More than this many ways to be exact would not fit on a line.
MAX_WAYS = 4


def looks_like_move(text: str) -> bool:
    """Whether somebody who typed this meant a move rather than a command."""
    bare = text.rstrip("+#!?")
    forms = (_LONG, _DROP, _CASTLING)
    return bool(any(form.fullmatch(bare) for form in forms) or _short(bare))


def why_not(position: Position, text: str) -> str:
    """One sentence without a full stop. `position` may be played with: it is not the game's own."""
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
    """Standard notation, also with a piece letter in lower case."""
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
        return _why_not_long(position, text)  # stones are put, nothing goes
    ways = [san for move, san in sans.items() if _goes(san, move, piece, to)]
    if not ways:
        man = PIECES.get(piece or "P", f"man {piece}")
        return _with_check(position, f"no {man} of yours can go to {to}")
    if all("=" in san for san in ways) and not into:
        return f"say what the pawn becomes: {listed(ways[:MAX_WAYS])}"
    return f"{text} is not exact: say {listed(ways[:MAX_WAYS])}"


def _goes(san: str, move: str, piece: str, to: str) -> bool:
    """Whether the legal move brings that piece to that square."""
    kind = san[0] if san[0].isupper() else ""
    return kind == piece and re.findall(_NAME, move)[-1] == to and not san.startswith("O-")


def _with_check(position: Position, why: str) -> str:
    return f"{why}: you are in check" if position.checked() else why

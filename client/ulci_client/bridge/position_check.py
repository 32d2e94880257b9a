"""Positions and searches of a server that an engine could choke on. Pure.

The server's rules decide what is legal; this is about the engine's program. Engines trust their
GUI: a castling right without its rook, a king that can be captured or a board of queens hangs or
crashes them, a word of a thousand letters overruns a buffer. What an engine of another dialect than
UCI plays is unknown here: there only the shape and the size of the words count.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from ulci.protocol.messages import Go, Position
from ulci.rules.refereed import LONGEST_MOVE

from .ponder import LEAST

MOST_PLIES = 20_000
"""No game of chess has more than 11,800 (75 moves without progress end it)."""

MOST_START = 4096 + 256 + 256
"""Characters of a start: the men of the largest board that a server may allow, a slash for each of
its ranks, and the other fields."""

MOST_SHOWN = 20
"""Characters of an invalid move in the reason."""

MOST_MS = 2**31 - 1
"""Many engines keep a time in 32 bits; a clock of days has more ms than that."""

MOST_DEPTH = 127
"""Many engines keep an array of that length, by depth. GUIs send 100 for "as deep as you can"."""

MOST_MOVES = 256
"""Moves of ``searchmoves``: no position of chess has more."""

_MOVE = re.compile(r"[a-h][1-8][a-h][1-8][qrbnk]?|[PNBRQ]@[a-h][1-8]")


@dataclass(frozen=True, slots=True)
class Men:
    """The men that a game like chess can have on the board. kings: of White and of Black; None: any
    number. men: the most of White and of Black. horde: whether White begins with only pawns, some
    of them on its first rank. captures: whether a king may be left in check. drops: whether
    captured men change sides and come back, so that one side may have nearly all."""

    kings: tuple[int | None, int | None] = (1, 1)
    men: tuple[int, int] = (16, 16)
    horde: bool = False
    captures: bool = False
    drops: bool = False


_USUAL = Men()
_NO_KING = Men(kings=(None, None), captures=True)

GAMES: Mapping[str, Men] = {
    **dict.fromkeys(("chess", "standard", "normal", "orthodox"), _USUAL),
    **dict.fromkeys(("chess960", "fischerandom", "racingkings", "racing-kings"), _USUAL),
    **dict.fromkeys(("3check", "threecheck", "three-check"), _USUAL),
    **dict.fromkeys(("kingofthehill", "king-of-the-hill", "koth"), _USUAL),
    **dict.fromkeys(("antichess", "anti-chess", "giveaway", "suicide"), _NO_KING),
    "atomic": Men(captures=True),
    "crazyhouse": Men(men=(31, 31), drops=True),
    "horde": Men(kings=(0, 1), men=(36, 16), horde=True, captures=True),
}
"""The games by the value of UCI_Variant. Any other game is unknown."""


def position_fault(position: Position, game: str | None) -> str:
    """Why an engine must not get this position; empty if it may. `game`: what a UCI engine was set
    to play; None for an engine of another dialect."""
    if len(position.moves) > MOST_PLIES:
        return f"it has more than {MOST_PLIES} moves"
    known = GAMES.get(game or "")
    if fault := _moves_fault(position.moves, game):
        return fault
    if position.start is None:
        return ""
    if not (1 <= len(position.start) <= MOST_START and position.start.isprintable()):
        return f"a start is 1 to {MOST_START} printable characters"
    return "" if known is None else next(_fen_faults(position.start, known), "")


def search_fault(go: Go, game: str | None) -> str:
    """Why an engine must not get this search; empty if it may."""
    if len(go.searchmoves) > MOST_MOVES:
        return f"searchmoves has more than {MOST_MOVES} moves"
    return _moves_fault(go.searchmoves, game)


def _moves_fault(moves: Iterable[str], game: str | None) -> str:
    possible = _MOVE.fullmatch if game in GAMES else _is_word
    wrong = next((move for move in moves if not possible(move)), None)
    return "" if wrong is None else f"{wrong[:MOST_SHOWN]!r} is no move"


def _is_word(move: str) -> bool:
    """Whether the word may be a move in a game that only a referee knows."""
    return 1 <= len(move) <= LONGEST_MOVE and move.isprintable() and " " not in move


def bounded(go: Go) -> Go:
    """This search with numbers that every engine can hold."""
    changed = {
        name: min(max(value, least), most)
        for name, (least, most) in _NUMBERS.items()
        if (value := getattr(go, name)) is not None and not least <= value <= most
    }
    return replace(go, **changed) if changed else go


_NUMBERS: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys(("wtime", "btime"), (LEAST, MOST_MS)),
    **dict.fromkeys(("winc", "binc", "movetime", "movestogo"), (0, MOST_MS)),
    **dict.fromkeys(("depth", "mate"), (0, MOST_DEPTH)),
}
"""Least and most of each number of ``go``; ``nodes`` has 64 bits everywhere."""


# FEN

Board = list[list[str]]
"""Ranks from the eighth to the first, each with eight men or blanks."""

_RANK = re.compile(r"(?:[1-8]|[pnbrqkPNBRQK]~?)+")
_POCKET = re.compile(r"\[[pnbrqPNBRQ]*-?\]$")
_CASTLING = re.compile(r"-|[A-HKQa-hkq]{1,4}")
_EN_PASSANT = re.compile(r"-|[a-h][36]")
_COUNTER = re.compile(r"[0-9]{1,5}")
_CHECKS = re.compile(r"\+?[0-9]\+[0-9]")

MOST_PIECES: Mapping[str, int] = {"q": 9, "r": 10, "b": 10, "n": 10}
"""Of a side, once its eight pawns have become such a piece: a board of queens has more moves than
engines have room for. Not of the horde, whose 36 pawns may all become queens, nor where men are
dropped: engines of those games have room for more."""

MOST_MEN, MOST_PAWNS = 32, 16
"""Of both sides together, with the pockets, where captured men are dropped again."""


def _fen_faults(start: str, men: Men) -> Iterator[str]:
    place, *fields = start.split() or [""]
    board, pocket = _board(place)
    if board is None:
        yield "the board is not eight ranks of eight squares"
        return
    yield from _man_faults(board, pocket, place.count("~"), men)
    checks = [field for field in fields if _CHECKS.fullmatch(field)]
    plain = [field for field in fields if field not in checks]
    if len(checks) > 1 or not 1 <= len(plain) <= 5:
        yield "it has too few or too many fields"
        return
    turn, castling, passant, *counters = [*plain, *("-" for _ in range(3 - len(plain)))]
    if turn not in ("w", "b"):
        yield "the side to move is w or b"
        return
    yield from _castling_faults(board, castling)
    yield from _passant_faults(board, turn, passant)
    if not all(map(_COUNTER.fullmatch, counters)):
        yield "a counter has one to five digits"
    if not men.captures and _attacked(board, white=turn == "b"):
        yield "the side that is not to move is in check"


def _board(place: str) -> tuple[Board | None, str]:
    """The board and the pocket (crazyhouse), as `[QRn]` or as a ninth rank."""
    pocket = _POCKET.search(place)
    ranks = (place if pocket is None else place[: pocket.start()]).split("/")
    held = "" if pocket is None else pocket[0].strip("[]-")
    if len(ranks) == 9 and pocket is None and not re.search(r"[^pnbrqPNBRQ]", ranks[8]):
        held = ranks.pop()
    board = []
    for rank in ranks:
        if not _RANK.fullmatch(rank):
            return None, ""
        men = rank.replace("~", "")  # marks what was a pawn (crazyhouse)
        board.append([*re.sub("[1-8]", lambda blanks: " " * int(blanks[0]), men)])
    whole = len(board) == 8 and all(len(squares) == 8 for squares in board)
    return (board if whole else None), held


def _man_faults(board: Board, pocket: str, promoted: int, men: Men) -> Iterator[str]:
    placed = Counter(man for squares in board for man in squares if man != " ")
    both = placed + Counter(pocket)
    if men.drops:
        yield from _drop_faults(both, promoted)
    for number, (name, own) in enumerate((("White", str.upper), ("Black", str.lower))):
        kings, most = men.kings[number], men.men[number]
        if kings is not None and placed[own("k")] != kings:
            yield f"{name} has {placed[own('k')]} kings"
        if sum(both[own(man)] for man in "pnbrqk") > most:
            yield f"{name} has more than {most} men"
        free = men.drops or (men.horde and name == "White")
        if not free and any(placed[own(man)] > most for man, most in MOST_PIECES.items()):
            yield f"{name} has more pieces of a kind than pawns could become"
    last = board[0] if men.horde else [*board[0], *board[7]]
    if "P" in last or "p" in [*board[0], *board[7]]:
        yield "a pawn stands on the last rank"


def _drop_faults(men: Counter[str], promoted: int) -> Iterator[str]:
    """`men`: on the board and in the pockets. `promoted`: how many of them were pawns."""
    if men.total() > MOST_MEN:
        yield f"there are more than {MOST_MEN} men with those in the pockets"
    if men["P"] + men["p"] + promoted > MOST_PAWNS:
        yield f"there are more than {MOST_PAWNS} pawns with promoted ones and those in the pockets"


def _castling_faults(board: Board, castling: str) -> Iterator[str]:
    """A right needs its rook: engines look for it along the rank, some beyond its end."""
    if not _CASTLING.fullmatch(castling):
        yield "the castling rights are none"
        return
    for right in castling.strip("-"):
        white = right.isupper()
        rank = board[7] if white else board[0]
        king, rook = ("K", "R") if white else ("k", "r")
        at = rank.index(king) if king in rank else None
        rooks = [file for file, man in enumerate(rank) if man == rook]
        if at is None:
            found = False
        elif right in "Kk":
            found = any(file > at for file in rooks)
        elif right in "Qq":
            found = any(file < at for file in rooks)
        else:
            found = "abcdefgh".index(right.lower()) in rooks
        if not found:
            yield f"the castling right {right} lacks its king or rook"


def _passant_faults(board: Board, turn: str, passant: str) -> Iterator[str]:
    if not _EN_PASSANT.fullmatch(passant):
        yield "the en passant square is none"
        return
    if passant == "-":
        return
    file, white = "abcdefgh".index(passant[0]), turn == "w"
    # The pawn that went two squares has passed this one.
    rank, pawn = (3, "p") if white else (4, "P")
    if passant[1] != ("6" if white else "3") or board[rank][file] != pawn:
        yield f"no pawn has passed {passant}"


_STRAIGHT = ((0, 1), (0, -1), (1, 0), (-1, 0))
_ACROSS = ((1, 1), (1, -1), (-1, 1), (-1, -1))
_JUMPS = ((1, 2), (1, -2), (-1, 2), (-1, -2), (2, 1), (2, -1), (-2, 1), (-2, -1))


def _attacked(board: Board, *, white: bool) -> bool:
    """Whether a king of this side can be captured."""
    own, other = (str.upper, str.lower) if white else (str.lower, str.upper)
    ahead = -1 if white else 1  # to the other side's last rank
    for rank, squares in enumerate(board):
        for file, man in enumerate(squares):
            if man != own("k"):
                continue
            near = [
                *(
                    (_at(board, rank + down, file + right), "k")
                    for down, right in (*_STRAIGHT, *_ACROSS)
                ),
                *((_at(board, rank + down, file + right), "n") for down, right in _JUMPS),
                *((_at(board, rank + ahead, file + right), "p") for right in (1, -1)),
            ]
            if any(found == other(wanted) for found, wanted in near):
                return True
            for directions, sliders in ((_STRAIGHT, "rq"), (_ACROSS, "bq")):
                seen = (_first(board, rank, file, step) for step in directions)
                if any(found in map(other, sliders) for found in seen):
                    return True
    return False


def _at(board: Board, rank: int, file: int) -> str:
    return board[rank][file] if 0 <= rank < 8 and 0 <= file < 8 else ""


def _first(board: Board, rank: int, file: int, step: Sequence[int]) -> str:
    """The first man in a direction; empty if there is none."""
    while True:
        rank, file = rank + step[0], file + step[1]
        man = _at(board, rank, file)
        if man != " ":
            return man

"""Games that go on for hundreds of plies without an end, always the same."""

from ulci.rules import GAMES, Legal, Position

_WIDE = f"k{19}/{'p' * 20}/{'/'.join(['20'] * 16)}/{'P' * 20}/K{19} w"


def chess_moves() -> list[str]:
    """Pawns of six files go two steps one by one, and after each the knights go round as often as
    a game with claims lets them; 312 plies."""
    moves: list[str] = []
    for file in "abcdef":
        for white, black in (("23", "76"), ("34", "65")):
            for first, last in (white, black):
                moves.append(f"{file}{first}{file}{last}")
                knights = ["g8h6", "g1h3", "h6g8", "h3g1"]
                if (first, last) == tuple(black):
                    knights = [knights[at] for at in (1, 0, 3, 2)]
                moves += 3 * knights
    return moves


def liberty_moves() -> list[str]:
    """On a board of 20x20 every pawn goes seven steps; 280 plies."""
    return [
        move
        for file in "abcdefghijklmnopqrst"
        for rank in range(2, 9)
        for move in (f"{file}{rank}{file}{rank + 1}", f"{file}{21 - rank}{file}{20 - rank}")
    ]


def long_game(name: str, plies: int) -> Position:
    """The first `plies` of the game of that name."""
    if name == "liberty":
        position, moves = GAMES[name].new(_WIDE), liberty_moves()
    else:
        position, moves = GAMES[name].new(claims=True), chess_moves()
    for move in moves[:plies]:
        verdict = position.play_untrusted(move)
        assert isinstance(verdict, Legal), (move, verdict)
    assert len(position.moves) == plies
    return position

"""The game in plain lines, for screen readers and pipes. Pure."""

from collections.abc import Iterable, Iterator

from ulci.rules import Side
from ulci_client.terminal.model.clocks import shown
from ulci_client.terminal.model.game import Game, Ply, file_name
from ulci_client.terminal.model.state import ClientState


def board_lines(state: ClientState) -> Iterator[str]:
    """The board in letters, White's upper case, dots for empty squares; our side at the bottom."""
    game = state.game
    if game is None or game.shown is None:
        return
    squares = game.shown.squares()
    ranks = [(len(squares) - i, row) for i, row in enumerate(squares)]
    files = [file_name(file) for file in range(len(ranks[0][1]))]
    width, left = max(map(len, files)), max(2, len(str(len(ranks))))
    if from_black(state):
        ranks = [(number, [*reversed(row)]) for number, row in reversed(ranks)]
        files.reverse()
    for number, row in ranks:
        yield f"{number:>{left}} {' '.join((man or '.').rjust(width) for man in row)}"
    yield f"{' ' * left} {' '.join(file.rjust(width) for file in files)}"


def from_black(state: ClientState) -> bool:
    """Whether Black is at the bottom."""
    game = state.game
    return (game is not None and game.mine is Side.BLACK) != state.flipped


def clock_line(game: Game, now: float) -> str:
    """``clock white 4:58 black 5:00 running white``."""
    if game.clocks is None:
        return "clock none"
    times = (f"{side.word} {shown(game.clocks.remaining(side, now))}" for side in Side)
    running = game.clocks.running
    return f"clock {' '.join(times)}" + (f" running {running.word}" if running is not None else "")


def clocks_in_words(game: Game, now: float) -> str:
    """Both clocks in a sentence."""
    if game.clocks is None:
        return "There are no clocks in this game."
    times = (f"{game.named(side)} {shown(game.clocks.remaining(side, now))}" for side in Side)
    return f"{', '.join(times)}."


def move_lines(game: Game) -> Iterator[str]:
    """``1. e4 e5``, a line a pair of moves."""
    for number, white, black in move_rows(game):
        yield f"{number}. {white} {black}".rstrip()


def last_move(game: Game) -> str:
    """``12. Nf3``, ``12... Nf6``: the last move before the board shown; empty at the start."""
    if not game.plies_shown:
        return ""
    number, white, black = row_shown(game)
    return f"{number}... {black}" if black.strip(".") else f"{number}. {white}"


def row_shown(game: Game) -> tuple[int, str, str]:
    """The row of `numbered` that ends with the board shown, which must not be the start."""
    return [*numbered(game.plies[: game.plies_shown])][-1]


def move_rows(game: Game) -> Iterator[tuple[int, str, str]]:
    """All moves, numbered."""
    return numbered(game.plies)


def numbered(plies: Iterable[Ply]) -> Iterator[tuple[int, str, str]]:
    """(number, White's move, Black's move); Black may begin, and a side may move twice in a row."""
    number, white = 1, ""
    for ply in plies:
        if ply.side is Side.WHITE or (ply.side is None and not white):
            if white:
                yield number, white, "..."
                number += 1
            white = ply.san
        else:
            yield number, white or "...", ply.san
            number, white = number + 1, ""
    if white:
        yield number, white, ""

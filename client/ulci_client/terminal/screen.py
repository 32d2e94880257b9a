"""The whole screen but its input line, for any size of terminal. Pure: the state in, rows out."""

from .game_screen import fits_beside, game_rows, page_rows
from .lobby_screen import lobby_rows
from .look import Look
from .panel import clocks_row
from .rows import Row, apart, cut, exactly, fitted, width, wrapped
from .state import Kind, Line, News, Page, State
from .status import status

# Rows of news below the lobby's lists: what was answered last.
NEWS = 4

# From this many rows on a page leaves room for the clocks.
CLOCKS = 8

# Where a text is cut, in ASCII: one cell like the sign it stands for.
CUT = "~"

# Text keeps off the edge; the board has its rank numbers there.
INDENT = 1

_TONES = {
    Kind.ERROR: "news-error",
    Kind.LOST: "news-error",
    Kind.SAY: "news-say",
    Kind.OPPONENT: "news-offer",
    Kind.OFFER: "news-offer",
    Kind.CHALLENGE: "news-offer",
    Kind.RESULT: "news-result",
}

# Moves stand in the list beside the board, seeks in the lobby.
_SEEN = frozenset({Kind.MOVE, Kind.SEEK, Kind.GONE, Kind.THOUGHT})


def screen(state: State, look: Look, columns: int, rows: int, now: float) -> list[Row]:
    """Exactly so many rows, each of at most so many columns."""
    title = [_title(state, look, columns)] if rows > 8 else []
    text, tone = status(state, now)
    inner = max(columns - INDENT, 0)
    foot: list[Row] = _indented([[(f"class:{tone}", cut(text, inner))]])
    room = max(rows - len(title) - len(foot), 0)
    if state.page is not None and not fits_beside(state, look, columns, room):
        body = _indented(_page(state, state.page, look, (inner, room), now))
    elif state.game is None:
        body = _indented(lobby_rows(state, inner, max(room - NEWS, 0)))
    else:
        body = game_rows(state, state.game, look, (columns, room), now)
    news = _indented(_news(state, look, inner, room - len(body)))
    drawn = exactly([*title, *body, *news, *foot], rows)
    drawn = [row if width(row) <= columns else fitted(row, columns) for row in drawn]
    return [_ascii(row) for row in drawn] if look.ascii else drawn


def _page(state: State, page: Page, look: Look, size: tuple[int, int], now: float) -> list[Row]:
    """Over the whole screen, but for the clocks of a game that goes on meanwhile."""
    columns, rows = size
    game = state.game
    head: list[Row] = []
    if game is not None and game.clocks is not None and not game.over and rows > CLOCKS:
        head = [clocks_row(game, look, columns, now), []]
    return [*head, *page_rows(page, columns, rows - len(head), state.scrolled)]


def _indented(rows: list[Row]) -> list[Row]:
    return [[("", " " * INDENT), *row] for row in rows]


def _title(state: State, look: Look, columns: int) -> Row:
    game = state.game
    where = f" {state.me} {look.dot} {state.server} "
    if state.line is Line.LOST:
        where = f" {state.me} {look.dot} no line to {state.server} "
    what = ""
    if game is not None:
        number = f"game {game.id} " if game.id is not None else ""
        rated = f" {look.dot} rated" if game.rated else ""
        what = f" {number}{game.rules} {game.control}".rstrip() + f"{rated} "
    bar = apart([("class:title", where)], [("class:title", what)], columns)
    return [("class:title", text) for _, text in bar]


def _news(state: State, look: Look, columns: int, rows: int) -> list[Row]:
    """The latest news, the newest at the bottom, long ones wrapped."""
    lines: list[Row] = []
    for news in reversed(state.news):
        if len(lines) >= rows:
            break
        if not _is_shown(news, state, look):
            continue
        style = f"class:{_TONES.get(news.kind, 'news')}"
        parts = [*wrapped(news.text, columns)]
        lines += [[(style, part)] for part in reversed(parts)]
    newest_last = lines[: max(rows, 0)][::-1]
    return [[] for _ in range(rows - len(newest_last))] + newest_last


def _is_shown(news: News, state: State, look: Look) -> bool:
    """What is to be seen elsewhere is told only where the screen may be read aloud."""
    if news.kind in (Kind.TURN, Kind.ASK):
        return False
    if news.kind is Kind.RESULT and state.game is not None and state.game.over:
        return False
    return look.spoken or news.kind not in _SEEN


def _ascii(row: Row) -> Row:
    return [
        (style, text.replace("…", CUT).encode("ascii", "replace").decode("ascii"))
        for style, text in row
    ]

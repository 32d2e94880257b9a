"""The whole screen except the input line, at any size of terminal. Pure: state in, rows out."""

from ulci.rules import game_title
from ulci_client.terminal.model.state import ClientState, LinkState, News, NewsKind, Page

from .game_screen import fits_beside, game_rows, page_rows
from .lobby_screen import lobby_rows
from .panel import clocks_row
from .rows import Row, apart, cut, exactly, fitted, width, wrapped
from .status_line import status
from .theme import Theme

# Rows of news below the lobby's lists.
NEWS = 4

# Least rows for a page with clocks above it.
CLOCKS = 8

# Replaces the ellipsis in ASCII, with the same width.
CUT = "~"

# Columns left of text.
INDENT = 1

_TONES = {
    NewsKind.ERROR: "news-error",
    NewsKind.LOST: "news-error",
    NewsKind.SAY: "news-say",
    NewsKind.OPPONENT: "news-offer",
    NewsKind.OFFER: "news-offer",
    NewsKind.CHALLENGE: "news-offer",
    NewsKind.RESULT: "news-result",
}

# Kinds shown elsewhere on the screen.
_SEEN = frozenset({NewsKind.MOVE, NewsKind.SEEK, NewsKind.GONE, NewsKind.THOUGHT})


def screen(state: ClientState, theme: Theme, columns: int, rows: int, now: float) -> list[Row]:
    """Exactly so many rows, each of at most so many columns."""
    title = [_title(state, theme, columns)] if rows > 8 else []
    text, tone = status(state, now)
    inner = max(columns - INDENT, 0)
    foot: list[Row] = _indented([[(f"class:{tone}", cut(text, inner))]])
    room = max(rows - len(title) - len(foot), 0)
    if state.page is not None and not fits_beside(state, theme, columns, room):
        body = _indented(_page(state, state.page, theme, (inner, room), now))
    elif state.game is None:
        body = _indented(lobby_rows(state, inner, max(room - NEWS, 0)))
    else:
        body = game_rows(state, state.game, theme, (columns, room), now)
    news = _indented(_news(state, theme, inner, room - len(body)))
    drawn = exactly([*title, *body, *news, *foot], rows)
    drawn = [row if width(row) <= columns else fitted(row, columns) for row in drawn]
    return [_ascii(row) for row in drawn] if theme.ascii else drawn


def _page(
    state: ClientState, page: Page, theme: Theme, size: tuple[int, int], now: float
) -> list[Row]:
    """A page on the whole screen, below the clocks of a running game."""
    columns, rows = size
    game = state.game
    head: list[Row] = []
    if game is not None and game.clocks is not None and not game.over and rows > CLOCKS:
        head = [clocks_row(game, theme, columns, now), []]
    return [*head, *page_rows(page, columns, rows - len(head), state.scrolled)]


def _indented(rows: list[Row]) -> list[Row]:
    return [[("", " " * INDENT), *row] for row in rows]


def _title(state: ClientState, theme: Theme, columns: int) -> Row:
    game = state.game
    where = f" {state.me} {theme.dot} {state.server} "
    if state.line is LinkState.LOST:
        where = f" {state.me} {theme.dot} disconnected from {state.server} "
    what = ""
    if game is not None:
        number = f"game {game.id} " if game.id is not None else ""
        rated = f" {theme.dot} rated" if game.rated else ""
        what = f" {number}{game_title(game.rules)} {game.control}".rstrip() + f"{rated} "
    bar = apart([("class:title", where)], [("class:title", what)], columns)
    return [("class:title", text) for _, text in bar]


def _news(state: ClientState, theme: Theme, columns: int, rows: int) -> list[Row]:
    """The latest news, newest at the bottom, wrapped."""
    lines: list[Row] = []
    for news in reversed(state.news):
        if len(lines) >= rows:
            break
        if not _is_shown(news, state, theme):
            continue
        style = f"class:{_TONES.get(news.kind, 'news')}"
        parts = [*wrapped(news.text, columns)]
        lines += [[(style, part)] for part in reversed(parts)]
    newest_last = lines[: max(rows, 0)][::-1]
    return [[] for _ in range(rows - len(newest_last))] + newest_last


def _is_shown(news: News, state: ClientState, theme: Theme) -> bool:
    """Whether it is shown as news; with `spoken`, also what is visible elsewhere."""
    if news.kind in (NewsKind.TURN, NewsKind.ASK):
        return False
    if news.kind is NewsKind.RESULT and state.game is not None and state.game.over:
        return False
    return theme.spoken or news.kind not in _SEEN


def _ascii(row: Row) -> Row:
    return [
        (style, text.replace("…", CUT).encode("ascii", "replace").decode("ascii"))
        for style, text in row
    ]

"""A person's client in a given situation, and what it tells and sends, ready to be compared."""

from collections.abc import Iterable, Mapping, Sequence

from tests.support.lobby import lobby_line
from ulci.protocol.messages import Go, Hello, Message, NewGame, Position, Terms
from ulci.rules import Side
from ulci_client.terminal.model.game import Game
from ulci_client.terminal.model.state import ClientState, Effect, News, Page, Send
from ulci_client.terminal.shell.client import Client
from ulci_client.terminal.view.rows import Row

SERVER = "tcp://127.0.0.1:25565"


def told(effects: Iterable[Effect]) -> list[str]:
    """What the person is told, as plain mode tells it."""
    lines: list[str] = []
    for effect in effects:
        if isinstance(effect, News):
            lines.append(effect.plain)
        elif isinstance(effect, Page):
            lines += [effect.title, *effect.lines]
    return lines


def sent(effects: Iterable[Effect]) -> list[Message]:
    """What the server is told."""
    return [effect.message for effect in effects if isinstance(effect, Send)]


def lobby(client: Client, *lines: str, at: float = 0.0) -> list[Effect]:
    """The lobby announces these lines."""
    return [e for line in lines for e in client.hear(lobby_line(line), at)]


def introduced(
    name: str = "Ada", *, wanted: Terms | None = None, shows_lists: bool = False
) -> Client:
    """A client that has said ``uciok``; the server may or may not have a lobby."""
    client = Client(ClientState(name, SERVER, wanted=wanted, shows_lists=shows_lists))
    client.connected(0.0)
    client.hear(Hello(), 0.0)
    return client


def welcomed(
    name: str = "Ada", *, wanted: Terms | None = None, shows_lists: bool = False
) -> Client:
    """A client in the lobby."""
    client = introduced(name, wanted=wanted, shows_lists=shows_lists)
    lobby(client, f"welcome name {name} account no resume s3cret")
    return client


def playing(
    *moves: str,
    white: str = "Ada",
    black: str = "Bob",
    start: str | None = None,
    game: str = "chess",
    shows_lists: bool = False,
) -> Client:
    """Ada in game 42, after these moves and before anybody is asked for the next."""
    client = welcomed(shows_lists=shows_lists)
    client.hear(NewGame(), 0.0)
    line = f"game 42 start white {white} black {black} game {game} time 300+3 rated yes"
    lobby(client, line)
    for number in range(len(moves) + 1):
        client.hear(Position(start, moves[:number]), 0.0)
    return client


def to_move(*moves: str, start: str | None = None, white: str = "", black: str = "") -> Client:
    """The same, and Ada, to whom the move falls, is asked for it at 0 s with 300 s for both."""
    ours = len(moves) % 2 == 0 if start is None else " w " in start
    names = ("Ada", "Bob") if ours else ("Bob", "Ada")
    client = playing(*moves, white=white or names[0], black=black or names[1], start=start)
    client.hear(Go(wtime=300_000, btime=300_000, winc=3_000, binc=3_000), 0.0)
    return client


class Bare:
    """As much of a position as a drawing needs: a board of any size, with these men on it.

    men: by (file, rank) from 0 at the bottom left.
    """

    turn = Side.WHITE

    def __init__(self, files: int, ranks: int, men: Mapping[tuple[int, int], str]) -> None:
        self._size = files, ranks
        self._men = men

    def squares(self) -> Sequence[Sequence[str]]:
        files, ranks = self._size
        return [
            [self._men.get((file, rank), "") for file in range(files)]
            for rank in reversed(range(ranks))
        ]

    def checked(self) -> Sequence[tuple[int, int]]:
        return ()


def bare_game(files: int, ranks: int, men: Mapping[tuple[int, int], str] | None = None) -> Game:
    """A game on a board of that size."""
    return Game(position=Bare(files, ranks, men or {}))  # type: ignore[arg-type]


def text(rows: Sequence[Row]) -> str:
    """Rows as they are read, without their colours and the blanks at their ends."""
    return "\n".join("".join(piece for _, piece in row).rstrip() for row in rows)

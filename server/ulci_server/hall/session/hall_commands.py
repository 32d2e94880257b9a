"""Commands of players that the server of the connection answers, one function a command."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from ulci.protocol.messages import Games, Lobby, PlayerCommand, Say, Unwatch, Watch
from ulci_server.hall.table.interfaces import AnyTable
from ulci_server.lobby import lobby_lines

from .session import Session, SessionHall


class AnsweringHall(SessionHall, Protocol):
    """What the commands need of the hall."""

    def find_table(self, number: int) -> AnyTable | None:
        """The table of a running game, here or at another server."""
        ...

    def all_tables(self) -> list[AnyTable]:
        """The tables of all running games, here and at other servers."""
        ...

    def watch(self, session: Session, table: AnyTable) -> None:
        """Let the session watch a game."""
        ...

    def show_thoughts(self, session: Session, table: AnyTable) -> None:
        """Let a player be shown what the opponent's program thinks."""
        ...


def _games(hall: AnsweringHall, session: Session, _: Games) -> None:
    def begin() -> tuple[int, Iterator[Lobby]]:
        tables = hall.all_tables()
        return len(tables), (table.listed() for table in tables)

    hall.lists.ask(session, "games", begin)


def _say(_hall: AnsweringHall, session: Session, command: Say) -> None:
    table, line = session.table, lobby_lines.said(session.handle, command.text)
    if table is None or not table.say(session.side, line):
        session.tell(lobby_lines.error("not-heard", "no opponent can read that"))


def _watch(hall: AnsweringHall, session: Session, command: Watch) -> None:
    table = hall.find_table(command.id)
    if table is not None and table is session.table:
        hall.show_thoughts(session, table)
        session.tell(table.heading())
    elif session.table is not None:
        session.tell(lobby_lines.error("busy", "you are playing a game; finish it first"))
    elif table is None or table.over is not None:
        session.tell(lobby_lines.error("no-such-game", f"there is no running game {command.id}"))
    else:
        hall.watch(session, table)
        session.tell(*table.snapshot())


def _unwatch(_hall: AnsweringHall, session: Session, command: Unwatch) -> None:
    player = session.player
    watched = player.watching
    if session.table is not None and command.id in (None, session.table.id):
        session.table.show_thoughts(session.side, wanted=False)
        session.tell(lobby_lines.unwatched(session.table.id))
        return
    if watched is None or command.id not in (None, watched.id):
        session.tell(lobby_lines.error("not-watching", "you are not watching that game"))
        return
    player.stop_watching()
    session.tell(lobby_lines.unwatched(watched.id))


HALL_COMMANDS: Mapping[type[PlayerCommand], Callable[[AnsweringHall, Session, Any], None]] = {
    Games: _games,
    Say: _say,
    Watch: _watch,
    Unwatch: _unwatch,
}
"""What the server of the connection answers. All others are the lobby's, wherever it is."""

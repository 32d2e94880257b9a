"""Handlers of the commands that the hall answers itself, one function a command."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ulci.protocol.messages import Games, Lobby, Say, Unwatch, Watch
from ulci_server.lobby import lobby_lines

from .session import Session

if TYPE_CHECKING:
    from ulci_server.hall.hall import Hall


def _games(hall: "Hall", session: Session, _: Games) -> None:
    def begin() -> tuple[int, Iterator[Lobby]]:
        tables = hall.all_tables()
        return len(tables), (table.listed() for table in tables)

    hall.lists.ask(session, "games", begin)


def _say(_: "Hall", session: Session, command: Say) -> None:
    table, line = session.table, lobby_lines.said(session.handle, command.text)
    if table is None or not table.say(session.side, line):
        session.tell(lobby_lines.error("not-heard", "no opponent can read that"))


def _watch(hall: "Hall", session: Session, command: Watch) -> None:
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


def _unwatch(_: "Hall", session: Session, command: Unwatch) -> None:
    watched = session.watching
    if session.table is not None and command.id in (None, session.table.id):
        session.table.show_thoughts(session.side, wanted=False)
        session.tell(lobby_lines.unwatched(session.table.id))
        return
    if watched is None or command.id not in (None, watched.id):
        session.tell(lobby_lines.error("not-watching", "you are not watching that game"))
        return
    session.stop_watching()
    session.tell(lobby_lines.unwatched(watched.id))


HANDLERS: Mapping[type, Callable[["Hall", Session, Any], None]] = {
    Games: _games,
    Say: _say,
    Watch: _watch,
    Unwatch: _unwatch,
}
"""All other commands are the lobby's."""

"""Commands of players that the server of the connection answers, one function a command."""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

import trio

from ulci.net import Buckets
from ulci.protocol.messages import Games, Lobby, PlayerCommand, Say, Unwatch, Watch
from ulci.rules import Side
from ulci_server.hall.table.interfaces import AnyTable
from ulci_server.lobby import lobby_lines

from .session import Session, SessionHall

LONGEST_TALK = 500
"""Characters of a line to all spectators of a game."""


class AnsweringHall(SessionHall, Protocol):
    """What the commands need of the hall."""

    talk: Buckets[int]
    """How much spectators here may say, by the number of the game."""
    speakers: Buckets[str]
    """How much one of them may say, by the handle."""

    def find_table(self, number: int) -> AnyTable | None:
        """The table of a running game, here or at another server."""
        ...

    def all_tables(self) -> list[AnyTable]:
        """The tables of all running games, here and at other servers."""
        ...


def _games(hall: AnsweringHall, session: Session, _: Games) -> None:
    def begin() -> tuple[int, Iterator[Lobby]]:
        tables = hall.all_tables()
        return len(tables), (table.listed() for table in tables)

    hall.lists.ask(session, "games", begin)


def _say(hall: AnsweringHall, session: Session, command: Say) -> None:
    """To the opponent, or to the other spectators of the game that one watches."""
    line = lobby_lines.said(session.handle, command.text)
    watched = session.player.watching
    if session.table is not None:
        session.table.say(session.side, line)
    elif watched is None or (table := hall.find_table(watched.id)) is None:
        session.tell(lobby_lines.error("not-heard", "you have no opponent, and watch no game"))
    elif _plays(session, table):
        session.tell(lobby_lines.error("not-heard", "you play this game on another connection"))
    elif len(command.text) > LONGEST_TALK:
        text = f"a line to the spectators has at most {LONGEST_TALK} characters"
        session.tell(lobby_lines.error("not-heard", text))
    elif wait := hall.speakers.take(session.handle, trio.current_time()):
        session.tell(lobby_lines.error("too-fast", f"you talk too much{_retry(wait)}"))
    elif wait := hall.talk.take(table.id, trio.current_time()):
        text = f"the spectators of this game talk too much{_retry(wait)}"
        session.tell(lobby_lines.error("too-fast", text))
    elif not table.chat(line):
        session.tell(lobby_lines.error("moving", "the game moves to another server; say it again"))


def _retry(wait: float) -> str:
    return f"; retry-after {math.ceil(wait)}"


def _plays(session: Session, table: AnyTable) -> bool:
    """Whether the account of the session plays that game."""
    account = None if session.profile is None else session.profile.account
    return account is not None and account in (table.seat(side).account for side in Side)


def _watch(hall: AnsweringHall, session: Session, command: Watch) -> None:
    table = hall.find_table(command.id)
    if table is not None and table is session.table:
        table.show_thoughts(session.side, wanted=True)
        session.tell(table.heading())
    elif session.table is not None:
        session.tell(lobby_lines.error("busy", "you are playing a game; finish it first"))
    elif table is None or table.over is not None:
        session.tell(lobby_lines.error("no-such-game", f"there is no running game {command.id}"))
    else:
        session.player.watch(table)
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

"""What may be said to the hall rather than to the lobby or a game? One function a word."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ulci.protocol.messages import Admin, Games, Lobby, Say, TellPlayer, Unwatch, Watch
from ulci.protocol.text import quote
from ulci_server.lobby import lines

from . import administering
from .administering import House
from .session import Session


def _games(house: House, session: Session, _: Games) -> None:
    def begin() -> tuple[int, Iterator[Lobby]]:
        games = [table.game for table in house.tables.values()]
        return len(games), map(lines.playing, games)

    house.lists.ask(session, "games", begin)


def _say(_: House, session: Session, word: Say) -> None:
    table = session.table
    other = table.seats[session.side.other] if table is not None else None
    if isinstance(other, Session) and other.profile is not None and other.profile.lobby:
        other.tell(lines.said(session.handle, word.text))
    else:
        session.tell(lines.error("not-heard", "there is no opponent who could read that"))


def _tell(house: House, session: Session, word: TellPlayer) -> None:
    other = house.find(word.name)
    if other is None or other.gone or other.profile is None:
        session.tell(lines.error("no-such-player", f"there is no {quote(word.name)} here"))
    elif not other.profile.lobby:
        session.tell(lines.error("not-heard", f"{other.handle} does not read what people say"))
    else:
        other.tell(lines.told(session.handle, word.text))


def _watch(house: House, session: Session, word: Watch) -> None:
    table = house.tables.get(word.id)
    if session.table is not None:
        session.tell(lines.error("busy", "you are playing a game; finish it first"))
    elif table is None or table.game.outcome is not None:
        session.tell(lines.error("no-such-game", f"there is no running game {word.id}"))
    else:
        house.watch(session, table)
        session.tell(lines.watching(table.game), *table.snapshot())


def _unwatch(_: House, session: Session, word: Unwatch) -> None:
    watched = session.watching
    if watched is None or word.id not in (None, watched.game.id):
        session.tell(lines.error("not-watching", "you do not watch that game"))
        return
    session.look_away()
    session.tell(lines.unwatched(watched.game.id))


OF_HALL: Mapping[type, Callable[[House, Session, Any], None]] = {
    Games: _games,
    Say: _say,
    TellPlayer: _tell,
    Watch: _watch,
    Unwatch: _unwatch,
    Admin: administering.order,
}
"""All other words of the lobby are for the lobby."""

"""What may those do who look after the server? One function a word; what touches a game is in its
record with who and why, everything is in the log.
"""

from collections import deque
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from functools import partial
from itertools import chain
from typing import Any, Protocol

import structlog
import trio

from ulci.protocol.messages import Admin, Lobby
from ulci.protocol.text import quote
from ulci.rules.outcome import Outcome, Reason, Side
from ulci_server.game import Ruled, TakebackRuled, TimeRuled
from ulci_server.lobby import admin, lines
from ulci_server.lobby.terms import Refusal
from ulci_server.storage import StorageError, fold

from .announcing import Announcer
from .door import Door
from .listing import Lists
from .session import Session
from .steps import released
from .table import Table
from .vitals import Vitals

LOG = structlog.get_logger("ulci_server.hall")

NOT_ADMIN = "your token is not one of an administrator"

MOST_ORDERS = 100
"""Words of one client that wait for those before them."""

LOOKED = 100
"""People of whom one step of the loop sees whether they are banned: 1 or 2 ms."""

SENT_AWAY = 5
"""Of whom it sends away so many at most: each may end a game, before others who watch it."""

Answers = Iterable[Lobby]


class House(Protocol):
    """What can be seen and done in the hall as a whole."""

    door: Door
    vitals: Callable[[], Vitals]
    announcer: Announcer
    lists: Lists

    @property
    def connected(self) -> Collection[Session]:
        """Everybody whose line is open, also who was not introduced yet."""
        ...

    @property
    def tables(self) -> Mapping[int, Table]:
        """Those that stand, by the number of their game."""
        ...

    @property
    def present(self) -> Collection[Session]:
        """Everybody who was introduced."""
        ...

    def find(self, handle: str) -> Session | None:
        """Who is here under that name, in whatever case."""
        ...

    def watch(self, session: Session, table: Table) -> None:
        """It sees that game from now on."""
        ...

    def do(self, chore: Callable[[], Awaitable[None]]) -> None:
        """Something that waits for the database, and for which nobody waits here."""
        ...


def order(house: House, session: Session, word: Admin) -> None:
    """Words are obeyed one after the other, as they are said."""
    if len(session.orders) >= MOST_ORDERS:
        session.deny("too-fast", "your other words are not done yet; retry-after 1")
        return
    session.orders.append(word)
    if len(session.orders) == 1:
        house.do(partial(_obey_next, house, session))


async def _obey_next(house: House, session: Session) -> None:
    try:
        await _obey(house, session, session.orders[0])
    finally:
        del session.orders[0]
        if session.orders:
            house.do(partial(_obey_next, house, session))


async def _obey(house: House, session: Session, word: Admin) -> None:
    """Do what was asked for and answer, or say why not."""
    who = session.handle
    if session.profile is None or not await house.door.still_admin(session.profile):
        session.log("admin word refused")
        session.tell(lines.error("not-allowed", NOT_ADMIN))
        return
    try:
        asked = admin.read_untrusted(word.words)
        LOG.info("admin", client=who, words=" ".join(word.words))
        if isinstance(asked, admin.Ban):
            answers = await _ban(house, session, asked)
        else:
            answers = await _DO[type(asked)](house, who, asked)
    except Refusal as refusal:
        session.tell(refusal.line)
    except StorageError as error:
        session.tell(lines.error("database", f"the database refuses: {error}"))
    else:
        await house.lists.tell(session, chain(answers, (admin.DONE,)))


def _table(house: House, number: int) -> Table:
    if (table := house.tables.get(number)) is not None:
        table.catch_up()
    if table is None or table.game.outcome is not None:
        raise Refusal("no-such-game", f"there is no running game {number}")
    return table


async def _status(house: House, _: str, __: admin.Status) -> Answers:
    """``status up 3600 connections 12 players 10 games 4 watchers 3 tasks 42 held 0``: ``up`` in s,
    ``players`` all of whom ``who`` tells, ``held`` how often something held the loop too long."""
    tables = house.tables.values()
    vitals = house.vitals()
    facts = {
        "up": vitals.up,
        "connections": len(house.connected),
        "players": len(house.present),
        "games": sum(table.game.outcome is None for table in tables),
        "watchers": sum(len(table.audience) for table in tables),
        "tasks": vitals.tasks,
        "held": vitals.held,
    }
    known = [(name, str(fact)) for name, fact in facts.items() if fact is not None]
    return [admin.answer("status", *(word for fact in known for word in fact))]


async def _games(house: House, _: str, asked: admin.Games) -> Answers:
    text = asked.text.casefold()

    def is_meant(table: Table) -> bool:
        names = ((seat.handle or seat.name).casefold() for seat in table.game.seats)
        return text in ("", str(table.game.id)) or any(text in name for name in names)

    def told(table: Table) -> Lobby:
        watchers = str(len(table.audience))
        return admin.answer(*lines.playing(table.game).words, "watchers", watchers)

    return (told(table) for table in released(house.tables.values()) if is_meant(table))


async def _who(house: House, _: str, asked: admin.Who) -> Answers:
    text = asked.text.casefold()

    def is_meant(session: Session) -> bool:
        return not text or text in session.handle.casefold() or text in session.peer.host

    def told(session: Session) -> Lobby:
        assert session.profile is not None
        return admin.answer(
            *("player", session.handle),
            *("kind", session.profile.kind),
            *("account", "no" if session.profile.account is None else "yes"),
            *("from", session.peer.host or "-"),
            *("line", "down" if session.gone else "up"),
        )

    return (told(session) for session in released(house.present) if is_meant(session))


async def _abort(house: House, who: str, asked: admin.Abort) -> Answers:
    outcome = Outcome(None, Reason.ABORTED)
    why = f"{who} aborted it: {asked.why}"
    _table(house, asked.game).handle(Ruled(trio.current_time(), outcome, why))
    return []


async def _adjudicate(house: House, who: str, asked: admin.Adjudicate) -> Answers:
    outcome = Outcome(asked.winner, Reason.ADJUDICATION)
    why = f"{who} adjudicated it: {asked.why}"
    _table(house, asked.game).handle(Ruled(trio.current_time(), outcome, why))
    return []


async def _takeback(house: House, who: str, asked: admin.TakeBack) -> Answers:
    table = _table(house, asked.game)
    before = len(table.game.moves)
    why = f"{who} took them back: {asked.why}"
    table.handle(TakebackRuled(trio.current_time(), asked.plies, why))
    gone = before - len(table.game.moves)
    if not gone:
        raise Refusal("no-takeback", "no move could be taken back just now")
    return [admin.answer("game", str(asked.game), "takeback", str(gone))]


async def _give_time(house: House, who: str, asked: admin.GiveTime) -> Answers:
    table = _table(house, asked.game)
    now = trio.current_time()
    before = _left(table, asked.side, now)
    table.handle(TimeRuled(asked.side, now, asked.ms, who, asked.why))
    if before is None or _left(table, asked.side, now) == before:
        raise Refusal("no-clock", "there is no running clock on which so much could be given")
    return []


def _left(table: Table, side: Side, at: float) -> int | None:
    clocks = table.game.clocks(at)
    return (clocks.wtime, clocks.btime)[side]


def _here(house: House, name: str) -> Session:
    """Nobody else whose name only looks like it: what is done to them is not undone."""
    session = house.find(name)
    if session is None or session.gone:
        raise Refusal("no-such-player", f"there is no {quote(name)} here")
    if fold(session.handle) != fold(name):
        alike = f"there is no {quote(name)} here, but {quote(session.handle)}, which looks like it"
        raise Refusal("no-such-player", alike)
    return session


async def _kick(house: House, who: str, asked: admin.Kick) -> Answers:
    _here(house, asked.name).send_away(who, for_good=False, why=asked.why)
    return []


async def _ban(house: House, by: Session, asked: admin.Ban) -> Answers:
    who = by.handle
    banning = await house.door.ban(asked, who, by.peer.host)
    if not banning.done:
        meant = f"; if you mean it: admin banwide {asked.who} …" if asked.is_address else ""
        raise Refusal("too-wide", f"{banning.text}{meant}")
    await _send_away(house, who, asked, deque(house.present))
    return [admin.answer("banned", asked.who, *banning.text.split())]


async def _send_away(house: House, who: str, asked: admin.Ban, here: deque[Session]) -> None:
    """Those of them who are banned: a few now, the others in steps of their own."""
    concerns = house.door.concerns(asked)
    sent = looked = 0
    while here and sent < SENT_AWAY and looked < LOOKED:
        session = here.popleft()
        looked += 1
        if concerns(session):
            session.send_away(who, for_good=True, why=asked.why)
            sent += 1
    if here:
        house.do(partial(_send_away, house, who, asked, here))


async def _unban(house: House, _: str, asked: admin.Unban) -> Answers:
    if not await house.door.unban(asked):
        raise Refusal("no-such-ban", f"{quote(asked.who)} is not banned")
    return []


async def _tell(house: House, who: str, asked: admin.Tell) -> Answers:
    line = lines.told(who, asked.text)
    if asked.name is None:
        house.announcer.announce(line)
        return []
    _here(house, asked.name).tell(line)
    return []


_DO: Mapping[type, Callable[[House, str, Any], Awaitable[Answers]]] = {
    admin.Status: _status,
    admin.Games: _games,
    admin.Who: _who,
    admin.Abort: _abort,
    admin.Adjudicate: _adjudicate,
    admin.TakeBack: _takeback,
    admin.GiveTime: _give_time,
    admin.Kick: _kick,
    admin.Unban: _unban,
    admin.Tell: _tell,
}

"""Admin commands, one function a command. All are logged; those that touch a game are stored with
it, with the administrator and the reason.
"""

from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import structlog
import trio

from ulci.protocol.messages import Admin, Lobby
from ulci.protocol.text import quote
from ulci.rules.outcome import Outcome, Reason, Side
from ulci_server.game import Ruled, TakebackRuled, TimeRuled
from ulci_server.hall.session.session import Session
from ulci_server.hall.table.table import Table
from ulci_server.lobby import admin_commands, lobby_lines
from ulci_server.lobby.terms import Refusal
from ulci_server.storage import StorageError, fold

from .gradual_work import released

if TYPE_CHECKING:
    from .hall import Hall

LOG = structlog.get_logger("ulci_server.hall")

NOT_ADMIN = "your token is not an administrator's"

MAX_PENDING_COMMANDS = 100
"""Commands of one client that wait for earlier ones."""

CHECKS_A_STEP = 100
"""Sessions checked against a ban in one step of the loop: 1 or 2 ms."""

KICKS_A_STEP = 5
"""Of which so many are kicked at most: each may end a game with spectators."""

Answers = Iterable[Lobby]


def run_admin_command(hall: "Hall", session: Session, command: Admin) -> None:
    """Run the command after earlier ones of the same client."""
    if len(session.admin_commands) >= MAX_PENDING_COMMANDS:
        session.send_lobby_error("too-fast", "your earlier commands are not done; retry-after 1")
        return
    session.admin_commands.append(command)
    if len(session.admin_commands) == 1:
        hall.start(partial(_run_next, hall, session))


async def _run_next(hall: "Hall", session: Session) -> None:
    try:
        await _run(hall, session, session.admin_commands[0])
    finally:
        del session.admin_commands[0]
        if session.admin_commands:
            hall.start(partial(_run_next, hall, session))


async def _run(hall: "Hall", session: Session, command: Admin) -> None:
    """Run a command and answer, or refuse it."""
    who = session.handle
    if session.profile is None or not await hall.authenticator.still_admin(session.profile):
        session.log("admin command refused")
        session.tell(lobby_lines.error("not-allowed", NOT_ADMIN))
        return
    try:
        asked = admin_commands.read_untrusted(command.words)
        LOG.info("admin", client=who, words=" ".join(command.words))
        if isinstance(asked, admin_commands.Ban):
            answers = await _ban(hall, session, asked)
        else:
            answers = await _HANDLERS[type(asked)](hall, who, asked)
    except Refusal as refusal:
        session.tell(refusal.line)
    except StorageError as error:
        session.tell(lobby_lines.error("database", f"the database failed: {error}"))
    else:
        await hall.lists.tell(session, chain(answers, (admin_commands.DONE,)))


def _table(hall: "Hall", number: int) -> Table:
    if (table := hall.tables.get(number)) is not None:
        table.catch_up()
    if table is None or table.game.outcome is not None:
        raise Refusal("no-such-game", f"there is no running game {number}")
    return table


async def _status(hall: "Hall", _: str, __: admin_commands.Status) -> Answers:
    """``status up 3600 connections 12 players 10 games 4 watchers 3 tasks 42 held 0``: ``up`` in s,
    ``players`` as listed by ``who``, ``held`` the times that the event loop was held too long."""
    tables = hall.tables.values()
    facts = {
        "up": 0,
        "connections": len(hall.connected),
        "players": len(hall.present),
        "games": sum(table.game.outcome is None for table in tables),
        "watchers": sum(len(table.spectators) for table in tables),
        **hall.statistics(),
    }
    return [
        admin_commands.answer("status", *(str(word) for fact in facts.items() for word in fact))
    ]


async def _games(hall: "Hall", _: str, asked: admin_commands.Games) -> Answers:
    text = asked.text.casefold()

    def is_meant(table: Table) -> bool:
        names = ((seat.handle or seat.name).casefold() for seat in table.game.seats)
        return text in ("", str(table.game.id)) or any(text in name for name in names)

    def told(table: Table) -> Lobby:
        watchers = str(len(table.spectators))
        return admin_commands.answer(*lobby_lines.playing(table.game).words, "watchers", watchers)

    return (told(table) for table in released(hall.tables.values()) if is_meant(table))


async def _who(hall: "Hall", _: str, asked: admin_commands.Who) -> Answers:
    text = asked.text.casefold()

    def is_meant(session: Session) -> bool:
        return not text or text in session.handle.casefold() or text in session.peer.host

    def told(session: Session) -> Lobby:
        assert session.profile is not None
        return admin_commands.answer(
            *("player", session.handle),
            *("kind", session.profile.kind),
            *("account", "no" if session.profile.account is None else "yes"),
            *("from", session.peer.host or "-"),
            *("line", "down" if session.gone else "up"),
        )

    return (told(session) for session in released(hall.present) if is_meant(session))


async def _abort(hall: "Hall", who: str, asked: admin_commands.Abort) -> Answers:
    outcome = Outcome(None, Reason.ABORTED)
    why = f"{who} aborted it: {asked.why}"
    _table(hall, asked.game).handle(Ruled(trio.current_time(), outcome, why))
    return []


async def _adjudicate(hall: "Hall", who: str, asked: admin_commands.Adjudicate) -> Answers:
    outcome = Outcome(asked.winner, Reason.ADJUDICATION)
    why = f"{who} adjudicated it: {asked.why}"
    _table(hall, asked.game).handle(Ruled(trio.current_time(), outcome, why))
    return []


async def _takeback(hall: "Hall", who: str, asked: admin_commands.TakeBack) -> Answers:
    table = _table(hall, asked.game)
    before = len(table.game.moves)
    why = f"{who} took them back: {asked.why}"
    table.handle(TakebackRuled(trio.current_time(), asked.plies, why))
    gone = before - len(table.game.moves)
    if not gone:
        raise Refusal("no-takeback", "no move can be taken back now")
    return [admin_commands.answer("game", str(asked.game), "takeback", str(gone))]


async def _give_time(hall: "Hall", who: str, asked: admin_commands.GiveTime) -> Answers:
    table = _table(hall, asked.game)
    now = trio.current_time()
    before = _left(table, asked.side, now)
    table.handle(TimeRuled(asked.side, now, asked.ms, who, asked.why))
    if before is None or _left(table, asked.side, now) == before:
        raise Refusal("no-clock", "no running clock can take so much time")
    return []


def _left(table: Table, side: Side, at: float) -> int | None:
    clocks = table.game.clocks(at)
    return (clocks.wtime, clocks.btime)[side]


def _find_present(hall: "Hall", name: str) -> Session:
    """The connected session of exactly this name, as a kick cannot be undone. Raises `Refusal`."""
    session = hall.find(name)
    if session is None or session.gone:
        raise Refusal("no-such-player", f"there is no {quote(name)} here")
    if fold(session.handle) != fold(name):
        alike = f"there is no {quote(name)} here, but a similar {quote(session.handle)}"
        raise Refusal("no-such-player", alike)
    return session


async def _kick(hall: "Hall", who: str, asked: admin_commands.Kick) -> Answers:
    _find_present(hall, asked.name).kick(who, for_good=False, why=asked.why)
    return []


async def _ban(hall: "Hall", by: Session, asked: admin_commands.Ban) -> Answers:
    who = by.handle
    banning = await hall.authenticator.ban(asked, who, by.peer.host)
    if not banning.done:
        meant = f"; to ban it all the same: admin banwide {asked.who} …" if asked.is_address else ""
        raise Refusal("too-wide", f"{banning.text}{meant}")
    await _kick_banned(hall, who, asked, deque(hall.present))
    return [admin_commands.answer("banned", asked.who, *banning.text.split())]


async def _kick_banned(
    hall: "Hall", who: str, asked: admin_commands.Ban, here: deque[Session]
) -> None:
    """Kick the sessions that fall under a ban, a few a step."""
    banned_by = hall.authenticator.banned_by(asked)
    kicked = checked = 0
    while here and kicked < KICKS_A_STEP and checked < CHECKS_A_STEP:
        session = here.popleft()
        checked += 1
        if banned_by(session):
            session.kick(who, for_good=True, why=asked.why)
            kicked += 1
    if here:
        hall.start(partial(_kick_banned, hall, who, asked, here))


async def _unban(hall: "Hall", _: str, asked: admin_commands.Unban) -> Answers:
    if not await hall.authenticator.unban(asked):
        raise Refusal("no-such-ban", f"{quote(asked.who)} is not banned")
    return []


async def _tell(hall: "Hall", who: str, asked: admin_commands.Tell) -> Answers:
    line = lobby_lines.told(who, asked.text)
    if asked.name is None:
        hall.announcer.announce(line)
        return []
    _find_present(hall, asked.name).tell(line)
    return []


_HANDLERS: Mapping[type, Callable[["Hall", str, Any], Awaitable[Answers]]] = {
    admin_commands.Status: _status,
    admin_commands.Games: _games,
    admin_commands.Who: _who,
    admin_commands.Abort: _abort,
    admin_commands.Adjudicate: _adjudicate,
    admin_commands.TakeBack: _takeback,
    admin_commands.GiveTime: _give_time,
    admin_commands.Kick: _kick,
    admin_commands.Unban: _unban,
    admin_commands.Tell: _tell,
}

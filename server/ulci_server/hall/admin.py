"""Admin commands, one function a command. All are logged; those that touch a game are stored with
it, with the administrator and the reason.
"""

from collections import deque
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import structlog
import trio

from ulci.protocol.messages import Admin, Lobby
from ulci.protocol.text import quote
from ulci.rules import Outcome, Reason, Side
from ulci_server.game import Ruled, TakebackRuled, TimeRuled
from ulci_server.hall.login.authenticator import NOT_ADMIN, Authenticator
from ulci_server.hall.table.interfaces import AdminRuling, AnyTable
from ulci_server.hall.table.table import Table
from ulci_server.lobby import admin_commands, lobby_lines
from ulci_server.lobby.terms import Refusal
from ulci_server.storage import ComplaintRecord, StorageError, fold

from .complaint_desk import ComplaintDesk
from .gradual_work import released
from .host_services import HostServices
from .member import HostedMember

LOG = structlog.get_logger("ulci_server.hall")

MAX_PENDING_COMMANDS = 100
"""Commands of one client that wait for earlier ones."""

CHECKS_A_STEP = 100
"""Members checked against a ban in one step of the loop: 1 or 2 ms."""

KICKS_A_STEP = 5
"""Of which so many are kicked at most: each may end a game with spectators."""

MOST_COMPLAINTS = 200
"""Complaints in one answer, the newest: settled ones make room for others."""

DRAIN_AFTER = 0.25
"""Seconds until a server that is to end is told so: the administrator, whose connection may end
with it, has the answer by then."""

Answers = Iterable[Lobby]


@dataclass(frozen=True, slots=True)
class AdminContext:
    """What admin commands act on. present: all who are logged in. find: the member of that name,
    ignoring case. announce: tells all members."""

    services: HostServices
    authenticator: Authenticator
    present: Collection[HostedMember]
    find: Callable[[str], HostedMember | None]
    announce: Callable[[Lobby], None]
    complaints: ComplaintDesk


def run_admin_command(context: AdminContext, session: HostedMember, command: Admin) -> None:
    """Run the command after earlier ones of the same client."""
    if len(session.admin_commands) >= MAX_PENDING_COMMANDS:
        session.send_lobby_error("too-fast", "your earlier commands are not done; retry-after 1")
        return
    session.admin_commands.append(command)
    if len(session.admin_commands) == 1:
        context.services.start(partial(_run_next, context, session))


async def _run_next(context: AdminContext, session: HostedMember) -> None:
    try:
        await _run(context, session, session.admin_commands[0])
    finally:
        del session.admin_commands[0]
        if session.admin_commands:
            context.services.start(partial(_run_next, context, session))


async def _run(context: AdminContext, session: HostedMember, command: Admin) -> None:
    """Run a command and answer, or refuse it."""
    if session.profile is None or not await context.authenticator.still_admin(session.profile):
        session.log("admin command refused")
        session.tell(lobby_lines.error("not-allowed", NOT_ADMIN))
        return
    try:
        asked = admin_commands.read_untrusted(command.words)
        LOG.info("admin", client=session.handle, words=" ".join(command.words))
        answers = await _HANDLERS[type(asked)](context, session, asked)
    except Refusal as refusal:
        session.tell(refusal.line)
    except StorageError as error:
        session.tell(lobby_lines.error("database", f"the database failed: {error}"))
    else:
        await context.services.lists.tell(session, chain(answers, (admin_commands.DONE,)))


def _table(context: AdminContext, number: int) -> AnyTable:
    table = context.services.find_table(number)
    if isinstance(table, Table):
        table.catch_up()
    if table is None or table.over is not None:
        raise _no_such_game(number)
    return table


def _no_such_game(number: int) -> Refusal:
    return Refusal("no-such-game", f"there is no running game {number}")


async def _status(
    context: AdminContext, _: HostedMember, __: admin_commands.ServerStatus
) -> Answers:
    """``status up 3600 connections 12 players 10 games 4 watchers 3 tasks 42 held 0``: ``up`` in s,
    ``players`` as listed by ``who``, ``held`` the times that the event loop was held too long."""
    tables = context.services.all_tables()
    facts = {
        "up": 0,
        "connections": context.services.connections(),
        "players": len(context.present),
        "games": sum(table.over is None for table in tables),
        "watchers": sum(len(table.spectators) for table in tables),
        **context.services.statistics(),
    }
    return [
        admin_commands.answer("status", *(str(word) for fact in facts.items() for word in fact))
    ]


async def _games(context: AdminContext, _: HostedMember, asked: admin_commands.Games) -> Answers:
    text = asked.text.casefold()

    def is_meant(table: AnyTable) -> bool:
        seats = [table.seat(side) for side in Side]
        names = ((seat.handle or seat.name).casefold() for seat in seats)
        return text in ("", str(table.id)) or any(text in name for name in names)

    def told(table: AnyTable) -> Lobby:
        watchers = str(len(table.spectators))
        return admin_commands.answer(*table.listed().words, "watchers", watchers)

    return (told(table) for table in released(context.services.all_tables()) if is_meant(table))


async def _who(context: AdminContext, _: HostedMember, asked: admin_commands.Who) -> Answers:
    text = asked.text.casefold()

    def is_meant(session: HostedMember) -> bool:
        return not text or text in session.handle.casefold() or text in session.host

    def told(session: HostedMember) -> Lobby:
        assert session.profile is not None
        return admin_commands.answer(
            *("player", session.handle),
            *("kind", session.profile.kind),
            *("account", "no" if session.profile.account is None else "yes"),
            *("from", session.host or "-"),
            *("line", "down" if session.gone else "up"),
        )

    return (told(session) for session in released(context.present) if is_meant(session))


async def _rule(table: AnyTable, ruling: AdminRuling) -> int:
    """What the ruling has changed. Raises `Refusal`: it is not known."""
    changed = await table.rule(ruling)
    if changed is None:
        text = f"game {table.id} is moving to another server; look at it, and say it again"
        raise Refusal("moving", text)
    return changed


async def _end(context: AdminContext, number: int, outcome: Outcome, why: str) -> Answers:
    if not await _rule(_table(context, number), Ruled(trio.current_time(), outcome, why)):
        raise _no_such_game(number)
    return []


async def _abort(context: AdminContext, by: HostedMember, asked: admin_commands.Abort) -> Answers:
    outcome = Outcome(None, Reason.ABORTED)
    return await _end(context, asked.game, outcome, f"{by.handle} aborted it: {asked.why}")


async def _adjudicate(
    context: AdminContext, by: HostedMember, asked: admin_commands.Adjudicate
) -> Answers:
    outcome = Outcome(asked.winner, Reason.ADJUDICATION)
    return await _end(context, asked.game, outcome, f"{by.handle} adjudicated it: {asked.why}")


async def _takeback(
    context: AdminContext, by: HostedMember, asked: admin_commands.TakeBack
) -> Answers:
    why = f"{by.handle} took them back: {asked.why}"
    ruled = TakebackRuled(trio.current_time(), asked.plies, why)
    gone = await _rule(_table(context, asked.game), ruled)
    if not gone:
        raise Refusal("no-takeback", "no move can be taken back now")
    return [admin_commands.answer("game", str(asked.game), "takeback", str(gone))]


async def _give_time(
    context: AdminContext, by: HostedMember, asked: admin_commands.GiveTime
) -> Answers:
    ruled = TimeRuled(asked.side, trio.current_time(), asked.ms, by.handle, asked.why)
    if not await _rule(_table(context, asked.game), ruled):
        raise Refusal("no-clock", "no running clock can take so much time")
    return []


def _find_present(context: AdminContext, name: str) -> HostedMember:
    """The connected session of exactly this name, as a kick cannot be undone. Raises `Refusal`."""
    session = context.find(name)
    if session is None or session.gone:
        raise Refusal("no-such-player", f"there is no {quote(name)} here")
    if fold(session.handle) != fold(name):
        alike = f"there is no {quote(name)} here, but a similar {quote(session.handle)}"
        raise Refusal("no-such-player", alike)
    return session


async def _kick(context: AdminContext, by: HostedMember, asked: admin_commands.Kick) -> Answers:
    _find_present(context, asked.name).kick(by.handle, for_good=False, why=asked.why)
    return []


async def _ban(context: AdminContext, by: HostedMember, asked: admin_commands.Ban) -> Answers:
    banning = await context.authenticator.ban(asked, by.handle, by.host)
    if not banning.done:
        meant = f"; to ban it all the same: admin banwide {asked.who} …" if asked.is_address else ""
        raise Refusal("too-wide", f"{banning.text}{meant}")
    await _kick_banned(context, by.handle, asked, deque(context.present))
    return [admin_commands.answer("banned", asked.who, *banning.text.split())]


async def _kick_banned(
    context: AdminContext, by: str, asked: admin_commands.Ban, here: deque[HostedMember]
) -> None:
    """Kick the sessions that fall under a ban, a few a step."""
    banned_by = context.authenticator.banned_by(asked)
    kicked = checked = 0
    while here and kicked < KICKS_A_STEP and checked < CHECKS_A_STEP:
        session = here.popleft()
        checked += 1
        if banned_by(session):
            session.kick(by, for_good=True, why=asked.why)
            kicked += 1
    if here:
        context.services.start(partial(_kick_banned, context, by, asked, here))


async def _unban(context: AdminContext, _: HostedMember, asked: admin_commands.Unban) -> Answers:
    if not await context.authenticator.unban(asked):
        raise Refusal("no-such-ban", f"{quote(asked.who)} is not banned")
    return []


async def _tell(
    context: AdminContext, by: HostedMember, asked: admin_commands.TellPlayers
) -> Answers:
    line = lobby_lines.told(by.handle, asked.text)
    if asked.name is None:
        context.announce(line)
        return []
    _find_present(context, asked.name).tell(line)
    return []


async def _complaints(
    context: AdminContext, _: HostedMember, asked: admin_commands.ListComplaints
) -> Answers:
    """``complaint 3 at 2026-11-28T12:00 by Ada about Bob games 17,12 text ...``; those that were
    dealt with say by whom."""
    desk = context.complaints
    if desk.kept is None:
        return []
    found = await desk.askers.ask(
        partial(desk.kept.all, closed=asked.closed, limit=MOST_COMPLAINTS)
    )
    return (_complaint(one) for one in found)


def _complaint(one: ComplaintRecord) -> Lobby:
    games = ",".join(map(str, one.games)) or "-"
    closed = ("closed-by", lobby_lines.word(one.closed_by)) if one.closed_at else ()
    return admin_commands.answer(
        *("complaint", str(one.id), "at", f"{one.at:%Y-%m-%dT%H:%M}"),
        *("by", _named(one.by, one.by_account), "about", _named(one.about, one.about_account)),
        *("games", games, *closed, "text", *one.text.split()),
    )


def _named(name: str, account: int | None) -> str:
    """As one word; only an account is surely who it is called."""
    return f"{lobby_lines.word(name)}{'' if account is not None else '(guest)'}"


async def _settle(
    context: AdminContext, by: HostedMember, asked: admin_commands.SettleComplaint
) -> Answers:
    desk = context.complaints
    done = desk.kept is not None and await desk.askers.ask(
        partial(desk.kept.close, asked.number, by.handle, desk.now())
    )
    if not done:
        raise Refusal("no-such-complaint", f"there is no open complaint {asked.number}")
    return []


async def _drain(context: AdminContext, by: HostedMember, asked: admin_commands.Drain) -> Answers:
    """``draining others 2 server a``: how many servers live that do not end."""
    words, begin = context.services.drain(asked.server, by)
    context.services.start(partial(_drain_later, begin))
    return [admin_commands.answer("draining", *words)]


async def _drain_later(begin: Callable[[], object]) -> None:
    await trio.sleep(DRAIN_AFTER)
    begin()


_HANDLERS: Mapping[type, Callable[[AdminContext, HostedMember, Any], Awaitable[Answers]]] = {
    admin_commands.ServerStatus: _status,
    admin_commands.Games: _games,
    admin_commands.Who: _who,
    admin_commands.Abort: _abort,
    admin_commands.Adjudicate: _adjudicate,
    admin_commands.TakeBack: _takeback,
    admin_commands.GiveTime: _give_time,
    admin_commands.Kick: _kick,
    admin_commands.Ban: _ban,
    admin_commands.Unban: _unban,
    admin_commands.TellPlayers: _tell,
    admin_commands.ListComplaints: _complaints,
    admin_commands.SettleComplaint: _settle,
    admin_commands.Drain: _drain,
}

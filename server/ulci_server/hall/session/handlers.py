"""Handlers of a client's messages, one function a message."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any, Protocol

from ulci.net import EmptyLines, Hear, Heard, Misheard
from ulci.protocol import Unread
from ulci.protocol.lobby.commands import COMMANDS
from ulci.protocol.messages import (
    GAME_COMMANDS,
    PLAYER_COMMANDS,
    BestMove,
    CopyProtection,
    GameCommand,
    Hello,
    Info,
    Message,
    Ping,
    PlayerCommand,
    Quit,
    ReadyOk,
    Register,
    Registration,
    Report,
    Response,
    Status,
    Unknown,
)
from ulci_server.game.events import Answered, Commanded
from ulci_server.hall import loop_monitor
from ulci_server.hall.login.handshake import ClientTimeouts, Handshake, too_much_nonsense
from ulci_server.lobby import Profile, lobby_lines

from .session import Session, SessionHall

KNOWN_COMMANDS = " ".join((*(word for word in COMMANDS if word != "admin"), "quit"))
"""The list that answers an unknown command."""

SHOWN = 200
"""Characters of a client's text in the log."""


class HandlersHall(SessionHall, Protocol):
    """What the handlers need of the hall."""

    async def introduce(self, session: Session, profile: Profile) -> None:
        """The handshake is done: log the client in, or disconnect it."""
        ...

    def command_wait(self, session: Session, command: PlayerCommand) -> float:
        """Seconds until the command is allowed; 0: it is."""
        ...


async def run_handshake(
    hall: HandlersHall,
    session: Session,
    timeouts: ClientTimeouts,
    plays: str,
    pool: str,
    tournament: str = "",
) -> Hear | None:
    """Run the handshake and the login. Returns the handler of all later messages; None if the
    client left or was disconnected. `plays`, `pool` and `tournament` as in `Profile`."""
    connection = session.connection
    handshake = Handshake(
        connection.peer,
        timeouts,
        connection.send_error,
        connection.disconnect,
        partial(_unknown_command, session),
        connection.quit,
    )
    connection.peer.put(Hello())
    profile = await handshake.introduce(plays, pool)
    if profile is None:
        if connection.gone:  # those who look for an open port say nothing, and are not logged
            connection.log("left before its uciok", why=connection.why)
        return None
    if tournament:
        profile = replace(profile, tournament=tournament)
    return await log_in(hall, session, timeouts, profile)


async def log_in(
    hall: HandlersHall, session: Session, timeouts: ClientTimeouts, profile: Profile
) -> Hear | None:
    """Log the client in. Returns as `run_handshake` does."""
    await hall.introduce(session, profile)
    return None if session.connection.gone else partial(_handle, hall, session, timeouts)


def _handle(
    hall: HandlersHall, session: Session, timeouts: ClientTimeouts, heard: Heard | Misheard
) -> bool:
    """Handle one message. False: the connection is over."""
    connection = session.connection
    connection.heard_at = heard.at
    began, kind = perf_counter(), type(heard.message)
    if isinstance(heard, Misheard) or kind is Unknown:
        _handle_unknown(session, timeouts, heard.message)
    else:
        connection.nonsense = 0
        _HANDLERS.get(kind, _ignore)(hall, session, heard.message, heard)
    if perf_counter() - began > loop_monitor.MIN_NOTED:
        loop_monitor.note_duration(began, kind.__name__, session.handle)
    return not connection.gone


def _handle_unknown(session: Session, timeouts: ClientTimeouts, said: Any) -> None:
    """Report a malformed or unknown line; disconnect a client that sends nothing else."""
    connection = session.connection
    if isinstance(said, Unknown):
        _unknown_command(session, said)
    elif said.fatal:
        connection.disconnect(said.text)
        return
    else:
        connection.send_error(said.text)
    lines = connection.peer.empty_lines
    if lines is not None and lines.complained():
        return
    connection.nonsense += 1
    if connection.nonsense > timeouts.nonsense:
        connection.disconnect(too_much_nonsense(timeouts))


# A search


def _move(_: HandlersHall, session: Session, message: BestMove, heard: Heard) -> None:
    player = session.player
    if heard.cut and player.can_return:
        return  # e7e8 may be a truncated e7e8q: the client repeats it after reconnecting
    table, last_go = player.table, player.last_go
    if table is None:
        pass
    elif session.connection.peer.connection.answered == last_go.number:
        analysis = player.end_search_untrusted()
        answered = Answered(
            player.side, message.move, heard.at, analysis, heard.late, last_go.reported_error
        )
        may_repeat, player.may_repeat = player.may_repeat, False
        table.answered(answered, may_repeat=may_repeat)
        late_writes = player.late_writes
        if late_writes.analysed_at is not None:
            if late_writes.moved(heard):
                player.report_late_writes()
            if late_writes.was_late:
                peer = session.connection.peer
                peer.empty_lines = peer.empty_lines or EmptyLines(heard.at)
    else:
        table.answered_late(player.side, message.move)
    if player.drain.active:
        player.drain.check()


def _info(_hall: HandlersHall, session: Session, message: Unread | Info, heard: Heard) -> None:
    player = session.player
    if player.table is not None and session.connection.peer.over_network:
        player.late_writes.analysed(heard)
    if player.last_go.add_info(message) and player.table is not None:
        player.table.add_info(player.side, message)


# The program


def _ready(_hall: HandlersHall, session: Session, _: ReadyOk, heard: Heard) -> None:
    session.connection.ready_queue.hear(heard.at)


def _response(_hall: HandlersHall, session: Session, message: Response, _: Heard) -> None:
    session.connection.ugi_queries.hear(message.answer)


def _report(_hall: HandlersHall, session: Session, message: Report, _: Heard) -> None:
    session.log("client reports", blame=str(message.blame), text=message.text[:SHOWN])
    player = session.player
    player.last_go.reported_error = message.text
    if player.table is not None:
        player.table.report(player.side, "player", f"{message.blame} {message.text}")


def _registration(_hall: HandlersHall, session: Session, message: Registration, _: Heard) -> None:
    """UCI, registration: an unregistered engine may play all the same."""
    if message.status is Status.ERROR and not session.connection.unregistered:
        session.connection.unregistered = True
        session.log("engine is not registered")
        session.tell(Register())


def _copy_protection(
    _hall: HandlersHall, session: Session, message: CopyProtection, _: Heard
) -> None:
    if message.status is Status.ERROR:
        session.disconnect("your engine reports copyprotection error, so it cannot play here")


def _quit(_hall: HandlersHall, session: Session, _quit: Quit, _: Heard) -> None:
    session.connection.quit()


# The player


def _command(hall: HandlersHall, session: Session, message: PlayerCommand, _: Heard) -> None:
    if not _is_too_fast(hall, session, message) and not session.player.drain.defer(message):
        hall.handle_command(session, message)


def _ping(hall: HandlersHall, session: Session, message: Ping, _: Heard) -> None:
    """Answered by this server itself and during a game's end, too: whoever asks will cut a line
    that is silent."""
    if not _is_too_fast(hall, session, message):
        session.tell(lobby_lines.PONG)


def _game_command(hall: HandlersHall, session: Session, message: GameCommand, heard: Heard) -> None:
    player = session.player
    if heard.cut and player.can_return:
        return  # `takeback 1` may be a truncated `takeback 12`
    if player.table is None:
        session.send_lobby_error("no-game", "you are not playing a game")
    elif not _is_too_fast(hall, session, message):
        player.table.handle(Commanded(player.side, heard.at, message))


def _is_too_fast(hall: HandlersHall, session: Session, command: PlayerCommand) -> bool:
    """Refuse a command above the rate limit."""
    wait = math.ceil(hall.command_wait(session, command))
    if wait:
        text = f"too many commands; retry-after {wait}"
        session.send_lobby_error("too-fast", text)
    return bool(wait)


def _unknown_command(session: Session, message: Unknown) -> None:
    if session.profile is not None and session.profile.lobby and message.line.split():
        command = message.line.split()[0]
        text = f"unknown command {command}; known: {KNOWN_COMMANDS}"
        session.send_lobby_error("unknown-word", text)


def _ignore(_: HandlersHall, session: Session, message: Message | Unread, heard: Heard) -> None:
    """Valid, but without effect here."""


_HANDLERS: Mapping[type, Callable[[HandlersHall, Session, Any, Heard], None]] = {
    BestMove: _move,
    Unread: _info,
    Info: _info,
    ReadyOk: _ready,
    Report: _report,
    Response: _response,
    Registration: _registration,
    CopyProtection: _copy_protection,
    Quit: _quit,
    **dict.fromkeys(PLAYER_COMMANDS, _command),
    **dict.fromkeys(GAME_COMMANDS, _game_command),
    Ping: _ping,
}

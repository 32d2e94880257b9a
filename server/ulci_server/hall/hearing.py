"""What does each word of a client lead to? One function a word."""

import math
from collections.abc import Callable, Mapping
from functools import partial
from time import perf_counter
from typing import Any, Protocol, get_args

import trio

from ulci.net import Heard
from ulci.protocol import Unread
from ulci.protocol.messages import (
    BestMove,
    CopyProtection,
    Hello,
    Info,
    Message,
    Quit,
    ReadyOk,
    Register,
    Registration,
    Report,
    Response,
    Status,
    Unknown,
)
from ulci.protocol.text import quote
from ulci_server.lobby import Profile

from .ear import Ear, Patience
from .loop_monitor import look
from .said import KNOWN_WORDS, AtTable, SaidOutside, event_of
from .session import Session

SHOWN = 200
"""Characters of a client's own words in the log."""


class House(Protocol):
    """What is asked of the hall."""

    async def introduce(self, session: Session, profile: Profile) -> None: ...

    def hear(self, session: Session, word: SaidOutside) -> None: ...

    def wait(self, session: Session, word: SaidOutside | AtTable) -> float: ...


async def listen(house: House, session: Session, patience: Patience, plays: str) -> None:
    """Until the client leaves, is cut off, or says what cannot be gone on from. `plays` as in
    `Profile`."""
    ear = Ear(session.peer, patience, session.complain, session.cut, partial(_unknown, session))
    session.peer.put(Hello())
    profile = await ear.introduce(plays)
    if profile is None:
        return
    await house.introduce(session, profile)
    if session.gone:
        return
    while (heard := await ear.next()) is not None and _goes_on(house, session, heard):
        if isinstance(heard.message, SaidOutside):
            await trio.lowlevel.checkpoint()  # others have something to say, too


def _goes_on(house: House, session: Session, heard: Heard) -> bool:
    """Deal with it. False: after this the client is not heard any more."""
    session.heard_at = heard.at
    began, kind = perf_counter(), type(heard.message)
    _HEAR.get(kind, _nothing)(house, session, heard.message, heard)
    look(began, kind.__name__, session.handle)
    return not session.gone


# Of a search


def _move(_: House, session: Session, message: BestMove, heard: Heard) -> None:
    if heard.cut and session.can_return:
        return  # e7e8 may have been e7e8q: it will say so again when it is back
    if session.table is not None and session.peer.connection.answered == session.search.number:
        if session.can_return and session.table.game.repeats(session.side, message.move):
            session.peer.connection.disown()
            session.complain(f"bestmove {quote(message.move)} was said before; go is still open")
            return
        analysis = session.search.take_untrusted()
        said = session.search.complaint
        session.table.hear_move(session.side, message, heard.at, analysis, heard.late, said)
    elif session.table is not None:
        session.table.game.answered_late(session.side, message.move)
    session.rest.look()


def _thought(_house: House, session: Session, message: Unread | Info, _: Heard) -> None:
    if session.search.hear(message) and session.table is not None:
        session.table.audience.think(session.side, message)


# Of a program


def _ready(_house: House, session: Session, _: ReadyOk, heard: Heard) -> None:
    session.barrier.hear(heard.at)


def _response(_house: House, session: Session, message: Response, _: Heard) -> None:
    session.questions.hear(message.answer)


def _report(_house: House, session: Session, message: Report, _: Heard) -> None:
    session.log("client reports", blame=str(message.blame), text=message.text[:SHOWN])
    session.search.complaint = message.text
    if session.table is not None:
        session.table.hear_report(session.side, "player", f"{message.blame} {message.text}")


def _registration(_house: House, session: Session, message: Registration, _: Heard) -> None:
    """UCI, registration: who is not registered may play all the same."""
    if message.status is Status.ERROR and not session.unregistered:
        session.unregistered = True
        session.log("engine is not registered")
        session.tell(Register())


def _copy_protection(_house: House, session: Session, message: CopyProtection, _: Heard) -> None:
    if message.status is Status.ERROR:
        session.cut("your engine reports copyprotection error; such an engine cannot play here")


def _quit(_house: House, session: Session, _quit: Quit, _: Heard) -> None:
    session.quit()


# Of a player


def _lobby(house: House, session: Session, message: SaidOutside, _: Heard) -> None:
    if not _is_too_fast(house, session, message) and not session.rest.keep(message):
        house.hear(session, message)


def _at_table(house: House, session: Session, message: AtTable, heard: Heard) -> None:
    if heard.cut and session.can_return:
        return  # `takeback 1` may have been `takeback 12`
    if session.table is None:
        session.deny("no-game", "you are not playing a game")
    elif not _is_too_fast(house, session, message):
        session.table.handle(event_of(message, session.side, heard.at))


def _is_too_fast(house: House, session: Session, word: SaidOutside | AtTable) -> bool:
    """Tell so whoever says more words than anybody needs."""
    wait = math.ceil(house.wait(session, word))
    if wait:
        text = f"these are more words than you may say; retry-after {wait}"
        session.deny("too-fast", text)
    return bool(wait)


def _unknown(session: Session, message: Unknown) -> None:
    if session.profile is not None and session.profile.lobby and message.line.split():
        word = message.line.split()[0]
        text = f"{word} is not a word of this lobby; there are: {KNOWN_WORDS}"
        session.deny("unknown-word", text)


def _nothing(_: House, session: Session, message: Message | Unread, heard: Heard) -> None:
    """Understood, and of no consequence here."""


_HEAR: Mapping[type, Callable[[House, Session, Any, Heard], None]] = {
    BestMove: _move,
    Unread: _thought,
    Info: _thought,
    ReadyOk: _ready,
    Report: _report,
    Response: _response,
    Registration: _registration,
    CopyProtection: _copy_protection,
    Quit: _quit,
    **dict.fromkeys(get_args(AtTable), _at_table),
    **dict.fromkeys(get_args(SaidOutside), _lobby),
}

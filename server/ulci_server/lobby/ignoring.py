"""Whom a player does not want to hear. Functions yield the effects to perform, in order, and raise
`Refusal`."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ulci.protocol.messages import Ignore, Unignore

from . import lobby_lines
from .effects import LobbyEffect, SetIgnored, TellOne
from .names import LONGEST, looks, visible
from .profile import MAX_NAME
from .roster import Member, Roster
from .terms import Refusal

MAX_IGNORED = 50
"""Players whom one ignores: the list is looked through for every line, and a client says it again
within the burst of commands that it may say at once."""


def ignore(member: Member, word: Ignore, roster: Roster) -> Iterator[LobbyEffect]:
    """The player does not hear that one any more, who may be online."""
    other = roster.get(word.name)
    if other is member:
        raise Refusal("bad-name", "you cannot ignore yourself")
    name = _as_handle(word.name) if other is None else other.who.handle
    ignores = _without(member.who.ignores, name)
    if len(ignores) >= MAX_IGNORED:
        text = f"you ignore {MAX_IGNORED} players; unignore one first"
        raise Refusal("too-many-ignored", text)
    member.who = replace(member.who, ignores=(*ignores, name))
    yield SetIgnored(member.who.handle, member.who.ignores)
    yield TellOne(member.who.handle, lobby_lines.ignoring(name))


def unignore(member: Member, word: Unignore) -> Iterator[LobbyEffect]:
    """The player ignores that one no more."""
    before = member.who.ignores
    ignores = _without(before, word.name)
    if ignores == before:
        raise Refusal("not-ignored", f"you do not ignore {_as_handle(word.name)}")
    [name] = set(before) - set(ignores)
    member.who = replace(member.who, ignores=ignores)
    yield SetIgnored(member.who.handle, ignores)
    yield TellOne(member.who.handle, lobby_lines.not_ignoring(name))


def ignored(member: Member) -> Iterator[LobbyEffect]:
    """Tell the player whom it ignores."""
    handle, ignores = member.who.handle, member.who.ignores
    yield TellOne(handle, lobby_lines.count("ignored", len(ignores)))
    for name in ignores:
        yield TellOne(handle, lobby_lines.ignoring(name))


def _as_handle(name: str) -> str:
    """The name of somebody who is not online, as the lobby would spell it."""
    return lobby_lines.word(visible(name[:LONGEST])[:MAX_NAME])


def _without(names: Sequence[str], name: str) -> tuple[str, ...]:
    """The names, except that one and those that look like it."""
    return tuple(one for one in names if looks(one) != looks(name))

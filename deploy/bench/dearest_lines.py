"""What a guest may say that costs the server most: every verb in its dearest form.

A line is prepared by guests of a `hostile_guest.Host` and gives who says it, and what it says.
"""

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from players import prepared_game
from wires import upgrade

from ulci.protocol.lobby.commands import ROWS as COMMANDS
from ulci.protocol.lobby.line_template import Field, Row

if TYPE_CHECKING:
    from hostile_guest import Guest, Host

LONGEST = 8000
"""Bytes of a line, a little less than the default limit."""

Prepared = tuple["Guest", Iterator[bytes]]


@dataclass(frozen=True, slots=True)
class Line:
    """`prepare` brings the server to where the line costs most."""

    name: str
    prepare: Callable[["Host"], Prepared]
    transports: tuple[str, ...] = ("tcp", "ws")


@dataclass(frozen=True, slots=True)
class Knock:
    """Connections that never become a player's: each says this and waits for the end. `kept`: so
    many are left half-open."""

    name: str
    says: bytes
    transports: tuple[str, ...] = ("ws",)
    kept: int = 0


LINES: dict[str, Line | Knock] = {}


def line(name: str, *transports: str) -> Callable[[Callable[["Host"], Prepared]], None]:
    """A row of the table."""

    def enter(prepare: Callable[["Host"], Prepared]) -> None:
        LINES[name] = Line(name, prepare, transports or ("tcp", "ws"))

    return enter


def always(name: str, *said: bytes, transports: tuple[str, ...] = ()) -> None:
    """A row for what can be said at any time: these lines in turn."""
    line(name, *transports)(lambda host: (host.guest(), itertools.cycle(said)))


def filled(start: bytes, piece: bytes) -> bytes:
    """A line as long as a line may be."""
    return start + piece * ((LONGEST - len(start)) // len(piece))


# Before anything is said

HALF_OPEN = 64
"""So many handshakes of one address are allowed by default."""

for knock in (
    Knock("connect", b"", ("tcp", "ws"), kept=100),
    Knock("half a head", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", kept=HALF_OPEN),
    Knock("no head", b"\r", kept=HALF_OPEN),
    Knock("a bad head", b"GET / HTTP/9.9\r\n\r\n"),
    Knock(
        "another site's page",
        upgrade("ulci").replace(b"\r\n", b"\r\nOrigin: https://evil.example\r\n", 1),
    ),
):
    LINES[knock.name] = knock


# At any time

always("blank", b"")
always("one letter", b"x")
always("unknown, long", filled(b"x", b" y"))
always("not UTF-8", filled(b"x ", b"\xff"))
always("id", filled(b"id name x", b" y"))
always("option", filled(b"option name N type combo", b" var x"))
always("option, wrong", filled(b"option name", b" type"))
always("uciok", b"uciok")
always("readyok", b"readyok")
always("bestmove, unasked", b"bestmove e2e4")
always("response", filled(b"response ", b"x"))
always("registration", b"registration error")
always("copyprotection", b"copyprotection ok")
always("info, short", b"info depth 1")
always("info pv, unasked", filled(b"info depth 1 score cp 1 pv", b" e2e4"))
always("info clienterror", filled(b"info clienterror ", b"x "))
always("info string", filled(b"info string ", b"x "))

# Frames

always("frame: empty", b"\0\x81", transports=("ws",))
always("frame: a blank", b" ", transports=("ws",))
always("frame: ping", b"\0\x89", transports=("ws",))
always("frame: pieces", b"\0\x01x", *[b"\0\x00"] * 200, b"\0\x80", transports=("ws",))

# To the lobby


def board(width: int, ranks: int, kings: int) -> bytes:
    """An L-FEN crowded with men of all kinds."""
    men = itertools.cycle(b"QRBNACEILZXHUM")
    rows = []
    left = kings
    for rank in range(ranks):
        row = bytearray(next(men) for _ in range(width))
        if rank % 4 == 0:
            row[:] = b"%d" % width
        elif left:
            number = min(width // 2, left)
            row[:number] = b"K" * number
            left -= number
        rows.append(bytes(row))
    rows[0] = b"k" + (b"%d" % (width - 1))
    return b"/".join(rows) + b" w - -"


always("seek", b"seek game chess960 time 60+1", b"unseek")
always("seek start, 16x16", b"seek game liberty start " + board(16, 16, 4), b"unseek")
always("seek start, 32x32", b"seek game liberty start " + board(32, 32, 60), b"unseek")
always("seek start, too large", b"seek game liberty start " + board(64, 64, 200))
always("seek start, many kings", b"seek game liberty start " + board(30, 240, 3000))
always("seek mnk", b"seek game mnk start 99x99x99", b"unseek")
always("seek no game", filled(b"seek game ", b"x"))
always("seek wrong time", filled(b"seek time ", b"1/1+1:"))
always("seek start crazyhouse", b"seek game crazyhouse start " + b"Q" * 900)
always("challenge", b"challenge nobody time 60+1")
always("watch", b"watch 1", b"unwatch")
always("admin", filled(b"admin ban ", b"x "))


def to_another(name: str, said: Callable[[bytes], bytes]) -> None:
    """A row for what names somebody else who is here."""

    def prepare(host: "Host") -> Prepared:
        one, other = host.guest(), host.guest()
        return one, itertools.cycle((said(other.name),))

    line(name)(prepare)


to_another("tell another", lambda name: filled(b"tell " + name + b" ", b"x "))
to_another("challenge chess960", lambda name: b"challenge " + name + b" game chess960")


# In a game


def game(host: "Host", terms: bytes) -> tuple["Guest", "Guest"]:
    """White, who was asked for a move, and Black."""
    white, black = host.guest(), host.guest()
    white.say(b"seek color white " + terms)
    number = white.wait_for(b" player " + white.name + b" ").split()[-3]
    black.say(b"accept " + number)
    for guest in (white, black):
        guest.wait_for(b"isready")
        guest.say(b"readyok")
    white.wait_for(b"go wtime")
    return white, black


def in_game(name: str, *said: bytes, terms: bytes = b"game chess time 600+5") -> None:
    """A row for what White says when it is to move."""

    def prepare(host: "Host") -> Prepared:
        white, _ = game(host, terms)
        return white, itertools.cycle(said)

    line(name)(prepare)


ROWS = [b"k31", b"p" * 32, *[b"32"] * 13, *[b"QRBNACEILZXHUMQRBNACEILZXHUMQRBN"] * 16, b"K31"]
HUGE = b"game liberty time 600+5 start " + b"/".join(ROWS) + b" w - -"

in_game("bestmove, illegal", b"bestmove e2e5")
in_game("bestmove, none", b"bestmove 0000")
in_game("bestmove, long", filled(b"bestmove ", b"x"))
in_game("bestmove, illegal 32x32", b"bestmove a1a2", terms=HUGE)
in_game("info score in a game", b"info depth 1 score cp 1 pv e2e4")
in_game("info pv in a game", filled(b"info depth 1 score cp 1 pv", b" e2e4"))
in_game("info clienterror in a game", filled(b"info clienterror ", b"x "))
in_game("draw", b"draw")
in_game("claim", b"claim draw")
in_game("givetime", b"givetime 0.001")
in_game("berserk", b"berserk")
in_game("takeback, none", b"takeback")
in_game("abort, resign", b"abort", b"resign")
in_game("say", filled(b"say ", b"x "))


# A game at the speed at which the server lets it be played


class Quick:
    """Both sides of one game: they answer each `go` at once with the next move of a prepared game.

    At the end of it White offers to take back all moves but the first, and Black accepts.
    """

    def __init__(self, white: "Guest", black: "Guest") -> None:
        self._moves = [said.split()[1] for said in prepared_game()[:-1]]
        self._ply = 0
        self._white = white
        for guest in (white, black):
            guest.answer = partial(self._answer, guest)

    def first(self) -> bytes:
        return self._move()

    def _move(self) -> bytes:
        self._ply += 1
        return b"bestmove " + self._moves[self._ply - 1]

    def _answer(self, guest: "Guest", heard: bytes) -> bytes:
        said = b""
        if b"offer takeback" in heard and guest is not self._white:
            said += guest.bytes_of(b"takeback")
        if found := TAKEN_BACK.search(heard):
            self._ply = int(found[1])
        if GO.search(heard):
            over = self._ply == len(self._moves)
            last = b"takeback %d" % (self._ply - 2)
            said += guest.bytes_of(last if over else self._move())
        return said


TAKEN_BACK = re.compile(rb"lobby game \d+ takeback \d+ ply (\d+)")
GO = re.compile(rb"go wtime")


@line("bestmove, takeback")
def _quick(host: "Host") -> Prepared:
    white, black = game(host, b"game chess time 600+5")
    quick = Quick(white, black)
    return white, iter((quick.first(),))


# Every other command of players


def longest(row: Row[Any]) -> bytes:
    """A command as long as it may be, by its template."""
    *values, last = (*row.head, None) if len(row.head) == 1 else row.head
    said = b" ".join(map(value, values))
    if last is None:
        return said
    is_text = isinstance(last, Field) and (last.kind.rest or last.shown == "NAME")
    return filled(said + b" ", b"x ") if is_text else said + b" " + value(last)


def value(part: str | Field) -> bytes:
    """Something that may stand there."""
    text = part if isinstance(part, str) else (*part.choices, "1")[0]
    return text.encode()


WORDS = frozenset(
    word for name in LINES if "frame" not in name for word in re.findall(r"[a-z]+", name)
)
"""Of rows above, with a form of their own."""

for row in COMMANDS:
    if row.word not in WORDS:
        always(row.word, longest(row))

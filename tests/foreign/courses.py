"""Games of programs that no one here wrote, played at a server of ours, and judged."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import chess
import chess.pgn

from tests.foreign.judge import Verdict, judge
from tests.foreign.programs import PLAIN, Way, engine
from tests.support.guis import match_command, saved_games, xboard_command
from tests.support.screens import screen
from tests.support.servers import Server, hosting, program, running, serving, until

SHORT = "depth=2"
"""The control of games whose programs may take all the time that a busy machine takes."""


@dataclass(frozen=True)
class Course:
    """`pair`: the two engines. `way`: how both come."""

    name: str
    pair: tuple[str, str]
    way: Way = PLAIN
    game: str = "chess"


@dataclass
class Gui:
    """xboard, which plays a player of the server as if it were an engine of its own. protocol: in
    which it speaks with ``ulci opponent``; polyglot is how it speaks UCI. local: the engine of its
    side."""

    name: str
    protocol: str
    local: Sequence[str]
    options: Sequence[str] = field(default_factory=tuple)


# Debian's fairymax (5.0b) crashes at its first `go` under some of the addresses that the system
# chooses for it, half of them on some machines. Not every system lets a program choose.
FAIRYMAX = ("sh", "-c", "setarch -R true 2> /dev/null && exec setarch -R fairymax; exec fairymax")

GUIS = {
    gui.name: gui
    for gui in (
        Gui("xboard with fairymax", "xboard", FAIRYMAX),
        Gui("xboard with sjaakii", "xboard", ("sjaakii", "-xboard")),
        Gui("xboard and polyglot with toga2", "uci", ("toga2",), ("-sUCI",)),
    )
}


async def play(course: Course, time: str, games: int, folder: Path) -> Verdict:
    """At least so many games, one after the other; `folder` exists."""
    logs = [folder / "one.thought", folder / "other.thought"]
    way = course.way
    argvs = [engine(name, log) for name, log in zip(course.pair, logs, strict=True)]
    listens = ("--listen", f"{way.scheme}://127.0.0.1:0")
    with serving(folder, *listens, "--time", time, "--game", course.game) as server:
        with way.door(folder, server.port(way.scheme)) as port:
            lines = [way.call(port, argv, folder) for argv in argvs]
            async with running(*lines, folder=folder):
                await until_over(server, games)
                over = server.games("--finished")
        return judge(over, server.run("export", "--finished"), logs)


async def until_over(server: Server, games: int) -> None:
    """Each game has the patience of one."""
    for number in range(1, games + 1):
        await until(
            lambda number=number: len(server.games("--finished")) >= number,
            f"{number} games are over",
            every=0.5,
        )


async def play_in_gui(gui: Gui, folder: Path) -> Verdict:
    """A game against an engine that waits at the server. What the GUI saves is compared with the
    record."""
    saved = folder / "xboard.pgn"
    with hosting(folder, SHORT) as server, screen(folder) as shown:
        fish = PLAIN.call(server.port(), engine("stockfish"), folder)
        async with running(fish, xboard(gui, server, shown, saved), folder=folder):
            await until(lambda: len(saved_games(saved)) == 1, "xboard has saved its game")
            [game] = saved_games(saved)
            if gui.protocol == "uci" and game.end().board().turn is chess.WHITE:
                # UCI has no word for a move of the GUI's side that ends the game.
                [heard] = server.games()
                moves = [move.uci() for move in game.mainline_moves()]
                same = [move["move"] for move in heard["moves"]] == moves[:-1]
                return Verdict(complaints=[] if same else ["the server has other moves"])
            await until_over(server, 1)
            over = server.games("--finished")
        verdict = judge(over, server.run("export", "--finished"))
    verdict.complaints += differences(over, [game])
    return verdict


def xboard(gui: Gui, server: Server, screen: Sequence[str], saved: Path) -> list[str]:
    """The remote player, whose engine is `ulci opponent`, has White."""
    remote = match_command(server, gui.protocol, 1, "--time", SHORT)
    program(gui.name.split()[-1])  # which may be started by another
    local = [program(gui.local[0]), *gui.local[1:]]
    argv = xboard_command(screen, remote, local, gui.protocol, 1, saved)
    return [*argv, "-searchDepth", "2", *gui.options]


def differences(over: Sequence[dict], saved: Sequence[chess.pgn.Game]) -> list[str]:
    """Between the server's games and those that a GUI saved."""
    told = []
    for ours, theirs in zip(sorted(over, key=lambda game: game["id"]), saved, strict=False):
        if theirs.errors:
            told.append(f"game {ours['id']}: the GUI's PGN: {theirs.errors}")
        here = [move["move"] for move in ours["moves"]]
        there = [move.uci() for move in theirs.mainline_moves()]
        if here != there:
            ply = next(
                (at for at, two in enumerate(zip(here, there, strict=False), 1) if len({*two}) > 1),
                min(len(here), len(there)) + 1,
            )
            told.append(f"game {ours['id']}: the GUI has another move at ply {ply}")
        if ours["result"] != theirs.headers["Result"]:
            told.append(
                f"game {ours['id']}: {ours['result']} by {ours['reason']},"
                f" in the GUI {theirs.headers['Result']}"
            )
    return told


def ratio(one: Verdict, other: Verdict) -> float:
    """Of their thinking a ply; nan: unknown."""
    return one.mean_thought / other.mean_thought if other.mean_thought else math.nan

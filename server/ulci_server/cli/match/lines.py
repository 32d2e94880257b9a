"""Single lines about games, engines and files, for scripts as much as for people.

A line that begins with ``Warning;`` tells of something that may spoil the match, ``Fatal;`` of what
ended it.
"""

import shlex
from pathlib import Path


def started(number: int, total: int, white: str, black: str) -> str:
    return f"Started game {number} of {total} ({white} vs {black})"


def finished(number: int, white: str, black: str, score: str, reason: str) -> str:
    """score: of White, ``*`` for none."""
    return f"Finished game {number} ({white} vs {black}): {score} {{{reason}}}"


def played_before(games: int, database: Path) -> str:
    """By earlier runs of the match."""
    return f"Of this match {games} games are in {database}; another -db FILE begins it anew."


# Engines


def startup_failure(name: str, why: str) -> str:
    """In one line why, and after it what else is known, such as the program's own words."""
    first, _, more = why.partition("\n")
    return f'Fatal; {name} engine startup failure: "{first}"' + (f"\n{more}" if more else "")


def no_option(name: str, option: str) -> str:
    return f"Warning; {name} doesn't have option {option}"


def invalid_value(option: str, value: str) -> str:
    return f"Warning; Invalid value for option {option}; {value}"


def illegal_move(name: str, move: str) -> str:
    return f"Warning; Illegal move {move or '<none>'} played by {name}"


def no_recovery(number: int) -> str:
    """A crash ends the match."""
    return (
        f"Game {number} stalled / disconnected and no recover option set for engine, stopping"
        " tournament."
    )


def latency_of_move(name: str, late: int) -> str:
    """late: ms that the clock paid beyond the time that the engine said."""
    return f"Engine {name} latency: {late}ms"


def latency(name: str, average: float, most: int, moves: int) -> str:
    """The same of all its moves."""
    return f"Latency of {name}: {average:.1f} ms on average, {most} ms at most ({moves} moves)"


# Files


def bad_entry(path: Path | str, line: int, why: str) -> str:
    """The match goes on with the next opening."""
    return f"Warning; Opening in line {line} of {path} is left out: {why}"


def checksum(path: Path, crc32: int) -> str:
    return f"File {path} has CRC32: {crc32:#x}"


def slow_pattern(pattern: str) -> str:
    """Games of this run are written without its lines from now on."""
    return f"Warning; match_line={pattern} takes too long and is not searched for any more"


# The end


def page(host: str, port: int) -> str:
    """Where browsers see the match."""
    return f"The page: http://{host}:{port}/"


def waiting_for(remote: str, host: str, port: int) -> str:
    """Where an engine from elsewhere has its place."""
    call = f"ulci bridge --server tcp://{host}:{port} --name {shlex.quote(remote)} -- ENGINE"
    return f"Waiting for {remote}: {call}"


INTERRUPTED = "Tournament was interrupted. To go on with it, run the same command again."

FINISHED = "Finished match"


def total_time(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"Total Time: {hours:02}:{minutes:02}:{rest:02} (hours:minutes:seconds)"

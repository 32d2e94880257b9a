"""One writer per verb. LocalProtocolError if a message has no spelling."""

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any

from . import info
from . import messages as say
from .dialect import Spelling
from .lobby import commands, lines
from .text import filled, word, words

Writer = Callable[[Any, Spelling], str]


def _alone(verb: str) -> Writer:
    return lambda _message, _dialect: verb


def _write_setoption(message: say.SetOption, _dialect: Spelling) -> str:
    if message.value is None:
        return f"setoption name {filled(message.name)}"
    return f"setoption name {filled(message.name)} value {message.value or '<empty>'}"


def _write_register(message: say.Register, _dialect: Spelling) -> str:
    said = ["register"]
    if message.name is not None:
        said.append(f"name {filled(message.name)}")
    if message.code is not None:
        said.append(f"code {filled(message.code)}")
    return " ".join(said) if len(said) > 1 else "register later"


def _write_position(message: say.Position, _dialect: Spelling) -> str:
    start = message.start
    head = "position startpos" if start is None else f"position fen {filled(start)}"
    return f"{head} moves {words(message.moves)}" if message.moves else head


_LIMITS = ("movestogo", "depth", "nodes", "mate", "movetime")
_limits = attrgetter(*_LIMITS, "infinite", "ponder", "searchmoves")
_NO_LIMITS = _limits(say.Go())


def _write_go(message: say.Go, dialect: Spelling) -> str:
    said = "go" + _clocks(message, dialect)
    limits = _limits(message)
    if limits == _NO_LIMITS:
        return said
    for key, value in zip(_LIMITS, limits, strict=False):
        if value is not None and key not in dialect.lacks:
            said += f" {key} {value}"
    if message.infinite:
        said += " infinite"
    if message.ponder:
        said += " ponder"
    if message.searchmoves:
        said += f" searchmoves {words(message.searchmoves)}"
    return said


def _write_clock(message: say.Clock, dialect: Spelling) -> str:
    return "clock" + _clocks(message, dialect)


def _clocks(message: say.Go | say.Clock, dialect: Spelling) -> str:
    """The clocks that there are, each word after a blank."""
    values = dialect.clocks_of(message)
    if None not in values:  # both clocks, with increments: most games
        return dialect.clock_line % values
    said = ""
    for word_, value in zip(dialect.clock_keys, values, strict=True):
        if value is not None:
            said += f" {word_} {value}"
    return said


def _write_option(message: say.Option, _dialect: Spelling) -> str:
    said = [f"option name {filled(message.name)} type {message.type}"]
    if message.default is not None:
        said.append(f"default {message.default or '<empty>'}")
    if message.min is not None:
        said.append(f"min {message.min}")
    if message.max is not None:
        said.append(f"max {message.max}")
    said += (f"var {var or '<empty>'}" for var in message.vars)
    return " ".join(said)


def _write_bestmove(message: say.BestMove, dialect: Spelling) -> str:
    if message.ponder is None or "bestmove ponder" in dialect.lacks:
        return f"bestmove {word(message.move)}"
    return f"bestmove {word(message.move)} ponder {word(message.ponder)}"


def _write_command(message: say.PlayerCommand, _dialect: Spelling) -> str:
    return commands.write(message)


WRITERS: Mapping[type, Writer] = {
    # from a server
    say.Hello: lambda _message, dialect: dialect.hello,
    say.Debug: lambda message, _dialect: f"debug {'on' if message.on else 'off'}",
    say.IsReady: _alone("isready"),
    say.SetOption: _write_setoption,
    say.Register: _write_register,
    say.NewGame: lambda _message, dialect: dialect.new_game,
    say.Position: _write_position,
    say.Go: _write_go,
    say.Clock: _write_clock,
    say.Stop: _alone("stop"),
    say.PonderHit: _alone("ponderhit"),
    say.Eval: _alone("eval"),
    say.Bench: _alone("bench"),
    say.Perft: lambda message, _dialect: f"perft {message.depth}",
    say.Query: lambda message, _dialect: f"query {filled(message.question)}",
    say.Lobby: lambda message, _dialect: f"lobby {lines.write(message.line)}".rstrip(),
    # both ways
    say.Quit: _alone("quit"),
    say.Info: lambda message, _dialect: info.write_info(message),
    say.Report: lambda message, _dialect: info.write_report(message),
    say.Unknown: lambda message, _dialect: message.line,
    # from a client
    say.Id: lambda message, _dialect: f"id {word(message.key)} {message.value}",
    say.Option: _write_option,
    say.HelloOk: lambda _message, dialect: dialect.hello_ok,
    say.ReadyOk: _alone("readyok"),
    say.BestMove: _write_bestmove,
    say.Response: lambda message, _dialect: f"response {filled(message.answer)}",
    say.CopyProtection: lambda message, _dialect: f"copyprotection {message.status}",
    say.Registration: lambda message, _dialect: f"registration {message.status}",
    **dict.fromkeys(say.PLAYER_COMMANDS, _write_command),
}

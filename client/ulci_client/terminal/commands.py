"""The commands that a person may type: a table, and what each does. Pure."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from ulci.protocol import (
    Abort,
    Accept,
    Challenge,
    Decline,
    Draw,
    Games,
    Message,
    Quit,
    Rematch,
    Resign,
    Say,
    Seek,
    Seeks,
    Terms,
    Unseek,
    Who,
)

from . import needs, report, terms
from .needs import RefusedError
from .state import Effect, Exit, Kind, Leave, News, Page, Question, Send, State

Doing = Callable[[State, str, float], Iterator[Effect]]
Need = Callable[[State, str], None]


@dataclass(frozen=True, slots=True)
class Command:
    """usage: the words after its name. needs: what must be the case, checked in order. more: told
    who asks for help with this one. group: what it and its neighbours are for."""

    name: str
    usage: str
    help: str
    do: Doing
    needs: tuple[Need, ...] = ()
    more: str = ""
    group: str = ""


# In a game


def _resign(state: State, rest: str, _: float) -> Iterator[Effect]:
    if rest.lower() == "yes":
        yield Send(Resign())
        return
    state.question = Question.RESIGN
    yield News(Kind.ASK, "Resign this game? yes or no", "ask resign? answer yes or no")


def _draw(state: State, _: str, __: float) -> Iterator[Effect]:
    game = state.game
    assert game is not None
    if game.mine is not None:
        if (game.mine, "draw") in game.offers:
            raise RefusedError("you have offered a draw already")
        accepts = (game.mine.other, "draw") in game.offers
        game.offers.add((game.mine, "draw"))
        text = "You accept the draw." if accepts else "You offer a draw."
        yield News(Kind.OFFER, text, "ok draw accepted" if accepts else "ok draw offered")
    yield Send(Draw())


def _abort(_: State, __: str, ___: float) -> Iterator[Effect]:
    yield Send(Abort())


def _say(state: State, rest: str, _: float) -> Iterator[Effect]:
    if not rest:
        raise RefusedError("say what? write: say good luck")
    yield Send(Say(rest))
    yield News(Kind.SAY, f"{state.me}: {rest}", "ok said")


def _rematch(_: State, __: str, ___: float) -> Iterator[Effect]:
    yield Send(Rematch())


# In the lobby


def _seek(state: State, rest: str, _: float) -> Iterator[Effect]:
    wanted = terms.parse(rest.split())
    state.wanted = wanted
    yield Send(Seek(wanted))


def _unseek(state: State, rest: str, _: float) -> Iterator[Effect]:
    state.wanted = None
    yield Send(Unseek(_number(rest, "unseek 17") if rest else None))


def _accept(state: State, rest: str, at: float) -> Iterator[Effect]:
    game = state.game
    if not rest and state.playing and game and game.mine is not None:
        if (game.mine.other, "draw") in game.offers:
            yield from _draw(state, rest, at)
            return
        raise RefusedError("nothing was offered")
    needs.idle(state, "accept")
    yield Send(Accept(_chosen(state, rest, "accept 17")))


def _decline(state: State, rest: str, _: float) -> Iterator[Effect]:
    number = _chosen(state, rest, "decline 18")
    state.challenges.pop(number, None)
    yield Send(Decline(number))
    yield News(Kind.OK, f"You decline challenge {number}.", f"ok declined {number}")


def _challenge(_: State, rest: str, __: float) -> Iterator[Effect]:
    name, *words = rest.split() or [""]
    if not name:
        raise RefusedError(f"challenge whom? write: challenge NAME {terms.USAGE}")
    yield Send(Challenge(name, terms.parse(words)))


def _asks(what: str, message: Message) -> Doing:
    def ask(state: State, _: str, __: float) -> Iterator[Effect]:
        state.asked_for.add(what)
        yield Send(message)

    return ask


def _number(text: str, example: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise RefusedError(f"{text} is not a number; write for example: {example}")
    return int(text)


def _chosen(state: State, text: str, example: str) -> int:
    """The number that was typed; without one the only challenge there is."""
    if text:
        return _number(text, example)
    if len(state.challenges) == 1:
        return next(iter(state.challenges))
    raise RefusedError(f"which? write for example: {example}")


# At this end


def _flip(state: State, _: str, __: float) -> Iterator[Effect]:
    state.flipped = not state.flipped
    yield News(Kind.OK, "The board is turned round.", "ok flipped")


def _board(state: State, _: str, __: float) -> Iterator[Effect]:
    yield Page("Board", tuple(report.board_lines(state)))


def _clock(state: State, _: str, at: float) -> Iterator[Effect]:
    assert state.game is not None
    yield News(Kind.OK, report.clocks_in_words(state.game, at), report.clock_line(state.game, at))


def _moves(state: State, _: str, __: float) -> Iterator[Effect]:
    assert state.game is not None
    yield Page("Moves", tuple(report.move_lines(state.game)))


def _fen(state: State, _: str, __: float) -> Iterator[Effect]:
    assert state.game is not None
    assert state.game.position is not None
    yield News(Kind.OK, state.game.position.fen(), f"fen {state.game.position.fen()}")


def _lobby(state: State, _: str, __: float) -> Iterator[Effect]:
    state.game = None
    if state.curious and state.welcomed:
        yield from (Send(Who()), Send(Seeks()))


def _help(_: State, rest: str, __: float) -> Iterator[Effect]:
    if not rest:
        yield Page("Help", tuple(help_lines()))
        return
    command = COMMANDS.get(rest.lower().removeprefix("/"))
    if command is None:
        raise RefusedError(f"there is no command {rest}; help lists them")
    lines = (command.help, command.more) if command.more else (command.help,)
    yield Page(f"{command.name} {command.usage}".strip(), lines)


def help_lines() -> Iterator[str]:
    """A move, and then every command; those that serve one purpose share a line."""
    yield f"{'e4, Nf3, e2e4, O-O, e8=Q':<24} make a move"
    for text, commands in groupby(COMMANDS.values(), lambda one: one.group or one.help):
        usages = (f"{command.name} {command.usage}".strip() for command in commands)
        yield f"{', '.join(usages):<24} {text}"


def _quit(state: State, rest: str, _: float) -> Iterator[Effect]:
    if state.playing and rest.lower() != "yes":
        state.question = Question.QUIT
        text = "Leave in the middle of the game? It will be lost. yes or no"
        yield News(Kind.ASK, text, "ask leave and lose the game? answer yes or no")
        return
    yield from leaving(state)


def leaving(state: State) -> Iterator[Effect]:
    """A polite end: nobody has to wait for somebody who is not coming back."""
    yield Send(Quit())
    yield Leave(Exit.MID_GAME if state.playing else Exit.DONE)


_LISTS = "what is open, who is here, what is played"
_TOLD = "the game in letters"

_LOBBY = (needs.lobby,)
_GAME = (needs.game, needs.lobby)
_IDLE = (needs.lobby, needs.idle)

COMMANDS: Mapping[str, Command] = {
    command.name: command
    for command in (
        Command(
            "resign", "", "give the game up (asks first)", _resign, _GAME, "resign yes asks nothing"
        ),
        Command("draw", "", "offer a draw, or accept one", _draw, _GAME),
        Command("abort", "", "end a game that has hardly begun", _abort, _GAME),
        Command("say", "TEXT", "speak to the opponent", _say, _LOBBY),
        Command("rematch", "", "the same again, colours changed", _rematch, _IDLE),
        Command("seek", "[TIME] ...", "look for a game", _seek, _IDLE, f"seek {terms.USAGE}"),
        Command("unseek", "[N]", "stop looking", _unseek, _LOBBY),
        Command("accept", "[N]", "play seek or challenge N", _accept, _LOBBY),
        Command(
            "challenge",
            "NAME ...",
            "ask somebody for a game",
            _challenge,
            _IDLE,
            f"challenge NAME {terms.USAGE}",
        ),
        Command("decline", "[N]", "refuse challenge N", _decline, _LOBBY),
        Command(
            "seeks",
            "",
            "what is open, who is here, what is played",
            _asks("seeks", Seeks()),
            (needs.lobby,),
        ),
        Command(
            "who",
            "",
            "what is open, who is here, what is played",
            _asks("who", Who()),
            (needs.lobby,),
        ),
        Command(
            "games",
            "",
            "what is open, who is here, what is played",
            _asks("games", Games()),
            (needs.lobby,),
        ),
        Command("lobby", "", "leave the finished game's board", _lobby, (needs.idle,)),
        Command("flip", "", "turn the board round", _flip),
        Command("board", "", "the board in letters", _board, (needs.shown,), group=_TOLD),
        Command("clock", "", "both clocks", _clock, (needs.seen,), group=_TOLD),
        Command("moves", "", "all moves so far", _moves, (needs.seen,), group=_TOLD),
        Command("fen", "", "the position as FEN", _fen, (needs.shown,), group=_TOLD),
        Command("help", "[COMMAND]", "this list, or more about one", _help),
        Command("quit", "", "leave (asks first in a game)", _quit, (), "quit yes: at once"),
    )
}

CONFIRMED: Mapping[Question, Doing] = {Question.RESIGN: _resign, Question.QUIT: _quit}
STAYED: Mapping[Question, str] = {
    Question.RESIGN: "You play on.",
    Question.QUIT: "You stay.",
}

__all__ = ["COMMANDS", "CONFIRMED", "STAYED", "Command", "Terms", "help_lines", "leaving"]

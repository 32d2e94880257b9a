"""The commands that a person may type: a table, and what each does. Pure."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from ulci.protocol import (
    Accept,
    Challenge,
    Decline,
    Games,
    Message,
    Quit,
    Seek,
    Seeks,
    Terms,
    Unseek,
    Unwatch,
    Watch,
    Who,
)

from . import needs, playing, report, talking, terms, watching
from .needs import RefusedError
from .state import Effect, Exit, Kind, Leave, Line, News, Page, Question, Send, State

Doing = Callable[[State, str, float], Iterator[Effect]]
Need = Callable[[State, str], None]


@dataclass(frozen=True, slots=True)
class Command:
    """usage: the words after its name. needs: what must be the case, checked in order. more: told
    who asks for help with this one. group: what it and its neighbours are for. rare: for so few
    that the list of all leaves it out."""

    name: str
    usage: str
    help: str
    do: Doing
    needs: tuple[Need, ...] = ()
    more: str = ""
    group: str = ""
    rare: bool = False


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
        yield from playing.accept(state, game, at)
        return
    needs.idle(state, "accept")
    yield Send(Accept(_chosen(state, rest, "accept 17")))


def _decline(state: State, rest: str, _: float) -> Iterator[Effect]:
    game = state.game
    if not rest and not state.challenges and state.playing and game and game.offers:
        raise RefusedError("an offer is declined by making a move")
    number = _chosen(state, rest, "decline 18")
    state.challenges.pop(number, None)
    yield Send(Decline(number))
    yield News(Kind.OK, f"You decline challenge {number}.", f"ok declined {number}")


def _challenge(_: State, rest: str, __: float) -> Iterator[Effect]:
    name, *words = rest.split() or [""]
    if not name:
        raise RefusedError(f"challenge whom? write: challenge NAME {terms.USAGE}")
    yield Send(Challenge(name, terms.parse(words)))


def _watch(state: State, rest: str, _: float) -> Iterator[Effect]:
    number = _watched_number(state, rest)
    game = state.game
    if state.watching and game is not None:
        if game.id == number:
            raise RefusedError(f"you are watching game {number} already")
        yield Send(Unwatch(game.id))
    yield Send(Watch(number))


def _watched_number(state: State, text: str) -> int:
    """The number that was typed; without one the only game there is."""
    if text:
        return _number(text, "watch 42")
    if len(state.games) == 1:
        return next(iter(state.games))
    raise RefusedError("watch which game? games lists them; write for example: watch 42")


def _unwatch(state: State, rest: str, _: float) -> Iterator[Effect]:
    game = state.game
    if game is None or not game.watched or (rest and game.id != _number(rest, "unwatch 42")):
        what = f"game {rest}" if rest else "any game"
        raise RefusedError(f"you are not watching {what}; games lists what there is to watch")
    yield Send(Unwatch(game.id))
    if game.over:
        yield from watching.go_back(state)


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
    if state.watching and state.game is not None and state.line is Line.READY:
        yield Send(Unwatch(state.game.id))
    else:
        yield from watching.go_back(state)


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
    usual = (command for command in COMMANDS.values() if not command.rare)
    for text, commands in groupby(usual, lambda one: one.group or one.help):
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
_END = "give the game up, or end one just begun"
_ANSWER = "play seek or challenge N, or refuse it"
_ADMIN = "admin help lists the words; your token must be of scope admin"
_TALK = "speak to the opponent, or to anybody"
_WATCH = "see game N move by move, or no longer"
_TOLD = "the game in letters"

_LOBBY = (needs.lobby,)
_GAME = (needs.game, needs.lobby)
_IDLE = (needs.lobby, needs.idle)

COMMANDS: Mapping[str, Command] = {
    command.name: command
    for command in (
        Command(
            "resign",
            "",
            "give the game up (asks first)",
            playing.resign,
            _GAME,
            "resign yes asks nothing",
            _END,
        ),
        Command(
            "abort",
            "",
            "end a game that has hardly begun",
            playing.abort,
            _GAME,
            group=_END,
        ),
        Command("draw", "", "offer a draw, or accept one", playing.draw, _GAME),
        Command(
            "takeback",
            "[N]",
            "ask for your last move back, or grant it",
            playing.takeback,
            _GAME,
            "takeback N asks for the last N half-moves; the opponent may decline",
        ),
        Command(
            "claim",
            "win|draw",
            "end a game whose opponent stays away",
            playing.claim,
            _GAME,
            "when the time to come back is over, which the status shows; a draw that the rules"
            " allow may be claimed at any time",
        ),
        Command(
            "givetime",
            "SECONDS",
            "give the opponent time",
            playing.give_time,
            _GAME,
            "givetime 15 adds 15 s to the opponent's clock",
        ),
        Command("say", "TEXT", "speak to the opponent", talking.say, _LOBBY, group=_TALK),
        Command(
            "tell",
            "NAME TEXT",
            "speak to anybody who is here",
            talking.tell,
            _LOBBY,
            group=_TALK,
        ),
        Command("rematch", "", "the same again, colours changed", playing.rematch, _IDLE),
        Command("seek", "[TIME] ...", "look for a game", _seek, _IDLE, f"seek {terms.USAGE}"),
        Command("unseek", "[N]", "stop looking", _unseek, _LOBBY),
        Command("accept", "[N]", "play seek or challenge N", _accept, _LOBBY, group=_ANSWER),
        Command("decline", "[N]", "refuse challenge N", _decline, _LOBBY, group=_ANSWER),
        Command(
            "challenge",
            "NAME ...",
            "ask somebody for a game",
            _challenge,
            _IDLE,
            f"challenge NAME {terms.USAGE}",
        ),
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
        Command(
            "watch",
            "N",
            "see game N, move by move",
            _watch,
            _IDLE,
            "games lists them",
            group=_WATCH,
        ),
        Command("unwatch", "", "watch no longer", _unwatch, _LOBBY, group=_WATCH),
        Command("lobby", "", "leave the finished game's board", _lobby, (needs.idle,)),
        Command("flip", "", "turn the board round", _flip),
        Command("board", "", "the board in letters", _board, (needs.shown,), group=_TOLD),
        Command("clock", "", "both clocks", _clock, (needs.seen,), group=_TOLD),
        Command("moves", "", "all moves so far", _moves, (needs.seen,), group=_TOLD),
        Command("fen", "", "the position as FEN", _fen, (needs.shown,), group=_TOLD),
        Command(
            "admin", "WORD ...", "look after the server", talking.admin, _LOBBY, _ADMIN, rare=True
        ),
        Command("help", "[COMMAND]", "this list, or more about one", _help),
        Command("quit", "", "leave (asks first in a game)", _quit, (), "quit yes: at once"),
    )
}

CONFIRMED: Mapping[Question, Doing] = {Question.RESIGN: playing.resign, Question.QUIT: _quit}
STAYED: Mapping[Question, str] = {
    Question.RESIGN: "You play on.",
    Question.QUIT: "You stay.",
}

__all__ = ["COMMANDS", "CONFIRMED", "STAYED", "Command", "Terms", "help_lines", "leaving"]

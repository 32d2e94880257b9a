"""The commands that a person may type: a table, and what each does. Pure."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from ulci.protocol import Games, Quit, Seeks, Who

from . import meeting, needs, playing, reading, spectating, talking, terms
from .needs import RefusedError
from .state import Effect, Exit, Kind, Leave, News, Page, Question, Send, State

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
_STEPS = "look at an earlier board (keys: Left, Right)"

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
            "premove",
            "MOVE",
            "a move for your next turn, made at once then",
            playing.premove,
            _GAME,
            "it is made only if it is legal then, and at once if it is your turn already; premove"
            " without a move takes it back",
        ),
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
        Command(
            "seek",
            "[TIME] ...",
            "look for a game",
            meeting.seek,
            _IDLE,
            f"seek {terms.USAGE}; G may be one of the server's pools, too",
        ),
        Command("unseek", "[N]", "stop looking", meeting.unseek, _LOBBY),
        Command("accept", "[N]", "play seek or challenge N", meeting.accept, _LOBBY, group=_ANSWER),
        Command("decline", "[N]", "refuse challenge N", meeting.decline, _LOBBY, group=_ANSWER),
        Command(
            "challenge",
            "NAME ...",
            "ask somebody for a game",
            meeting.challenge,
            _IDLE,
            f"challenge NAME {terms.USAGE}",
        ),
        Command("seeks", "", _LISTS, spectating.listed("seeks", Seeks()), _LOBBY),
        Command("who", "", _LISTS, spectating.listed("who", Who()), _LOBBY),
        Command("games", "", _LISTS, spectating.listed("games", Games()), _LOBBY),
        Command(
            "watch",
            "N",
            "see game N, move by move",
            spectating.watch,
            _IDLE,
            "games lists them",
            group=_WATCH,
        ),
        Command("unwatch", "", "watch no longer", spectating.unwatch, _LOBBY, group=_WATCH),
        Command("lobby", "", "leave the finished game's board", spectating.lobby, (needs.idle,)),
        Command("flip", "", "turn the board round", reading.flip),
        Command("board", "", "the board in letters", reading.board, (needs.shown,), group=_TOLD),
        Command("clock", "", "both clocks", reading.clock, (needs.seen,), group=_TOLD),
        Command("moves", "", "all moves so far", reading.moves, (needs.seen,), group=_TOLD),
        Command("fen", "", "the position as FEN", reading.fen, (needs.shown,), group=_TOLD),
        Command(
            "back",
            "[N]",
            "the board N half-moves earlier, or later",
            reading.back,
            (needs.shown,),
            "on the screen also Left and Home, while nothing is typed",
            _STEPS,
        ),
        Command(
            "forward",
            "[N]",
            "the board N half-moves later",
            reading.forward,
            (needs.shown,),
            "on the screen also Right and End; Escape goes back to the game as it is",
            _STEPS,
        ),
        Command(
            "save",
            "[FILE]",
            "the game as PGN, added to a file",
            reading.save,
            (needs.seen,),
            "other games in the file stay, the same game as it was saved last is replaced;"
            " without a name it is game-NUMBER.pgn",
        ),
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

__all__ = ["COMMANDS", "CONFIRMED", "STAYED", "Command", "help_lines", "leaving"]

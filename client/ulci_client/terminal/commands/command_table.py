"""The table of commands, with `help` and `quit`. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from ulci.protocol.messages import Games, Quit, Seeks, Tournaments, Who
from ulci_client.terminal.model.state import (
    ClientState,
    Effect,
    Exit,
    Leave,
    News,
    NewsKind,
    Page,
    Send,
    YesNoQuestion,
)

from . import arguments, conditions, in_game, in_lobby, terms
from .arguments import Arguments, Texts, nothing
from .conditions import ConditionError

Action = Callable[[ClientState, str, float], Iterator[Effect]]
Need = Callable[[ClientState, str], None]


@dataclass(frozen=True, slots=True)
class Command:
    """usage: the words after its name. conditions: checked in order. more: shown by help for this
    command. group: the text shared with its neighbours in help. rare: left out of the list.
    arguments: what may follow its name, to complete it."""

    name: str
    usage: str
    help: str
    do: Action
    conditions: tuple[Need, ...] = ()
    more: str = ""
    group: str = ""
    rare: bool = False
    arguments: Arguments = nothing


def _help(_: ClientState, rest: str, __: float) -> Iterator[Effect]:
    if not rest:
        yield Page("Help", tuple(help_lines()))
        return
    command = COMMANDS.get(rest.lower().removeprefix("/"))
    if command is None:
        raise ConditionError(f"there is no command {rest}; help lists them")
    lines = (command.help, command.more) if command.more else (command.help,)
    yield Page(f"{command.name} {command.usage}".strip(), lines)


def _names(_: ClientState, __: Sequence[str]) -> Texts:
    return ((command.name, command.help) for command in COMMANDS.values())


def help_lines() -> Iterator[str]:
    """A line for moves, then the commands; those of a group share a line."""
    yield f"{'e4, Nf3, e2e4, O-O, e8=Q':<24} make a move"
    usual = (command for command in COMMANDS.values() if not command.rare)
    for text, commands in groupby(usual, lambda one: one.group or one.help):
        usages = (f"{command.name} {command.usage}".strip() for command in commands)
        yield f"{', '.join(usages):<24} {text}"


def _quit(state: ClientState, rest: str, _: float) -> Iterator[Effect]:
    if state.playing and rest.lower() != "yes":
        state.question = YesNoQuestion.QUIT
        text = "Leave during the game? You will lose it. yes or no"
        yield News(NewsKind.ASK, text, "ask leave and lose the game? answer yes or no")
        return
    yield from leave(state)


def leave(state: ClientState) -> Iterator[Effect]:
    """Say goodbye and end the program."""
    yield Send(Quit())
    yield Leave(Exit.MID_GAME if state.playing else Exit.DONE)


YES = ("yes", "do not ask")

_LISTS = "list open seeks, players, games"
_END = "give up the game, or end one that has just begun"
_ANSWER = "accept seek or challenge N, or decline it"
_ADMIN = "admin help lists the words; your token must be of scope admin"
_TALK = "chat with the opponent, or with anybody"
_INVITE = "invite a friend, or play by an invitation"
_IGNORE = "hear nothing more from a player, or again"
_WATCH = "watch game N, or stop watching"
_TOLD = "the game as text"
_TOURNAMENTS = "list tournaments, or who leads in one"
_ENTER = "play in a tournament, or leave it"
_STEPS = "show an earlier board (keys: Left, Right)"

_LOBBY = (conditions.lobby,)
_GAME = (conditions.game, conditions.lobby)
_PERMITTED = (*_GAME, conditions.permitted)
_IDLE = (conditions.lobby, conditions.idle)

COMMANDS: Mapping[str, Command] = {
    command.name: command
    for command in (
        Command(
            "resign",
            "",
            "give up the game (asks first)",
            in_game.resign,
            _GAME,
            "resign yes does not ask",
            _END,
            arguments=arguments.one_of(YES),
        ),
        Command(
            "abort",
            "",
            "end a game that has just begun",
            in_game.abort,
            _PERMITTED,
            group=_END,
        ),
        Command("draw", "", "offer a draw, or accept one", in_game.draw, _GAME),
        Command(
            "premove",
            "MOVE",
            "a move to be made as soon as it is your turn",
            in_game.premove,
            _GAME,
            "it is made only if it is legal then, and at once if it is your turn; premove without"
            " a move cancels it",
        ),
        Command(
            "takeback",
            "[N]",
            "ask to take back your last move, or agree to it",
            in_game.takeback,
            _PERMITTED,
            "takeback N asks for the last N half-moves; the opponent may decline",
        ),
        Command(
            "claim",
            "win|draw",
            "claim the game when the opponent stays away",
            in_game.claim,
            _GAME,
            "once the opponent's time to come back is over, as the status shows; a draw by the"
            " rules may be claimed at any time",
            arguments=arguments.one_of(("win", "the game is won"), ("draw", "or drawn")),
        ),
        Command(
            "givetime",
            "SECONDS",
            "give the opponent time",
            in_game.give_time,
            _PERMITTED,
            "givetime 15 adds 15 s to the opponent's clock",
            arguments=arguments.one_of(*((seconds, "seconds") for seconds in arguments.GIFTS)),
        ),
        Command(
            "berserk",
            "",
            "play with half your time, for one point more",
            in_game.berserk,
            _PERMITTED,
            "in an arena, before your first move: halves your clock and drops the increment;"
            " a win of at least seven own moves then scores one point more",
            rare=True,
        ),
        Command(
            "say",
            "TEXT",
            "chat with the opponent, or with the other spectators",
            in_lobby.say,
            _LOBBY,
            group=_TALK,
        ),
        Command(
            "tell",
            "NAME TEXT",
            "chat with anybody who is here",
            in_lobby.tell,
            _LOBBY,
            group=_TALK,
            arguments=arguments.others,
        ),
        Command(
            "ignore",
            "[NAME]",
            "hear nothing more from a player",
            in_lobby.ignore,
            _LOBBY,
            "no chat and no challenges; ignore without a name lists whom you ignore. It holds until"
            " you leave, and this program says it again to a server that has restarted",
            _IGNORE,
            arguments=arguments.others,
        ),
        Command(
            "unignore",
            "NAME",
            "hear a player again",
            in_lobby.pass_on("unignore"),
            _LOBBY,
            "ignore without a name lists whom you ignore",
            _IGNORE,
            arguments=arguments.ignored,
        ),
        Command(
            "complain",
            "NAME TEXT",
            "tell the administrators what a player did",
            in_lobby.pass_on("complain"),
            _LOBBY,
            "they read it with your last games against that player; nobody else hears of it",
            arguments=arguments.others,
        ),
        Command(
            "rematch",
            "",
            "play again with colours swapped",
            in_lobby.pass_on("rematch"),
            (*_IDLE, conditions.permitted),
        ),
        Command(
            "seek",
            "[TIME] ...",
            "seek a game",
            in_lobby.seek,
            _IDLE,
            f"seek {terms.USAGE}; G may be one of the server's pools, too; level 3 seeks an engine"
            " of the server at that strength (`who` tells how many levels it has), and range"
            " 1800-2200 somebody with such a rating",
            arguments=arguments.terms,
        ),
        Command(
            "unseek",
            "[N]",
            "withdraw your seek",
            in_lobby.unseek,
            _LOBBY,
            arguments=arguments.own_seeks,
        ),
        Command(
            "accept",
            "[N]",
            "accept seek or challenge N",
            in_lobby.accept,
            _LOBBY,
            group=_ANSWER,
            arguments=arguments.offers,
        ),
        Command(
            "decline",
            "[N [TEXT]]",
            "decline challenge N",
            in_lobby.decline,
            _LOBBY,
            group=_ANSWER,
            arguments=arguments.challenges,
        ),
        Command(
            "challenge",
            "NAME ...",
            "challenge a player",
            in_lobby.challenge,
            _IDLE,
            f"challenge NAME {terms.USAGE}",
            arguments=arguments.other_and_terms,
        ),
        Command(
            "invite",
            "[TIME] ...",
            "offer a game to a friend, by a token that you send",
            in_lobby.invite,
            _IDLE,
            f"invite {terms.USAGE}; the first player to join with the token plays you. It is open"
            " until you play, leave or unseek",
            arguments=arguments.terms,
            group=_INVITE,
        ),
        Command(
            "join",
            "TOKEN",
            "play the game of an invitation",
            in_lobby.join,
            _IDLE,
            "the link to a server's page will do, too",
            group=_INVITE,
        ),
        Command(
            "color",
            "white|black [FEN]",
            "your color in a game that was agreed with color later",
            in_lobby.pass_on("color"),
            _LOBBY,
            "the game begins then, from that position if one is given",
        ),
        Command("seeks", "", _LISTS, in_lobby.request_list("seeks", Seeks()), _LOBBY),
        Command("who", "", _LISTS, in_lobby.request_list("who", Who()), _LOBBY),
        Command("games", "", _LISTS, in_lobby.request_list("games", Games()), _LOBBY),
        Command(
            "tournaments",
            "",
            "list tournaments",
            in_lobby.request_list("tournaments", Tournaments()),
            _LOBBY,
            "enter NAME plays in one",
            group=_TOURNAMENTS,
        ),
        Command(
            "standings",
            "NAME",
            "who leads in a tournament",
            in_lobby.standings,
            _LOBBY,
            group=_TOURNAMENTS,
        ),
        Command(
            "enter",
            "NAME",
            "play in a tournament",
            in_lobby.pass_on("enter"),
            _LOBBY,
            "it takes an account; you are told whom you meet before each game, and the time for"
            " which the opponent waits is yours",
            group=_ENTER,
        ),
        Command(
            "withdraw",
            "NAME",
            "leave a tournament",
            in_lobby.pass_on("withdraw"),
            _LOBBY,
            group=_ENTER,
        ),
        Command(
            "watch",
            "N",
            "watch game N",
            in_lobby.watch,
            _IDLE,
            "games lists them",
            group=_WATCH,
            arguments=arguments.running_games,
        ),
        Command("unwatch", "", "stop watching", in_lobby.unwatch, _LOBBY, group=_WATCH),
        Command(
            "lobby", "", "leave the board of a finished game", in_lobby.lobby, (conditions.idle,)
        ),
        Command("flip", "", "turn the board", in_game.flip),
        Command("board", "", "the board as text", in_game.board, (conditions.shown,), group=_TOLD),
        Command("clock", "", "both clocks", in_game.clock, (conditions.seen,), group=_TOLD),
        Command("moves", "", "all moves so far", in_game.moves, (conditions.seen,), group=_TOLD),
        Command("fen", "", "the position as FEN", in_game.fen, (conditions.shown,), group=_TOLD),
        Command(
            "back",
            "[N]",
            "the board N half-moves earlier",
            in_game.back,
            (conditions.shown,),
            "on the screen also Left and Home, while nothing is typed",
            _STEPS,
        ),
        Command(
            "forward",
            "[N]",
            "the board N half-moves later",
            in_game.forward,
            (conditions.shown,),
            "on the screen also Right and End; Escape returns to the present",
            _STEPS,
        ),
        Command(
            "save",
            "[FILE]",
            "add the game to a PGN file",
            in_game.save,
            (conditions.seen,),
            "other games in the file are kept, an earlier save of this game is replaced; the"
            " default name is game-NUMBER.pgn",
        ),
        Command(
            "admin",
            "WORD ...",
            "administer the server",
            in_lobby.pass_on("admin", "help"),
            _LOBBY,
            _ADMIN,
            rare=True,
        ),
        Command(
            "help",
            "[COMMAND]",
            "this list, or more about one command",
            _help,
            arguments=_names,
        ),
        Command(
            "quit",
            "",
            "leave (asks first in a game)",
            _quit,
            (),
            "quit yes: at once",
            arguments=arguments.one_of(YES),
        ),
    )
}

ON_YES: Mapping[YesNoQuestion, Action] = {
    YesNoQuestion.RESIGN: in_game.resign,
    YesNoQuestion.QUIT: _quit,
}
ON_NO: Mapping[YesNoQuestion, str] = {
    YesNoQuestion.RESIGN: "You play on.",
    YesNoQuestion.QUIT: "You stay.",
}

__all__ = ["COMMANDS", "ON_NO", "ON_YES", "Command", "help_lines", "leave"]

"""Handlers for the server's messages: they change the state and yield effects. Pure.

Every message is sanitized before it comes here. Servers without a lobby work too: the `go` tells
which side is ours, and names stay unknown.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ulci.protocol.messages import (
    Clock,
    Go,
    Hello,
    HelloOk,
    Id,
    Info,
    IsReady,
    Lobby,
    Message,
    NewGame,
    Option,
    OptionType,
    Position,
    Quit,
    ReadyOk,
    Report,
    SetOption,
    Stop,
)
from ulci.rules import GAMES, Side, StartError
from ulci.rules.liberty import PIECES
from ulci_client.reconnect import with_hint_in_words

from . import lobby_handlers, watching
from .clocks import clocks_said
from .game import Game, UnreadableError
from .lobby_game_handlers import sat_down
from .move_entry import NO_MOVE, finish_game, make_move, make_premove, move_news, read_result
from .state import ClientState, Effect, LinkState, News, NewsKind, Send

_KINDS = {"computer": "engine", "human": "human"}

Handler = Callable[[ClientState, Any, float], Iterator[Effect]]


def hear(state: ClientState, message: Message, at: float) -> list[Effect]:
    """The effects of a sanitized message that came at `at` (s)."""
    handler, before = _HANDLERS.get(type(message)), state.game
    effects = [] if handler is None else [*handler(state, message, at)]
    if state.game is not None and state.game is not before:
        state.game.began = at
    return effects


# Introductions


def _hello(state: ClientState, _: Hello, __: float) -> Iterator[Effect]:
    introduction: list[Message] = [
        Id("name", state.program),
        Id("username", state.name),
        Id("feature", "lobby"),
        # All of ULCI's boards and pieces; without these ids only standard chess.
        Id("version", "1"),
        Id("pieces", PIECES),
        Option("UCI_Chess960", OptionType.CHECK, "false"),
        # Without it the server does not tell whether the opponent is a person.
        Option("UCI_Opponent", OptionType.STRING, ""),
    ]
    for key, value in (("token", state.token), ("resume", state.secret)):
        if value:
            introduction.insert(3, Id(key, value))
    state.line = LinkState.READY
    yield from (Send(message) for message in (*introduction, HelloOk()))


def _is_ready(_: ClientState, __: IsReady, ___: float) -> Iterator[Effect]:
    yield Send(ReadyOk())


def _set_option(state: ClientState, message: SetOption, _: float) -> Iterator[Effect]:
    value = message.value or ""
    if message.name.casefold() == "uci_chess960":
        state.chess960 = value.casefold() == "true"
    if message.name.casefold() == "uci_opponent":
        # [title|none] [rating|none] computer|human name (UCI, UCI_Opponent)
        words = value.split(maxsplit=3)
        if len(words) == 4:
            state.opponent = (_KINDS.get(words[2], ""), words[3])
    yield from ()


# A game


def _new_game(state: ClientState, _: NewGame, __: float) -> Iterator[Effect]:
    game = state.game
    ours_again = game is not None and game.id is not None and (game.unsure or game.returned)
    if game is None or (game.seen and not ours_again):
        state.game = Game()
    yield from ()


def _position(state: ClientState, message: Position, at: float) -> Iterator[Effect]:
    game = _game_at(state, message)
    sent = game.sent or game.repeat
    refused = sent is not None and message.moves == game.raw
    was_seen, unsure = game.seen, game.unsure
    game.repeat = sent if refused and game.returned else None
    shortened, game.shortened = game.shortened, False
    try:
        plies = game.follow(message.start, message.moves)
    except UnreadableError as error:
        text = f"The board cannot be shown: {error}. Moves are sent as you type them."
        yield News(NewsKind.ERROR, text)
        plies = game.plies[-1:]
    if game.repeat is not None:
        pass  # lost with the connection; it is sent again at the next `go`
    elif refused and unsure:
        yield News(
            NewsKind.SERVER, "Your move was lost with the connection; the board is unchanged."
        )
    elif refused and not shortened:
        yield News(NewsKind.SERVER, "Your move was not made; the board is unchanged.")
    elif plies is None and was_seen and not shortened:
        yield News(NewsKind.SERVER, f"The server set the board back to move {len(game.plies)}.")
    if plies is None or refused:
        game.premove = ""  # it was meant for another position
    if plies is None and not was_seen:
        plies = game.plies[-1:]  # on joining, tell at least the last move
    for ply in plies or ():
        game.trouble = ""  # a move ends it
        yield move_news(ply)
    if game.ended and not state.welcomed:  # without a lobby nobody else will
        yield from finish_game(state, game.ended, at)


def _game_at(state: ClientState, message: Position) -> Game:
    """The position's game: a new one if the last is over and this does not continue it."""
    game = state.game
    if (
        game is not None
        and game.over
        and (game.raw != message.moves[: len(game.raw)] or not game.raw)
    ):
        game = None
    if game is None:
        game = Game()
    if not game.seen and game.rules == "chess" and state.chess960:
        game.rules = "chess960"
    elif not game.seen and game.id is None and _is_liberty(message.start):
        game.rules = "liberty"
    state.game = game
    return game


def _is_liberty(start: str | None) -> bool:
    """Guess for servers without a lobby: what chess cannot read, but Liberty Chess can."""
    return start is not None and not _readable("chess", start) and _readable("liberty", start)


def _readable(game: str, start: str) -> bool:
    try:
        GAMES[game].new(start)
    except StartError:
        return False
    return True


def _go(state: ClientState, message: Go, at: float) -> Iterator[Effect]:
    game = state.game = state.game or Game()
    if game.asked:
        # Every `go` needs an answer (takebacks, a server that asks again): the null move answers
        # the old one, the next typed move this one.
        yield Send(NO_MOVE)
    game.asked, game.told = True, game.mine
    if game.turn is not None:
        game.clocks = clocks_said(message, game.turn, at)
        yield from _seated(state, game, game.turn)
    move, game.repeat = game.repeat, None
    if move is not None:
        yield News(NewsKind.SERVER, "Your move was lost with the connection; it is sent again.")
        yield from make_move(game, move, at)
    elif not game.premove:
        yield News(NewsKind.TURN, "Your move.", "your move")
    else:
        yield from make_premove(game, at)


def _clock(state: ClientState, message: Clock, at: float) -> Iterator[Effect]:
    game = state.game
    if game is None:
        return
    if not game.asked:  # else time was given, and it is still our turn
        game.told = None if game.mine is None else game.mine.other
    if game.turn is None:
        return
    game.clocks = clocks_said(message, game.turn, at)
    if game.over:
        game.clocks = game.clocks and game.clocks.stopped(at)
    else:
        yield from _seated(state, game, game.turn.other)


def _seated(state: ClientState, game: Game, mine: Side) -> Iterator[Effect]:
    """A `go` tells our side, unless the lobby has told it."""
    if game.mine is not None or game.watched:
        return
    game.mine = mine
    yield sat_down(state, game)


def _stop(state: ClientState, _: Stop, __: float) -> Iterator[Effect]:
    if state.game is not None and state.game.asked:
        state.game.asked = False
        yield Send(NO_MOVE)


# Talk


def _info(state: ClientState, message: Info, at: float) -> Iterator[Effect]:
    if message.string is None:
        yield from watching.think(state, message)
        return
    result = read_result(message.string)
    if result is not None:
        yield from finish_game(state, result, at)
    else:
        yield News(
            NewsKind.SERVER, f"The server says: {message.string}", f"server {message.string}"
        )


def _report(_: ClientState, message: Report, __: float) -> Iterator[Effect]:
    text = with_hint_in_words(message.text)
    yield News(NewsKind.ERROR, f"The server says: {text}", f"error {text}")


def _quit(_: ClientState, __: Quit, ___: float) -> Iterator[Effect]:
    yield News(NewsKind.SERVER, "The server says goodbye.", "server goodbye")


def _lobby(state: ClientState, message: Lobby, at: float) -> Iterator[Effect]:
    yield from lobby_handlers.hear(state, message.line, at)


_HANDLERS: Mapping[type, Handler] = {
    Hello: _hello,
    IsReady: _is_ready,
    SetOption: _set_option,
    NewGame: _new_game,
    Position: _position,
    Go: _go,
    Clock: _clock,
    Stop: _stop,
    Info: _info,
    Report: _report,
    Quit: _quit,
    Lobby: _lobby,
}

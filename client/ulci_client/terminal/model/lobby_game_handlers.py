"""Handlers for ``lobby game 42 …``. Pure."""

from collections.abc import Iterator, Mapping
from itertools import chain

from ulci.conduct import conduct_in_words
from ulci.protocol.lobby.lines import (
    DrawDecline,
    DrawOffer,
    GameOver,
    GameStart,
    ListedGame,
    OpponentState,
    Pause,
    Resumption,
    TakebackDecline,
    TakebackOffer,
    TakenBack,
    TimeGift,
    WentBerserk,
)
from ulci.rules import Side

from . import opponent
from .clocks import in_minutes
from .game import Game
from .lobby_lists import Reader, entry, ours
from .move_entry import finish_game
from .phrases import Result, half_moves, lag_in_words
from .state import ClientState, Effect, News, NewsKind


def _start(state: ClientState, line: GameStart, _: float) -> Iterator[Effect]:
    number, game = line.id, state.game
    if game is None or game.over or game.id not in (None, number):
        game = state.game = Game()
    again = game.id == number
    game.id = number
    game.names = [line.white, line.black]
    game.levels = [line.white_level, line.black_level]
    game.ratings = [line.white_rating, line.black_rating]
    game.control, game.rated, game.lag = line.time, line.rated, line.lag
    game.conduct, game.book = line.conduct, line.book
    if not game.seen and line.game:
        game.rules = line.game
    sides = _sides_called(game, state.me) or _sides_called(game, state.name)
    if len(sides) == 1:  # else the first `go` will tell
        game.mine = sides[0]
    state.wanted = state.invited = None
    state.page = state.question = None
    state.challenges.clear()
    state.challenging.clear()
    if again:
        game.unsure, game.returned = False, True
        yield News(NewsKind.YOU, "Back at the game.", f"back at game {number}")
    elif game.mine is not None:
        yield sat_down(state, game)


def sat_down(state: ClientState, game: Game) -> News:
    """The news of our side and opponent."""
    assert game.mine is not None
    theirs = game.mine.other
    kind, name = state.opponent
    game.kinds[theirs] = game.kinds[theirs] or kind or _kind_of(state, game.names[theirs])
    game.names[theirs] = game.names[theirs] or name
    game.names[game.mine] = game.names[game.mine] or state.me
    state.opponent = ("", "")
    kind = f" ({game.kind(theirs)})" if game.kind(theirs) else ""
    what = f"{game.rules} {game.control}".strip() + (", rated" if game.rated else "")
    what += f", {lag_in_words(game.lag, explained=True)}" if game.lag else ""
    what += f", {conduct_in_words(game.conduct)}" if game.conduct else ""
    what += f", begun with {half_moves(game.book)} of a book" if game.book else ""
    color, rival = game.mine.word, game.names[theirs] or "somebody"
    return News(
        NewsKind.YOU,
        f"You are {color.capitalize()} against {rival}{kind}: {what}.",
        f"you are {color} against {rival}{kind}, {what}",
    )


def _kind_of(state: ClientState, name: str) -> str:
    players = state.players.get(name)
    if players is not None:
        return players.kind
    seeks = chain(state.seeks.values(), state.challenges.values())
    return next((one.kind for one in seeks if one.player == name), "")


def _playing(state: ClientState, line: ListedGame, _: float) -> Iterator[Effect]:
    what = f"{line.white} - {line.black} {line.game} {line.time}"
    state.games[line.id] = what
    ply = "" if line.ply is None else f" ply {line.ply}"
    yield from entry(state, "games", f"{line.id} {what}{ply}")


def _offer(state: ClientState, line: DrawOffer | TakebackOffer, _: float) -> Iterator[Effect]:
    plies = line.plies if isinstance(line, TakebackOffer) else 0
    what, name = "takeback" if plies else "draw", line.by
    game = ours(state, line.id)
    if game is None or not (sides := _sides_called(game, name)):
        return
    # Both have this name: it is ours if we have just made the offer, else theirs.
    side = next((side for side in sides if (side, what) in game.offers), sides[-1])
    if len(sides) > 1 and (side, what) not in game.offers and game.mine is not None:
        side = game.mine.other
    if (side, what) in game.offers and (side is game.mine or plies == game.plies_back):
        return  # already shown when it was typed
    game.offers.add((side, what))
    if side is not game.mine and what == "takeback":
        game.plies_back = plies
    text = _offered(game, name, what, plies, ours=side is game.mine)
    yield News(NewsKind.OFFER, text, f"offer {what}{f' {plies}' if plies else ''} from {name}")


def _offered(game: Game, name: str, what: str, plies: int, *, ours: bool) -> str:
    if what == "takeback":
        who = "You ask" if ours else f"{name} asks"
        how = "" if ours or game.watched else ": takeback grants it, a move declines"
        return f"{who} to take back {half_moves(plies)}{how}."
    return f"You offer a {what}." if ours else f"{name} offers a {what}."


def _decline(state: ClientState, line: DrawDecline | TakebackDecline, _: float) -> Iterator[Effect]:
    what, name = "draw" if isinstance(line, DrawDecline) else "takeback", line.by
    game = ours(state, line.id)
    if game is None:
        return
    game.offers = {offer for offer in game.offers if offer[1] != what}
    if name != state.me:
        yield News(NewsKind.OFFER, f"{name} declines the {what}.", f"decline {what} from {name}")


def _sides_called(game: Game, name: str) -> list[Side]:
    """The sides with this name; the lobby spells names as one word."""
    return [
        side for side in Side if game.names[side] and game.names[side] == "_".join(name.split())
    ]


def _takeback(state: ClientState, line: TakenBack, _: float) -> Iterator[Effect]:
    game = ours(state, line.id)
    if game is None:
        return
    game.offers.clear()
    game.shortened, game.plies_back = True, 0
    text = f"{half_moves(line.plies)} taken back; the game goes on from there."
    yield News(NewsKind.TAKEBACK, text, f"takeback {line.plies} ply {line.ply}")


def _givetime(state: ClientState, line: TimeGift, _: float) -> Iterator[Effect]:
    game = ours(state, line.id)
    if game is None:
        return
    to = next(side for side in Side if side.word == line.to)
    game.clocks = game.clocks and game.clocks.given(to, line.ms)
    giver = "You give" if line.by == state.me else f"{line.by} gives"
    whom = "you" if to is game.mine else game.named(to)
    text = f"givetime {in_minutes(line.ms)} to {line.to} from {line.by}"
    yield News(NewsKind.TIME, f"{giver} {whom} {line.ms / 1000:g} s more.", text)


def _berserk(state: ClientState, line: WentBerserk, _: float) -> Iterator[Effect]:
    if ours(state, line.id) is not None:
        who = "You go" if line.by == state.me else f"{line.by} goes"
        text = f"{who} berserk: half the time, and no increment."
        yield News(NewsKind.TIME, text, f"berserk {line.side} {line.by}")


def _resumed(state: ClientState, line: Resumption, _: float) -> Iterator[Effect]:
    if ours(state, line.id) is not None:
        text, short = "The server was down", "server resumed"
        if line.downtime is not None:
            text += f" for {round(line.downtime / 1000, 1):g} s"
            short += f" after {in_minutes(line.downtime)}"
        text, short = f"{text}; no clock was charged.", f"{short}, no clock charged"
        yield News(NewsKind.SERVER, text, short)


def _paused(state: ClientState, line: Pause, at: float) -> Iterator[Effect]:
    """The server stops; no clock runs until it is back."""
    game = ours(state, line.id)
    if game is not None:
        game.clocks = game.clocks and game.clocks.stopped(at)
        text = "The server pauses the game; the clocks are stopped until it is back."
        yield News(NewsKind.SERVER, text, "server paused the game")


def _over(state: ClientState, line: GameOver, at: float) -> Iterator[Effect]:
    if ours(state, line.id) is not None:
        yield from finish_game(state, Result(line.result, line.reason or "unknown"), at)


HANDLERS: Mapping[type, Reader] = {
    GameStart: _start,
    ListedGame: _playing,
    DrawOffer: _offer,
    TakebackOffer: _offer,
    DrawDecline: _decline,
    TakebackDecline: _decline,
    TakenBack: _takeback,
    TimeGift: _givetime,
    WentBerserk: _berserk,
    Resumption: _resumed,
    Pause: _paused,
    OpponentState: opponent.hear,
    GameOver: _over,
}

"""What a person may do in a game beside moving. Pure."""

from collections.abc import Iterator

from ulci.protocol import (
    ULCI,
    Abort,
    Claim,
    Draw,
    Message,
    Rematch,
    RemoteProtocolError,
    Resign,
    Role,
    Takeback,
)

from . import opposite
from .explain import looks_like_move
from .game import Game
from .hear import make_premove
from .lobby_games import half_moves
from .needs import RefusedError
from .state import Effect, Kind, News, Question, Send, State


def resign(state: State, rest: str, _: float) -> Iterator[Effect]:
    if rest.lower() == "yes":
        _game(state).ending = True
        yield Send(Resign())
        return
    state.question = Question.RESIGN
    yield News(Kind.ASK, "Resign this game? yes or no", "ask resign? answer yes or no")


def draw(state: State, _: str, __: float) -> Iterator[Effect]:
    game = _game(state)
    if game.mine is not None:
        if (game.mine, "draw") in game.offers:
            raise RefusedError(f"your draw offer stands until {game.opponent} moves")
        accepts = (game.mine.other, "draw") in game.offers
        game.offers.add((game.mine, "draw"))
        game.ending = accepts
        text = "You accept the draw." if accepts else "You offer a draw."
        yield News(Kind.OFFER, text, "ok draw accepted" if accepts else "ok draw offered")
    yield Send(Draw())


def takeback(state: State, rest: str, _: float) -> Iterator[Effect]:
    game = _game(state)
    asked = _read("takeback", rest)
    theirs = game.mine is not None and (game.mine.other, "takeback") in game.offers
    if theirs and asked not in (Takeback(), Takeback(game.plies_back)):
        # Whatever number was said, the server would take it for a yes.
        what = half_moves(game.plies_back)
        raise RefusedError(f"{game.opponent} asks {what} back: takeback grants just that")
    if theirs:
        game.offers = {offer for offer in game.offers if offer[1] != "takeback"}
        yield News(Kind.OFFER, "You grant the takeback.", "ok takeback accepted")
        yield Send(Takeback(game.plies_back or None))
        return
    if not game.plies:
        raise RefusedError("nobody has moved yet, so there is nothing to take back")
    assert isinstance(asked, Takeback)
    if asked.plies is not None and asked.plies > len(game.plies):
        raise RefusedError(f"only {half_moves(len(game.plies))} can be taken back")
    if game.mine is not None:
        game.offers.add((game.mine, "takeback"))
    what = "your last move" if asked.plies is None else half_moves(asked.plies)
    yield News(Kind.OFFER, f"You ask to take back {what}.", "ok takeback asked")
    yield Send(asked)


def premove(state: State, rest: str, at: float) -> Iterator[Effect]:
    """A move for our next turn, or for this one if it has just come."""
    game = _game(state)
    before, game.premove = game.premove, ""
    if not rest:
        if not before:
            raise RefusedError("which move? write for example: premove Nf3")
        yield News(Kind.OK, f"Your premove {before} is taken back.", f"ok no premove {before}")
        return
    if " " in rest or (game.position is not None and not looks_like_move(rest)):
        raise RefusedError(f"{rest} is not written as a move; write for example: premove Nf3")
    game.premove = rest
    if game.asked:
        yield from make_premove(game, at)
        return
    text = f"Premove {rest}: it is made as soon as it is your turn, if it is legal then."
    yield News(Kind.OK, text, f"ok premove {rest}")


def claim(state: State, rest: str, at: float) -> Iterator[Effect]:
    game, said = _game(state), _read("claim", rest)
    # A draw may be claimed by the rules of the game, too, and those the server knows best.
    if said == Claim("win") and game.trouble != "gone":
        if game.away is None:
            raise RefusedError(f"{game.opponent} is not away, so no win can be claimed")
        if not opposite.claimable(game, at):
            raise RefusedError(f"not yet: {game.opponent} {opposite.until_claim(game, at)}")
    game.ending = True
    yield Send(said)


def give_time(state: State, rest: str, _: float) -> Iterator[Effect]:
    game, said = _game(state), _read("givetime", rest)
    if game.clocks is None:
        raise RefusedError("there are no clocks in this game")
    yield Send(said)


def abort(state: State, _: str, __: float) -> Iterator[Effect]:
    _game(state).ending = True
    yield Send(Abort())


def rematch(_: State, __: str, ___: float) -> Iterator[Effect]:
    yield Send(Rematch())


def accept(state: State, game: Game, at: float) -> Iterator[Effect]:
    """What the opponent offers, without naming it."""
    offered = [what for side, what in game.offers if side is not game.mine]
    if not offered:
        raise RefusedError("nothing was offered")
    if len(offered) > 1:
        raise RefusedError("which? write draw, or takeback")
    yield from {"draw": draw, "takeback": takeback}[offered[0]](state, "", at)


def _game(state: State) -> Game:
    assert state.game is not None
    return state.game


def _read(verb: str, rest: str) -> Message:
    """What was typed, read as the server will read it."""
    try:
        message = ULCI.with_lobby().read_untrusted(f"{verb} {rest}", Role.SERVER)
    except RemoteProtocolError as error:
        raise RefusedError(str(error)) from error
    return message  # type: ignore[return-value]  # nothing that is deferred

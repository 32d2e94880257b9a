"""Commands of a game: offers, claims, premoves; board, clocks, moves, save. Pure."""

from collections.abc import Iterator

from ulci.protocol.messages import Abort, Berserk, Claim, Draw, Resign, Takeback
from ulci_client.terminal.model import opponent
from ulci_client.terminal.model.game import Game
from ulci_client.terminal.model.move_entry import looks_like_move, make_premove
from ulci_client.terminal.model.phrases import half_moves
from ulci_client.terminal.model.state import (
    ClientState,
    Effect,
    News,
    NewsKind,
    Page,
    Save,
    Send,
    YesNoQuestion,
)
from ulci_client.terminal.view import plain_lines

from .conditions import ConditionError, number, read


def resign(state: ClientState, rest: str, _: float) -> Iterator[Effect]:
    if rest.lower() == "yes":
        _game_of(state).ending = True
        yield Send(Resign())
        return
    state.question = YesNoQuestion.RESIGN
    yield News(NewsKind.ASK, "Resign this game? yes or no", "ask resign? answer yes or no")


def draw(state: ClientState, _: str, __: float) -> Iterator[Effect]:
    game = _game_of(state)
    if game.mine is not None:
        if (game.mine, "draw") in game.offers:
            raise ConditionError(f"your draw offer stands until {game.opponent} moves")
        accepts = (game.mine.other, "draw") in game.offers
        game.offers.add((game.mine, "draw"))
        game.ending = accepts
        text = "You accept the draw." if accepts else "You offer a draw."
        yield News(NewsKind.OFFER, text, "ok draw accepted" if accepts else "ok draw offered")
    yield Send(Draw())


def takeback(state: ClientState, rest: str, _: float) -> Iterator[Effect]:
    game = _game_of(state)
    asked = read("takeback", rest)
    theirs = game.mine is not None and (game.mine.other, "takeback") in game.offers
    if theirs and asked not in (Takeback(), Takeback(game.plies_back)):
        # The server takes any number as consent.
        what = half_moves(game.plies_back)
        raise ConditionError(
            f"{game.opponent} asks to take back {what}: takeback agrees to just that"
        )
    if theirs:
        game.offers = {offer for offer in game.offers if offer[1] != "takeback"}
        yield News(NewsKind.OFFER, "You grant the takeback.", "ok takeback accepted")
        yield Send(Takeback(game.plies_back or None))
        return
    made = len(game.plies) - game.book
    if made < 1:
        raise ConditionError("there is no move to take back yet")
    assert isinstance(asked, Takeback)
    if asked.plies is not None and asked.plies > made:
        raise ConditionError(f"only {half_moves(made)} can be taken back")
    if game.mine is not None:
        game.offers.add((game.mine, "takeback"))
    what = "your last move" if asked.plies is None else half_moves(asked.plies)
    yield News(NewsKind.OFFER, f"You ask to take back {what}.", "ok takeback asked")
    yield Send(asked)


def premove(state: ClientState, rest: str, at: float) -> Iterator[Effect]:
    """A move for our next turn, or for this one if it has just begun."""
    game = _game_of(state)
    before, game.premove = game.premove, ""
    if not rest:
        if not before:
            raise ConditionError("which move? write for example: premove Nf3")
        yield News(NewsKind.OK, f"Your premove {before} is cancelled.", f"ok no premove {before}")
        return
    if " " in rest or (game.position is not None and not looks_like_move(rest)):
        raise ConditionError(f"{rest} is not a move; write for example: premove Nf3")
    game.premove = rest
    if game.asked:
        yield from make_premove(game, at)
        return
    text = f"Premove {rest}: made as soon as it is your turn, if it is legal then."
    yield News(NewsKind.OK, text, f"ok premove {rest}")


def claim(state: ClientState, rest: str, at: float) -> Iterator[Effect]:
    game, said = _game_of(state), read("claim", rest)
    # A draw may also be claimed by the rules; the server judges that.
    if said == Claim("win") and game.trouble != "gone":
        if game.away is None:
            raise ConditionError(f"{game.opponent} is not away, so no win can be claimed")
        if not opponent.claimable(game, at):
            raise ConditionError(f"not yet: {game.opponent} {opponent.until_claim(game, at)}")
    game.ending = True
    yield Send(said)


def give_time(state: ClientState, rest: str, _: float) -> Iterator[Effect]:
    game, said = _game_of(state), read("givetime", rest)
    if game.clocks is None:
        raise ConditionError("there are no clocks in this game")
    yield Send(said)


def berserk(state: ClientState, _: str, __: float) -> Iterator[Effect]:
    game = _game_of(state)
    if any(ply.side is game.mine for ply in game.plies[game.book :]):
        raise ConditionError("berserk is said before your first move")
    yield Send(Berserk())


def abort(state: ClientState, _: str, __: float) -> Iterator[Effect]:
    _game_of(state).ending = True
    yield Send(Abort())


def accept_offer(state: ClientState, game: Game, at: float) -> Iterator[Effect]:
    """Accept the opponent's only offer."""
    offered = [what for side, what in game.offers if side is not game.mine]
    if not offered:
        raise ConditionError("nothing was offered")
    if len(offered) > 1:
        raise ConditionError("which? write draw, or takeback")
    yield from {"draw": draw, "takeback": takeback}[offered[0]](state, "", at)


def _game_of(state: ClientState) -> Game:
    assert state.game is not None
    return state.game


def flip(state: ClientState, _: str, __: float) -> Iterator[Effect]:
    state.flipped = not state.flipped
    yield News(NewsKind.OK, "The board is turned.", "ok flipped")


def board(state: ClientState, _: str, __: float) -> Iterator[Effect]:
    yield Page("Board", tuple(plain_lines.board_lines(state)))


def clock(state: ClientState, _: str, at: float) -> Iterator[Effect]:
    assert state.game is not None
    yield News(
        NewsKind.OK,
        plain_lines.clocks_in_words(state.game, at),
        plain_lines.clock_line(state.game, at),
    )


def back(state: ClientState, rest: str, _: float) -> Iterator[Effect]:
    """The board N half-moves earlier."""
    yield from _step(state, -(number(rest, "back 3") if rest else 1))


def forward(state: ClientState, rest: str, _: float) -> Iterator[Effect]:
    """The board N half-moves later."""
    yield from _step(state, number(rest, "forward 3") if rest else 1)


def _step(state: ClientState, plies: int) -> Iterator[Effect]:
    game = state.game
    assert game is not None
    game.look_at(game.plies_shown + plies)
    if not state.shows_lists:  # a full screen shows it anyway
        last = plain_lines.last_move(game)
        title = f"Board after {last}" if last else "Board before the first move"
        yield Page(title, tuple(plain_lines.board_lines(state)))


def moves(state: ClientState, _: str, __: float) -> Iterator[Effect]:
    assert state.game is not None
    yield Page("Moves", tuple(plain_lines.move_lines(state.game)))


def save(state: ClientState, rest: str, _: float) -> Iterator[Effect]:
    """Save the game, over or not; by default to a file named after its number."""
    assert state.game is not None
    number = "" if state.game.id is None else f"-{state.game.id}"
    yield Save(rest or f"game{number}.pgn", state.game)


def fen(state: ClientState, _: str, __: float) -> Iterator[Effect]:
    assert state.game is not None
    assert state.game.shown is not None
    yield News(NewsKind.OK, state.game.shown.fen(), f"fen {state.game.shown.fen()}")

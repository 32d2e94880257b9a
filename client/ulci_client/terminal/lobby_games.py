"""What the lobby announces of games: ``lobby game 42 …``. Pure."""

import math
from collections.abc import Iterator, Mapping
from itertools import chain

from ulci.rules import Side

from .announced import Reader, Words, facts, unknown
from .ending import finish
from .game import Game
from .listing import entry
from .state import Effect, Kind, News, State
from .words import Result


def hear(state: State, words: Words, at: float) -> Iterator[Effect]:
    """The words after ``lobby game``."""
    reader = _READERS.get(words[1])
    if reader is None:
        yield from unknown(state, ("game", *words), at)
    else:
        yield from reader(state, words, at)


def _start(state: State, words: Words, _: float) -> Iterator[Effect]:
    number, said = int(words[0]), facts(words[2:])
    game = state.game
    if game is None or game.over or game.id not in (None, number):
        game = state.game = Game()
    again = game.id == number
    game.id = number
    game.names = [said.get("white", ""), said.get("black", "")]
    game.control = said.get("time", "")
    game.rated = said.get("rated") == "yes"
    if not game.seen and "game" in said:
        game.rules = said["game"]
    sides = _sides_called(game, state.me) or _sides_called(game, state.name)
    if len(sides) == 1:  # else who is asked to move will tell
        game.mine = sides[0]
    state.wanted = None
    state.page = state.question = None
    state.challenges.clear()
    state.challenging.clear()
    if again:
        game.unsure = False
        yield News(Kind.YOU, "Back at the game.", f"back at game {number}")
    elif game.mine is not None:
        yield sat_down(state, game)


def sat_down(state: State, game: Game) -> News:
    """Which side we play, against whom."""
    assert game.mine is not None
    theirs = game.mine.other
    kind, name = state.opponent
    game.kinds[theirs] = game.kinds[theirs] or kind or _kind_of(state, game.names[theirs])
    game.names[theirs] = game.names[theirs] or name
    game.names[game.mine] = game.names[game.mine] or state.me
    state.opponent = ("", "")
    kind = f" ({game.kinds[theirs]})" if game.kinds[theirs] else ""
    what = f"{game.rules} {game.control}".strip() + (", rated" if game.rated else "")
    color, rival = game.mine.word, game.names[theirs] or "somebody"
    return News(
        Kind.YOU,
        f"You are {color.capitalize()} against {rival}{kind}: {what}.",
        f"you are {color} against {rival}{kind}, {what}",
    )


def _kind_of(state: State, name: str) -> str:
    guests = state.guests.get(name)
    if guests is not None:
        return guests.kind
    seeks = chain(state.seeks.values(), state.challenges.values())
    return next((one.kind for one in seeks if one.player == name), "")


def _playing(state: State, words: Words, _: float) -> Iterator[Effect]:
    said = facts(words[2:])
    names = f"{said.get('white')} - {said.get('black')}"
    line = f"{words[0]} {names} {said.get('game', '')} {said.get('time', '')}"
    yield from entry(state, "games", line + (f" ply {said['ply']}" if "ply" in said else ""))


def _ours(state: State, words: Words) -> Game | None:
    """The game on the screen, if the line speaks of it."""
    game = state.game
    return game if game is not None and game.id in (None, int(words[0])) else None


def _offer(state: State, words: Words, _: float) -> Iterator[Effect]:
    game, what, name = _ours(state, words), words[2], facts(words[3:])["from"]
    if game is None or not (sides := _sides_called(game, name)):
        return
    # Two of one name: ours is the offer that we have just made, else it is theirs.
    side = next((side for side in sides if (side, what) in game.offers), sides[-1])
    if len(sides) > 1 and (side, what) not in game.offers and game.mine is not None:
        side = game.mine.other
    if (side, what) in game.offers:
        return  # told already, when it was typed
    game.offers.add((side, what))
    text = f"You offer a {what}." if side is game.mine else f"{name} offers a {what}."
    yield News(Kind.OFFER, text, f"offer {what} from {name}")


def _decline(state: State, words: Words, _: float) -> Iterator[Effect]:
    game, what, name = _ours(state, words), words[2], facts(words[3:])["from"]
    if game is None:
        return
    game.offers = {offer for offer in game.offers if offer[1] != what}
    if name != state.me:
        yield News(Kind.OFFER, f"{name} declines the {what}.", f"decline {what} from {name}")


def _sides_called(game: Game, name: str) -> list[Side]:
    """As one word, which is how the lobby spells a name."""
    return [
        side for side in Side if game.names[side] and game.names[side] == "_".join(name.split())
    ]


def _opponent(state: State, words: Words, at: float) -> Iterator[Effect]:
    game, what = _ours(state, words), words[2]
    if game is None:
        return
    if what != "away":
        game.away = None
        yield News(Kind.OPPONENT, f"{game.opponent} is {what}.", f"opponent {what}")
        return
    claim_in = facts(words[3:]).get("claim-in")
    game.away = math.inf if claim_in is None else at + int(claim_in) / 1000
    limit = "" if claim_in is None else f" and has {int(claim_in) // 1000} s to come back"
    text = f"{game.opponent} has lost the line{limit}."
    yield News(Kind.OPPONENT, text, f"opponent away {claim_in or ''}".rstrip())


def _over(state: State, words: Words, at: float) -> Iterator[Effect]:
    said = facts(words[2:])
    if _ours(state, words) is not None:
        yield from finish(state, Result(said["result"], said.get("reason", "unknown")), at)


_READERS: Mapping[str, Reader] = {
    "start": _start,
    "playing": _playing,
    "offer": _offer,
    "decline": _decline,
    "opponent": _opponent,
    "over": _over,
}

"""What the lobby announces of games: ``lobby game 42 …``. Pure."""

from collections.abc import Iterator, Mapping
from itertools import chain

from ulci.rules import Side

from . import opposite
from .announced import Reader, Words, facts, ours, unknown
from .clocks import in_minutes
from .ending import finish
from .game import Game
from .listing import entry
from .state import Effect, Kind, News, State
from .words import Result, lag_in_words


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
    game.lag = said.get("lag", "")
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
        game.unsure, game.returned = False, True
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
    what += f", {lag_in_words(game.lag, explained=True)}" if game.lag else ""
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
    state.games[int(words[0])] = line.partition(" ")[2]
    yield from entry(state, "games", line + (f" ply {said['ply']}" if "ply" in said else ""))


def _offer(state: State, words: Words, _: float) -> Iterator[Effect]:
    """``offer draw from Bob``, ``offer takeback 2 from Bob``."""
    what, *number = words[2 : words.index("from")]
    game, name = ours(state, words), facts(words[3 + len(number) :])["from"]
    if game is None or not (sides := _sides_called(game, name)):
        return
    # Two of one name: ours is the offer that we have just made, else it is theirs.
    side = next((side for side in sides if (side, what) in game.offers), sides[-1])
    if len(sides) > 1 and (side, what) not in game.offers and game.mine is not None:
        side = game.mine.other
    plies = int(number[0]) if number else 0
    if (side, what) in game.offers and (side is game.mine or plies == game.plies_back):
        return  # told already, when it was typed
    game.offers.add((side, what))
    if side is not game.mine and what == "takeback":
        game.plies_back = plies
    line = f"offer {' '.join((what, *number))} from {name}"
    yield News(Kind.OFFER, _offered(game, name, what, plies, ours=side is game.mine), line)


def _offered(game: Game, name: str, what: str, plies: int, *, ours: bool) -> str:
    if what == "takeback":
        who = "You ask" if ours else f"{name} asks"
        how = "" if ours or game.watched else ": takeback grants it, a move declines"
        return f"{who} to take back {half_moves(plies)}{how}."
    return f"You offer a {what}." if ours else f"{name} offers a {what}."


def _decline(state: State, words: Words, _: float) -> Iterator[Effect]:
    game, what, name = ours(state, words), words[2], facts(words[3:])["from"]
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


def _takeback(state: State, words: Words, _: float) -> Iterator[Effect]:
    """``takeback 2 ply 14``: two are gone, 14 are left; the position follows."""
    game, plies = ours(state, words), int(words[2])
    if game is None:
        return
    game.offers.clear()
    game.shortened, game.plies_back = True, 0
    text = f"{half_moves(plies)} taken back; the game goes on from there."
    yield News(Kind.TAKEBACK, text, " ".join(words[1:]))


def _givetime(state: State, words: Words, _: float) -> Iterator[Effect]:
    """``givetime 15000 to black from Ada``."""
    game, ms, said = ours(state, words), int(words[2]), facts(words[3:])
    if game is None:
        return
    to = next(side for side in Side if side.word == said["to"])
    game.clocks = game.clocks and game.clocks.given(to, ms)
    giver = "You give" if said["from"] == state.me else f"{said['from']} gives"
    whom = "you" if to is game.mine else game.named(to)
    line = f"givetime {in_minutes(ms)} to {said['to']} from {said['from']}"
    yield News(Kind.TIME, f"{giver} {whom} {ms / 1000:g} s more.", line)


def _resumed(state: State, words: Words, _: float) -> Iterator[Effect]:
    """``resumed downtime 12300``: the server was away (ms)."""
    ms = int(facts(words[2:])["downtime"])
    if ours(state, words) is not None:
        text = f"The server was away for {ms / 1000:.0f} s; nobody's clock paid for it."
        line = f"server resumed after {in_minutes(ms)}, no clock paid for it"
        yield News(Kind.SERVER, text, line)


def _paused(state: State, words: Words, at: float) -> Iterator[Effect]:
    """The server ends, and no clock runs until it is back."""
    game = ours(state, words)
    if game is not None:
        game.clocks = game.clocks and game.clocks.stopped(at)
        text = "The server pauses the game; the clocks stand still until it is back."
        yield News(Kind.SERVER, text, "server paused the game")


def half_moves(plies: int) -> str:
    return "1 half-move" if plies == 1 else f"{plies} half-moves"


def _over(state: State, words: Words, at: float) -> Iterator[Effect]:
    said = facts(words[2:])
    if ours(state, words) is not None:
        yield from finish(state, Result(said["result"], said.get("reason", "unknown")), at)


_READERS: Mapping[str, Reader] = {
    "start": _start,
    "playing": _playing,
    "offer": _offer,
    "decline": _decline,
    "takeback": _takeback,
    "givetime": _givetime,
    "resumed": _resumed,
    "paused": _paused,
    "opponent": opposite.hear,
    "over": _over,
}

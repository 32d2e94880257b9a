"""How the lobby says things: one line each, key and value in turn (``lobby …``)."""

from collections.abc import Callable

from ulci.protocol.messages import Lobby
from ulci_server.game import Game
from ulci_server.game.telling import called

from .player import Profile
from .wish import Wish


def word(text: str) -> str:
    """A value that may hold blanks, as one word."""
    return "_".join(text.split()) or "-"


def welcome(who: Profile, resume: str) -> Lobby:
    account = "no" if who.account is None else "yes"
    return Lobby(("welcome", "name", who.handle, "account", account, "resume", resume))


LONGEST_START = 120
"""Letters of a start as everybody is told it: the longest FEN of chess has fewer."""


def short(start: str) -> str:
    """The beginning of a long start, which ends with an ellipsis."""
    return start if len(start) <= LONGEST_START else f"{start[:LONGEST_START]}…"


def _whole(start: str) -> str:
    return start


def _terms(wish: Wish, spelled: Callable[[str], str] = _whole) -> tuple[str, ...]:
    """What is wished, as key and value; `spelled` of its start."""
    only = wish.starts[0] if len(wish.starts) == 1 else None
    start = ("start", spelled(word(only))) if only else ()
    return (
        *("player", wish.who.handle),
        *("kind", wish.who.kind),
        *("game", wish.game.name),
        *("time", str(wish.control)),
        *("color", wish.color),
        *("rated", "yes" if wish.rated else "no"),
        *("lag", wish.house.lag.value),
        *start,
    )


def seek(wish: Wish) -> Lobby:
    """Everybody is told this: a long start is cut short. Who plays it is given the whole."""
    return Lobby(("seek", str(wish.id), *_terms(wish, short)))


def challenge(wish: Wish) -> Lobby:
    return Lobby(("challenge", str(wish.id), *_terms(wish)))


def challenging(number: int, to: Profile) -> Lobby:
    return Lobby(("challenging", str(number), "player", to.handle))


def gone(number: int) -> Lobby:
    return Lobby(("gone", str(number)))


def declined(number: int, who: Profile) -> Lobby:
    return Lobby(("declined", str(number), "by", who.handle))


def error(code: str, text: str) -> Lobby:
    return Lobby(("error", code, *text.split()))


def namesake(who: Profile) -> Lobby:
    """Why a seek that somebody else has too does not begin a game."""
    text = f"{who.handle} seeks such a game too, but an engine's name does not meet itself"
    return Lobby(("note", "same-name", *text.split()))


def unmatched(why: str) -> Lobby:
    """Somebody else waits for the same, and could not be given it."""
    return Lobby(("note", "cannot-play", *why.split()))


def elsewhere(handle: str, game: int | None = None) -> Lobby:
    """Whoever came in a second time is here already under that name, and in that game."""
    if game is None:
        text = f"your other connection is {handle}"
        return Lobby(("note", "here-already", *text.split()))
    text = f"your other connection, {handle}, is in game {game} and goes on with it"
    return Lobby(("note", "plays-elsewhere", *text.split()))


def count(what: str, number: int) -> Lobby:
    """Said before a list, so that a program knows how many lines follow."""
    return Lobby((what, str(number)))


def player(who: Profile, state: str) -> Lobby:
    return Lobby(("player", who.handle, "kind", who.kind, "state", state))


def playing(game: Game) -> Lobby:
    """``lobby game 42 playing white Ada black Bob game chess time 300+3 ply 12``."""
    white, black = (called(seat) for seat in game.seats)
    names = ("white", white, "black", black)
    what = ("game", game.started.rules, "time", str(game.control), "ply", str(len(game.moves)))
    return Lobby(("game", str(game.id), "playing", *names, *what))


def watching(game: Game) -> Lobby:
    """``lobby watch 42 white Ada black Bob game chess time 300+3 rated yes ply 12``."""
    white, black = (called(seat) for seat in game.seats)
    started = game.started
    rated = "yes" if started.rated else "no"
    what = ("game", started.rules, "time", str(game.control), "rated", rated)
    ply = ("ply", str(len(game.moves)))
    return Lobby(("watch", str(game.id), "white", white, "black", black, *what, *ply))


def unwatched(number: int) -> Lobby:
    """``lobby unwatch 42``."""
    return Lobby(("unwatch", str(number)))


def said(who: str, text: str) -> Lobby:
    """``lobby say Bob good luck``."""
    return Lobby(("say", who, *text.split()))


def told(who: str, text: str) -> Lobby:
    """``lobby tell Bob good luck``."""
    return Lobby(("tell", who, *text.split()))


def note(code: str, text: str) -> Lobby:
    """Something worth knowing that is nobody's fault."""
    return Lobby(("note", code, *text.split()))

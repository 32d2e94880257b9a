"""What the lobby announces: ``lobby …``, a keyword and then key and value in turn. Pure."""

from collections.abc import Iterator, Mapping

from ulci.protocol import Accept, Seek, Seeks, Watch, Who

from . import confirm, lobby_games, watching
from .announced import Reader, Words, facts, unknown
from .ending import finish
from .listing import entry, is_open, listing
from .state import Effect, Guest, Kind, Listed, News, Send, State
from .terms import start_name
from .words import UNHEARD, Result, lag_in_words, without_hint

# Refusals after which the same seek would be refused again.
HOPELESS = frozenset({"no-such-game", "bad-time", "bad-start", "cannot-play", "too-many-seeks"})

_COLORS_FOR_US = {"white": "you as Black", "black": "you as White"}


def hear(state: State, words: Words, at: float) -> Iterator[Effect]:
    """The words after ``lobby``."""
    handler = _KEYWORDS.get(words[0]) if words else None
    try:
        yield from (handler or unknown)(state, words[1:] if handler else words, at)
    except (IndexError, KeyError, ValueError):
        # Somebody else's lobby: a line without what ours always has.
        yield from unknown(state, words, at)


# Coming in


def _welcome(state: State, words: Words, _: float) -> Iterator[Effect]:
    said = facts(words)
    state.me = said["name"]
    state.secret = said.get("resume", "")
    state.welcomed = True
    # What was open on an earlier line is announced again, or gone.
    for open_then in (state.seeks, state.challenges, state.challenging):
        open_then.clear()
    wished = "_".join(state.name.split())
    why = ""
    if state.me != wished:
        by_token = said.get("account") == "yes"
        why = ", by your token" if by_token else f": {wished} is somebody else"
    yield News(Kind.WELCOME, f"You are {state.me} here{why}.", f"welcome {state.me}")
    if state.curious:
        yield from (Send(Who()), Send(Seeks()))
    if state.playing:
        # Nobody's seek has the number 0; who is still playing is told so before it is looked up.
        state.returning = True
        yield Send(Accept(0))
    elif state.watching and state.game is not None and state.game.id is not None:
        yield Send(Watch(state.game.id))
    elif state.wanted is not None:
        yield Send(Seek(state.wanted))


def _error(state: State, words: Words, at: float) -> Iterator[Effect]:
    if (news := confirm.answered(state, words)) is not None:
        yield from news
        return
    code, text = words[0], without_hint(" ".join(words[1:]))
    if state.returning:
        state.returning = False
        if code != "busy" and state.game is not None and state.game.unsure:
            yield from finish(state, Result("*", UNHEARD), at)
        return
    if code in HOPELESS:
        state.wanted = None
    text = text or code
    yield News(Kind.ERROR, f"{text[:1].upper()}{text[1:]}.", f"error {text}")


def _note(_: State, words: Words, __: float) -> Iterator[Effect]:
    text = " ".join(words[1:])
    if text:
        yield News(Kind.SERVER, f"{text[:1].upper()}{text[1:]}.", f"server {text}")


# Seeks and challenges


def listed(words: Words) -> Listed:
    """``17 player Bob kind engine game chess time 300+3 color random rated yes [start F]``."""
    said = facts(words[1:])
    return Listed(
        id=int(words[0]),
        player=said["player"],
        kind=said.get("kind", ""),
        game=said.get("game", ""),
        time=said.get("time", ""),
        color=said.get("color", ""),
        rated=said.get("rated") == "yes",
        start=said.get("start", "").replace("_", " "),
        lag=said.get("lag", ""),
    )


def described(one: Listed) -> str:
    """``chess 300+3, rated``."""
    words = f"{one.game} {one.time}".strip() or "a game"
    start = (start_name(one.game, one.start) or "own start") if one.start else ""
    lag = lag_in_words(one.lag) if one.lag else ""
    return ", ".join(filter(None, (words, "rated" if one.rated else "", start, lag)))


def _seek(state: State, words: Words, _: float) -> Iterator[Effect]:
    one = listed(words)
    state.seeks[one.id] = one
    _is_here(state, one, "waiting")
    line = f"seek {one.id} {one.player} {one.kind} {described(one)} {one.color}"
    if is_open(state, "seeks"):
        yield from entry(state, "seeks", line.removeprefix("seek "))
    elif one.player == state.me:
        yield News(Kind.OK, f"Your seek {one.id} is open: {described(one)}.", line)
    elif not state.playing:
        kind = f" ({one.kind})" if one.kind else ""
        text = f"{one.player}{kind} seeks {described(one)}: accept {one.id}"
        yield News(Kind.SEEK, text, line)


def _is_here(state: State, one: Listed, doing: str) -> None:
    """Who comes in is not announced, but who asks for a game is here."""
    state.guests.setdefault(one.player, Guest(one.player, one.kind, doing))


def _gone(state: State, words: Words, _: float) -> Iterator[Effect]:
    number = int(words[0])
    seek = state.seeks.pop(number, None)
    if (challenge := state.challenges.pop(number, None)) is not None:
        text = f"{challenge.player}'s challenge {number} is gone."
    elif (name := state.challenging.pop(number, None)) is not None:
        text = f"Your challenge to {name} is gone."
    elif seek is not None and seek.player == state.me:
        text = f"Your seek {number} is closed."
    elif seek is not None and not state.playing:
        text = f"{seek.player}'s seek {number} is gone."
    else:
        return
    yield News(Kind.GONE, text, f"gone {number}")


def _challenge(state: State, words: Words, _: float) -> Iterator[Effect]:
    one = listed(words)
    state.challenges[one.id] = one
    _is_here(state, one, "idle")
    if state.game is not None and state.game.over and one.player == state.last_rival:
        text = f"{one.player} wants a rematch: rematch, or decline {one.id}"
    else:
        color = _COLORS_FOR_US.get(one.color)
        what = described(one) + (f", {color}" if color else "")
        text = f"{one.player} challenges you to {what}: accept {one.id}, or decline {one.id}"
    yield News(Kind.CHALLENGE, text, f"challenge {one.id} {one.player} {one.kind} {described(one)}")


def _challenging(state: State, words: Words, _: float) -> Iterator[Effect]:
    number, name = int(words[0]), facts(words[1:])["player"]
    state.challenging[number] = name
    text = f"You challenge {name}; unseek {number} takes it back."
    yield News(Kind.CHALLENGE, text, f"challenging {number} {name}")


def _declined(state: State, words: Words, _: float) -> Iterator[Effect]:
    number, name = int(words[0]), facts(words[1:])["by"]
    state.challenging.pop(number, None)
    yield News(Kind.GONE, f"{name} declines your challenge.", f"declined {number} {name}")


# Who is here


def _player(state: State, words: Words, _: float) -> Iterator[Effect]:
    said = facts(words[1:])
    guest = Guest(words[0], said.get("kind", ""), said.get("state", ""))
    state.guests[guest.name] = guest
    yield from entry(state, "who", f"{guest.name} {guest.kind} {guest.state}")


# Talk


def _say(_: State, words: Words, __: float) -> Iterator[Effect]:
    name, text = words[0], " ".join(words[1:])
    yield News(Kind.SAY, f"{name}: {text}", f"say {name} {text}")


def _tell(_: State, words: Words, __: float) -> Iterator[Effect]:
    name, text = words[0], " ".join(words[1:])
    yield News(Kind.SAY, f"{name} tells you: {text}", f"tell {name} {text}")


def _admin(_: State, words: Words, __: float) -> Iterator[Effect]:
    text = " ".join(words)
    yield News(Kind.ADMIN, f"admin: {text}", f"admin {text}")


_KEYWORDS: Mapping[str, Reader] = {
    "welcome": _welcome,
    "error": _error,
    "note": _note,
    "seek": _seek,
    "gone": _gone,
    "challenge": _challenge,
    "challenging": _challenging,
    "declined": _declined,
    "seeks": listing("seeks"),
    "who": listing("who"),
    "games": listing("games"),
    "player": _player,
    "game": lobby_games.hear,
    "say": _say,
    "tell": _tell,
    "watch": watching.watch,
    "unwatch": watching.unwatch,
    "admin": _admin,
}

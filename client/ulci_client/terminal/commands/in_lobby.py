"""Commands of the lobby: seeks, challenges, lists, watching, chat, administration. Pure."""

from collections.abc import Callable, Iterator
from hashlib import sha256

from ulci.protocol.messages import (
    Accept,
    Challenge,
    Decline,
    Ignored,
    Invite,
    Message,
    Say,
    Seek,
    Standings,
    TellPlayer,
    Unseek,
    Unwatch,
    Watch,
)
from ulci_client.terminal.model import watching
from ulci_client.terminal.model.confirm import confirmed
from ulci_client.terminal.model.state import ClientState, Effect, LinkState, News, NewsKind, Send

from . import conditions, in_game, terms
from .conditions import ConditionError, chosen, number, read

TOKEN_LENGTH = 32
"""Hexadecimal digits of an invitation's token: nobody guesses so many."""


def seek(state: ClientState, rest: str, _: float) -> Iterator[Effect]:
    wanted = terms.parse(rest.split())
    state.wanted = wanted
    yield Send(Seek(wanted))


def unseek(state: ClientState, rest: str, _: float) -> Iterator[Effect]:
    state.wanted = state.invited = None
    yield Send(Unseek(number(rest, "unseek 17") if rest else None))


def accept(state: ClientState, rest: str, at: float) -> Iterator[Effect]:
    """Accept a seek or a challenge; in a game the opponent's offer."""
    game = state.game
    if not rest and state.playing and game and game.mine is not None:
        yield from in_game.accept_offer(state, game, at)
        return
    conditions.idle(state, "accept")
    yield Send(Accept(chosen(rest, state.challenges, "accept 17")))


def decline(state: ClientState, rest: str, _: float) -> Iterator[Effect]:
    game = state.game
    if not rest and not state.challenges and state.playing and game and game.offers:
        raise ConditionError("an offer is declined by making a move")
    which, _blank, why = rest.partition(" ")
    declined = chosen(which, state.challenges, "decline 18")
    state.challenges.pop(declined, None)
    yield Send(Decline(declined, why.strip()))
    yield News(NewsKind.OK, f"You decline challenge {declined}.", f"ok declined {declined}")


def challenge(_: ClientState, rest: str, __: float) -> Iterator[Effect]:
    name, *words = rest.split() or [""]
    if not name:
        raise ConditionError(f"challenge whom? write: challenge NAME {terms.USAGE}")
    yield Send(Challenge(name, terms.parse(words)))


def invite(state: ClientState, rest: str, _: float) -> Iterator[Effect]:
    """Make an invitation. Its token cannot be guessed, because anybody who knows it may join."""
    wanted = terms.parse(rest.split())
    state.invitations += 1
    drawn = f"{state.chance} {state.invitations}"
    state.invited = Invite(sha256(drawn.encode()).hexdigest()[:TOKEN_LENGTH], wanted)
    yield Send(state.invited)


def join(_: ClientState, rest: str, __: float) -> Iterator[Effect]:
    """Join by an invitation's token, or by a page's link that ends with it."""
    yield Send(read("join", rest.strip().rpartition("=")[2]))


def pass_on(word: str, default: str = "") -> Callable[[ClientState, str, float], Iterator[Effect]]:
    """The action that sends this command to the server, with the typed arguments, or else the
    default."""

    def say_it(_: ClientState, rest: str, __: float) -> Iterator[Effect]:
        yield Send(read(word, rest or default))

    return say_it


def request_list(
    what: str, message: Message
) -> Callable[[ClientState, str, float], Iterator[Effect]]:
    """The action that requests a list from the lobby, to be shown."""

    def ask(state: ClientState, _: str, __: float) -> Iterator[Effect]:
        state.asked_for.add(what)
        yield Send(message)

    return ask


def standings(state: ClientState, rest: str, _: float) -> Iterator[Effect]:
    name, *more = rest.split() or [""]
    if not name or more:
        raise ConditionError("standings of which tournament? tournaments lists them")
    state.asked_for.add("standings")
    yield Send(Standings(name))


def watch(state: ClientState, rest: str, _: float) -> Iterator[Effect]:
    which = "watch which game? games lists them;"
    wanted = chosen(rest, state.games, "watch 42", which)
    game = state.game
    if state.watching and game is not None:
        if game.id == wanted:
            raise ConditionError(f"you are already watching game {wanted}")
        yield Send(Unwatch(game.id))
    yield Send(Watch(wanted))


def unwatch(state: ClientState, rest: str, _: float) -> Iterator[Effect]:
    game = state.game
    if game is None or not game.watched or (rest and game.id != number(rest, "unwatch 42")):
        what = f"game {rest}" if rest else "any game"
        raise ConditionError(f"you are not watching {what}; games lists them")
    yield Send(Unwatch(game.id))
    if game.over:
        yield from watching.go_back(state)


def lobby(state: ClientState, _: str, __: float) -> Iterator[Effect]:
    """Back to the lobby, from a finished or a watched game."""
    if state.watching and state.game is not None and state.line is LinkState.READY:
        yield Send(Unwatch(state.game.id))
    else:
        yield from watching.go_back(state)


def say(state: ClientState, rest: str, _: float) -> Iterator[Effect]:
    if not rest:
        raise ConditionError("say what? write: say good luck")
    yield from confirmed(state, Say(rest), News(NewsKind.SAY, f"{state.me}: {rest}", "ok said"))


def tell(state: ClientState, rest: str, _: float) -> Iterator[Effect]:
    name, _blank, text = rest.partition(" ")
    if not text.strip():
        whom = name or "Bob"
        raise ConditionError(
            f"tell {'them' if name else 'whom'} what? write: tell {whom} good luck"
        )
    news = News(NewsKind.SAY, f"You tell {name}: {text.strip()}", f"ok told {name}")
    yield from confirmed(state, TellPlayer(name, text.strip()), news)


def ignore(state: ClientState, rest: str, _: float) -> Iterator[Effect]:
    """Without a name: list whom we ignore."""
    if rest:
        yield Send(read("ignore", rest))
    else:
        state.asked_for.add("ignored")
        yield Send(Ignored())

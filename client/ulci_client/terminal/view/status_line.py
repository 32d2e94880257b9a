"""The status line above the input: the current situation, and what to do about it. Pure."""

import math

from ulci_client.terminal.model import opponent
from ulci_client.terminal.model.game import Game
from ulci_client.terminal.model.phrases import half_moves, result_for, result_in_words
from ulci_client.terminal.model.state import FRIEND, ClientState, LinkState

from .plain_lines import last_move

Told = tuple[str, str]
"""A text and its style class."""


def status(state: ClientState, now: float) -> Told:
    """The most urgent text."""
    if state.question is not None:
        return f"{state.question.value} yes or no", "status-ask"
    if state.line is not LinkState.READY:
        return _line(state, now)
    if state.game is None:
        return _lobby(state)
    text, tone = _game(state.game, now) if state.game.result is None else _over(state, state.game)
    return (text, tone) if state.game.viewed is None else (f"{text} {_viewed(state.game)}", tone)


def prompt(state: ClientState) -> Told:
    """The text before the input."""
    if state.question is not None:
        return " yes or no > ", "prompt-turn"
    return " > ", "prompt-turn" if state.playing and state.owed else "prompt"


def _viewed(game: Game) -> str:
    """Which board is shown, and how to return."""
    last = last_move(game)
    return f"(board {f'after {last}' if last else 'before the first move'}; Escape: back)"


def _line(state: ClientState, now: float) -> Told:
    if state.line is LinkState.LOST:
        wait = max(0, math.ceil((state.retry_at or now) - now))
        since = 0 if state.lost_at is None else max(0, int(now - state.lost_at))
        gone = f"Disconnected for {since} s" if since else "Disconnected"
        if state.asked_to_wait:
            return f"The server asks you to wait; trying again in {wait} s.", "status-bad"
        return f"{gone}; trying again in {wait} s, until you quit.", "status-bad"
    if state.lost_at is not None:
        return f"Reconnected to {state.server}; waiting for its answer.", "status"
    return f"Connecting to {state.server}", "status"


def _lobby(state: ClientState) -> Told:
    if state.challenges:
        one = next(iter(state.challenges.values()))
        return f"{one.player} challenges you: accept {one.id}, or decline {one.id}", "status-ask"
    if waiting := _waiting(state):
        return waiting, "status"
    if not state.welcomed:
        return "Waiting for the server to start a game.", "status"
    return "Type seek to seek a game, accept N to accept one, or help.", "status"


def _waiting(state: ClientState) -> str:
    """For whom we wait, and how to cancel; empty if for nobody."""
    if any(seek.player == state.me for seek in state.seeks.values()):
        return "Waiting for an opponent; unseek withdraws your seek."
    if state.challenging:
        number, name = next(iter(state.challenging.items()))
        what = "challenge" if name != FRIEND else "invitation"
        return f"Waiting for {name} to answer; unseek {number} withdraws the {what}."
    return ""


def _over(state: ClientState, game: Game) -> Told:
    assert game.result is not None
    verdict = result_for(game.result, game.mine)
    text = f"{result_in_words(game.result)}. {verdict}".strip()
    if game.watched:
        what = "Type watch N, games, lobby or quit." if game.viewed is None else ""
        return f"{text} {what}".strip(), "status"
    if state.challenges:
        one = next(iter(state.challenges.values()))
        return f"{text} {one.player} wants another game: accept {one.id}", "status-ask"
    what = _waiting(state)
    if not what and state.welcomed and game.viewed is None:
        what = "Type rematch, seek, save, lobby or quit."
    tone = {"You win.": "status-good", "You lose.": "status-bad"}.get(verdict, "status")
    return f"{text} {what}".strip(), tone


# Our open offers, while the opponent thinks.
_WAITING = {
    "draw": " Your draw offer stands until then.",
    "takeback": " You have asked for a takeback.",
}


def _watched(game: Game) -> Told:
    if game.trouble:
        return f"{opponent.trouble(game)}.", "status-bad"
    if game.thought:
        return f"Thinking: {game.thought}", "status"
    mover = "" if game.turn is None else f" {game.named(game.turn)} is to move."
    return f"You are watching.{mover} unwatch stops watching.", "status"


def _game(game: Game, now: float) -> Told:
    if game.unsure:
        return "Reconnected; waiting for the position.", "status"
    if not game.seen:
        return "The game is about to begin.", "status"
    offered = {what for side, what in game.offers if side is not game.mine}
    if "draw" in offered:
        return f"{game.opponent} offers a draw: draw accepts it, a move declines.", "status-ask"
    if "takeback" in offered:
        what = half_moves(game.plies_back) if game.plies_back else "a move"
        text = f"{game.opponent} asks to take back {what}: takeback agrees, a move declines."
        return text, "status-ask"
    if game.watched:
        return _watched(game)
    if opponent.claimable(game, now):
        return f"{game.opponent} stays away: {opponent.CLAIM}, or wait.", "status-ask"
    if game.asked:
        check = " You are in check." if game.position and game.position.checked() else ""
        return f"Your move.{check}", "status-good"
    if game.away is not None:
        return f"{game.opponent} is away and {opponent.until_claim(game, now)}.", "status"
    if game.trouble:
        return f"{opponent.trouble(game)}.", "status-bad"
    mine = {what for side, what in game.offers if side is game.mine}
    waiting = "".join(text for what, text in _WAITING.items() if what in mine)
    if game.premove:
        waiting += f" Premove: {game.premove}."
    if game.turn is None:
        return f"Waiting.{waiting}", "status"
    return f"Waiting for {game.named(game.turn)} to move.{waiting}", "status"

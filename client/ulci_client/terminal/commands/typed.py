"""From a typed line to its effects: a move, a command, or a refusal. Pure."""

import difflib
from collections.abc import Iterator

from ulci_client.sanitize import clean
from ulci_client.terminal.model.game import Game
from ulci_client.terminal.model.move_entry import looks_like_move, make_move, why_not
from ulci_client.terminal.model.state import ClientState, Effect, News, NewsKind

from . import conditions
from .command_table import COMMANDS, ON_NO, ON_YES
from .conditions import ConditionError
from .terms import TermsError

NOT_ASKED = "the server does not ask for your move yet; wait"


def typed(state: ClientState, text: str, at: float) -> list[Effect]:
    """The effects of a line typed at `at` (s)."""
    text = clean(text).strip()
    state.page = None
    try:
        return [*_typed(state, text, at)]
    except (ConditionError, TermsError) as error:
        said = str(error)
        text = f"{said[:1].upper()}{said[1:]}"
        return [News(NewsKind.ERROR, text if text.endswith("?") else f"{text}.", f"error {said}")]


def _typed(state: ClientState, text: str, at: float) -> Iterator[Effect]:
    if state.question is not None:
        question, state.question = state.question, None
        if text.lower() in ("y", "yes"):
            yield from ON_YES[question](state, "yes", at)
            return
        yield News(NewsKind.OK, ON_NO[question], "ok no")
        if text.lower() in ("n", "no"):
            return
    if not text:
        return
    verb, _, rest = text.removeprefix("/").partition(" ")
    command = COMMANDS.get(verb.lower())
    if command is not None:
        for need in command.conditions:
            need(state, command.name)
        yield from command.do(state, rest.strip(), at)
    elif text.startswith("/") or not _may_be_move(state, text):
        raise ConditionError(_no_such(verb))
    else:
        yield from _move(state, text, at)


def _no_such(verb: str) -> str:
    near = _near(verb)
    hint = f"did you mean {near[0]}?" if near else "help lists the commands"
    return f"{verb!r} is neither a move nor a command; {hint}"


def _near(verb: str) -> list[str]:
    return difflib.get_close_matches(verb.lower(), COMMANDS, n=1)


def _may_be_move(state: ClientState, text: str) -> bool:
    if looks_like_move(text):
        return True
    position = state.game.position if state.game else None
    if position is None:
        # Without rules any word may be a move; the server judges.
        has_digit = any(char.isdigit() for char in text)
        return state.owed and " " not in text and (has_digit or not _near(text))
    return position.parse_untrusted(text) is not None


def _move(state: ClientState, text: str, at: float) -> Iterator[Effect]:
    conditions.game(state, "a move")
    conditions.line(state, "a move")
    game = state.game
    assert game is not None
    if not game.asked:
        theirs = game.turn is not None and game.turn is not game.mine
        wait = f"it is not your turn; wait, or write: premove {text}"
        raise ConditionError(wait if theirs else NOT_ASKED)
    move = text if game.position is None else game.position.parse_untrusted(text)
    if move is None:
        raise ConditionError(_why_not(game, text))
    yield from make_move(game, move, at)


def _why_not(game: Game, text: str) -> str:
    trial = game.trial()
    assert trial is not None
    return why_not(trial, text)

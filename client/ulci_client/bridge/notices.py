"""What the lobby announces, and what a player answers. Plain calls only, no waiting."""

from collections.abc import Callable
from typing import Any

from ulci.protocol import Claim, Decline, Draw, FromClient, Say
from ulci_client.lobby import (
    Challenged,
    DrawOffered,
    GameOver,
    GameStarted,
    Noted,
    Notice,
    OpponentAway,
    Refused,
    Resumed,
    SeeksListed,
    TakebackOffered,
    Welcome,
)

from .games import Games
from .relay import Post
from .seeking import Seeking, Stage
from .status import View

# To who asks for a takeback, or offers a draw too early; each once in a game.
NO_TAKEBACKS = "Sorry, I am an engine and take nothing back. Please play on."
NO_DRAW = "Thank you, but I see more in this position than a draw. Please play on."


class Notices:
    """`welcome`: who we are there. known: the codes of notes that were shown, shared by all who
    play from one bridge."""

    def __init__(self, games: Games, seeking: Seeking, view: View, known: set[str]) -> None:
        self.welcome: Welcome | None = None
        self._games = games
        self._seeking = seeking
        self._view = view
        self._known = known

    @property
    def name(self) -> str:
        """Ours, there; empty if it was not told."""
        return "" if self.welcome is None else self.welcome.name

    def hear(self, notice: Notice, at: float) -> Post:
        """What is to be said now. Raises `Refusal` if the server will not have us play."""
        post = _NOTICE[type(notice)](self, notice, at)
        self._games.show()
        return post

    def _welcomed(self, notice: Welcome, _: float) -> Post:
        self.welcome = notice
        ours = self._games.progress.name
        self._view.note(f"{ours} is known to the server as {notice.name}")
        return _say(*self._seeking.welcomed())

    def _started(self, notice: GameStarted, _: float) -> Post:
        self._games.started(notice, self.name)
        return Post()

    def _ended(self, notice: GameOver, at: float) -> Post:
        if self._games.progress.game in (notice.id, None):
            return self._games.over(notice.result, notice.reason, at)
        return Post()

    def _refused(self, notice: Refused, at: float) -> Post:
        self._view.detail(f"the lobby says: {notice.text} ({notice.code})")
        returning = self._seeking.stage is Stage.RETURNING
        post = _say(*self._seeking.refused(notice.code, notice.text, at))
        if returning and not self._seeking.in_game:
            self._view.warn("the game that was on when the line broke is over")
            ended = self._games.end(at)
            return Post(ended.engine, ended.server + post.server)
        return post

    def _listed(self, _: SeeksListed, __: float) -> Post:
        return _say(*self._seeking.seeks_listed())

    def _challenged(self, notice: Challenged, _: float) -> Post:
        # What the engine was set up to play is in its seeks; who wants just that is given it there.
        self._view.detail(f"{notice.player} asks for another game than we seek, and is declined")
        return _say(Decline(notice.id))

    def _noted(self, notice: Noted, _: float) -> Post:
        # Players of one bridge hear it of each other, before every game.
        show = self._view.detail if notice.code in self._known else self._view.note
        self._known.add(notice.code)
        show(f"the lobby says: {notice.text} ({notice.code})")
        return Post()

    def _opponent_away(self, notice: OpponentAway, _: float) -> Post:
        if notice.game != self._games.number:
            return Post()
        if notice.claim_in != 0:
            self._view.detail("the opponent has lost the line")
            return Post()
        opponent = self._games.progress.opponent or "the opponent"
        self._view.note(f"{opponent} stays away: we claim a win")
        return _say(Claim("win"))

    def _takeback_asked(self, notice: TakebackOffered, _: float) -> Post:
        # The move that the engine makes declines it; a person would not know that.
        ours = notice.game == self._games.progress.game and notice.player != self.name
        if not ours or self._games.refused_once:
            return Post()
        self._games.refused_once = True
        return _say(Say(NO_TAKEBACKS))

    def _draw_offered(self, notice: DrawOffered, _: float) -> Post:
        if notice.game != self._games.progress.game or notice.player == self.name:
            return Post()
        if self._games.scores.agree_to_draw():
            self._view.note(f"{notice.player} offers a draw, and we accept it")
            return _say(Draw())
        # The move that the engine makes declines it; a person would not know that.
        if self._games.declined_once:
            return Post()
        self._games.declined_once = True
        return _say(Say(NO_DRAW))

    def _resumed(self, notice: Resumed, _: float) -> Post:
        text = f"the server was away for {notice.ms / 1000:.0f} s; no clock paid for it"
        self._view.note(f"game {notice.game} goes on: {text}")
        return Post()


def _say(*messages: FromClient) -> Post:
    return Post(server=[*messages])


_NOTICE: dict[type, Callable[[Notices, Any, float], Post]] = {
    Welcome: Notices._welcomed,
    GameStarted: Notices._started,
    GameOver: Notices._ended,
    Refused: Notices._refused,
    SeeksListed: Notices._listed,
    Challenged: Notices._challenged,
    Noted: Notices._noted,
    OpponentAway: Notices._opponent_away,
    TakebackOffered: Notices._takeback_asked,
    DrawOffered: Notices._draw_offered,
    Resumed: Notices._resumed,
}

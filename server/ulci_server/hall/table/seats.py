"""Who sits at a table, and what they are told."""

from collections import deque
from collections.abc import Iterable, Mapping

from ulci.protocol.messages import FromServer, Lobby
from ulci.rules import Side
from ulci_server.lobby import lobby_lines

from .interfaces import SeatedPlayer


class Seats:
    """The players of one table, White first. A player whose new connection is not `Back` is muted,
    or it would get ``go`` twice."""

    __slots__ = ("_back", "gathered", "muted", "players")

    def __init__(self, players: Iterable[SeatedPlayer]) -> None:
        self.players: list[SeatedPlayer | None] = [*players]
        self.muted: set[Side] = set()
        self.gathered: tuple[list[FromServer], list[FromServer]] = ([], [])
        """What each side is told with the next `flush`."""
        # Those that are back, and not greeted yet.
        self._back: Mapping[Side, deque[SeatedPlayer | None]] = {side: deque() for side in Side}

    def expect(self, side: Side, player: SeatedPlayer) -> None:
        """Seat a player's new connection, muted."""
        self.players[side] = player
        self.muted.add(side)

    def back(self, side: Side) -> None:
        """The connection that has the seat is back; `greet` it."""
        self._back[side].append(self.players[side])

    def greet(self, side: Side) -> None:
        """Mute the one that came back no longer, unless a newer connection is expected by now."""
        if self._back[side].popleft() is self.players[side]:
            self.muted.discard(side)

    def tell(self, side: Side, message: FromServer) -> None:
        """Tell the side at once, unless it is muted."""
        player = self.players[side]
        if player is not None and side not in self.muted:
            player.tell(message)

    def say(self, side: Side, line: Lobby) -> None:
        """Send what the side says to its opponent, or an error to the side if the opponent reads no
        lobby lines."""
        player, other = self.players[side], self.players[side.other]
        if other is not None and other.hears_lobby:
            other.hear_chat(line)
        elif player is not None:
            player.tell(lobby_lines.error("not-heard", "no opponent can read that"))

    def flush(self) -> None:
        """Tell what was gathered: one `tell` a player, so that it leaves in one piece."""
        for side, gathered in enumerate(self.gathered):
            if gathered:
                messages, gathered[:] = tuple(gathered), ()
                player = self.players[side]
                if player is not None and side not in self.muted:
                    player.tell(*messages)

    def tell_muted(self, message: FromServer) -> None:
        """Tell those who have not heard what was told to the others."""
        for side in self.muted:
            player = self.players[side]
            if player is not None:
                player.tell(message)

    def rise(self, side: Side) -> SeatedPlayer | None:
        """Empty the seat. Returns who had it."""
        player, self.players[side] = self.players[side], None
        return player

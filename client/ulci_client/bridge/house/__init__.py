"""The lobby side of a bot's players: challenges, greetings, and the search for opponents. Plain
calls, no waiting; `ulci_client.bot` decides, this room talks to the lobby.

    seat            what all players of a bot share; and one of them: whether it is free, what it
                    has agreed to, and its engine
    agreement       the challenge, or the match of several games, that it has accepted
    house           its answers to challenges, and its acts when a game begins and ends
    game_search     how an idle player finds a game: it seeks, or challenges somebody
    manners         its greeting, and its engine's options for one game

Times in s, of the same clock as everywhere in the bridge; the rules need the local time.
"""

from .house import House
from .seat import Bot

__all__ = ["Bot", "House"]

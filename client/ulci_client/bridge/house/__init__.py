"""How the players of a bot keep house: whom they play, what they say, and what they do when nobody
comes. Plain calls, no waiting; `ulci_client.bot` decides, this speaks with the lobby.

    seat            what all players of a bot share; and one of them: whether it is free, what it
                    has agreed to, and its engine
    agreement       the challenge, or the match of several games, that it has accepted
    house           what it answers to challenges, and does when a game begins and ends
    game_search     what it does when nobody comes: it seeks, or challenges somebody
    manners         what it says to its opponent, and sets in its engine, for one game

Times in s, of the same clock as everywhere in the bridge; the rules need the local time.
"""

from .house import House
from .seat import Bot

__all__ = ["Bot", "House"]

"""Pairs players. Pure: pools and seeks in, pairings out.

* `lobby`: follows players' commands and pairs them; `effects`: what it asks the hall to do.
* `profile`: what a client declared about itself, and what it can therefore play.
* `roster`: who is online under which handle; `names`, `confusables`: names that look alike;
  `account_names`: those of accounts.
* `pools`: the pools of the configuration, in which players without a seek wait; `starts`: their
  start positions, and those that two pools have in common.
* `terms`: from a player's terms to a seek; `seeks`: seeks and challenges, and whether two agree;
  `seek_book`: the open ones; `offers`: withdraws them and challenges.
* `ratings`: those of players who are online; `nearness`: how near they must be in a pool.
* `pool_openings`: from which openings of a pool's book two players begin.
* `challenging`: what becomes of a challenge. `inviting`: what becomes of an invitation;
  `invitations`: the open ones.
* `pairing`: the game of two who agree; assigns colours, which alternate; an immediate rematch is
  avoided while another player waits.
* `programs`: a program that a server of ours runs; `on_call`: those that people ask for; `levels`:
  of their strength.
* `matches`: several games of the same two, and games whose colours are said later; `match_games`:
  when each of these begins.
* `ignoring`: whom a player does not want to hear.
* `keeper`: who keeps the lobby; `kept`: seeks and matches, as they are kept; `kept_lobby`: another
  lobby goes on with them.
* `lobby_lines`: the lobby's lines, made from players, seeks and games;
  `admin_commands`: the words and the usage of admin commands.

A new command of players: see `ulci.protocol.lobby`.
"""

from . import levels, lobby_lines
from .effects import (
    Freed,
    Hold,
    LobbyEffect,
    Pair,
    Refused,
    Release,
    SetIgnored,
    TellAll,
    TellList,
    TellOne,
    TellWhenKept,
    Unmatched,
)
from .keeper import Keeper
from .kept import KeptMatch, KeptSeek
from .lobby import LOBBY_COMMANDS, Lobby
from .pools import Meeting, Pool, PoolRules
from .profile import VARIANT, Introduction, KnownRating, Profile, spelled
from .programs import ServerProgram
from .seeks import Agreement, StandingSeek
from .terms import BoardLimits

__all__ = [
    "LOBBY_COMMANDS",
    "VARIANT",
    "Agreement",
    "BoardLimits",
    "Freed",
    "Hold",
    "Introduction",
    "Keeper",
    "KeptMatch",
    "KeptSeek",
    "KnownRating",
    "Lobby",
    "LobbyEffect",
    "Meeting",
    "Pair",
    "Pool",
    "PoolRules",
    "Profile",
    "Refused",
    "Release",
    "ServerProgram",
    "SetIgnored",
    "StandingSeek",
    "TellAll",
    "TellList",
    "TellOne",
    "TellWhenKept",
    "Unmatched",
    "levels",
    "lobby_lines",
    "spelled",
]

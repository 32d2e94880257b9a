"""What the players of a game may do, and what counts against them, as the lobby's lines say it.

    no-takeback,forfeit,disconnections=3

A program that does not know a word shows it as it is.
"""

from collections.abc import Mapping

MEANINGS: Mapping[str, str] = {
    "no-abort": "no aborting",
    "no-takeback": "no takebacks",
    "no-givetime": "no gifts of time",
    "no-rematch": "no rematch",
    "claims": "draws by repetition or fifty moves only when claimed",
    "no-claims": "draws by repetition or fifty moves at once",
    "forfeit": "not coming or not moving in time loses from the start",
    "absent-clock": "the clock of an absent player runs",
    "berserk": "half the time for one point more (berserk)",
    "disconnections": "lost with disconnection {}",
    "white-margin": "White may overstep the clock by {} ms",
    "black-margin": "Black may overstep the clock by {} ms",
}
"""For people; ``{}`` stands for the number behind the word and ``=``."""


def conduct_in_words(conduct: str) -> str:
    """For people; empty for the usual conduct."""
    return ", ".join(map(_meaning, filter(None, conduct.split(","))))


def _meaning(said: str) -> str:
    word, _, number = said.partition("=")
    meaning = MEANINGS.get(word)
    return said if meaning is None else meaning.replace("{}", number)


def permits(conduct: str, command: str) -> bool:
    """Whether the players of a game may say that command to it."""
    said = conduct.split(",")
    return command in said if command == "berserk" else f"no-{command}" not in said

"""The roster: who is online, and under which handle."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from . import lobby_lines
from .effects import Pair
from .names import looks
from .profile import Profile


@dataclass(slots=True)
class Member:
    """`last`: the player's current or last game. `vain_waits`: for a color that was not said, since
    that game began. `alone`: nobody but a program of ours has come for it lately."""

    who: Profile
    playing: bool = False
    last: Pair | None = None
    vain_waits: int = 0
    alone: bool = False


class Roster:
    """Players in the order of their arrival; no two handles look alike."""

    def __init__(self) -> None:
        self._all: dict[str, Member] = {}

    def __iter__(self) -> Iterator[Member]:
        return iter(self._all.values())

    def __len__(self) -> int:
        return len(self._all)

    def __getitem__(self, handle: str) -> Member:
        return self._all[looks(handle)]

    def get(self, name: str) -> Member | None:
        """The player online under that name, or under one that looks like it."""
        return self._all.get(looks(name))

    def enter(self, profile: Profile) -> Member:
        """Add a player, with the same profile except for a unique handle."""
        plain = handle = profile.handle or lobby_lines.word(profile.name)
        copies = 1
        while looks(handle) in self._all:
            copies += 1
            handle = f"{plain}-{copies}"
        member = self._all[looks(handle)] = Member(replace(profile, handle=handle))
        return member

    def remove(self, handle: str) -> None:
        del self._all[looks(handle)]

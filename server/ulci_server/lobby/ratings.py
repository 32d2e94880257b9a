"""Ratings of players who are online: known by their profiles, and sought by ranges."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice

from .profile import KnownRating, Profile
from .roster import Roster
from .seek_book import SeekBook
from .seeks import StandingSeek, in_range

MOST_ASKED = 1000
"""Players who are looked at to say that nobody is in a range: more take a millisecond."""


class LobbyRatings:
    """Of the lobby that consists of these."""

    def __init__(self, roster: Roster, book: SeekBook) -> None:
        self._roster = roster
        self._book = book

    def may_be_new(self, handle: str) -> bool:
        """Whether the player has an account, and its last game may have changed its rating: of a
        game before a restart nothing is known."""
        member = self._roster[handle]
        is_rated = member.last is None or member.last.agreement.rated
        return member.who.account is not None and is_rated

    def renew(self, profile: Profile, ratings: Mapping[str, KnownRating]) -> Profile:
        """These are the ratings of that player now. Returns the new profile."""
        member = self._roster[profile.handle]
        member.who = replace(member.who, ratings=ratings)
        for seek in self._book.of(profile.handle):
            self._book.renew(replace(seek, who=member.who))
        return replace(profile, ratings=ratings)

    def nobody_in(self, seek: StandingSeek) -> str:
        """Says that nobody who is online has a rating in the range of that seek; empty if there is
        no range, or somebody may be there."""
        if seek.range is None or len(self._roster) > MOST_ASKED:
            return ""
        others = (
            one.who for one in islice(self._roster, MOST_ASKED) if one.who.handle != seek.who.handle
        )
        if any(in_range(who, seek) for who in others):
            return ""
        low, high = seek.range
        return f"nobody who is online has a rating from {low} to {high} in the pool {seek.pool}"

"""Keeps a copy of the lobby elsewhere, so that another lobby can go on with it."""

from collections.abc import Callable


class Keeper:
    """Gets the numbers of what has changed, and reads its present state later. This one keeps
    nothing: the lobby of a lone server ends with the server."""

    def when_kept(self, then: Callable[[], None]) -> None:
        """Call `then` as soon as all that has changed is kept; here at once."""
        then()

    def member(self, handle: str) -> None:
        """That player has come, gone or changed, or has an opponent or none now."""

    def seek(self, number: int) -> None:
        """That seek or challenge is open now, or is no more."""

    def match(self, number: int) -> None:
        """That match has begun, goes on or is over."""

    def missed(self, key: str) -> None:
        """The player with that key has missed a result, or got it."""

    def number(self, last: int) -> None:
        """That number is the last one given to a seek, challenge or match."""

"""Who keeps the lobby somewhere else, so that another one can go on with it."""

from collections.abc import Callable


class Keeper:
    """Is told what has changed, and asks later what became of it. This one keeps nothing: the lobby
    of a lone server ends with it."""

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
        """The player with that key has missed a result, or was told it."""

    def number(self, last: int) -> None:
        """That number is the last one given to a seek, challenge or match."""

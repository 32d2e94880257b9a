"""In which order does the server do what it has to do? One turn after another.

A turn is what a task does between two waits: a connection deals with one message, alarms ring, the
watchers are told. Which of several tasks that may go on is first, nobody decides; a recording
notes it, and a replay does the same again (`replayed.ReplayedTurns`). So whatever speaks or changes
anything after it has waited for something that a recording does not know of itself asks for a
ticket when it begins to wait, and takes its turn when it goes on.
"""


class Turns:
    """As they come."""

    def ticket(self) -> int:
        """For the next turn of whoever asks."""
        return 0

    async def take(self, ticket: int) -> None:
        """Go on now."""

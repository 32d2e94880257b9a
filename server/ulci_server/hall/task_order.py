"""The order in which waiting tasks go on, for recordings and replays.

A turn is what a task does between two waits: a connection handles one message, alarms ring,
spectators are told. Trio does not define which of several ready tasks runs first; a recording notes
the order, and a replay repeats it (`stand_ins.ReplayTaskOrder`). A task that sends or changes
anything after a wait that the recording does not cover otherwise takes a ticket before the wait,
and its turn after it.
"""


class TaskOrder:
    """Without a recording: no order is kept."""

    def ticket(self) -> int:
        """A ticket for the caller's next turn."""
        return 0

    async def take(self, ticket: int) -> None:
        """Wait for the turn of this ticket."""

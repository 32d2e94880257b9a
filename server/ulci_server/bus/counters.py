"""What a bus counts, for the metrics."""

from dataclasses import dataclass


@dataclass(slots=True)
class Counters:
    """Totals since the start of the run, without messages to itself. bytes: of the frames."""

    batches_out: int = 0
    batches_in: int = 0
    messages_out: int = 0
    messages_in: int = 0
    bytes_out: int = 0
    bytes_in: int = 0
    dropped: int = 0
    """Messages that were not sent, or of which it is unknown whether they were."""
    lost: int = 0
    """Gaps reported to callers."""
    repeated: int = 0
    """Frames dropped as received before, or overtaken."""
    foreign: int = 0
    """Payloads on our channel that were no frame for us, or came from an unknown run."""

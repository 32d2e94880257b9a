"""How much work is something? Counted, so that no busy machine can make a test fail."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def instructions(do: Callable[[], object]) -> int:
    """How many instructions of Python it takes. What C does within one counts as one."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        do()
    finally:
        sys.settrace(before)
    return count

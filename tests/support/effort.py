"""How much work is something? Counted, so that no busy machine can make a test fail."""

import gc
import sys
from collections.abc import Callable
from threading import get_ident
from types import FrameType
from typing import Any

TOOL = 4
"""A number of `sys.monitoring` that no debugger, profiler or measure of coverage has."""


def instructions(do: Callable[[], object]) -> int:
    """How many instructions of Python it takes in this thread. What C does within one counts as
    one. Garbage is not collected meanwhile: who is called back then, as Hypothesis is, would be
    counted."""
    collects = gc.isenabled()
    gc.disable()
    try:
        return _traced(do) if sys.version_info < (3, 12) else _monitored(do)
    finally:
        if collects:
            gc.enable()


def _traced(do: Callable[[], object]) -> int:
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


def _monitored(do: Callable[[], object]) -> int:
    """Python 3.12.1 and 3.13.0 forget at times to trace the opcodes of what was traced before."""
    monitoring = sys.monitoring
    count, here = 0, get_ident()

    def counted(_code: object, _offset: int) -> None:
        nonlocal count
        count += get_ident() == here

    monitoring.use_tool_id(TOOL, "effort")
    try:
        monitoring.register_callback(TOOL, monitoring.events.INSTRUCTION, counted)
        monitoring.set_events(TOOL, monitoring.events.INSTRUCTION)
        do()
    finally:
        monitoring.set_events(TOOL, monitoring.events.NO_EVENTS)
        monitoring.free_tool_id(TOOL)
    return count

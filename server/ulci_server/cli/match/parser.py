"""From the words of a command line to a `MatchSettings`, or to a question about something else.

An option is a word that begins with ``-``; what follows it up to the next one is its values.
Negative numbers are values.
"""

import enum
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches

from .checks import complete
from .draft import Draft, extend
from .option_table import OPTIONS
from .settings import MatchSettings
from .values import MatchError, arguments


class Question(enum.Enum):
    """What else may be asked."""

    HELP = enum.auto()
    VERSION = enum.auto()


@dataclass(frozen=True, slots=True)
class Compliance:
    """Whether that program is an engine as it should be."""

    argv: tuple[str, ...]


Request = MatchSettings | Question | Compliance

QUESTIONS = {
    **dict.fromkeys(("-help", "--help", "-h"), Question.HELP),
    **dict.fromkeys(("-version", "--version", "-v", "--v"), Question.VERSION),
}
"""Answered at once, whatever follows."""

COMPLIANCE = "--compliance"

_NEGATIVE = re.compile("-[0-9]")

SHOWN = 200
"""Characters of a faulty word that an error repeats."""


def parse(argv: Sequence[str], processors: int) -> Request:
    """`argv` without the program's name; `processors`: how many this machine has.

    Raises:
        MatchError: these words make no match.
    """
    if not argv:
        return Question.HELP
    if argv[0] == COMPLIANCE and len(argv) > 1:
        program, *rest = argv[1:]
        return Compliance((program, *(word for text in rest for word in arguments(text))))
    draft = Draft()
    for option, values in _options(argv):
        if option in QUESTIONS:
            return QUESTIONS[option]
        with _naming(option, values):
            _fill(draft, option, values)
    for fields in draft.engines:
        with _naming("-each", draft.each):
            extend(fields, "each", draft.each)
    return complete(draft, processors)


def _options(argv: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    values: list[str] = []
    option = None
    for word in argv:
        if word.startswith("-") and not _NEGATIVE.match(word):
            if option is not None:
                yield option, values
            option, values = word, []
        elif option is None:
            raise MatchError(f'Unrecognized option: {_shown(word)}. Options begin with "-".')
        else:
            values.append(word)
    if option is not None:
        yield option, values


def _fill(draft: Draft, name: str, values: Sequence[str]) -> None:
    option = OPTIONS[name]
    if not option.takes.fits(len(values)):
        raise MatchError(f'Option "{name}" {option.takes.value}.')
    option.fill(draft, values)


@contextmanager
def _naming(option: str, values: Sequence[str]) -> Iterator[None]:
    """Errors name the option and its values."""
    if option not in OPTIONS:
        close = get_close_matches(option, OPTIONS, n=1)
        hint = f' Did you mean "{close[0]}"?' if close else ""
        raise MatchError(f"Unrecognized option: {_shown(option)}.{hint}")
    try:
        yield
    except MatchError as error:
        value = f' with value "{_shown(" ".join(values))}"' if values else ""
        raise MatchError(f'Error while reading option "{option}"{value}\nReason: {error}') from None


def _shown(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"

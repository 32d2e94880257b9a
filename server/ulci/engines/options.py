"""An engine's options: what it offers by ``option``, and values given as ``Name=Value``. Pure."""

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec.structs import replace

from ulci.protocol.messages import Option, OptionType, SetOption

# An empty string on the wire (UCI, option type string).
EMPTY = "<empty>"

# Similar names shown for an unknown one.
MAX_NEAR = 3

# Characters quoted of a bad value: it may come from a peer.
QUOTED = 40


class OptionError(ValueError):
    """An unknown option or a bad value; the text says what the engine offers."""


class Options:
    """The options of one engine; names are case-insensitive (UCI, setoption)."""

    def __init__(self, offered: Iterable[Option] = ()) -> None:
        self._offered = {option.name.casefold(): option for option in offered}

    def __iter__(self) -> Iterator[Option]:
        return iter(self._offered.values())

    def get(self, name: str) -> Option | None:
        return self._offered.get(name.casefold())

    def named(self, name: str) -> Option:
        """The option of that name. Raises OptionError, which suggests similar names, if there is
        none."""
        option = self.get(name)
        if option is None:
            raise OptionError(self._missing(name))
        return option

    def setting(self, text: str) -> SetOption:
        """``Name=Value`` as typed (a button: ``Name``), in the engine's own spelling.

        Raises:
            OptionError: there is no such option, or it does not take this value.
        """
        name, equals, value = (part.strip() for part in text.partition("="))
        option = self.named(name)
        return SetOption(option.name, value_for(option, value if equals else None))

    def unlisted(self, setting: SetOption) -> bool:
        """Whether the value cannot be checked: a combo without its ``var`` list, against UCI,
        option."""
        option = self.get(setting.name)
        return option is not None and option.type is OptionType.COMBO and not option.vars

    def _missing(self, name: str) -> str:
        if not self._offered:
            return f"this engine offers no options, so {name!r} cannot be set"
        wanted = name.casefold()
        near = difflib.get_close_matches(wanted, self._offered, n=MAX_NEAR)
        if wanted and not near:
            near = [each for each in self._offered if wanted in each][:MAX_NEAR]
        if near:
            found = ", ".join(repr(self._offered[each].name) for each in near)
            return f"this engine has no option {name!r}; did you mean {found}?"
        names = ", ".join(sorted(option.name for option in self._offered.values()))
        return f"this engine has no option {name!r}; it offers: {names}"


def value_for(option: Option, value: str | None) -> str | None:
    """The value in the engine's own spelling; None for a button.

    Raises:
        OptionError: the option does not take this value.
    """
    return _CHECKS[option.type](option, value)


def narrowed(option: Option, setting: SetOption | None) -> Option:
    """The option as offered to others once it is set: a combo has one choice left. Other values,
    such as paths, stay private."""
    if setting is None or setting.value is None or option.type is not OptionType.COMBO:
        return option
    return replace(option, default=setting.value, vars=(setting.value,))


def describe(option: Option) -> str:
    """One line for people: ``Hash = 16  (spin, 1 to 33554432)``."""
    if option.type is OptionType.BUTTON:  # some declare an empty default
        return f"{option.name}  ({_takes(option)})"
    default = EMPTY if option.default == "" else option.default
    known = f"{option.name} = {default}" if default is not None else option.name
    return f"{known}  ({_takes(option)})"


def _takes(option: Option) -> str:
    if option.type is OptionType.SPIN:
        low = "any" if option.min is None else option.min
        high = "any" if option.max is None else option.max
        return f"spin, {low} to {high}"
    if option.type is OptionType.COMBO:
        return f"combo, one of: {', '.join(option.vars)}" if option.vars else "combo, any value"
    return option.type.value


def _wanted(option: Option, value: str | None) -> str:
    if value is None:
        raise OptionError(f"option {option.name!r} needs a value ({_takes(option)})")
    return value


def _check(option: Option, value: str | None) -> str:
    text = _wanted(option, value).lower()
    if text not in ("true", "false"):
        raise OptionError(f"option {option.name!r} is true or false, not {text[:QUOTED]!r}")
    return text


def _spin(option: Option, value: str | None) -> str:
    text = _wanted(option, value)
    try:
        number = int(text)
    except ValueError:
        raise OptionError(
            f"option {option.name!r} takes a whole number, not {text[:QUOTED]!r} ({_takes(option)})"
        ) from None
    too_low = option.min is not None and number < option.min
    too_high = option.max is not None and number > option.max
    if too_low or too_high:
        shown = text[:QUOTED]
        raise OptionError(f"option {option.name!r} cannot be {shown} ({_takes(option)})")
    return str(number)


def _combo(option: Option, value: str | None) -> str:
    text = _wanted(option, value)
    if not option.vars:
        return _string(option, value)  # see `unlisted`
    for choice in option.vars:
        if choice.casefold() == text.casefold():
            return choice
    raise OptionError(f"option {option.name!r} cannot be {text[:QUOTED]!r} ({_takes(option)})")


def _string(option: Option, value: str | None) -> str:
    text = _wanted(option, value)
    if not text.isprintable():
        raise OptionError(f"option {option.name!r} takes one line of text, not {text[:QUOTED]!r}")
    return text


def _button(option: Option, value: str | None) -> None:
    if value:
        raise OptionError(
            f"option {option.name!r} is a button: it is pressed, not set; write only its name"
        )


_CHECKS: Mapping[OptionType, Callable[[Option, str | None], str | None]] = {
    OptionType.CHECK: _check,
    OptionType.SPIN: _spin,
    OptionType.COMBO: _combo,
    OptionType.STRING: _string,
    OptionType.BUTTON: _button,
}

"""Messages that mirror a method of `hall`: made from its signature, and handled by calling it.

`messages` names the methods: `mirror(ToTable, AnyTable.report)` makes a class of messages with the
name of the method. A message begins with its address, which is the fields of its base that are no
parameters of the method. The arguments follow.

`report = sends(AnyTable.report)` makes a method for a class that passes calls on; its objects have
an `address`, and `send`. The other server finds the recipient of a message, and calls the method
there by `call`. If a message carries more than the arguments, such as numbers or durations,
`messages` has a class of its own for it.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from inspect import Parameter, signature
from types import GenericAlias
from typing import Any, Concatenate, ParamSpec, get_type_hints

from msgspec import NODEFAULT, Struct, defstruct

P = ParamSpec("P")

Method = Callable[Concatenate[Any, P], None]

_KINDS: dict[Callable[..., None], tuple[Callable[..., Struct], int | None]] = {}
"""The class of messages of each method, and the place of its `*args` parameter, if it has one."""

_PASSED = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.VAR_POSITIONAL, Parameter.KEYWORD_ONLY)
_CALLS: dict[type[Struct], tuple[str, list[str], list[str], list[str]]] = {}
"""For each class: the name of the method, and those of its parameters by how they are passed."""


def mirror(base: type[Struct], method: Callable[..., None]) -> None:
    """Make the class of messages that mirror the method, with the fields of `base` first."""
    _, *parameters = signature(method).parameters.values()
    hints, fields, rest = get_type_hints(method), list[tuple[str, Any, Any]](), None
    for place, parameter in enumerate(parameters):
        hint, default = hints[parameter.name], parameter.default
        if parameter.kind is Parameter.VAR_POSITIONAL:
            hint, rest = GenericAlias(tuple, (hint, ...)), place
        if parameter.name not in base.__struct_fields__:
            is_required = default is Parameter.empty
            fields.append((parameter.name, hint, NODEFAULT if is_required else default))
    name, doc = method.__qualname__, {"__doc__": method.__doc__}
    kind = defstruct(name, fields, bases=(base,), frozen=True, module=__name__, namespace=doc)
    _KINDS[method] = kind, rest
    plain, rests, by_name = ([one.name for one in parameters if one.kind is by] for by in _PASSED)
    _CALLS[kind] = method.__name__, plain, rests, by_name


def kind_of(method: Callable[..., None]) -> Any:
    """The class of messages that mirror the method."""
    return _KINDS[method][0]


def kinds(base: type[Struct]) -> Sequence[type[Struct]]:
    """The classes of messages that mirror a method and have that base."""
    return [kind for kind in _CALLS if issubclass(kind, base)]


def sends(method: Method[P]) -> Method[P]:
    """A method that sends its arguments in a message."""
    kind, rest = _KINDS[method]

    @wraps(method)
    def send(sender: Any, /, *args: P.args, **kwargs: P.kwargs) -> None:
        given = args if rest is None else (*args[:rest], args[rest:])
        sender.send(kind(*sender.address, *given, **kwargs))

    return send


def call(target: object, message: Struct) -> None:
    """Call the method of the target as the message says."""
    name, plain, rest, by_name = _CALLS[type(message)]
    args = [getattr(message, parameter) for parameter in plain]
    for parameter in rest:
        args += getattr(message, parameter)
    getattr(target, name)(*args, **{by: getattr(message, by) for by in by_name})

"""What the lobby is told of a program of this server."""

from collections.abc import Iterator
from dataclasses import replace

from ulci.engines.process import EngineProcess
from ulci.protocol.messages import Id, Option, OptionType
from ulci_server.lobby import Introduction, Profile, ServerProgram, levels

_OWN = frozenset({"author", "version", "pieces"})
"""Ids that are the engine's own to say: neither a token nor a person's name."""

_NOT_OWN = frozenset({"lobby", "admin"})
"""Features that a program of the server does not have, whatever it says: it speaks of games."""


def profile_of(
    engine: EngineProcess,
    *,
    name: str = "",
    plays: str = "",
    pool: str = "",
    program: ServerProgram | None = None,
) -> Profile:
    """The profile of an engine that was introduced and configured. name: instead of its own. plays,
    pool, program: as in `Profile`; an engine whose strength options have set has no levels."""
    introduction = Introduction(plays=plays, pool=pool)
    for said in _said(engine, name or engine.name):
        introduction.hear(said)
    if program is not None and not levels.STRENGTH.isdisjoint(engine.fixed):
        program = replace(program, levels=False)
    return replace(introduction.profile(), program=program)


def _said(engine: EngineProcess, name: str) -> Iterator[Id | Option]:
    yield Id("name", name)
    for said in engine.ids:
        if said.key in _OWN:
            yield said
        elif said.key == "feature":
            words = [word for word in said.value.split() if word.lower() not in _NOT_OWN]
            yield Id("feature", " ".join(words))
    for option in engine.offered:
        # What was set for it stays as it is: only of a combo the one choice is left to ask for.
        if option.name.casefold() not in engine.fixed or option.type is OptionType.COMBO:
            yield option

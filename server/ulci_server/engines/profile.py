"""The profile of a program of this server, for the lobby."""

from collections.abc import Iterator
from dataclasses import replace

from ulci.engines.process import EngineProcess
from ulci.protocol.messages import Id, Option, OptionType
from ulci_server.lobby import Introduction, Profile, ServerProgram, levels

_OWN = frozenset({"author", "version", "pieces"})
"""Ids that the lobby takes from an engine: neither a token nor a person's name."""

_NOT_OWN = frozenset({"lobby", "admin"})
"""Features that no program of the server gets, even if it names them: it only plays games."""


def profile_of(
    engine: EngineProcess,
    *,
    name: str = "",
    plays: str = "",
    pool: str = "",
    program: ServerProgram | None = None,
) -> Profile:
    """The profile of an engine that has introduced itself and is configured. name: replaces its own
    name. plays, pool, program: as in `Profile`; an engine whose strength the operator's options set
    has no levels."""
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
        # Players cannot change an option that the operator has set. A combo keeps its one choice.
        if option.name.casefold() not in engine.fixed or option.type is OptionType.COMBO:
            yield option

"""The option ``--time`` of programs: a time control as people type it."""

import click

from ulci.time_control import TimeError, entered


def typed_time(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """A callback of `click`: the notation of the wire; nothing typed stays nothing."""
    try:
        return entered(value) if value else value
    except TimeError as error:
        raise click.BadParameter(str(error)) from error

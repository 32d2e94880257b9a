"""Commands that describe a program to other programs: manual pages, and completion in a shell.

Both are made from the program's commands when they are asked for, so they cannot differ from them.
"""

from collections.abc import Iterator
from importlib.metadata import version
from inspect import cleandoc
from pathlib import Path
from typing import Any

import click
from click.shell_completion import get_completion_class

SHELLS = ("bash", "zsh", "fish")

_KEEP = "\b"
"""Alone on the first line of a paragraph it keeps click from running the lines together."""

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(ctx: click.Context, /, *, shell: str) -> None:
    """Print what lets a shell complete the commands and options of this program.

    For bash, in ~/.bashrc:

        eval "$(ulci completion bash)"
    """
    root = ctx.find_root()
    program = root.info_name or ""
    variable = f"_{program.replace('-', '_').upper()}_COMPLETE"
    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(root.command, {}, program, variable).source())


@click.command()
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@click.option(
    "--write",
    "folder",
    type=FOLDER,
    metavar="FOLDER",
    help="Write the pages of the program and all its commands into this folder.",
)
@click.pass_context
def manual(ctx: click.Context, /, *, words: tuple[str, ...], folder: Path | None) -> None:
    """Print the manual page of this program or of one of its commands, for man.

    Read it with:

        ulci manual bridge | man -l -

    Install all of them, so that "man ulci-bridge" works:

        ulci manual --write /usr/local/share/man/man1
    """
    pages = {context.command_path: context for context in _contexts(ctx.find_root())}
    program = ctx.find_root().info_name or ""
    if folder is None:
        path = " ".join((program, *words))
        if path not in pages:
            raise click.UsageError(f"there is no command {path}", ctx)
        click.echo(page(pages[path]), nl=False)
        return
    for context in pages.values():
        name = _page_name(context)
        (folder / f"{name}.1").write_text(page(context), "utf-8")
    click.echo(f"{len(pages)} pages in {folder}")


def _contexts(root: click.Context) -> Iterator[click.Context]:
    """The program, its commands, and the commands of these."""
    yield root
    if isinstance(root.command, click.Group):
        for name in root.command.list_commands(root):
            command = root.command.get_command(root, name)
            if command is not None and not command.hidden:
                yield from _contexts(_context(command, name, root))


def _context(command: click.Command, name: str, parent: click.Context) -> click.Context:
    settings: dict[str, Any] = {**command.context_settings, "resilient_parsing": True}
    return click.Context(command, info_name=name, parent=parent, **settings)


def _page_name(context: click.Context) -> str:
    return context.command_path.replace(" ", "-")


def page(context: click.Context) -> str:
    """One manual page in the macros of man(7)."""
    command, name = context.command, _page_name(context)
    release = version("ulci-relay")
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [
        f'.TH {_roff(name.upper())} 1 "" "ulci-relay {_roff(release)}"',
        ".SH NAME",
        f"{_roff(name)} \\- {_roff(command.get_short_help_str(400).rstrip('.'))}",
        ".SH SYNOPSIS",
        f"\\fB{_roff(context.command_path)}\\fR {_roff(usage)}",
        ".SH DESCRIPTION",
        *_paragraphs(command.help or ""),
    ]
    records = [
        record
        for parameter in command.get_params(context)
        if (record := parameter.get_help_record(context)) is not None
    ]
    if records:
        lines += [".SH OPTIONS", *_terms(records)]
    if isinstance(command, click.Group):
        listed = [
            (f"{name}-{each}(1)", found.get_short_help_str(400))
            for each in command.list_commands(context)
            if (found := command.get_command(context, each)) is not None and not found.hidden
        ]
        lines += [".SH COMMANDS", *_terms(listed)]
    if command.epilog:
        lines += [".SH NOTES", *_paragraphs(command.epilog)]
    return "\n".join(lines) + "\n"


def _terms(records: list[tuple[str, str]]) -> Iterator[str]:
    for term, text in records:
        yield from (".TP", f"\\fB{_roff(term)}\\fR", _roff(" ".join(text.split())) or "\\&")


def _paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a help text. Examples, which are indented, keep their lines."""
    for paragraph in cleandoc(text).split("\n\n"):
        lines = paragraph.splitlines()
        if lines[0].strip() == _KEEP or all(line.startswith("    ") for line in lines):
            kept = [line for line in lines if line.strip() != _KEEP]
            yield from (".PP", ".EX", *(_roff(line) for line in kept), ".EE")
        else:
            yield from (".PP", *(_roff(line.strip()) for line in lines))


def _roff(text: str) -> str:
    """The text with roff's own signs escaped, and hyphens that can be typed."""
    plain = text.replace("\\", "\\e").replace("-", "\\-")
    plain = "".join(sign if sign.isascii() else f"\\[u{ord(sign):04X}]" for sign in plain)
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain

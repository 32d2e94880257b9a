"""``ulci doctor``: from the command line to `Request`."""

import json
from typing import Any

import click
import trio

from ulci.net import ProcessError

from .courses import COURSES
from .examine import Request, examine
from .findings import Checked, Report
from .show import as_object, head_line, step_lines, sum_line

EPILOG = """\
Exit codes: 0 all is good, 1 there are faults, 2 wrong usage or a program that cannot be started.
"""


@click.command(epilog=EPILOG)
@click.argument("engine", nargs=-1, required=True, metavar="-- ENGINE [ARGS]...")
@click.option(
    "--dialect",
    type=click.Choice([*COURSES]),
    default="uci",
    show_default=True,
    help="The protocol that it should speak.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=5.0,
    show_default=True,
    metavar="SECONDS",
    help="How long it may take for each answer.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="TEXT",
    help="Do only the steps with this in their name; may be repeated.",
)
@click.option("--strict", is_flag=True, help="Let warnings fail, too.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as a JSON object.")
@click.option("--verbose", "-v", is_flag=True, help="Show all that was said, and the notes.")
@click.pass_context
def command(ctx: click.Context, /, **asked: Any) -> None:
    """Examine whether an engine keeps to its protocol, and tell its author what to do.

    Write -- before the engine, so that its own options are not taken for the doctor's:

        ulci doctor --dialect uci -- ./engine --threads 1

    An engine that dies or hangs is started again for the next step. Under a finding stands what
    was sent (>) and received (<), with the milliseconds since the step began.
    """
    request = Request(asked["engine"], asked["dialect"], asked["timeout"], asked["only"])

    told = ""

    def tell(checked: Checked) -> None:
        nonlocal told
        # Steps that were all skipped for one reason need not be listed: the sum counts them.
        if not asked["as_json"] and not (checked.skipped and checked.skipped == told):
            click.echo("\n".join(step_lines(checked, verbose=asked["verbose"])))
        told = checked.skipped

    try:
        report = trio.run(examine, request, tell)
    except ProcessError as error:
        click.echo(f"error: {error}", err=True)
        ctx.exit(2)
    _conclude(report, **asked)
    ctx.exit(report.exit_code(strict=asked["strict"]))


def _conclude(report: Report, *, as_json: bool, strict: bool, **_: Any) -> None:
    if as_json:
        click.echo(json.dumps(as_object(report, strict=strict), indent=2, ensure_ascii=False))
    else:
        click.echo(f"\n{head_line(report)}\n{sum_line(report)}")

"""The command ``ulci doctor``: options in, report and exit code out."""

import json
from typing import Any

import click
import trio

from ulci.net import ProcessError

from .report import StepResult, as_object, head_line, step_lines, sum_line
from .runner import Request, examine
from .suites import SUITES

EPILOG = """\
Exit codes: 0 no faults, 1 faults, 2 wrong usage or an engine that cannot be started.
"""


@click.command(epilog=EPILOG)
@click.argument("engine", nargs=-1, required=True, metavar="-- ENGINE [ARGS]...")
@click.option(
    "--dialect",
    type=click.Choice([*SUITES]),
    default="uci",
    show_default=True,
    help="The protocol to check.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=5.0,
    show_default=True,
    metavar="SECONDS",
    help="Time for each answer.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="TEXT",
    help="Run only steps with this in their name; may be repeated.",
)
@click.option("--strict", is_flag=True, help="Fail on warnings, too.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as a JSON object.")
@click.option("--verbose", "-v", is_flag=True, help="Show all lines and notes.")
@click.pass_context
def command(ctx: click.Context, /, **asked: Any) -> None:
    """Check how well an engine keeps to its protocol, with advice for its author.

    Put -- before the engine, to separate its options from the doctor's:

        ulci doctor --dialect uci -- ./engine --threads 1

    An engine that dies or hangs is restarted for the next step. Findings show the lines sent (>)
    and received (<), with the milliseconds since the step began.
    """
    request = Request(asked["engine"], asked["dialect"], asked["timeout"], asked["only"])

    told = ""

    def tell(result: StepResult) -> None:
        nonlocal told
        # Of steps skipped for the same reason only the first is listed; the sum counts all.
        if not asked["as_json"] and not (result.skipped and result.skipped == told):
            click.echo("\n".join(step_lines(result, verbose=asked["verbose"])))
        told = result.skipped

    try:
        report = trio.run(examine, request, tell)
    except ProcessError as error:
        click.echo(f"error: {error}", err=True)
        ctx.exit(2)
    if asked["as_json"]:
        shown = as_object(report, strict=asked["strict"])
        click.echo(json.dumps(shown, indent=2, ensure_ascii=False))
    else:
        click.echo(f"\n{head_line(report)}\n{sum_line(report)}")
    ctx.exit(report.exit_code(strict=asked["strict"]))

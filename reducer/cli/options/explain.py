"""What `mlir-reducer explain` takes; `cli/commands/explain.py` does the work."""

from typing import Any

import click

from reducer.cli.options.oracle import with_oracle_options
from reducer.cli.options.shared import input_argument, jobs_option, json_option
from reducer.cli.options.trailing import TrailingCommand


@click.command(
    cls=TrailingCommand,
    short_help="Show which change to each part of a small INPUT makes the failure go away.",
)
@input_argument
@with_oracle_options(timeout="10 minutes for INPUT, then a multiple of its time", metric=False)
@jobs_option("results do not depend on it")
@click.option(
    "--parts",
    metavar="N",
    type=click.IntRange(min=0),
    default=150,
    show_default=True,
    help="Change at most N parts, those nearest to the failing op first; 0 for all.",
)
@click.option(
    "--rejected",
    is_flag=True,
    help="Run nothing: show what refused how many candidates of the reduction to INPUT.",
)
@json_option
def explain(**values: Any) -> int:
    """Show which flags, ops, attributes, sizes, and element types of INPUT the failure needs.

    INPUT is a small failing program, such as a result of `reduce`. Each part is changed by itself,
    smallest change first, until the failure goes away; every answer comes from a run of COMMAND.
    For a result of this user's own `reduce`, COMMAND is known. One that only a file names is asked
    about. INPUT may also be what `reduce --json FILE` writes, or the metadata.json of a report.
    With --rejected, INPUT is a result, whose journal says which condition has refused each
    candidate of the reduction.

    \b
      mlir-reducer explain model.reduced.mlir -- \\
          iree-compile --iree-hal-target-device=hip --iree-rocm-target=gfx942
    """
    from reducer.cli.commands.explain import explain

    return explain(**values)

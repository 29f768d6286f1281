"""What `mlir-reducer explain` takes; `cli/commands/explain.py` does the work."""

from typing import Any

import click

from reducer.cli.options.table import takes
from reducer.cli.options.trailing import TrailingCommand, input_argument


@click.command(cls=TrailingCommand)
@input_argument
@takes("explain")
def explain(asked: Any) -> int:
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

    return explain(asked)

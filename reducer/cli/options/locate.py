"""What `mlir-reducer locate` takes; `cli/commands/locate.py` does the work."""

from typing import Any

import click

from reducer.cli.options.table import takes
from reducer.cli.options.trailing import TrailingCommand, input_argument


@click.command(cls=TrailingCommand)
@input_argument
@takes("locate")
def locate(asked: Any) -> int:
    """Find where COMMAND fails on INPUT without reducing it.

    Prints the failing phase, dispatch, and pass, the suspect ops with their lines in INPUT, and
    whether a run confirmed them. Runs COMMAND once on INPUT and then on small programs; a failure
    in code generation takes one more partial run to name the dispatch, and a failure without
    diagnostics up to two more full runs.

    With --wrong-results, prints the phase that is wrong, and the first dispatch whose results
    differ from what its IR says, with the ops of INPUT that it was made of.

    \b
      mlir-reducer locate model.mlir -- \\
          iree-compile --iree-hal-target-device=hip --iree-rocm-target=gfx942
    """
    from reducer.cli.commands.locate import locate

    return locate(asked)

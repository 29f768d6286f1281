"""What `mlir-reducer locate` takes; `cli/commands/locate.py` does the work."""

from pathlib import Path
from typing import Any

import click

from reducer.cli.options.oracle import with_oracle_options
from reducer.cli.options.shared import OutputFile, input_argument, json_option
from reducer.cli.options.trailing import TrailingCommand


@click.command(cls=TrailingCommand)
@input_argument
@with_oracle_options()
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=OutputFile(path_type=Path),
    help="With --wrong-results: write the wrong dispatch to FILE, as a program of its own, and "
    "what it reads to FILE.inputs, a flag file for the runtime.",
)
@json_option
def locate(**values: Any) -> int:
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

    return locate(**values)

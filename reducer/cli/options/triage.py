"""What `mlir-reducer triage` takes; `cli/commands/triage.py` does the work."""

from typing import Any

import click

from reducer.cli.options.table import takes
from reducer.cli.options.trailing import TrailingCommand
from reducer.cli.options.values import StoredPath


@click.command(
    cls=TrailingCommand,
    epilog="""\b
Exit codes:
    0  done, whether or not inputs fail   69  compiler version not available
    1  new or reopened bugs, with         70  internal error in mlir-reducer
       --fail-on-new                      73  a file cannot be written
    2  usage error, or flags that a       75  another triage uses the database
       compiler does not accept          127  compiler not found
   65  an input cannot be read or run    130  interrupted; run it again
   66  no such folder or file""",
)
@click.argument("folders", nargs=-1, required=True, type=StoredPath(), metavar="DIR…")
@takes("triage")
def triage(asked: Any) -> int:
    """Compile every input in DIR…, sort the failures into buckets, and reduce one of each.

    Inputs are .mlir and .mlirbc files, plain or compressed (.gz, .xz, .bz2, .zst). COMMAND is a
    compiler with its flags, or just flags for iree-compile.

    \b
      mlir-reducer triage models/ --iree 3.12.0,3.13.0 -- \\
          --iree-hal-target-device=hip --iree-rocm-target=gfx942

    Results are stored in a database as they arrive. Running the same command again, after Ctrl-C
    or the next night, compiles and reduces only what is new and marks each bug as new, known,
    fixed, or reopened.
    """
    from reducer.cli.commands.triage import triage

    return triage(asked)

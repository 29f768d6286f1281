"""What `mlir-reducer bisect` takes; `cli/commands/bisect.py` does the work."""

from typing import Any

import click

from reducer.cli.options.table import takes
from reducer.cli.options.trailing import TrailingCommand, input_argument


@click.command(cls=TrailingCommand)
@input_argument
@takes("bisect")
def bisect(asked: Any) -> int:
    """Find the release that introduced a failure, and the one that fixed it.

    The failure is that of the newest release, or of the one given with --bad (or --iree). Other
    releases are installed as needed; flags that were renamed between releases are translated. A
    release that cannot parse INPUT or COMMAND is reported as "cannot tell".

    \b
      mlir-reducer bisect model.reduced.mlir -- \\
          iree-compile --iree-hal-target-device=hip --iree-rocm-target=gfx942

    With --pre and --find-links, nightly packages are bisected as well. Your own builds are bisected
    with --compiler; COMMAND then runs each of them in place of its program.

    Exits with 0 if at least one other release gave a verdict, 1 if COMMAND does not fail on INPUT
    with the bad release, and 69 if no other release can tell. Verdicts are kept in a journal next
    to INPUT, or in the folder of a result, and reused.
    """
    from reducer.cli.commands.bisect import bisect

    return bisect(asked)

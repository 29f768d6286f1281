"""What `mlir-reducer reduce` takes; `cli/commands/reduce.py` does the work."""

from pathlib import Path
from typing import Any

import click

from reducer.cli.options.table import takes
from reducer.cli.options.trailing import TrailingCommand, input_argument


@click.command(
    cls=TrailingCommand,
    epilog="""\b
Exit codes:
    0  reduced                           66  the input cannot be read
    1  the input does not fail           69  compiler version not available
    2  usage error                       70  internal error in mlir-reducer
    3  budget spent; best result kept    73  the output cannot be written
    4  not verified: the failure is      75  another process uses the journal
       flaky, or the compiler was       124  the command does not terminate
       replaced meanwhile               127  command not found
    5  nothing can judge the results    130  interrupted; best result kept
   65  the input is not MLIR text,
       or a file of ours is damaged""",
)
@input_argument
@click.argument("log", required=False, type=click.Path(path_type=Path, exists=True, dir_okay=False))
@takes("reduce")
def reduce(asked: Any) -> int:
    """Reduce INPUT to a small program on which COMMAND fails the same way.

    COMMAND is the command that fails, without the input file (or with {} in its place). What counts
    as the same failure is derived from the first run: the kind of failure, its message without
    names, shapes, and numbers, the failing op, and the top frames of a crash. A LOG spares it.

    \b
    With the compiler on PATH:
      mlir-reducer reduce model.mlir -- \\
          iree-compile --iree-hal-target-device=hip --iree-rocm-target=gfx942

    \b
    With a given version of the compiler, installed on first use:
      mlir-reducer reduce model.mlir --iree 3.8.0 -- \\
          iree-compile --iree-hal-target-device=hip --iree-hip-target=gfx942

    \b
    With any other tool, pattern, or script:
      mlir-reducer reduce bug.mlir -- mlir-opt --canonicalize {}
      mlir-reducer reduce bug.mlir --match 'operand #\\d+ does not dominate' -- \\
          iree-opt --cse
      mlir-reducer reduce bug.mlir --test ./wrong-result.sh

    \b
    With what is in a crash log, a crash reproducer, an issue, or a lit test:
      mlir-reducer reduce crash.log

    INPUT may be bytecode (.mlirbc), compressed (.mlir.xz), or - for standard input, whose result is
    stdin.reduced.mlir. A COMMAND that begins with a flag is one of iree-compile. From the first
    accepted candidate on, the output file holds the best result so far; until then it is not
    touched. Running the same command again continues an interrupted reduction without repeating any
    run; --fresh starts over.
    """
    from reducer.cli.commands.reduce import reduce

    return reduce(asked)

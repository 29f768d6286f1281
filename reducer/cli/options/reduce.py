"""What `mlir-reducer reduce` takes; `cli/commands/reduce.py` does the work."""

from pathlib import Path
from typing import Any

import click

from reducer.arguments import COUNT, RUNS, SECONDS
from reducer.cli.options.oracle import with_oracle_options
from reducer.cli.options.shared import (
    OutputFile,
    elsewhere_option,
    input_argument,
    jobs_option,
    json_option,
    profile_with_option,
    quiet_option,
    words_option,
    yes_option,
)
from reducer.cli.options.trailing import NumberOption, TrailingCommand
from reducer.search.sequential import MAX_RUNS

KEPT = ("sizes", "types", "flags", "level", "generic")


@click.command(
    cls=TrailingCommand,
    short_help="Reduce INPUT to a small program that fails the same way.",
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
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=OutputFile(path_type=Path),
    help="Where to write the result. Everything else goes into one folder next to it, named like "
    "the result without .mlir. [default: NAME.reduced.mlir next to the input]",
)
@with_oracle_options(timeout="an hour for INPUT, then a multiple of the best result's time")
@jobs_option("the result does not depend on it", remote=True)
@click.option(
    "--max-calls",
    metavar="N",
    type=COUNT,
    help="Stop after N runs of the command and keep the best result so far, which the last of them "
    "verify. Speculative runs of -j do not count.",
)
@click.option(
    "--max-seconds",
    metavar="SECONDS",
    type=SECONDS,
    help="Stop after this many seconds and keep the best result so far.",
)
@click.option(
    "--flaky",
    metavar="[N]",
    cls=NumberOption,
    omitted=MAX_RUNS,
    type=RUNS,
    help="Reduce an intermittent failure: run each candidate as often as a verdict needs, at most "
    f"N times. [default: {MAX_RUNS}]",
)
@elsewhere_option
@profile_with_option
@words_option(
    "--keep",
    KEPT,
    "What must not change: sizes and element types of the input, in a second result beside the "
    "smallest one; flags of the command; the level of the dialects, instead of any that gives a "
    "smaller program; generic form in print.",
)
@yes_option
@click.option("--fresh", is_flag=True, help="Reuse no verdicts of earlier runs.")
@click.option(
    "--pass-level/--no-pass-level",
    default=True,
    help="Also reduce the IR just before the failing pass, into before-pass.mlir in the folder of "
    "the result. [default: yes]",
)
@click.option(
    "--report/--no-report",
    "with_report",
    default=True,
    help="Also write a bug report: report and report.zip in the folder of the result. "
    "[default: yes]",
)
@json_option
@quiet_option
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Print each candidate, the condition that refuses it, and all figures at the end.",
)
def reduce(**values: Any) -> int:
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

    return reduce(**values)

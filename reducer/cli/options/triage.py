"""What `mlir-reducer triage` takes; `cli/commands/triage.py` does the work."""

from pathlib import Path
from typing import Any

import click

from reducer.arguments import COUNT, RUNS, SECONDS
from reducer.cli.options.completion import complete_versions
from reducer.cli.options.oracle import with_metric_options
from reducer.cli.options.shared import (
    StoredPath,
    jobs_option,
    json_option,
    memory_limit_option,
    pages_option,
    quiet_option,
    summary_option,
)
from reducer.cli.options.trailing import NumberOption, TrailingCommand

_TRIES = 5
"""Runs of an input that passes, if its failure may be intermittent."""


@click.command(
    cls=TrailingCommand,
    short_help="Turn folders of failing inputs into a short list of bugs.",
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
@click.option(
    "--iree",
    "versions",
    metavar="VERSION[,…]",
    shell_complete=complete_versions,
    help="Compile with each of these releases (such as 3.12.0,3.13.0), installed on first use.",
)
@click.option(
    "--flags-file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="A file with one set of flags per line, optionally for some inputs (docs/triage.md).",
)
@click.option(
    "--db",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The triage database. [default: .mlir-reducer/triage.sqlite in the first DIR]",
)
@jobs_option("the buckets do not depend on it", remote=True)
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=SECONDS,
    default=600.0,
    show_default=True,
    help="Treat a compiler that runs longer as hanging, which is a failure.",
)
@memory_limit_option
@with_metric_options
@click.option(
    "--reduce/--no-reduce",
    default=True,
    help="Reduce one input of each bucket, or only sort failures into buckets. [default: yes]",
)
@click.option(
    "--max-calls",
    metavar="N",
    type=COUNT,
    help="Stop the reduction of a bucket after N runs and keep the best result so far.",
)
@click.option(
    "--flaky",
    metavar="[N]",
    cls=NumberOption,
    omitted=_TRIES,
    type=RUNS,
    help="Expect intermittent failures: an input passes if N runs of it do, and failures that do "
    f"not occur in every run are reduced as with `reduce --flaky`. [default: {_TRIES}]",
)
@click.option(
    "--report/--no-report",
    default=True,
    help="Also write a bug report for each reproducer, for `buckets export`. [default: yes]",
)
@click.option("--fail-on-new", is_flag=True, help="Exit with 1 if any bug is new or reopened.")
@json_option
@pages_option
@summary_option
@quiet_option
def triage(**values: Any) -> int:
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

    return triage(**values)

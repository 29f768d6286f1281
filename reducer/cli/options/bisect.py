"""What `mlir-reducer bisect` takes; `cli/commands/bisect.py` does the work."""

from typing import Any

import click

from reducer.cli.options.oracle import with_oracle_options
from reducer.cli.options.shared import input_argument, json_option, with_package_options
from reducer.cli.options.trailing import TrailingCommand


@click.command(
    cls=TrailingCommand,
    short_help="Find the release that introduced a failure, and the one that fixed it.",
)
@input_argument
@click.option("--bad", metavar="VERSION", help="A release that fails. [default: newest]")
@click.option(
    "--good",
    metavar="VERSION",
    help="A release believed to be good; only releases between it and the bad one are tested.",
)
@click.option("--all", "everything", is_flag=True, help="Test every release instead of bisecting.")
@click.option(
    "--compiler",
    "compilers",
    metavar="[LABEL=]PATH",
    multiple=True,
    help="Bisect these compilers instead, in the given order, oldest first: programs that you have "
    "built, versions such as 3.12.0, or `releases` for all published ones. Repeat it for each.",
)
@with_package_options("Include release candidates and nightly packages.")
@with_oracle_options(timeout="an hour for the bad release, then a multiple of its time")
@json_option
def bisect(**values: Any) -> int:
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

    return bisect(**values)

"""What `mlir-reducer worker` takes; the work is done in reducer/cli/worker.py."""

from typing import Any

import click

from reducer.cli.commands.base import ReducerCommand
from reducer.cli.commands.shared import SchedulerAddress, jobs_option


@click.command(cls=ReducerCommand)
@click.argument("address", type=SchedulerAddress())
@click.option(
    "--iree",
    "versions",
    metavar="VERSION[,…]",
    help="Versions to offer, installed if missing. [default: all installed versions]",
)
@jobs_option("results do not depend on it")
def worker(**values: Any) -> None:
    """Run compilers for the Dask scheduler at ADDRESS (tcp://HOST:PORT).

    Start a scheduler on one machine and a worker on each machine, then pass the scheduler's
    address to `reduce` or `triage`:

    \b
      dask scheduler --host 127.0.0.1
      mlir-reducer worker tcp://127.0.0.1:8786 --iree 3.12.0,3.13.0
      mlir-reducer reduce model.mlir --iree 3.13.0 --scheduler tcp://127.0.0.1:8786 -- …

    A run is sent only to workers that offer its compiler version. Anyone who can reach the
    scheduler can run programs on its workers, so keep both on a private network.
    """
    from reducer.cli.worker import worker

    worker(**values)

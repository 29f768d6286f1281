"""`mlir-reducer worker`, which imports its work when it runs."""

import threading

import click

from reducer.cli.options.base import ReducerCommand
from reducer.cli.options.table import takes
from reducer.cli.options.values import SchedulerAddress


@click.command(cls=ReducerCommand)
@click.argument("address", type=SchedulerAddress())
@takes("worker")
def worker(address: str, versions: str | None, jobs: int) -> None:
    """Run compilers for the Dask scheduler at ADDRESS (tcp://HOST:PORT).

    Start a scheduler on one machine and a worker on each machine, then pass the scheduler's
    address to `reduce` or `triage`:

    \b
      dask scheduler --host 127.0.0.1
      mlir-reducer worker tcp://127.0.0.1:8786 --iree 3.12.0,3.13.0
      mlir-reducer reduce model.mlir --iree 3.13.0 -j tcp://127.0.0.1:8786 -- …

    A run is sent only to workers that offer its compiler version. Anyone who can reach the
    scheduler can run programs on its workers, so keep both on a private network.
    """
    from reducer.cli.display.console import print_status
    from reducer.cli.signals import stop_on_signals
    from reducer.cli.workspace import workspace
    from reducer.cluster.worker import serve
    from reducer.toolchain import install, installed

    if versions is None:
        offered = [one.version for one in installed()]
    else:
        offered = [
            install(one.strip(), progress=print_status).version for one in versions.split(",")
        ]
    stop = threading.Event()
    with workspace() as place, stop_on_signals(stop, leave=place.clean_up):
        serve(address, offered, jobs, stop, print_status)

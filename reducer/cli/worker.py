"""`mlir-reducer worker`"""

import threading

from reducer.cli.signals import stop_on_signals
from reducer.cli.status import print_status
from reducer.cli.workspace import workspace
from reducer.cluster.worker import serve
from reducer.toolchain import install, installed


def worker(address: str, versions: str | None, jobs: int) -> None:
    """Run compilers for the Dask scheduler at ADDRESS (tcp://HOST:PORT)."""
    if versions is None:
        offered = [one.version for one in installed()]
    else:
        offered = [
            install(one.strip(), progress=print_status).version for one in versions.split(",")
        ]
    stop = threading.Event()
    with workspace() as place, stop_on_signals(stop, leave=place.clean_up):
        serve(address, offered, jobs, stop, print_status)

"""A Dask worker that offers compiler versions."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Any

from reducer.cluster.cluster import resources_of
from reducer.errors import Unavailable

_CONNECT_TIMEOUT = 10.0  # seconds to find the scheduler


def serve(
    address: str,
    versions: Sequence[str],
    slots: int,
    stop: threading.Event,
    log: Callable[[str], None],
) -> None:
    """Work for the scheduler at `address` until `stop` is set or the scheduler disappears.

    One process runs `slots` jobs at once, since compilers are child processes anyway.

    Raises:
        Unavailable: Dask is not installed, or no scheduler responds.
    """
    try:
        from distributed import Worker
    except ImportError:
        raise Unavailable("a worker needs Dask: pip install 'mlir-reducer[cluster]'") from None
    asyncio.run(_serve(Worker, address, versions, slots, stop, log))


async def _serve(
    kind: Any,
    address: str,
    versions: Sequence[str],
    slots: int,
    stop: threading.Event,
    log: Callable[[str], None],
) -> None:
    worker = kind(
        address,
        nthreads=slots,
        resources=resources_of(versions, slots),
        dashboard=False,
        memory_limit=0,  # each run has its own limit
    )
    try:
        await asyncio.wait_for(worker, _CONNECT_TIMEOUT)
    except (OSError, TimeoutError) as error:
        await worker.close()
        reason = f" ({error})" if str(error) else ""
        raise Unavailable(
            f"no Dask scheduler answers at {address}{reason}; start one with: dask scheduler"
        ) from None
    log(f"connected to {address}: {', '.join(versions) or 'no versions'}, {slots} parallel runs")
    while not stop.is_set() and worker.status.name == "running":
        await asyncio.sleep(0.1)
    await worker.close()

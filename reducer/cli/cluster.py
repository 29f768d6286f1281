"""The `--scheduler` option, and `mlir-reducer worker`."""

import threading
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager

import click
from click.core import ParameterSource

from oracles import CompilerOracle, Oracle
from reducer.cli.signals import stop_on_signals
from reducer.cli.status import print_status
from reducer.cli.workspace import workspace
from reducer.cluster.cluster import Cluster, ClusterRunner, required_resources
from reducer.cluster.executor import ClusterExecutor
from reducer.cluster.worker import serve
from reducer.errors import UsageError
from reducer.toolchain import install, installed
from reducer.triage import Compiler, Executor, LocalExecutor


@contextmanager
def clustered(oracle: Oracle, address: str | None, jobs: int) -> Iterator[int]:
    """Make the oracle's runs on a cluster within a `with` statement; yields how many run at once.

    Raises:
        UsageError: the oracle does not run a compiler.
        Unavailable: the cluster does not exist, or no worker has the compiler.
    """
    if address is None:
        yield jobs
        return
    if not isinstance(oracle, CompilerOracle):
        raise UsageError(
            "--scheduler cannot be combined with --test, --match, --exit-code, --oracle, or "
            "--wrong-results"
        )
    cluster, before = Cluster(address), oracle.runner
    try:
        capacity = cluster.capacity(required_resources(oracle.executable))
        oracle.runner = ClusterRunner(cluster, print_status)
        yield min(jobs, capacity) if _is_given("jobs") else capacity
    finally:
        oracle.runner = before
        cluster.close()


@contextmanager
def executing(compilers: Iterable[Compiler], address: str | None, jobs: int) -> Iterator[Executor]:
    """The executor of a triage's tasks: this machine, or a cluster.

    Raises:
        Unavailable: the cluster does not exist, or no worker has one of the compilers.
    """
    with ExitStack() as held:
        executor: Executor
        if address is None:
            executor = LocalExecutor(jobs)
        else:
            cluster = Cluster(address)
            held.callback(cluster.close)
            executor = ClusterExecutor(cluster, {one.version for one in compilers}, print_status)
        held.callback(executor.close)
        yield executor


def _is_given(name: str) -> bool:
    source = click.get_current_context().get_parameter_source(name)
    return source is not ParameterSource.DEFAULT


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

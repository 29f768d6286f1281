"""The `--scheduler` option of `mlir-reducer reduce`."""

from collections.abc import Iterator
from contextlib import contextmanager

import click
from click.core import ParameterSource

from oracles import CompilerOracle, Oracle
from reducer.cli.status import print_status
from reducer.errors import UsageError


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
    from reducer.cluster.cluster import Cluster, ClusterRunner, required_resources

    cluster, before = Cluster(address), oracle.runner
    try:
        capacity = cluster.capacity(required_resources(oracle.executable))
        oracle.runner = ClusterRunner(cluster, print_status)
        yield min(jobs, capacity) if _is_given("jobs") else capacity
    finally:
        oracle.runner = before
        cluster.close()


def _is_given(name: str) -> bool:
    source = click.get_current_context().get_parameter_source(name)
    return source is not ParameterSource.DEFAULT

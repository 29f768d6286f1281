"""Runs programs on a cluster in the way of `run_process`."""

import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from oracles import End, Limits, ProcessResult, run_process
from oracles.limits import Reader
from reducer.cluster.cluster import Cancelled, Cluster, Lost
from reducer.cluster.job import job_of, run_job
from reducer.cluster.resources import needed

_CANCELLED = ProcessResult(End.CANCELLED, -9, 0.0, 0.0, 0, "", "")


class ClusterRunner:
    """Carries out runs on the workers that offer the program; the outcome is the same.

    The files beside the candidate travel with it, and no file comes back: only what a program
    prints counts. `say` hears, once, that the cluster failed and runs go on here.
    """

    def __init__(self, cluster: Cluster, say: Callable[[str], None]) -> None:
        self._cluster = cluster
        self._say = say
        self._told = False

    def __call__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        limits: Limits,
        cancel: threading.Event | None = None,
        reader: Reader | None = None,
    ) -> ProcessResult:
        """Runs `argv` somewhere. One whose output is read as it comes is run here."""
        here = partial(run_process, argv, cwd=cwd, limits=limits, cancel=cancel, reader=reader)
        if reader is not None:
            return here()
        job = partial(run_job, job_of(argv, cwd, limits))
        try:
            return self._cluster.run(job, needed(Path(argv[0])), cancel)
        except Cancelled:
            return _CANCELLED
        except Lost as error:
            if not self._told:
                self._told = True
                self._say(f"the cluster lost a run ({error}); it is made here instead")
            return here()

"""Runs of the program on a database. Processes that work at the same time share one."""

import time

from reducer import __version__
from reducer.triage.database import Database
from reducer.triage.leases import Leases
from reducer.triage.states import Standing

_LEASE = "run:"


def join_run(database: Database, leases: Leases) -> int:
    """The run that others are at work on, or a new one.

    What a killed process has found belongs to a run that never ended; it is told of in the next.
    """
    with database.transaction():
        for task in leases.living(_LEASE):
            run = int(task.split(":")[1])
            if database.value("SELECT finished FROM runs WHERE run = ?", run) is None:
                break
        else:
            database.write(
                "INSERT INTO runs (started, version) VALUES (?, ?)", time.time(), __version__
            )
            run = int(database.value("SELECT max(run) FROM runs"))
        leases.claim(f"{_LEASE}{run}:{leases.owner}")
    return run


def finish_run(database: Database, run: int, standings: dict[str, Standing]) -> None:
    """Keeps the states with which a run ended, by bucket. Each of its processes does so.

    Buckets without any failure are dropped.
    """
    with database.transaction():
        for bucket, standing in standings.items():
            database.write(
                "INSERT OR REPLACE INTO history VALUES (?, ?, ?, ?)",
                run, bucket, str(standing.state), standing.fixed_in,
            )  # fmt: skip
        database.write(  # signatures that are read in another way now
            "DELETE FROM buckets WHERE bucket NOT IN "
            "(SELECT bucket FROM results WHERE bucket IS NOT NULL)"
        )
        for table in ("reproducers", "grounds"):
            database.write(f"DELETE FROM {table} WHERE bucket NOT IN (SELECT bucket FROM buckets)")
        database.write("UPDATE runs SET finished = ? WHERE run = ?", time.time(), run)

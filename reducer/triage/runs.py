"""Runs of the program on a database, one after the other."""

import time

from reducer import __version__
from reducer.triage.database import Database
from reducer.triage.states import Standing


def start_run(database: Database) -> int:
    """The number of a new run.

    What a killed process has found belongs to a run that never ended; it is told of in the next.
    """
    with database.transaction():
        database.write(
            "INSERT INTO runs (started, version) VALUES (?, ?)", time.time(), __version__
        )
        return int(database.value("SELECT max(run) FROM runs"))


def finish_run(database: Database, run: int, standings: dict[str, Standing]) -> None:
    """Keeps the states with which a run ended, by bucket.

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

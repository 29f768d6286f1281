"""What a database that came with the inputs, or that has other results, must not be used for."""

import json
from collections.abc import Sequence

from reducer.errors import UsageError
from reducer.intake.allowed import allowed, known_flags
from reducer.toolchain import resolve_executable
from reducer.toolchain.metric_request import MetricRequest
from reducer.triage.configurations import Compiler
from reducer.triage.database import Database


def refuse_other_flags(database: Database, compiler: Compiler, typed: Sequence[str]) -> None:
    """Check that a database, which came with the inputs, runs no flag that a file must not ask for.

    Raises:
        UsageError: it does, and the user has not typed that flag.
    """
    for row in database.rows("SELECT DISTINCT flags FROM configurations"):
        if others := [flag for flag in json.loads(row["flags"]) if flag not in typed]:
            known = known_flags(resolve_executable(compiler.program, compiler.version))
            for what in allowed(("", *others), known).left_out:
                raise UsageError(
                    f"{database.path} has flags that may do harm: {what}; if you trust them, type "
                    "them in the command, or give another database with --db"
                )


def refuse_other_metric(database: Database, metric: MetricRequest | None) -> None:
    """Check that nothing else was measured, or that nothing was: a bug would seem to be fixed.

    Raises:
        UsageError: a database has other results.
    """
    asked = f"({metric.name})" if metric else ""
    for row in database.rows("SELECT name FROM compilers"):
        measured = " worse than " in row["name"]
        if measured != bool(asked) or not row["name"].endswith(asked):
            raise UsageError(f"{database.path} has results of {row['name']}; give another --db")

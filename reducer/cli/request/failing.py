"""From what a command takes to a failing program, and from what is found to the record of that."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from oracles import Outcome
from reducer.cli.display.console import print_phase
from reducer.cli.request.oracle_options import OracleOptions
from reducer.cli.request.recorded import ResultRecord, with_command
from reducer.cli.signals import stop_on_signals
from reducer.cli.workspace import workspace
from reducer.driver.failing import FailingProgram
from reducer.storage.result_folder import ResultFolder


@contextmanager
def failing_program(asked: OracleOptions, *, jobs: int = 1) -> Iterator[FailingProgram]:
    """Yields the program and its failure, in a workspace and with signals that stop the work.

    Raises:
        ReducerError: it cannot be read, or there is no command that may run.
    """
    asked = replace(asked, source=ResultFolder.result_of(asked.source))
    text = asked.read().text
    stop = threading.Event()
    with workspace() as place:
        oracle, opt = with_command(asked, text).oracle(text)
        with stop_on_signals(stop, leave=place.clean_up):
            yield FailingProgram(
                asked.source, text, oracle, opt, jobs=jobs, log=print_phase, stop=stop
            )


def record_findings(it: FailingProgram, outcome: Outcome, **findings: Any) -> None:
    """Add findings about a failure to the record of a result; nothing if it is none."""
    ResultRecord.of(it.source).add(it.text, outcome.signature.bucket, **findings)

"""Reduces an MLIR input that makes a compiler fail to a small one that fails the same way.

`reduce` does that from Python, as docs/python.md shows; `python -m reducer` is the command line.
"""

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, get_type_hints

if TYPE_CHECKING:
    import threading
    from pathlib import Path

    from oracles import Oracle
    from reducer.driver.records.record import Report
    from reducer.driver.settings import Listener, Settings
    from reducer.driver.stages.following import Following

__version__ = "0.1.0"


def reduce(
    program: "Settings | Path | str",
    command: "Sequence[str] | Oracle",
    *,
    on_event: "Listener | None" = None,
    stop: "threading.Event | None" = None,
    timeout: float | None = None,
    then: "Sequence[Following]" = (),
) -> "Report":
    """Reduce a program as long as a command fails on it in the same way, and verify the result.

    The result is in a file from the first success on, and its record is returned. A reduction that
    was ended early goes on where it stopped when it is started again. Nothing is printed, no signal
    is handled, and the process is not ended. Several threads may reduce at once, each to an output
    of its own; files that the command names are looked up from the current folder.

    Args:
        program: the file to reduce, or that and how to (see `Settings.of`).
        command: the words of the failing command, `{}` or the name of the file among them, or an
            oracle, which also says what counts as the same failure, and within which limits.
        on_event: is called with each `Event`, on this thread or a worker's. An error that it raises
            ends these calls, not the reduction.
        stop: ends the reduction once it is set; what was reached is returned.
        timeout: seconds after which a run of the words counts as hanging.
        then: stages to append to the table, such as `reducer.report.stage.ReportStage`.

    Raises:
        TypeError: an argument or a setting has another type.
        ReducerError: there is no result; `reducer.errors` has a class for each reason.
        OSError: the disk is full, for example. What was reached is in the file.
    """
    import threading

    from reducer.arguments import check
    from reducer.asking import Stopped
    from reducer.driver.reduction import Reduction
    from reducer.driver.resources import commanded
    from reducer.driver.settings import Settings
    from reducer.errors import UsageError, ended_early

    settings = program if isinstance(program, Settings) else Settings.of(program)
    hints = get_type_hints(Settings) | {"timeout": float | None, "then": Sequence}
    hints |= {"on_event": Callable | None, "stop": threading.Event | None}
    own = {"on_event": on_event, "stop": stop, "timeout": timeout, "then": then}
    check(vars(settings) | own, hints)
    if isinstance(command, str | bytes):
        raise UsageError("the command is one string; give its words as a list")
    if isinstance(command, Sequence):
        settings, command = commanded(settings, [*map(os.fspath, command)], timeout)
    elif not hasattr(command, "run"):
        raise TypeError(f"command: {command!r} is neither a list of words nor an oracle")
    listener = on_event or (lambda event: None)
    try:
        return Reduction(settings, command, listener, stop=stop, then=then).run()
    except Stopped as stopped:
        raise ended_early(stopped.reason) from None

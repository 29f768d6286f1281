"""Triage: turn folders of failing inputs into a short list of bugs in one SQLite database."""

from reducer.triage.configurations import (
    EVERYTHING,
    Compiler,
    Configuration,
    FlagsLine,
    find_compiler,
    read_flags_file,
)
from reducer.triage.database import Database
from reducer.triage.inputs import Input, find_inputs
from reducer.triage.representatives import TriageOptions
from reducer.triage.run_matrix import RunMatrix
from reducer.triage.running import (
    Executor,
    LocalExecutor,
    Task,
    TaskResult,
    Unwatched,
    Watcher,
    run_task,
)
from reducer.triage.states import BugState
from reducer.triage.store import Caps
from reducer.triage.summary import Bug, Cell, Summary
from reducer.triage.triage import Triage, owned

__all__ = [
    "EVERYTHING",
    "Bug",
    "BugState",
    "Caps",
    "Cell",
    "Compiler",
    "Configuration",
    "Database",
    "Executor",
    "FlagsLine",
    "Input",
    "LocalExecutor",
    "RunMatrix",
    "Summary",
    "Task",
    "TaskResult",
    "Triage",
    "TriageOptions",
    "Unwatched",
    "Watcher",
    "find_compiler",
    "find_inputs",
    "owned",
    "read_flags_file",
    "run_task",
]

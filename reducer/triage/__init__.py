"""A folder of failures becomes a short list of bugs, kept in one SQLite file."""

from reducer.triage.configurations import (
    EVERYTHING,
    Compiler,
    Configuration,
    FlagsLine,
    find_compiler,
    read_flags_file,
)
from reducer.triage.database import Caps, Database
from reducer.triage.inputs import Input, find_inputs
from reducer.triage.planning import Plan
from reducer.triage.representatives import Options
from reducer.triage.running import Answer, Executor, LocalExecutor, Task, Watcher, run_task
from reducer.triage.states import State
from reducer.triage.summary import Bug, Cell, Summary
from reducer.triage.triage import Triage, owned

__all__ = [
    "EVERYTHING",
    "Answer",
    "Bug",
    "Caps",
    "Cell",
    "Compiler",
    "Configuration",
    "Database",
    "Executor",
    "FlagsLine",
    "Input",
    "LocalExecutor",
    "Options",
    "Plan",
    "State",
    "Summary",
    "Task",
    "Triage",
    "Watcher",
    "find_compiler",
    "find_inputs",
    "owned",
    "read_flags_file",
    "run_task",
]

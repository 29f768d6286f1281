"""A folder of failures becomes a short list of bugs, kept in one SQLite file."""

from reducer.triage.compiling import Watcher
from reducer.triage.configuration import Compiler, Configuration, find_compiler
from reducer.triage.database import Database
from reducer.triage.executor import Executor, LocalExecutor
from reducer.triage.flags_file import EVERYTHING, FlagsLine, read_flags_file
from reducer.triage.inputs import Input, find_inputs
from reducer.triage.ownership import owned
from reducer.triage.plan import Plan
from reducer.triage.representatives import Options
from reducer.triage.states import State
from reducer.triage.store import Caps
from reducer.triage.summary import Bug, Cell, Summary
from reducer.triage.task import Answer, Task, run_task
from reducer.triage.triage import Triage

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

"""The oracle for wrong results: compile, run, and judge what comes out."""

from reducer.miscompile.oracle.comparison import Comparison
from reducer.miscompile.oracle.demonstration import Demonstration
from reducer.miscompile.oracle.execution import (
    CompilerConfig,
    Implementation,
    Poisoned,
    parameter_file,
)
from reducer.miscompile.oracle.references import (
    PythonReference,
    backend_of,
    device_of,
    runs_on_host,
    with_backend,
)
from reducer.miscompile.oracle.size_audit import SizeAudit
from reducer.miscompile.oracle.values_oracle import CommandDisplay, ValuesOracle, values_of
from reducer.miscompile.values.user_inputs import InputSpec

__all__ = [
    "CommandDisplay",
    "Comparison",
    "CompilerConfig",
    "Demonstration",
    "Implementation",
    "InputSpec",
    "Poisoned",
    "PythonReference",
    "SizeAudit",
    "ValuesOracle",
    "backend_of",
    "device_of",
    "parameter_file",
    "runs_on_host",
    "values_of",
    "with_backend",
]

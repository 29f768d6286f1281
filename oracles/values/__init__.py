"""Wrong results: a program that compiles and runs, but computes wrong values."""

from oracles.values.comparison import Comparison
from oracles.values.demonstration import Demonstration
from oracles.values.execution import CompilerConfig, Implementation, Poisoned
from oracles.values.given import InputSpec
from oracles.values.oracle import CommandDisplay, ValuesOracle
from oracles.values.python import PythonReference
from oracles.values.references import with_backend

__all__ = [
    "CommandDisplay",
    "Comparison",
    "CompilerConfig",
    "Demonstration",
    "Implementation",
    "InputSpec",
    "Poisoned",
    "PythonReference",
    "ValuesOracle",
    "with_backend",
]

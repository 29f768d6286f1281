"""Wrong results: a program that compiles and runs, and answers wrongly."""

from oracles.values.inputs import Given
from oracles.values.look import Comparison
from oracles.values.oracle import Call, Display, ValuesOracle
from oracles.values.python import PythonReference
from oracles.values.references import other_flags, with_backend
from oracles.values.run import Configuration, Poisoned, Side

__all__ = [
    "Call",
    "Comparison",
    "Configuration",
    "Display",
    "Given",
    "Poisoned",
    "PythonReference",
    "Side",
    "ValuesOracle",
    "other_flags",
    "with_backend",
]

"""Commands that should give the same results as the one under test."""

from oracles.compilers.command import Command, other_target, target_values
from oracles.profiles import RUNTIME, TARGETS


def with_backend(command: Command, backend: str) -> Command:
    """The same compilation for another backend, without flags that belong to the old one.

    Raises:
        KeyError: the backend cannot run here.
    """
    return other_target(command, RUNTIME.backends[backend], TARGETS)


def backend_of(command: Command) -> str | None:
    """The backend that a command selects, if it is one of those that run on any machine."""
    return RUNTIME.backend_of(target_values(command, TARGETS))


def device_of(command: Command) -> str:
    """The device that runs what a command compiles."""
    return RUNTIME.device_of(target_values(command, TARGETS))


def runs_on_host(command: Command) -> bool:
    """Whether what a command compiles runs on any machine."""
    return device_of(command) == RUNTIME.device_of(frozenset())

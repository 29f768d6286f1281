"""Commands that should give the same results as the one under test."""

from collections.abc import Sequence

from oracles.command import INPUT, Command
from oracles.profiles import RUNTIME, TARGETS


def with_backend(command: Command, backend: str) -> Command:
    """The same compilation for another backend, without flags that belong to the old one.

    Raises:
        KeyError: the backend cannot run here.
    """
    kept = [word for word in command.flags if not _is_target_flag(word)]
    return command.with_flags([*kept, *RUNTIME.backends[backend]])


def other_flags(command: Command, flags: Sequence[str]) -> Command:
    """The same compilation with these flags, which replace flags of the same name."""
    replaced = {_name(flag) for flag in flags}
    kept = [word for word in command.flags if _name(word) not in replaced]
    return command.with_flags([*kept, *flags])


def backend_of(command: Command) -> str | None:
    """The backend that a command selects, if it is one of those that run on any machine."""
    chosen = [word for word in command.flags if _name(word) in TARGETS.selecting]
    return RUNTIME.backend_of(
        frozenset(part for word in chosen for part in word.partition("=")[2].split(","))
    )


def _is_target_flag(word: str) -> bool:
    name = _name(word)
    return name in TARGETS.selecting or name.startswith(TARGETS.families)


def _name(word: str) -> str:
    return "" if word == INPUT else word.partition("=")[0].lstrip("-")

"""Variants of a command: the same compilation for another target, or with other flags."""

from collections.abc import Sequence

from oracles.compilers.command import INPUT, Command
from oracles.profiles import Targets


def other_target(command: Command, flags: Sequence[str], targets: Targets) -> Command:
    """The same compilation for the target of `flags`, without those that belong to the old one."""
    kept = [word for word in command.flags if not _is_target_flag(word, targets)]
    return command.with_flags([*kept, *flags])


def other_flags(command: Command, flags: Sequence[str]) -> Command:
    """The same compilation with these flags, which replace flags of the same name."""
    replaced = {_name(flag) for flag in flags}
    kept = [word for word in command.flags if _name(word) not in replaced]
    return command.with_flags([*kept, *flags])


def target_values(command: Command, targets: Targets) -> frozenset[str]:
    """The values of a command's flags that select a target; lists are split."""
    chosen = [word for word in command.flags if _name(word) in targets.selecting]
    return frozenset(part for word in chosen for part in word.partition("=")[2].split(","))


def values_of(command: Command, flag: str) -> list[str]:
    """The values that a command gives to a flag, in order."""
    return [word.partition("=")[2] for word in command.flags if _name(word) == _name(flag)]


def _is_target_flag(word: str, targets: Targets) -> bool:
    name = _name(word)
    return name in targets.selecting or name.startswith(targets.families)


def _name(word: str) -> str:
    return "" if word == INPUT else word.partition("=")[0].lstrip("-")

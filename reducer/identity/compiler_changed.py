"""Whether the compiler was replaced while a reduction ran, as by a build in the same folder.

Then some verdicts are those of another compiler than the first run of the input.
"""

from contextlib import suppress
from copy import copy
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from oracles import Command, Oracle
from oracles.base import file_identity
from reducer.identity.advice import EMPTY_MODULE

REPLACED = (
    "the compiler, or a file that the command names, changed during the reduction, so input and "
    "result were judged by different ones; run it again"
)


_EMPTY_FUNCTION = "func.func @main() {\n  return\n}\n"


def reading(oracle: Oracle) -> Oracle:
    """The same oracle, whose key does not depend on files that the command only writes.

    Else a reduction would begin anew each time, since every run has written another file. A file
    that does not exist at the start is not read. If others are named, the command is run on
    programs that do nothing to see which of them it writes.
    """
    command = oracle.command
    if command is None or command.reads is not None:
        return oracle
    before = _identities(command)
    if before:
        _run_on_nothing(oracle)
    after = _identities(command)
    kept = frozenset(path for path, identity in before.items() if after.get(path) == identity)
    return oracle.with_command(replace(command, reads=kept))


def _identities(command: Command) -> dict[Path, str]:
    return {path: file_identity(path) for path in command.files()}


def _run_on_nothing(oracle: Oracle) -> None:
    with suppress(OSError):
        for text in (EMPTY_MODULE, _EMPTY_FUNCTION):
            oracle.run(text)


def is_replaced(oracle: Oracle) -> bool:
    """Whether the files that an oracle had read when it began are others now.

    A file that the command itself writes (`--emit-to=/tmp/a.bin`) is not read. If one has changed,
    the command is run on programs that do nothing to see whether it writes that.
    """
    if oracle.command is not None:
        now = oracle.with_command(oracle.command)
        return now.key != oracle.key and not _only_writes(oracle, now)
    if not isinstance(getattr(type(oracle), "key", None), cached_property):
        return False
    fresh = copy(oracle)
    vars(fresh).pop("key", None)  # what was read at the start
    return fresh.key != oracle.key


def _only_writes(before: Oracle, now: Oracle) -> bool:
    """Whether all files that have changed are named by the command, which writes them."""
    assert now.command is not None
    changed = _changed(before, now)
    if not changed <= {str(path.resolve()) for path in now.command.files()}:
        return False
    _run_on_nothing(now)
    return changed <= _changed(now, now.with_command(now.command))


def _changed(before: Oracle, after: Oracle) -> set[str]:
    """The files whose identities differ in two keys, also if only one has them."""
    return {identity.rsplit(":", 2)[0] for identity in {*before.key.split()} ^ {*after.key.split()}}

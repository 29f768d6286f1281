"""Reduce the compile command to the flags that the failure needs.

First all flags are dropped, then smaller and smaller groups of adjacent flags, then each alone; a
flag that must stay gets a smaller value if its value is a list or a pass pipeline. The rest of the
reduction then runs the shorter command.
"""

import json
import re
from collections.abc import Callable, Iterator

from oracles import Command
from oracles.base import capabilities_of
from oracles.compilers.command import INPUT
from reducer.driver.stages.command_parts import CommandParts
from reducer.identity.sanity import empty_module_fails
from reducer.ir import Document
from reducer.locate.pipeline import (
    PipelineStep,
    fewer_items,
    fewer_options,
    halves,
    parse_steps,
    words,
)
from reducer.search.judge import Judge
from reducer.storage.journal import Journal

COMMAND = "command"
"""The journal's key for the shortened command."""

_OPT_TOOL = re.compile(r"-opt(?:-\d+)?$")
_FEW = 8  # at most this many flags are tried one by one if they cannot go together


class FlagReducer:
    """Shortens a judge's command as far as the failure of one document allows.

    Attributes:
        judge: evaluates candidates with the shortest command so far.

    `on_change` is called with it whenever the command gets shorter. If the given judge may be
    wrong about that, `confirm` has the last word.
    """

    def __init__(
        self,
        judge: Judge,
        journal: Journal,
        on_change: Callable[[Judge], None],
        confirm: Judge | None = None,
    ) -> None:
        self.judge = judge
        self._confirm = confirm
        self._journal = journal
        self._on_change = on_change

    def shorten(self, document: Document) -> bool:
        """Shorten the command; return whether a shorter one has the same failure and is now in use.

        Raises:
            Stopped: the budget is spent, or the user interrupted the run.
        """
        before = self.judge.oracle.command
        if before is None:
            return False
        for size in _sizes(len(CommandParts(before).groups)):
            self._drop(document, size)
        while self._drop(document, 1) or self._simplify(document):
            pass  # a remaining flag may have been needed only by a dropped one
        return self.judge.oracle.command != before

    def _drop(self, document: Document, size: int) -> bool:
        """Try to drop groups of `size` adjacent flags, the last ones first."""
        progress = False
        end = len(CommandParts(self._command).groups)
        while end > 0:
            start, parts = max(0, end - size), CommandParts(self._command)
            gone = [part for group in parts.groups[start:end] for part in group]
            progress |= self._try(parts.without(gone), document)
            end = start
        return progress

    def _simplify(self, document: Document) -> bool:
        """Try smaller values for one flag after another."""
        return any(
            self._try(command, document)
            for command in with_smaller_values(self._command, self._keeps_options)
        )

    @property
    def _keeps_options(self) -> bool:
        """Whether passes keep their options: without one that has it check what it does, a pass may
        be meant to change what a program computes.
        """
        return capabilities_of(self.judge.oracle).results is not None

    def _try(self, command: Command, document: Document) -> bool:
        shorter = self.judge.with_(oracle=self.judge.oracle.with_command(command))
        if not shorter.fails(document):
            return False
        if self._confirm and not self._confirm.with_(oracle=shorter.oracle).fails(document):
            return False
        if empty_module_fails(shorter):  # the command itself is wrong now
            return False
        self.judge = shorter
        self._journal.set_meta(COMMAND, json.dumps([*command.launcher, *command.argv]))
        self._on_change(shorter)
        return True

    @property
    def _command(self) -> Command:
        command = self.judge.oracle.command
        assert command is not None
        return command


def remarks(judge: Judge, document: Document) -> Iterator[str]:
    """What to say about what a shell runs: what was not reduced, and which tool fails."""
    assert judge.oracle.command is not None
    parts = CommandParts(judge.oracle.command)
    if not parts.is_read:
        yield f"the command inside {parts.shell} was not reduced: it is no plain list of programs"
    for name in dict.fromkeys(parts.kept):
        yield f"the flags of {name} inside {parts.shell} were not reduced"
    if len(parts.stages) < 2 or (last := parts.stages[-1][:1]) not in parts.groups:
        return
    without = judge.with_(oracle=judge.oracle.with_command(parts.without(last)))
    outcome = without.known(document.text)
    if outcome is not None and outcome.succeeded:
        tool = " ".join(part.text for part in parts.stages[-1][1:])
        yield f"of the {len(parts.stages)} tools inside {parts.shell}, '{tool}' fails"


def _sizes(flags: int) -> list[int]:
    """How many flags to drop at once, from all to one."""
    sizes = [flags] if flags > 2 else []
    size = flags // 2
    while size > 1 and flags > _FEW:
        sizes.append(size)
        size //= 2
    return [*sizes, 1]


def with_smaller_values(command: Command, keeps_options: bool) -> Iterator[Command]:
    """The command with smaller values of one flag, the smallest first.

    The value of a flag may be a word of its own, as in xDSL's `-p canonicalize,cse`. A pass needs
    no value; if there is no `=` in it, only an `…-opt` tool may take it for options of a pass.
    """
    parts = CommandParts(command)
    for flag, *values in parts.flags:
        name, equals, value = flag.text.partition("=")
        part = values[0] if values else flag
        value = values[0].text if values else value
        is_pipeline = name.lstrip("-") == "pass-pipeline"
        if not value or INPUT in value or (part.quoted and "$" in value):
            continue
        if keeps_options and not is_pipeline:
            continue
        if equals and not is_pipeline and ("=" in value or _OPT_TOOL.search(flag.tool)):
            yield parts.replaced(part, name)
        for smaller in _fewer_steps(value) if keeps_options else _smaller_values(value):
            yield parts.replaced(part, f"{name}={smaller}" if equals else smaller)


def _fewer_steps(value: str) -> Iterator[str]:
    """A pipeline without some of its passes, with all options of the others."""
    try:
        steps = parse_steps(value)
    except ValueError:
        return
    whole = PipelineStep("", (), steps)
    for size in [*halves(max(len(found) for found in _inner_lists(whole))), 1]:
        for less in _fewer_passes(whole, size):
            yield ",".join(step.text for step in less.inner)


def _smaller_values(value: str) -> Iterator[str]:
    try:
        steps = parse_steps(value)
    except ValueError:
        steps = ()
    if len(steps) > 1 and any(step.inner or step.options for step in steps):  # implies the module
        for less in PipelineStep("", (), steps).smaller():
            yield ",".join(one.text for one in less.inner)
        return
    if len(steps) != 1:
        yield from _fewer_options(value) if "=" in value else fewer_items(value)
        return
    (step,) = steps
    if not step.inner:
        yield from (less.text for less in step.smaller())
        yield from () if step.options else _fewer_options(value)
        return
    if step.bare() != step:
        yield step.bare().text
    for size in halves(max(len(found) for found in _inner_lists(step))):
        for less in _fewer_passes(step, size):
            yield less.text
    for less in step.smaller():  # drops options, and single passes
        yield less.text


def _fewer_options(value: str) -> Iterator[str]:
    """The options of one pass, as in `--pass="a=1 b=2,3"`, without one of them or one item."""
    for fewer in fewer_options(words(value)):
        if fewer:
            yield " ".join(fewer)


def _inner_lists(step: PipelineStep) -> Iterator[tuple[PipelineStep, ...]]:
    yield step.inner
    for inner in step.inner:
        yield from _inner_lists(inner)


def _fewer_passes(step: PipelineStep, size: int) -> Iterator[PipelineStep]:
    """A pipeline without `size` adjacent passes of one list, at any depth."""
    inner = step.inner
    if len(inner) > size:
        for start in range(0, len(inner), size):
            yield PipelineStep(step.name, step.options, (*inner[:start], *inner[start + size :]))
    for number, child in enumerate(inner):
        for less in _fewer_passes(child, size):
            rest = (*inner[:number], less, *inner[number + 1 :])
            yield PipelineStep(step.name, step.options, rest)

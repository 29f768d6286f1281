"""Reduce the compile command to the flags that the failure needs.

First all flags are dropped, then smaller and smaller groups of adjacent flags, then each alone; a
flag that must stay gets a smaller value if its value is a list or a pass pipeline. The rest of the
reduction then runs the shorter command.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial

from oracles import Command, Oracle
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
from reducer.search.candidate import Candidate, Verdict
from reducer.search.conditions import (
    NEEDS_NO_INPUT,
    ConditionName,
    OfCommand,
    Refusal,
    other_in_full,
)
from reducer.search.inquiry import Questions, inquire
from reducer.search.judge import Judge

_ORIGIN = "drop flags"
_OPT_TOOL = re.compile(r"-opt(?:-\d+)?$")
_FEW = 8  # at most this many flags are tried one by one if they cannot go together


def shorten(
    judge: Judge,
    document: Document,
    on_change: Callable[[Judge], None],
    confirm: Judge | None = None,
) -> Judge:
    """Shorten a judge's command as far as the failure of a document allows.

    Args:
        on_change: is called with a judge of each shorter command, before the search goes on.
        confirm: has the last word if the judge may be wrong about that.

    Returns:
        A judge of the shortest command; the same judge if there is no shorter one.

    Raises:
        Stopped: the budget is spent, or the user interrupted the run.
    """
    command, keeps_options = judge.oracle.command, capabilities_of(judge.oracle).results is not None
    if command is None:
        return judge

    def without_input(oracle: Oracle) -> Refusal | None:
        return NEEDS_NO_INPUT if empty_module_fails(judge.with_(oracle=oracle)) else None

    def in_full(oracle: Oracle) -> Refusal | None:
        judging = (confirm or judge).with_(oracle=oracle)
        judgment = judging.judged(document.text, document.op_count)
        return None if judgment.verdict is Verdict.SAME else other_in_full(judgment.outcome)

    asked = judge.under(OfCommand(ConditionName.NEEDS_INPUT, without_input))
    if confirm is not None:
        asked = asked.under(OfCommand(ConditionName.FULL_COMMAND, in_full))

    def made(shorter: Command) -> Candidate[Document]:
        return Candidate(document, _ORIGIN, oracle=judge.oracle.with_command(shorter))

    def accept(candidate: Candidate[Document]) -> None:
        assert candidate.oracle is not None
        changes.append(judge.with_(oracle=candidate.oracle))
        on_change(changes[-1])

    changes = [judge]
    inquire(asked, document, partial(_shorter, command, keeps_options), made, accept)
    return changes[-1]


def _shorter(command: Command, keeps_options: bool) -> Questions[Command, None]:
    """Drop groups of flags, then flags alone, then try smaller values, until nothing changes.

    Args:
        keeps_options: whether passes keep their options: without one that has it check what it
            does, a pass may be meant to change what a program computes.
    """
    for size in _sizes(len(CommandParts(command).groups)):
        command = yield from _dropped(command, size)
    before = None
    while command != before:  # a remaining flag may have been needed only by a dropped one
        before = command
        command = yield from _dropped(command, 1)
        if command == before:
            command = (yield with_smaller_values(command, keeps_options)).taken or command


def _dropped(command: Command, size: int) -> Questions[Command, Command]:
    """Try to drop groups of `size` adjacent flags, the last ones first."""
    parts = CommandParts(command)
    end = len(parts.groups)
    while end > 0:
        start = max(0, end - size)
        gone = [part for group in parts.groups[start:end] for part in group]
        if taken := (yield map(parts.without, [gone])).taken:
            command, parts = taken, CommandParts(taken)
        end = start
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

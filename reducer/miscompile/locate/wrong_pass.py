"""Locate the pass after which a program means something else.

The passes of a command run in order, so those up to a certain one are a command, too. The first
such command whose result is wrong ends with the pass at fault: before it, the program still means
what it should. It takes a bisection.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from oracles import Command
from reducer.locate.opt_tool import OptTool
from reducer.locate.pipeline import PipelineStep, flag_name, pipeline_in
from reducer.locate.rewrite import Fails
from reducer.miscompile.oracle import ValuesOracle

IsWrong = Callable[[Command], bool | None]
"""Whether a program is wrong after the passes of a command; None if nobody can tell."""


@dataclass(frozen=True)
class WrongPass:
    """The pass at fault.

    Attributes:
        before: the command that ends before it; None if it is the first pass.
        alone: the command that runs no other pass.
        pipeline: what that command runs, as in `--pass-pipeline=`.
    """

    name: str
    before: Command | None
    alone: Command
    pipeline: str


def first_wrong_pass(
    command: Command, is_pass: Callable[[str], bool], wrong: IsWrong
) -> WrongPass | None:
    """The pass after which the program is wrong; None if that cannot be told.

    It is known that the program is wrong after all of them.
    """
    passes = list(_passes(command, is_pass))
    low, high = 0, len(passes)  # right after `low` passes, wrong after `high`
    while high - low > 1:
        middle = (low + high) // 2
        said = wrong(passes[middle - 1].up_to)
        if said is None:
            return None
        low, high = (low, middle) if said else (middle, high)
    if not passes:
        return None
    found, before = passes[high - 1], passes[high - 2].up_to if high > 1 else None
    return WrongPass(found.name, before, found.alone, found.pipeline)


def sole_pass_of(command: Command, is_pass: Callable[[str], bool]) -> str | None:
    """The name of the pass of a command that has one; None if it has several or none."""
    passes = list(_passes(command, is_pass))
    return passes[0].name if len(passes) == 1 else None


@dataclass(frozen=True)
class _Pass:
    """A pass of a command, with the command that ends with it and the one that has no other."""

    name: str
    up_to: Command
    alone: Command
    pipeline: str


def _passes(command: Command, is_pass: Callable[[str], bool]) -> Iterator[_Pass]:
    numbers = [number for number, word in enumerate(command.argv) if is_pass(flag_name(word))]
    for number, word in enumerate(command.argv):
        if number in numbers:
            behind = [later for later in numbers if later > number]
            others = [other for other in numbers if other != number]
            name, _, options = word.lstrip("-").partition("=")
            step = PipelineStep(name, (options,) if options else ())
            yield _Pass(name, command.without(behind), command.without(others), step.text)
            continue
        try:
            steps = pipeline_in(word) or ()
        except ValueError:
            return
        names = [one.name for step in steps for one in step.passes]
        for at, name in enumerate(names):
            only = _text_of(steps, range(at, at + 1))
            up_to, alone = (
                command.with_word(number, f"{word.partition('=')[0]}={kept}")
                for kept in (_text_of(steps, range(at + 1)), only)
            )
            yield _Pass(name, up_to, alone, only)


def _text_of(steps: Sequence[PipelineStep], numbers: range) -> str:
    """The pipeline with only the passes of these numbers, inside the same ops."""
    return ",".join(step.text for step in _only(steps, numbers, 0)[0])


def _only(steps: Sequence[PipelineStep], numbers: range, at: int) -> tuple[list[PipelineStep], int]:
    """The steps with only these passes, in order, and the number of the next pass.

    `at` is the number of the first pass in the steps.
    """
    out: list[PipelineStep] = []
    for step in steps:
        if not step.inner:
            if at in numbers:
                out.append(step)
            at += 1
            continue
        inner, at = _only(step.inner, numbers, at)
        if inner:
            out.append(replace(step, inner=tuple(inner)))
    return out, at


def result_judge(oracle: ValuesOracle, given: str, tool: OptTool) -> Fails:
    """Judges the results of what the passes make of a program; `given` is that of the oracle.

    How another one is judged is decided once, since what follows is made of that.
    """
    others: list[ValuesOracle] = []

    def fails(command: Command, text: str) -> bool | None:
        if text == given or others:
            asked = (oracle if text == given else others[0]).with_command(command)
        else:
            asked = oracle.on_program(text, command)
            others.append(asked)
        outcome = tool.asking.ask(asked, text)
        return None if outcome.kind.traits.undecided else outcome.kind.traits.wrong_results

    return fails

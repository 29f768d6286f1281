"""Locate the pass after which a program means something else.

The passes of a command run in order, so those up to a certain one are a command, too. The first
such command whose result is wrong ends with the pass at fault: before it, the program still means
what it should. It takes a bisection.
"""

from collections.abc import Callable, Iterator, Sequence

from oracles import Command
from reducer.locate.pipeline import PipelineStep, flag_name, pipeline_in

IsWrong = Callable[[Command], bool | None]
"""Whether a program is wrong after the passes of a command; None if nobody can tell."""


def first_wrong_pass(command: Command, is_pass: Callable[[str], bool], wrong: IsWrong) -> str:
    """The name of the pass after which the program is wrong; '' if that cannot be told.

    It is known that the program is wrong after all of them.
    """
    prefixes = list(_prefixes(command, is_pass))
    low, high = 0, len(prefixes)  # right after `low` passes, wrong after `high`
    while high - low > 1:
        middle = (low + high) // 2
        said = wrong(prefixes[middle - 1][1])
        if said is None:
            return ""
        low, high = (low, middle) if said else (middle, high)
    return prefixes[high - 1][0] if prefixes else ""


def _prefixes(command: Command, is_pass: Callable[[str], bool]) -> Iterator[tuple[str, Command]]:
    """Each pass by name, and the command that ends with it."""
    numbers = [number for number, word in enumerate(command.argv) if is_pass(flag_name(word))]
    for number, word in enumerate(command.argv):
        behind = [later for later in numbers if later > number]
        if number in numbers:
            yield flag_name(word), command.without(behind)
            continue
        try:
            steps = pipeline_in(word) or ()
        except ValueError:
            return
        names = [one.name for step in steps for one in step.passes]
        for count, name in enumerate(names, start=1):
            kept = ",".join(step.text for step in _first(steps, count)[0])
            yield name, command.with_word(number, f"{word.partition('=')[0]}={kept}")


def _first(steps: Sequence[PipelineStep], count: int) -> tuple[list[PipelineStep], int]:
    """The steps with only so many passes, in order, and how many more there may be."""
    out: list[PipelineStep] = []
    for step in steps:
        if count == 0:
            break
        if not step.inner:
            out.append(step)
            count -= 1
            continue
        inner, count = _first(step.inner, count)
        out.append(PipelineStep(step.name, step.options, tuple(inner)))
    return out, count

"""Commands that pass a module on from tool to tool: `mlir-opt … | mlir-opt … | mlir-runner …`.

The stages that transform the module become one command, so that its passes can be reduced like any
other flags. What only runs the program at the end is left out: the program is run in a way that
shows its results, too.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from reducer.locate.pipeline import PipelineStep, parse_steps

_RUNNER = re.compile(r"(?:mlir-(?:cpu-)?runner)(?:-\d+)?$")
_ENTRY = re.compile(r"--?(?:e|entry-point)$")
_ENTRY_WORD = re.compile(r"--?(?:e|entry-point)=(.*)$")
_PIPE = "|"
_HARMLESS = re.compile(r"2>(?:/dev/null|&1)$")
_REFUSED = re.compile(r"\d?[<>]|[;&]+$")


class NotOnePipeline(ValueError):
    """The stages cannot be run as one; `str(error)` says why."""


@dataclass(frozen=True)
class Stages:
    """The words of one command that does what all stages do, and the function that is run."""

    words: tuple[str, ...]
    entry: str | None = None


def is_piped(words: Sequence[str]) -> bool:
    """Whether a command hands its output on to another one."""
    return any(word == _PIPE for word in _split(words))


def merged(words: Sequence[str]) -> Stages:
    """One command for a line of several.

    >>> merged(["mlir-opt a.mlir --cse | mlir-opt --sccp - | mlir-runner -e f"])
    Stages(words=('mlir-opt', 'a.mlir', '--cse', '--sccp'), entry='f')

    Raises:
        NotOnePipeline: the stages are of different tools, or use more of a shell than pipes.
    """
    stages = [list(stage) for stage in _stages(_split(words))]
    entry = None
    if len(stages) > 1 and is_runner(stages[-1][0]):
        entry = _entry(stages.pop()[1:])
    for stage in stages[1:]:
        if PurePath(stage[0]).name != PurePath(stages[0][0]).name:
            raise NotOnePipeline(f"{stages[0][0]} and {stage[0]} are different tools")
    return Stages(tuple(joined(stages)), entry)


def is_runner(program: str) -> bool:
    """Whether a program runs what a tool has lowered.

    >>> is_runner("bin/mlir-runner-22"), is_runner("mlir-cpu-runner"), is_runner("FileCheck")
    (True, True, False)
    """
    return _RUNNER.match(PurePath(program).name) is not None


def joined(stages: Sequence[Sequence[str]]) -> list[str]:
    """The words of one command for several of the same tool, in this order.

    Raises:
        NotOnePipeline: a pipeline cannot be read.
    """
    alone = len(stages) == 1
    return [stages[0][0], *(flag for stage in stages for flag in _flags(stage[1:], alone=alone))]


def _split(words: Sequence[str]) -> list[str]:
    """The words, also of a line that is given as one word."""
    if len(words) != 1 or _PIPE not in words[0]:
        return list(words)
    lexer = shlex.shlex(words[0], posix=True, punctuation_chars=_PIPE)
    lexer.whitespace_split = True
    lexer.commenters = ""
    return list(lexer)


def _stages(words: Sequence[str]) -> Iterator[list[str]]:
    stage: list[str] = []
    for word in [*words, _PIPE]:
        if word != _PIPE:
            if _HARMLESS.match(word):
                continue
            if _REFUSED.match(word):
                raise NotOnePipeline(f"it uses {word}")
            stage.append(word)
            continue
        if not stage:
            raise NotOnePipeline("a stage of the pipeline is empty")
        yield stage
        stage = []


def _entry(words: Sequence[str]) -> str:
    """The function that a runner calls."""
    for word, following in zip(words, [*words[1:], ""], strict=False):
        if _ENTRY.match(word):
            return following
        if match := _ENTRY_WORD.match(word):
            return match[1]
    return "main"


def _flags(words: Sequence[str], *, alone: bool) -> Iterator[str]:
    """The words of a stage; its pipeline as single passes, which can stand beside other ones."""
    for word in words:
        name, equals, value = word.partition("=")
        if word == "-":
            continue
        if alone or name.lstrip("-") != "pass-pipeline" or not equals:
            yield word
            continue
        try:
            steps = parse_steps(value)
        except ValueError as error:
            raise NotOnePipeline(str(error)) from error
        for step in steps:
            yield from map(_flag, step.passes)


def _flag(step: PipelineStep) -> str:
    return f"--{step.name}={' '.join(step.options)}" if step.options else f"--{step.name}"

"""Commands that pass a module on from tool to tool: `mlir-opt … | mlir-opt … | mlir-runner …`.

The stages that transform the module become one command, so that its passes can be reduced like any
other flags. What only runs the program at the end is left out: the program is run in a way that
shows its results, too.

A tool takes passes as flags or as a pipeline, but not both. If there are stages of either kind, the
tool itself is needed to make one command of them (`one_pipeline.py`).
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from reducer.locate.pipeline import PipelineStep, pipeline_in

_RUNNER = re.compile(r"(?:mlir-(?:cpu-)?runner)(?:-\d+)?$")
_ENTRY = re.compile(r"--?(?:e|entry-point)$")
_ENTRY_WORD = re.compile(r"--?(?:e|entry-point)=(.*)$")
PIPE = "|"
"""What stands between the stages of a pipeline."""

_PIPELINE = ("-pass-pipeline", "--pass-pipeline")
_HARMLESS = re.compile(r"2>(?:/dev/null|&1)$")
_REFUSED = re.compile(r"\d?[<>]|[;&]+$")


class NotOnePipeline(ValueError):
    """The stages cannot be run as one; `str(error)` says why."""


@dataclass(frozen=True)
class Stages:
    """The words of one command that does what all stages do, and the function that is run.

    If one of several stages has a pipeline, the words are those of all stages, with pipes.
    """

    words: tuple[str, ...]
    entry: str | None = None


def is_piped(words: Sequence[str]) -> bool:
    """Whether a command hands its output on to another one."""
    return any(word == PIPE for word in _split(words))


def merged(words: Sequence[str]) -> Stages:
    """One command for a line of several.

    >>> merged(["mlir-opt a.mlir --cse | mlir-opt --sccp - | mlir-runner -e f"])
    Stages(words=('mlir-opt', 'a.mlir', '--cse', '--sccp'), entry='f')

    Raises:
        NotOnePipeline: the stages are of different tools, or use more of a shell than pipes.
    """
    stages = stages_in(words)
    entry = None
    if len(stages) > 1 and is_runner(stages[-1][0]):
        entry = entry_of(stages.pop())
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


def entry_of(runner: Sequence[str]) -> str:
    """The function that a runner with these words calls.

    >>> entry_of(["mlir-runner", "-e", "f"]), entry_of(["mlir-runner", "--entry-point-result=i32"])
    ('f', 'main')
    """
    for word, following in zip(runner, [*runner[1:], ""], strict=True):
        if _ENTRY.match(word):
            return following
        if match := _ENTRY_WORD.match(word):
            return match[1]
    return "main"


def joined(stages: Sequence[Sequence[str]]) -> list[str]:
    """The words of one command for several of the same tool, in this order.

    They still have pipes if a stage has a pipeline.

    Raises:
        NotOnePipeline: a pipeline cannot be read.
    """
    kept = [[stage[0], *_flags(stage[1:])] for stage in stages]
    if len(kept) == 1 or not any(pipeline_of(word) for stage in kept for word in stage):
        return [stages[0][0], *(flag for stage in kept for flag in stage[1:])]
    return [word for stage in kept for word in (PIPE, *stage)][1:]


def pipeline_of(word: str) -> tuple[PipelineStep, ...] | None:
    """The steps of a flag that gives a pipeline; None for any other word.

    Raises:
        NotOnePipeline: the pipeline cannot be read.
    """
    try:
        return pipeline_in(word)
    except ValueError as error:
        raise NotOnePipeline(str(error)) from error


def stages_in(words: Sequence[str]) -> list[list[str]]:
    """The words of each stage.

    >>> stages_in(["mlir-opt", "--cse", "|", "mlir-opt", "--sccp"])
    [['mlir-opt', '--cse'], ['mlir-opt', '--sccp']]

    Raises:
        NotOnePipeline: a stage is empty, or they use more of a shell than pipes.
    """
    return list(_stages(_split(words)))


def _split(words: Sequence[str]) -> list[str]:
    """The words, also of a line that is given as one word."""
    if len(words) != 1 or PIPE not in words[0]:
        return list(words)
    lexer = shlex.shlex(words[0], posix=True, punctuation_chars=PIPE)
    lexer.whitespace_split = True
    lexer.commenters = ""
    return list(lexer)


def _stages(words: Sequence[str]) -> Iterator[list[str]]:
    stage: list[str] = []
    for word in [*words, PIPE]:
        if word != PIPE:
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


def _flags(words: Sequence[str]) -> Iterator[str]:
    """The words of a stage but what stands for its input; the value of a flag is in its word."""
    rest = iter(words)
    for word in rest:
        if word in _PIPELINE:
            yield f"{word}={next(rest, '')}"
        elif word != "-":
            yield word

"""Commands that pass a module on from tool to tool: `mlir-opt … | mlir-opt … | mlir-runner …`.

The stages that transform the module become one command, so that its passes can be reduced like any
other flags. What only runs the program at the end is left out: the program is run in a way that
shows its results, too.

A tool takes either flags or a pipeline. If there are both, the tool is asked.
Flags are tried first, as the user knows them. But a pass of a pipeline may run on functions only,
and its flag alone is refused; then everything becomes a pipeline. In that, a pass must be nested in
the op that it runs on: the tool says which this is.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePath

from oracles import Limits
from oracles.compilers.command import SHELLS, script_in
from reducer.asking import Stopped
from reducer.ir.dialects import MODULE_OPS
from reducer.locate.opt_tool import OptTool
from reducer.locate.pipeline import PipelineStep, flag_name, nested, parse_pipeline, pipeline_in

_RUNNER = re.compile(r"(?:mlir-(?:cpu-)?runner|lli)(?:-\d+)?$")
_TRANSLATOR = re.compile(r"mlir-translate(?:-\d+)?$")
_ENTRY = re.compile(r"--?(?:e|entry-(?:point|function))(?P<own>=.*)?$", re.S)
PIPE = "|"
"""What stands between the stages of a pipeline."""

_PIPELINE = ("-pass-pipeline", "--pass-pipeline")
_HARMLESS = re.compile(r"2>(?:/dev/null|&1)$")
_REFUSED = re.compile(r"\d?[<>]|[;&]+$")
_QUIET = re.compile(r"(?:\s+(?:1?>\s*/dev/null|2>&1))*\s*;?\s*$")


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
    with suppress(NotOnePipeline):
        return PIPE in _split(words)
    return False


def pipeline_of_shell(words: Sequence[str], *, runs: bool) -> Sequence[str]:
    """The pipeline that a shell runs, as one word; else `words`.

    Args:
        runs: whether it must end by running the program, or else must not.

    >>> pipeline_of_shell(["bash", "-c", "mlir-opt --cse {} | mlir-runner"], runs=True)
    ['mlir-opt --cse {} | mlir-runner']
    """
    at = script_in(words)
    if at is None or at != len(words) - 1 or PurePath(words[0]).name not in SHELLS:
        return words
    line = [_QUIET.sub("", words[at])]
    with suppress(NotOnePipeline):
        if is_piped(line) and is_runner(stages_in(line)[-1][0]) is runs:
            return line
    return words


def merged(words: Sequence[str]) -> Stages:
    """One command for a line of several.

    >>> merged(["mlir-opt a.mlir --cse | mlir-opt --sccp - | mlir-runner -e f"])
    Stages(words=('mlir-opt', 'a.mlir', '--cse', '--sccp'), entry='f')
    >>> merged(["cat a.mlir | mlir-opt --cse | mlir-opt --sccp"])
    Stages(words=('mlir-opt', '--cse', 'a.mlir', '--sccp'), entry=None)

    Raises:
        NotOnePipeline: the stages are of different tools, or use more of a shell than pipes.
    """
    stages = stages_in(words)
    if len(stages) > 1 and stages[0][0] == "cat":
        _, *files = stages.pop(0)
        stages[0] += files
    entry = None
    if len(stages) > 1 and is_runner(stages[-1][0]):
        entry = entry_of(stages.pop())
        while len(stages) > 1 and _TRANSLATOR.match(PurePath(stages[-1][0]).name):
            stages.pop()
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
        if match := _ENTRY.match(word):
            return match["own"][1:] if match["own"] else following
    return "main"


def joined(stages: Sequence[Sequence[str]]) -> list[str]:
    """The words of one command for several of the same tool, in this order.

    They still have pipes if a stage has a pipeline.

    Raises:
        NotOnePipeline: a pipeline cannot be read.
    """
    kept = [[stage[0], *_flags(stage[1:])] for stage in stages]
    try:
        if len(kept) == 1 or not any(pipeline_in(word) for stage in kept for word in stage):
            return [stages[0][0], *(flag for stage in kept for flag in stage[1:])]
    except ValueError as error:
        raise NotOnePipeline(str(error)) from error
    return [word for stage in kept for word in (PIPE, *stage)][1:]


def stages_in(words: Sequence[str]) -> list[list[str]]:
    """The words of each stage.

    >>> stages_in(["mlir-opt", "--cse", "|", "mlir-opt", "--sccp"])
    [['mlir-opt', '--cse'], ['mlir-opt', '--sccp']]

    Raises:
        NotOnePipeline: a stage is empty, or they use more of a shell than pipes.
    """
    stages: list[list[str]] = [[]]
    for word in _split(words):
        if word == PIPE:
            stages.append([])
        elif _REFUSED.match(word) and not _HARMLESS.match(word):
            raise NotOnePipeline(f"it uses {word}")
        elif not _HARMLESS.match(word):
            stages[-1].append(word)
    if not all(stages):
        raise NotOnePipeline("a stage of the pipeline is empty")
    return stages


def _split(words: Sequence[str]) -> Iterator[str]:
    """The words, also of a line that is given as one word."""
    try:
        yield from split_line(words[0], PIPE) if len(words) == 1 and PIPE in words[0] else words
    except ValueError as error:
        raise NotOnePipeline("a quote is not closed") from error


def split_line(line: str, operators: str) -> Iterator[str]:
    """The words of a line, and what stands between its commands.

    Raises:
        ValueError: quotes are not closed.
    """
    lexer = shlex.shlex(line, posix=True, punctuation_chars=operators)
    lexer.whitespace_split = True
    lexer.commenters = ""
    return iter(lexer)


def _flags(words: Sequence[str]) -> Iterator[str]:
    """The words of a stage but what stands for its input; the value of a flag is in its word."""
    rest = iter(words)
    for word in rest:
        if word in _PIPELINE:
            yield f"{word}={next(rest, '')}"
        elif word != "-":
            yield word


_MODULE = MODULE_OPS[0]
_SECONDS = 60.0


def one_command(words: Sequence[str], opt: Path) -> tuple[str, ...]:
    """The words of a command; those of several stages of the tool `opt` become one.

    Raises:
        NotOnePipeline: a pipeline cannot be read, or the tool cannot be asked.
    """
    if not is_piped(words):
        return tuple(words)
    limits = Limits(seconds=_SECONDS)
    tool = OptTool(opt, limits=limits, calls=2 * len(words), seconds=2 * _SECONDS)
    try:
        return _in_one(stages_in(words), tool)
    except Stopped as error:
        raise NotOnePipeline(f"{opt.name} takes too long") from error
    except ValueError as error:
        raise NotOnePipeline(str(error)) from error


def _in_one(stages: Sequence[Sequence[str]], tool: OptTool) -> tuple[str, ...]:
    program, flat = stages[0][0], list(_as_flags(stages))
    if tool.accepts(None, [word for word in flat if _is_flag(word)]):
        return (program, *flat)
    steps: list[PipelineStep] = []
    rest: list[str] = []
    for word in (word for stage in stages for word in stage[1:]):
        if (pipeline := pipeline_in(word)) is not None:
            steps += _below_module(pipeline)
        elif _is_flag(word) and tool.knows_pass(flag_name(word)):
            steps.append(nested(tool.nesting(word), _step(word)))
        else:
            rest.append(word)
    (flag, *_) = tool.command(PipelineStep(_MODULE, (), tuple(steps))).flags
    return (program, flag, *rest)


def _as_flags(stages: Sequence[Sequence[str]]) -> Iterator[str]:
    for word in (word for stage in stages for word in stage[1:]):
        if (pipeline := pipeline_in(word)) is None:
            yield word
        for step in pipeline or ():
            yield from map(_flag, step.passes)


def _below_module(steps: Sequence[PipelineStep]) -> Iterator[PipelineStep]:
    for step in steps:
        yield from step.inner if step.name == _MODULE else (step,)


def _step(word: str) -> PipelineStep:
    _, equals, options = word.partition("=")
    return parse_pipeline(f"{flag_name(word)}{{{options}}}" if equals else flag_name(word))


def _flag(step: PipelineStep) -> str:
    return f"--{step.name}={' '.join(step.options)}" if step.options else f"--{step.name}"


def _is_flag(word: str) -> bool:
    return word.startswith("-") and len(word) > 1

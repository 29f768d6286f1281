"""Make one command of several that hand a module on, of which some have a pipeline.

A tool takes either flags or a pipeline. Flags are tried first, as the user knows them. But a pass
of a pipeline may run on functions only, and its flag alone is refused; then everything becomes a
pipeline. In that, a pass must be nested in the op that it runs on: the tool says which this is.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from oracles import Limits
from reducer.intake.stages import NotOnePipeline, is_piped, stages_in
from reducer.ir.dialects import MODULE_OPS
from reducer.locate.opt_tool import OptTool, ToolBudgetExhausted
from reducer.locate.pipeline import PipelineStep, flag_name, nested, parse_pipeline, pipeline_in

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
    except ToolBudgetExhausted as error:
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

"""Write a pass pipeline with the root op that a tool expects, or without.

Since LLVM 16, a pipeline begins with the op that it runs on, `builtin.module(func.func(cse))`.
Earlier tools imply the module, and if it is named, they look for modules inside it: without an
error, nothing is run. So a tool is asked which it is.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from oracles import End, ProcessResult
from reducer.ir.dialects import MODULE_OPS
from reducer.locate.pipeline import PipelineStep, parse_pipeline

Run = Callable[[Sequence[str]], ProcessResult]

_UNANCHORED = ("--pass-pipeline=cse", "/dev/null")
"""What only a tool accepts that implies the module."""

_implied: dict[Path, bool] = {}


def pipeline_flag(pipeline: PipelineStep | str, opt: Path, run: Run) -> str:
    """The flag with a pipeline that begins with the op that it runs on, for one tool.

    `run` runs a program; it is needed once for each tool.
    """
    step = parse_pipeline(pipeline) if isinstance(pipeline, str) else pipeline
    steps: tuple[PipelineStep, ...] = (step,)
    if step.name == MODULE_OPS[0] and step.inner and implies_module(opt, run):
        steps = step.inner
    return f"--pass-pipeline={','.join(one.text for one in steps)}"


def implies_module(opt: Path, run: Run) -> bool:
    """Whether the pipelines of a tool do not begin with the op that they run on."""
    if opt not in _implied:
        result = run([str(opt), *_UNANCHORED])
        if result.end is not End.EXITED:
            return False  # it may have been interrupted
        _implied[opt] = result.exit_code == 0
    return _implied[opt]

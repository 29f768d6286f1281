"""The `…-opt` tool of a compiler, used to check pass-level reproducers within limits."""

import math
import os
import re
import tempfile
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from oracles import (
    Command,
    CompilerOracle,
    Level,
    Limits,
    Outcome,
    ProcessResult,
    Signature,
)
from oracles.base import Cache, outcome_digest
from oracles.signature.comparison import Across, same_failure
from reducer.asking import Asking, Budget
from reducer.locate.anchoring import pipeline_flag
from reducer.locate.pipeline import PipelineStep, flag_name, parse_pipeline, pipeline_in

_FLAG = re.compile(r"^  --([\w-]+)", re.M)
_PASS = re.compile(r"^ {6}--([\w-]+)", re.M)
_DUMPED = re.compile(r"^builtin\.module\(.*\n(?:.+\n)*", re.M)
_AROUND = re.compile(r"\s*([(),])\s*")
_EMPTY_MODULE = "module {\n}\n"


class OptTool:
    """Runs one `…-opt` tool on candidates.

    Args:
        opt: the tool.
        limits: the limits of one run.
        cancel: set to stop everything.
        calls: the maximum number of runs in total.
        seconds: the maximum CPU time in total.
        until: when the user wants it to end, by the monotonic clock.
        known: cached outcomes of earlier runs.

    `asking` runs the tool, and `cost` is what was spent.
    """

    def __init__(
        self,
        opt: Path,
        *,
        limits: Limits,
        cancel: threading.Event | None = None,
        calls: int,
        seconds: float,
        until: float = math.inf,
        known: Cache | None = None,
    ) -> None:
        self.opt = opt
        self.limits = limits
        budget = Budget(calls, seconds, until)
        self.asking = Asking(known, budget, limits, cancel or threading.Event())
        self.cost = self.asking.cost

    # ---- checks ----------------------------------------------------------------------------

    def fails_like(
        self, target: Signature, text: str, step: PipelineStep | None, flags: Sequence[str] = ()
    ) -> Signature | None:
        """The tool's signature for a text, if it is the target failure one level down."""
        outcome = self._ask(self.oracle(step, flags, Level(target.level)), text)
        seen = outcome.signature
        return seen if same_failure(target, seen, Across.TOOLS) else None

    def rejection(
        self, text: str, flags: Sequence[str] = (), step: PipelineStep | None = None
    ) -> Signature | None:
        """What the verifier says of a program, or of what a pipeline makes of it, if it does."""
        signature = self._ask(self.oracle(step, flags), text).signature
        return signature if signature.kind.traits.illegal_ir else None

    def accepts(self, step: PipelineStep | None, flags: Sequence[str] = ()) -> bool:
        """Whether the tool accepts a pipeline, or only flags: it runs on an empty module."""
        return not self._ask(self.oracle(step, flags), _EMPTY_MODULE).failed

    def _ask(self, oracle: CompilerOracle, text: str) -> Outcome:
        self.asking.check()  # a search that has spent its budget ends, whatever is remembered
        digest = outcome_digest(text, oracle=f"{oracle.key} {oracle.limits} ")
        return self.asking.ask(oracle, text, digest)

    def oracle(
        self, step: PipelineStep | None, flags: Sequence[str] = (), level: Level = Level.NORMAL
    ) -> CompilerOracle:
        """The oracle whose command a user of the reproducer would type."""
        command = self.command(step, flags)
        return CompilerOracle(command, self.opt, limits=self.limits, level=level)

    def command(self, step: PipelineStep | None, flags: Sequence[str] = ()) -> Command:
        """`…-opt --pass-pipeline=… flags {}`, or without a pipeline if `step` is None."""
        pipeline = [] if step is None else [pipeline_flag(step, self.opt, self._run)]
        return Command.parse([self.opt.name, *pipeline, *flags])

    def passes_of(self, oracle: CompilerOracle) -> tuple[str, ...] | None:
        """The passes that a command names, in order; None if it does not run this tool.

        A name may stand for a pipeline of its own.
        """
        if oracle.executable.resolve() != self.opt.resolve():
            return None
        names: list[str] = []
        for word in oracle.command.flags:
            try:
                steps = pipeline_in(word)
            except ValueError:
                return None
            if steps is not None:
                names += [inner.name for step in steps for inner in step.passes]
            elif word.startswith("-") and self.knows_pass(flag_name(word)):
                names.append(flag_name(word))
        return tuple(names)

    # ---- supported options -----------------------------------------------------------------

    def knows_flag(self, word: str) -> bool:
        """Whether a `--flag=value` is one of its options (passes are not)."""
        return flag_name(word) in self._flags

    def knows_pass(self, name: str) -> bool:
        """Whether `--pass-pipeline` accepts a pass or pipeline of that name."""
        return name in self._passes

    def nesting(self, flag: str) -> tuple[str, ...]:
        """The ops below the module in which a pipeline must nest a pass that a flag names.

        Tools up to LLVM 15 do not say.
        """
        result = self._run([str(self.opt), flag, "--dump-pass-pipeline", os.devnull])
        match = _DUMPED.search(result.stderr)
        try:
            step = parse_pipeline(_AROUND.sub(r"\1", match[0]) if match else "")
        except ValueError:
            return ()
        is_pass = [one.name for one in step.passes] == [flag_name(flag)]
        return step.anchors[1:] if is_pass else ()  # else it stands for a pipeline of its own

    @cached_property
    def _help(self) -> str:
        with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
            return self.process([str(self.opt), "--help-hidden"], Path(folder)).stdout

    @cached_property
    def _flags(self) -> frozenset[str]:
        return frozenset(_FLAG.findall(self._help)) - {"pass-pipeline", "o"}

    @cached_property
    def _passes(self) -> frozenset[str]:
        return frozenset(_PASS.findall(self._help))

    def _run(self, argv: Sequence[str]) -> ProcessResult:
        """Run the tool for a question about itself, which does not count toward the limits."""
        with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
            return self.asking.run(argv, Path(folder), charged=False)

    def process(self, argv: Sequence[str], folder: Path, output: int = 4 << 20) -> ProcessResult:
        """Run any program under the same limits; `output` bytes of each stream are kept.

        Raises:
            Stopped: the limits are reached, or the user interrupted the run.
        """
        limits = Limits(self.limits.seconds, self.limits.memory, output)
        return self.asking.run(argv, folder, limits=limits)

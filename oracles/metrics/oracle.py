"""The oracle for numbers: measure the command and its reference, and compare."""

import shutil
import threading
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import ClassVar

from oracles.base import Capabilities
from oracles.compilers.command import Command
from oracles.compilers.compiler import DISCARD, CompilerOracle
from oracles.metrics.comparison import Asked, Cause, MetricComparison, NotMeasured, Reference
from oracles.metrics.metric import EXPLAINING, METRICS, Metric, UnknownMetric
from oracles.metrics.readings import OUTPUT
from oracles.run.run_process import Limits
from oracles.signature.kind import Kind
from oracles.signature.outcome import Outcome

__all__ = ["MetricOracle", "Reference"]


@dataclass
class _Measured:
    """What was measured so far: the cause in the input; a copy of it counts only with that.

    `runs` and `cpu_seconds` are what it took to tell that.
    """

    cause: Cause | None = None
    runs: int = field(default=0, init=False)
    cpu_seconds: float = field(default=0.0, init=False)
    planning: threading.Lock = field(default_factory=threading.Lock, init=False)
    empty: dict[str, Mapping[str, float]] = field(default_factory=dict, init=False)


@dataclass(frozen=True, eq=False)
class MetricOracle:
    """A module is interesting if its number is worse than that of the reference, in the same part.

    `input_text` is the module under reduction: the part (a pass, a statistic), and the factor if
    `by` is None, are those of this module. `program_call` is the call of the compiled program, and
    `runtime` gives the program of a compiler's project beside which the called one is, if it is not
    on PATH. `shown` makes the words of a command that measures a file, up to the user's command.
    """

    kinds: ClassVar = frozenset({Kind.METRIC})

    metric: Metric
    inner: CompilerOracle
    reference: Reference
    input_text: str
    _: KW_ONLY
    by: float | None = None
    program_call: tuple[str, ...] = ()
    runtime: Callable[[Path], Path] = lambda executable: executable
    shown: Callable[[str], list[str]]
    known: _Measured = field(default_factory=_Measured)

    def __post_init__(self) -> None:
        object.__setattr__(self, "known", replace(self.known))

    @property
    def capabilities(self) -> Capabilities:
        """Those of a compiler whose numbers count."""
        return Capabilities(self.inner.executable, compiler=self.inner, numbers=self)

    @property
    def limits(self) -> Limits:
        """The limits of the compiler."""
        return self.inner.limits

    @cached_property
    def key(self) -> str:
        """The metric, the input, and both commands with their programs."""
        other = self.reference.of and self.reference.of(self.inner).key
        digest = sha256(self.input_text.encode(errors="surrogateescape")).hexdigest()
        asked = f"{self.metric.spec} {self.by} {self.reference.name} {self.program_call} {digest}"
        return f"metric {asked} {self.inner.key} | {other}"

    @property
    def command(self) -> Command:
        """The command under test."""
        return self.inner.command

    def with_command(self, command: Command) -> "MetricOracle":
        """The same comparison for another command, in the same part and by the same factor."""
        return replace(self, inner=self.inner.with_command(command))

    def shortened(self) -> "list[MetricOracle]":
        """Empty: what is compiled less is another number."""
        return []

    def wants(self, outcome: Outcome) -> bool:
        """Whether the number is worse."""
        return outcome.kind in self.kinds

    def display(self, input_name: str) -> list[str]:
        """The command line that measures both sides for the file `input_name`, in the same part."""
        spec, by = self.pinned()
        asked = ["--metric", spec, "--worse-than", self.reference.name]
        asked += [] if by is None else ["--by", f"{by:.15g}"]
        own = [*self.command.launcher, *self.command.argv]
        run = ["--", *self.program_call] if self.program_call else []
        return [*self.shown(input_name), *asked, "--", *own, *run]

    def reference_display(self, input_name: str) -> list[str]:
        """The command line of the reference; empty if that is a number."""
        if self.reference.of is None:
            return []
        command = self.reference.of(self.inner).command
        return command.words(input_name, DISCARD)

    def call_of(self, side: CompilerOracle, folder: Path) -> list[str]:
        """The call of what a side has compiled into a folder; empty if that is not called."""
        words = [word.replace("{}", str(folder / OUTPUT)) for word in self.program_call]
        if words and shutil.which(words[0]) is None:
            words[0] = str(self.runtime(side.executable).with_name(words[0]))
        return words

    def pinned(self) -> tuple[str, float | None]:
        """The metric in the part that counts, as on the command line, and the factor."""
        try:
            cause = self._plan(None, self.limits, None)
        except NotMeasured:
            return self.metric.spec, self.by
        return self.metric.of_part(cause.part).spec, cause.factor

    def confirm(
        self,
        text: str | bytes,
        input_name: str,
        *,
        limits: Limits,
        cancel: threading.Event | None = None,
    ) -> Outcome:
        """Measure once more, with the input under its final name."""
        self._plan(None, limits, cancel)
        named = replace(self.inner, name=input_name, limits=limits)
        return replace(self, inner=named).run(text, limits=limits, cancel=cancel)

    def run(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        """Measure one candidate, and the same for the reference."""
        limits = limits or self.limits
        try:
            comparison = MetricComparison(self._asked(), text, limits, cancel)
            cause = self._plan(comparison if text == self.input_text else None, limits, cancel)
            return comparison.outcome(cause)
        except NotMeasured as stopped:
            return stopped.outcome

    def _plan(
        self,
        of_input: "MetricComparison | None",
        limits: Limits,
        cancel: threading.Event | None,
    ) -> Cause:
        """Where the input is worse, measured once, by this comparison if there is one.

        The limits of a candidate are too short for the input.
        """
        known = self.known
        with known.planning:
            if known.cause is None:
                longer = replace(limits, seconds=None)
                asked = of_input or MetricComparison(self._asked(), self.input_text, longer, cancel)
                try:
                    known.cause = asked.cause()
                finally:
                    known.runs += len(asked.results)
                    known.cpu_seconds += sum(result.cpu_seconds for result in asked.results)
            return known.cause

    def _asked(self) -> Asked:
        return Asked(
            self.metric, self.inner, self.reference, self.by, self.call_of, self.known.empty
        )

    def explained(self, outcome: Outcome) -> Outcome:
        """The outcome of the input, which names the exact metric that explains it, if one does.

        A number of seconds says nothing about ops. What this runs is part of the cost.
        """
        if not self.metric.is_noisy or self.program_call or self.reference.of is None:
            return outcome
        for name in EXPLAINING:
            other = self._asking_for(name)
            try:
                exact = other.run(self.input_text)
            except UnknownMetric:
                continue
            seconds, cpu = outcome.seconds + exact.seconds, outcome.cpu_seconds + exact.cpu_seconds
            outcome = replace(outcome, seconds=seconds, cpu_seconds=cpu)
            if other.wants(exact):
                why = f"{exact.remarks[0]}; one run each shows it: --metric {name}"
                return outcome.with_remark(why)
        return outcome

    def slowest_pass(self) -> tuple[str, int, float]:
        """The pass that takes most of what the compilation of the input takes more; '' if unknown.

        Only of a time, which has no passes of its own. With the runs and CPU seconds that it took.
        """
        if self.metric.name != "compile-time":
            return "", 0, 0.0
        other = self._asking_for("pass-time")
        name = other.pinned()[0].partition(":")[2]
        return name, other.known.runs, other.known.cpu_seconds

    def _asking_for(self, name: str) -> "MetricOracle":
        """The same comparison of another number."""
        return replace(self, metric=METRICS[name], known=_Measured())

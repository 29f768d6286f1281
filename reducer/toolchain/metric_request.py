"""A number that is to be no worse than a reference, as the user asks for it, and its oracle."""

import math
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from oracles import CompilerOracle
from oracles.metrics.metric import OF_RUNS, Metric, UnknownMetric, metric_named
from oracles.metrics.oracle import MetricOracle, Reference
from oracles.profiles import DEFAULT, RUNTIME, profile_of
from reducer.errors import UsageError
from reducer.toolchain.flags import flags_of, translate
from reducer.toolchain.install import install, runtime_of
from reducer.toolchain.model import Toolchain

RELEASE = DEFAULT.name.lower()
"""What a reference that is a release begins with."""


@dataclass(frozen=True)
class MetricRequest:
    """Which number is a failure: `--metric`, `--worse-than`, and `--by`.

    `run` is the call of the compiled program, with `{}` in place of what is compiled.
    """

    metric: str
    worse_than: str | None
    by: float | None
    run: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The request in words."""
        by = "" if self.by is None else f" by {self.by:g}"
        return f"{self.metric} worse than {self.worse_than}{by}"

    def oracle(
        self,
        compiler: CompilerOracle,
        text: str,
        *,
        shown: Callable[[str], list[str]],
        progress: Callable[[str], None],
    ) -> MetricOracle:
        """The oracle for a compiler and the module under reduction.

        `shown` makes the words of the command that measures a file, before the metric.

        Raises:
            UsageError: a value is invalid, or the compiler cannot show the number.
            ToolchainError: a release cannot be installed.
        """
        metric, reference = self.check(compiler.executable.name, progress)
        return MetricOracle(
            metric,
            compiler,
            reference,
            text,
            by=self.by,
            program_call=self.run,
            runtime=partial(runtime_of, progress=progress),
            shown=shown,
        )

    def check(self, program: str, progress: Callable[[str], None]) -> tuple[Metric, Reference]:
        """The metric and the reference for a program; errors are those of `oracle`."""
        try:
            metric = metric_named(self.metric)
            metric.flags_for(program)
        except UnknownMetric as error:
            raise UsageError(f"--metric: {error}") from error
        if metric.name == "run-time" and not self.run:
            raise UsageError(
                "--metric run-time needs the command that runs the program after a second --: "
                f"{RUNTIME.program} or MLIR's runner, with {{}} in place of what is compiled"
            )
        if self.run and metric.name not in OF_RUNS:
            raise UsageError(
                f"--metric {metric.name} measures the compiler; leave out the second -- "
                f"{self.run[0]} (or give {', '.join(OF_RUNS[:-1])}, or {OF_RUNS[-1]})"
            )
        if self.by is not None and not math.isfinite(self.by):
            raise UsageError(f"--by: {self.by} is not a factor")
        return metric, self._reference(program, progress)

    def _reference(self, program: str, progress: Callable[[str], None]) -> Reference:
        given = self.worse_than
        if given is None:
            raise UsageError(
                f"--metric needs --worse-than: {RELEASE}:VERSION, flags:'--a --b', or a number"
            )
        kind, _, rest = given.partition(":")
        if kind == RELEASE and rest:
            if profile_of(program) is not DEFAULT:
                raise UsageError(
                    f"--worse-than {given} needs a command of {DEFAULT.name}, not {program}"
                )
            other = install(rest, progress=progress)
            return Reference(given, of=lambda under_test: _of_release(under_test, other))
        if kind == "flags" and rest:
            try:
                flags = shlex.split(rest)
            except ValueError as error:
                raise UsageError(f"--worse-than: {given}: {error}") from error
            return Reference(given, of=lambda under_test: _with_flags(under_test, flags))
        try:
            number = float(given)
        except ValueError:
            raise UsageError(
                f"--worse-than: '{given}' is neither {RELEASE}:VERSION, flags:'--a --b', nor "
                "a number"
            ) from None
        if not 0 <= number < math.inf:
            raise UsageError(f"--worse-than: {given} is not 0 or a number above")
        return Reference(given, number=number)


def _of_release(under_test: CompilerOracle, other: Toolchain) -> CompilerOracle:
    """The same command with another release, whose flags may have other names."""
    program = other.opt if under_test.executable.name == other.opt.name else other.compile
    known, own = flags_of(program), flags_of(under_test.executable)
    words = translate((program.name, *under_test.command.flags), known, own).words
    return CompilerOracle(
        under_test.command.with_flags(words[1:]),
        program,
        name=under_test.name,
        limits=under_test.limits,
        runner=under_test.runner,
    )


def _with_flags(under_test: CompilerOracle, flags: Sequence[str]) -> CompilerOracle:
    """The same command with these flags where those of the same name are: passes have an order."""
    named = {flag.partition("=")[0]: flag for flag in flags}
    words = [named.pop(word.partition("=")[0], word) for word in under_test.command.flags]
    return under_test.with_command(under_test.command.with_flags([*words, *named.values()]))

"""The options of `--metric`, and the oracle built from them."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from oracles import Command, CompilerOracle, Limits
from oracles.compilers.command import other_flags
from oracles.metrics.metric import Metric, UnknownMetric, metric_named
from oracles.metrics.oracle import MetricOracle, Reference
from reducer.cli.display.console import print_status
from reducer.errors import CommandNotFound, UsageError
from reducer.toolchain import Toolchain, install
from reducer.toolchain.flags import flags_of, translate


@dataclass(frozen=True)
class MetricOptions:
    """Which number is a failure, as given by the user. `run` is the call of the program."""

    metric: str
    worse_than: str | None
    by: float | None
    run: tuple[str, ...] = ()

    def oracle(
        self,
        command: Command,
        executable: Path,
        text: str,
        *,
        name: str,
        limits: Limits,
        shown: Callable[[str], list[str]],
    ) -> MetricOracle:
        """The oracle for one command.

        `shown` makes the words of the command that measures a file, before the metric.

        Raises:
            UsageError: a value is invalid, or the compiler cannot show the number.
            ToolchainError: a release cannot be installed.
        """
        inner = CompilerOracle(command, executable, name=name, limits=limits)
        try:
            metric = metric_named(self.metric)
            metric.flags_for(executable.name)
        except UnknownMetric as error:
            raise UsageError(f"--metric: {error}") from error
        if metric.name == "run-time" and not self.run:
            raise UsageError(
                "--metric run-time needs the command that runs the program after a second --, "
                "with {} in place of what is compiled"
            )
        if metric.name == "script":
            metric = _with_script(metric)
        return MetricOracle(
            metric,
            inner,
            self._reference(),
            text,
            by=self.by,
            run=self.run,
            shown=shown,
        )

    def _reference(self) -> Reference:
        given = self.worse_than
        if given is None:
            raise UsageError(
                "--metric needs --worse-than: another release (iree:3.12.0), other flags "
                "(flags:'--a --b'), or a number"
            )
        kind, _, rest = given.partition(":")
        if kind == "iree" and rest:
            other = install(rest, progress=print_status)
            return Reference(given, of=lambda under_test: _of_release(under_test, other))
        if kind == "flags" and rest:
            flags = shlex.split(rest)
            return Reference(given, of=lambda under_test: _with_flags(under_test, flags))
        try:
            return Reference(given, number=float(given))
        except ValueError:
            raise UsageError(
                f"--worse-than: '{given}' is neither iree:VERSION, flags:'--a --b', nor a number"
            ) from None


def _of_release(under_test: CompilerOracle, other: Toolchain) -> CompilerOracle:
    """The same command with another release, whose flags may have other names."""
    program = other.opt if under_test.executable.name == other.opt.name else other.compile
    known, own = flags_of(program), flags_of(under_test.executable)
    words = translate((program.name, *under_test.command.flags), known, own).words
    return _beside(under_test, under_test.command.with_flags(words[1:]), program)


def _with_flags(under_test: CompilerOracle, flags: Sequence[str]) -> CompilerOracle:
    return under_test.with_command(other_flags(under_test.command, flags))


def _beside(under_test: CompilerOracle, command: Command, program: Path) -> CompilerOracle:
    return CompilerOracle(
        command,
        program,
        name=under_test.name,
        limits=under_test.limits,
        runner=under_test.runner,
    )


def _with_script(metric: Metric) -> Metric:
    path = Path(metric.argument)
    if not path.is_file():
        raise CommandNotFound(f"--metric script: {path}: no such file")
    return replace(metric, argument=str(path.absolute()))

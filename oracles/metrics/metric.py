"""The metrics: what each of them counts, the flags that it needs, and how exact it is."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from oracles.metrics.readings import FOLDER, READERS
from oracles.profiles import profile_of
from oracles.profiles.profile import CompilerProfile


class UnknownMetric(ValueError):
    """There is no such metric, or the tool cannot measure it; the text says which there are."""


def _ir_flags(profile: CompilerProfile) -> tuple[str, ...]:
    return (
        "--mlir-print-ir-after-all",
        f"--mlir-print-ir-tree-dir={FOLDER}/ir",
        "--mlir-print-op-generic",
        "--mlir-elide-elementsattrs-if-larger=16",
        "--mlir-disable-threading",
    )


def _timing_flags(profile: CompilerProfile) -> tuple[str, ...]:
    return ("--mlir-timing", "--mlir-timing-display=list", "--mlir-disable-threading")


def _counter_flags(profile: CompilerProfile) -> tuple[str, ...]:
    # Without a limit of its own, a counter that LLVM registers is not active and counts nothing.
    unlimited = "apply-pattern-count=4611686018427387904"
    return (f"--mlir-debug-counter={unlimited}", "--mlir-print-debug-counter")


def _unthreaded(profile: CompilerProfile) -> tuple[str, ...]:
    return ("--mlir-disable-threading",)


def _statistics_flags(profile: CompilerProfile) -> tuple[str, ...] | None:
    return profile.statistics_flags or None


def _assembly_flags(profile: CompilerProfile) -> tuple[str, ...] | None:
    made = profile.intermediates_flag
    return (f"{made}={FOLDER}/files",) if made else None


def _no_flags(profile: CompilerProfile) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True)
class Metric:
    """A number that a compilation has.

    Attributes:
        name: the name.
        unit: what is counted, as in `12 ops`; seconds and bytes are shown with a prefix.
        flags: the flags with which a compiler of a project shows it; None if it cannot.
        least: less than this is taken for this much, so that next to nothing is no regression.
        is_noisy: whether two runs of one program give different numbers.
        above_empty: whether what an empty module costs is subtracted.
        default: the argument if none is given.
        in_pass: whether the parts are passes.
        needs_opt: whether only the `…-opt` tool of a project has the flags.
        takes_argument: whether the argument says what is counted, and not the part.
        argument: what follows the name and a colon: the only part that counts, as a rule.
    """

    name: str
    unit: str
    flags: Callable[[CompilerProfile], tuple[str, ...] | None]
    least: float = 1.0
    is_noisy: bool = False
    above_empty: bool = False
    default: str = ""
    in_pass: bool = False
    needs_opt: bool = False
    takes_argument: bool = False
    argument: str = ""

    @property
    def spec(self) -> str:
        """The metric as it is given on the command line."""
        return f"{self.name}:{self.argument}" if self.argument else self.name

    @property
    def title(self) -> str:
        """The metric in a signature, where the part has a place of its own."""
        return self.spec if self.takes_argument else self.name

    @property
    def read(self) -> Callable[..., dict[str, float]]:
        """Reads it from a run (see `readings`)."""
        return READERS[self.name]

    def of_part(self, part: str) -> "Metric":
        """The same metric in one part only."""
        return self if self.takes_argument else replace(self, argument=part)

    def flags_for(self, program: str) -> Sequence[str]:
        """The flags to add to a command of a program, with `FOLDER` for the folder of the run.

        Raises:
            UnknownMetric: it has none that shows this.
        """
        profile = profile_of(program)
        flags = self.flags(profile)
        if flags is None or (self.needs_opt and program == profile.compiler):
            raise UnknownMetric(f"{program} has no flag that shows {self.name}")
        return flags

    def shown(self, value: float) -> str:
        """A value with its unit.

        >>> METRICS["compile-time"].shown(1.5), METRICS["compile-time"].shown(0.0123)
        ('1.50 s', '12.3 ms')
        >>> METRICS["ir-size"].shown(1200.0), METRICS["ir-size"].shown(1.0)
        ('1,200 ops', '1 op')
        """
        if self.unit == "s":
            return f"{value:.2f} s" if value >= 0.1 or not value else f"{value * 1e3:.1f} ms"
        if self.unit == "bytes":
            return f"{value / 1e6:.2f} MB" if value >= 1e5 else f"{value:,.0f} bytes"
        unit = self.unit.removesuffix("s") if value == 1 else self.unit
        return f"{value:,.10g} {unit}".rstrip()


METRICS = {
    one.name: one
    for one in (
        Metric("ir-size", "ops", _ir_flags, in_pass=True),
        Metric("rewrites", "", _counter_flags, needs_opt=True),
        Metric("dispatches", "", _statistics_flags, default="dispatch-count"),
        Metric("statistics", "", _statistics_flags),
        Metric("binary-size", "bytes", _no_flags, least=256.0, above_empty=True),
        Metric("asm", "", _assembly_flags, takes_argument=True),
        Metric("peak-memory", "bytes", _unthreaded, least=4e6, is_noisy=True, above_empty=True),
        Metric("compile-time", "s", _unthreaded, least=0.05, is_noisy=True, above_empty=True),
        Metric("pass-time", "s", _timing_flags, least=0.02, is_noisy=True, in_pass=True),
        Metric("run-time", "s", _no_flags, least=0.02, is_noisy=True),
        Metric("script", "", _no_flags, least=1e-9),
    )
}
"""All metrics: those that are exact first, since one run of each shows them."""

OF_RUNS = ("run-time", "peak-memory", "script")
"""The metrics that the run of what is compiled may have, too."""

EXPLAINING = ("ir-size", "rewrites", "statistics")
"""The exact metrics that may explain a noisy one, since more work takes more time and memory."""


def metric_named(spec: str) -> Metric:
    """The metric of `NAME` or `NAME:ARGUMENT`.

    Raises:
        UnknownMetric: there is none of this name, or it needs another argument.
    """
    name, _, argument = spec.partition(":")
    if name not in METRICS:
        raise UnknownMetric(f"there is no metric '{name}'; there are {', '.join(METRICS)}")
    metric = METRICS[name]
    argument = argument or metric.default
    if metric.takes_argument and not argument:
        raise UnknownMetric(
            f"the metric '{name}' needs a regular expression, as in asm:spill_count"
        )
    if metric.takes_argument:
        try:
            re.compile(argument)
        except re.error as error:
            raise UnknownMetric(f"'{argument}' is not a regular expression: {error}") from error
    return replace(metric, argument=argument)

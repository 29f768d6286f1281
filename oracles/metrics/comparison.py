"""Measure a program and the same for its reference, and tell where and how much it is worse."""

import math
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from oracles.base import outcome_of_process
from oracles.compilers.compiler import CompilerOracle
from oracles.metrics.metric import Metric
from oracles.metrics.noise import Ratio, ratio_of
from oracles.metrics.readings import FOLDER, OUTPUT, Dumps, MeasuredRun, NoNumber, counterpart
from oracles.profiles import any_of
from oracles.run.run_process import End, Limits, ProcessResult, run_process
from oracles.run.scratch import private_folder
from oracles.signature.classify import classify
from oracles.signature.kind import Kind
from oracles.signature.outcome import Outcome, Signature, pass_stage

EMPTY = "func.func @empty() {\n  return\n}\n"
"""What costs as good as nothing; a compiler may refuse a module without functions."""
KEPT, LEAST_NOISY, LEAST_EXACT = 0.8, 1.2, 1.1
"""The share of the ratio of the input that is kept if no factor is given, and the least factors."""
_NEAR = 0.8
"""The share of the greatest ratio from which on a part counts as where it begins."""
_NEGLIGIBLE = 0.05
"""The share of the numbers that an empty module may have to be measured once, not in each pair."""
_NAMED = re.compile(r"(?<![\w.!#@%])(?:[a-z_]\w*\.[a-z_]|return\b|module\b)")
_COMPOSITE = re.compile(any_of(lambda profile: profile.composite_passes))
_LISTED = 20
"""The parts that are named if the one that is asked for is not there."""
_LIMITS = {End.TIMEOUT: "time", End.MEMORY: "memory"}
_measuring = threading.Lock()  # a second compiler on the machine would be measured as well


@dataclass(frozen=True)
class Reference:
    """What a number is compared with: another number, or the same for another compilation.

    `of` makes the compiler of the reference from the one under test.
    """

    name: str
    number: float | None = None
    of: Callable[[CompilerOracle], CompilerOracle] | None = None


@dataclass(frozen=True)
class Cause:
    """Where the input is worse, and by which factor a program has to be."""

    part: str
    factor: float


class NotMeasured(Exception):
    """A side does not compile, or reached a limit; `outcome` is what became of it."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(str(outcome.kind))
        self.outcome = outcome


@dataclass(frozen=True)
class Asked:
    """What is measured and compared.

    Attributes:
        metric, inner, reference: the number, of this compiler, and of what it is compared with.
        by: the factor by which it has to be worse; None if that is the input's.
        call_of: the call of what a side has compiled into a folder; empty if that is not called.
        empty: the numbers of an empty module, by the key of the side, as far as they are known.
    """

    metric: Metric
    inner: CompilerOracle
    reference: Reference
    by: float | None
    call_of: Callable[[CompilerOracle, Path], list[str]]
    empty: dict[str, Mapping[str, float]]


class MetricComparison:
    """One comparison of a program with the reference; collects what all runs for it cost."""

    def __init__(
        self,
        asked: Asked,
        text: str | bytes,
        limits: Limits,
        cancel: threading.Event | None,
    ) -> None:
        self._asked = asked
        self._metric = asked.metric
        self._text = text
        self._limits = limits
        self._cancel = cancel
        self._sides = [asked.inner]
        if asked.reference.of is not None:
            self._sides.append(asked.reference.of(asked.inner))
        self.results: list[ProcessResult] = []
        self._known: dict[str, Mapping[str, float]] = {}
        self._dumps: dict[str, Dumps] = {}

    def cause(self) -> Cause:
        """The part in which the program is worse, and the factor by which others have to be."""
        least = LEAST_NOISY if self._metric.is_noisy else LEAST_EXACT
        values = [self._excess(side) for side in self._sides]
        ratios: Mapping[str, float] = dict(self._ratios(*values))
        if not ratios:
            raise self._not_measured(self._missing(values))
        if self._dumps and not self._metric.argument:
            part = self._growing_pass(ratios)
        else:
            greatest = max(ratios.values())
            part = next(part for part, ratio in ratios.items() if ratio >= _NEAR * greatest)
        if self._metric.name == "pass-time":  # most of the time, not the most surprising pass
            beside = values[-1] if self._asked.reference.of else {}
            part = max(ratios, key=lambda one: values[0][one] - beside.get(one, 0.0))
        ratio = ratios[part]
        if self._metric.is_noisy and ratio > 1 and self._asked.by is None:
            ratio = self._ratio(part, least).value
        return Cause(part, self._asked.by or max(least, _rounded_up(KEPT * ratio)))

    def _growing_pass(self, ratios: Mapping[str, float]) -> str:
        """The pass that adds most ops, beyond what it adds in the reference; '' for the whole.

        If the whole is no larger in the end, no pass is at fault: another one has done the work.
        What the first pass gets is not measured, but is no more than what the text can hold.
        """
        own, *others = (self._dumps[side.key].passes for side in self._sides)
        if others and ratios[""] < LEAST_EXACT:
            return ""

        def excess(part: str) -> tuple[bool, float]:
            dump, beside = own[part], counterpart(part, own, others[0]) if others else None
            if beside is not None and (dump.added is None or beside.added is None):
                return True, dump.ops - beside.ops  # both have got the same program
            added = dump.ops - _most_ops(self._text) if dump.added is None else dump.added
            return dump.added is not None, added - (beside.added or 0.0 if beside else 0.0)

        worse = [part for part, ratio in ratios.items() if part and ratio >= LEAST_EXACT]
        grown = [part for part in worse if (added := own[part].added) is None or added > 0]
        part = max(grown, key=excess, default="")
        return part if part and excess(part)[1] > 0 else ""

    def _missing(self, values: Sequence[Mapping[str, float]]) -> str:
        """Why there is nothing to compare in the input."""
        what = "pass" if self._metric.in_pass else "number"
        asked = "" if self._metric.takes_argument else self._metric.argument
        named = f" '{asked}'" if asked else ""
        for who, parts in zip(self._names, values, strict=False):
            if asked not in parts if asked else not parts:
                listed = [part for part in parts if part]
                there = f"; there are {', '.join(listed[:_LISTED])}" if listed else ""
                there += ", …" if len(listed) > _LISTED else ""
                return f"{who} has no {what}{named}{there}"
        return f"both have no {what} in common"

    @property
    def _names(self) -> tuple[str, str]:
        """What the sides are called."""
        return "the command", self._asked.reference.name

    def outcome(self, cause: Cause) -> Outcome:
        """What the comparison shows."""
        metric, reference = self._metric, self._asked.reference
        worse = f"{metric.title} worse than {reference.name}"
        stage = pass_stage(cause.part) if metric.in_pass and cause.part else ""
        if cause.part and not metric.in_pass:
            worse = f"{cause.part}: {worse}"
        ratio = self._ratio(cause.part, cause.factor)
        is_worse = ratio.is_at_least(cause.factor)
        signature = Signature(Kind.METRIC, worse, stage=stage)
        outcome = self._as_outcome(signature if is_worse else Signature(Kind.SUCCESS))
        value, other = self._last
        told = {"value": value, "reference": other, "ratio": ratio.value, "factor": cause.factor}
        if ratio.pairs > 1:
            told |= {"low": ratio.low, "high": ratio.high, "pairs": float(ratio.pairs)}
        outcome = replace(outcome, numbers=tuple(told.items()))
        return outcome.with_remark(self._sentence(cause.part, value, other, ratio))

    def _sentence(self, part: str, value: float, other: float, ratio: Ratio) -> str:
        """The two numbers and how they compare, in words."""
        metric, reference = self._metric, self._asked.reference
        sentence = f"{metric.title}: "
        sentence += f"{part} " if part and not metric.in_pass else ""
        sentence += metric.shown(value)
        if metric.in_pass and part:
            sentence += f" {'after' if metric.unit == 'ops' else 'in'} {part}"
        elif metric.in_pass:
            sentence += " at the end"
        passes = self._dumps[self._sides[0].key].passes if self._dumps else {}
        sentence += f" of {passes[part].place}" if part in passes and passes[part].place else ""
        if reference.number == 0 and ratio.value > 1:
            return f"{sentence}, more than 0"
        if reference.of is None:
            sentence += f", {_times(ratio.value)} {metric.shown(other)}"
        else:
            sentence += f", {_times(ratio.value)} the {metric.shown(other)} with {reference.name}"
        notes = []
        if ratio.pairs > 1:
            notes.append(f"between {_times(ratio.low)} and {_times(ratio.high)}")
            notes.append(f"{ratio.pairs} pairs")
        if min(value, other) < metric.least:
            notes.append(f"less than {metric.shown(metric.least)} counts as that")
        return f"{sentence} ({'; '.join(notes)})" if notes else sentence

    def _ratio(self, part: str, factor: float) -> Ratio:
        """How much worse the program is in a part."""
        if self._metric.is_noisy:
            return ratio_of(self._pairs(part), factor)
        one, other = next(self._pairs(part))
        return Ratio(one / other, one / other, one / other)

    def _pairs(self, part: str) -> Iterator[tuple[float, float]]:
        """Measurements of the program and the reference, in turn; the last of them are kept."""
        seen: list[list[float]] = [[], []]
        turn = 0
        while True:
            order = (0, 1) if turn % 2 == 0 else (1, 0)  # whoever is second may profit from caches
            for side in order:
                known = self._asked.reference.number if side else None
                if known is None:
                    found = self._excess(self._sides[side])
                    if side and part not in found:  # what it does not have is no 0
                        raise self._not_measured(f"{self._names[1]} has no {part or 'number'}")
                    known = found.get(part, 0.0)
                seen[side].append(known)
            turn += 1
            self._last = [sum(one) / len(one) for one in seen]
            yield max(seen[0][-1], self._metric.least), max(seen[1][-1], self._metric.least)

    def _ratios(
        self, value: Mapping[str, float], other: Mapping[str, float] | None = None
    ) -> Iterator[tuple[str, float]]:
        """The ratio in each part that both have, in the order of the program's."""
        number, least = self._asked.reference.number, self._metric.least
        only = "" if self._metric.takes_argument else self._metric.argument
        for part, one in value.items():
            if part != only and (only or _COMPOSITE.fullmatch(part)):
                continue
            beside = number if other is None else other.get(part)
            if beside is not None:
                yield part, max(one, least) / max(beside, least)

    def _excess(self, side: CompilerOracle) -> Mapping[str, float]:
        """The numbers of the program, above those of an empty module."""
        if self._metric.is_noisy or side.key not in self._known:
            self._known[side.key] = self._measured(side, self._text)
        measured = self._known[side.key]
        if not self._metric.above_empty:
            return measured
        known = self._asked.empty
        cost = known.get(side.key)
        if cost is None or (self._metric.is_noisy and _matters(cost, measured)):
            cost = known[side.key] = self._of_empty(side)
        return {part: value - cost.get(part, 0.0) for part, value in measured.items()}

    def _of_empty(self, side: CompilerOracle) -> Mapping[str, float]:
        """The numbers of an empty module; nothing if it does not compile."""
        try:
            return self._measured(side, EMPTY)
        except NotMeasured as stopped:
            if not stopped.outcome.exit_code:
                raise
            return {}

    def _measured(self, side: CompilerOracle, text: str | bytes) -> Mapping[str, float]:
        """The numbers of a program.

        Raises:
            NotMeasured: it does not compile.
        """
        metric = self._metric
        alone = _measuring if metric.is_noisy else nullcontext()
        with private_folder() as place, alone:
            flags = metric.flags_for(side.executable.name)
            compiler = side.with_extra_flags([one.replace(FOLDER, str(place)) for one in flags])
            compiler = replace(compiler, output=str(place / OUTPUT))
            result = compiler.execute(text, cancel=self._cancel, limits=self._limits)
            self._check(result, side)
            if call := self._asked.call_of(side, place):
                result = run_process(call, cwd=place, limits=self._limits, cancel=self._cancel)
                self._check(result, side)
            run = MeasuredRun(
                place, result.stdout, result.stderr, result.cpu_seconds, result.peak_memory
            )
            if metric.name == "ir-size":
                dumps = self._dumps.setdefault(side.key, Dumps(run))
                return dumps.beside(self._dumps[self._sides[0].key])
            try:
                return metric.read(run, metric.argument)
            except NoNumber as error:
                who = self._names[side is not self._sides[0]]
                raise self._not_measured(f"{who}: {error}") from error

    def _not_measured(self, why: str) -> NotMeasured:
        """What to raise if both sides run, and there is no number."""
        outcome = self._as_outcome(Signature(Kind.SUCCESS))
        return NotMeasured(outcome.with_remark(f"not measured: {why}"))

    def _check(self, result: ProcessResult, side: CompilerOracle) -> None:
        """Count a run.

        Raises:
            NotMeasured: it did not end well.
        """
        self.results.append(result)
        if result.end is End.EXITED and result.exit_code == 0:
            return
        who = self._names[side is not self._sides[0]]
        if result.end is not End.EXITED:
            stopped = self._as_outcome(Signature(Kind(str(result.end))))
            if result.end in _LIMITS:
                told = f"not measured: {who} reaches the {_LIMITS[result.end]} limit"
                stopped = stopped.with_remark(told)
            raise NotMeasured(stopped)
        outcome = self._as_outcome(Signature(Kind.SUCCESS))
        shown = classify(result, side.symbols)
        why = "" if shown.diagnostics or not shown.message else f": {shown.message}"
        outcome = outcome.with_remark(f"not measured: {who} fails on it{why}")
        raise NotMeasured(replace(outcome, diagnostics=(*outcome.diagnostics, *shown.diagnostics)))

    def _as_outcome(self, signature: Signature) -> Outcome:
        """An outcome with what all runs cost."""
        last = self.results[-1]
        code = last.exit_code if last.end is End.EXITED else None
        return replace(
            outcome_of_process(last, signature, exit_code=code),
            seconds=math.fsum(one.seconds for one in self.results),
            cpu_seconds=math.fsum(one.cpu_seconds for one in self.results),
            peak_memory=max(one.peak_memory for one in self.results),
        )


def _most_ops(text: str | bytes) -> float:
    """No fewer ops than a program in text has: one a line, or as many as have a dialect's name."""
    if isinstance(text, bytes):
        return math.inf
    return max(text.count("\n") + 1, len(_NAMED.findall(text)))


def _times(ratio: float) -> str:
    """A ratio in words.

    >>> _times(2.345), _times(120.3), _times(0.00123)
    ('2.35 times', '120 times', '0.0012 times')
    """
    if ratio >= 100:
        return f"{ratio:,.0f} times"
    return f"{ratio:.2f} times" if ratio >= 0.1 or not ratio else f"{ratio:.2g} times"


def _matters(cost: Mapping[str, float], found: Mapping[str, float]) -> bool:
    """Whether what is subtracted is so much that its noise, too, has to be in the pairs."""
    return any(cost.get(part, 0.0) > _NEGLIGIBLE * value for part, value in found.items())


def _rounded_up(factor: float) -> float:
    """A factor as it is printed, which must not be less.

    >>> _rounded_up(1.9434), _rounded_up(1.6)
    (1.95, 1.6)
    """
    return math.ceil(round(100 * factor, 6)) / 100

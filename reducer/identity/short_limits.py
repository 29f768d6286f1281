"""Short limits for the candidates of a hang, or of runaway memory, whose pass is known.

A run that is still in the pass that hangs, long after it could have left it, need not be waited for
until the limit that the user set: that one says what a hang is, and tells it from a slow run. So a
candidate gets a few times what the best so far takes to *reach* that pass. This is measured by runs
of the best that are cut after 0.5 s, 1 s, 2 s…, until one of them is in the pass, which cost about
as much as the compilation up to there. They are also samples of the hang at different times: a pass
that is not in all of them is not the one that hangs.

What is accepted under short limits is provisional until a run with the full ones confirms it. A
candidate that turns out to be only slow raises the short limits.

The same holds for memory. A candidate gets a few times what the compiler uses when it reaches the
pass in which memory grows, so it must be in that pass and still grow.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import Protocol

from oracles import Diagnostic, Limits, Outcome, Signature
from oracles.signature.comparison import shows
from oracles.signature.outcome import pass_stage
from reducer.ir import Document
from reducer.search.judge import Judge
from reducer.search.query import RunLimits
from reducer.units import duration, size

_RAISE = 4  # times the factor, once slow runs were taken for hangs
MARGIN = 4
"""Full limits are at least this many times the short ones, to tell a hang from a slow run."""


@dataclass(frozen=True)
class ResourceLimits:
    """The resource that a run exhausts, in seconds or bytes.

    Attributes:
        first: the limit of the first sample.
        least: the least that a candidate gets.
        factor: what a candidate gets, in multiples of what it took to reach the pass, which is
            known up to a factor of two. Load changes the use of memory less than that of time.
        late: the part of the limit up to which the run that shows what hangs goes on. A compiler
            takes 100 MB to begin with; time up to a high limit is dear.
    """

    is_time: bool
    first: float
    least: float
    factor: int
    late: float

    @classmethod
    def of(cls, target: Signature) -> "ResourceLimits":
        """The resource that runs with this signature exhaust."""
        return _TIME if target.kind.traits.out_of_time else _MEMORY

    def limit(self, limits: Limits) -> float:
        """The limit on this resource."""
        limit = limits.seconds if self.is_time else limits.memory
        return inf if limit is None else limit

    def limited(self, limits: Limits, amount: float) -> Limits:
        """The limits with another one on this resource."""
        if self.is_time:
            return replace(limits, seconds=amount)
        return replace(limits, memory=int(amount))

    def said(self, amount: float) -> str:
        """An amount in words."""
        return duration(amount) if self.is_time else size(int(amount))

    def samples(self, most: float) -> Iterator[float]:
        """Limits that double, at most half of `most`, and for memory one more."""
        amount = self.first
        while 2 * amount <= most:
            yield amount
            amount *= 2
        if not self.is_time and most < inf:
            yield self.late * most


_TIME = ResourceLimits(True, first=0.5, least=1.5, factor=3, late=0.5)
_MEMORY = ResourceLimits(False, first=128 << 20, least=384 << 20, factor=2, late=0.75)


@dataclass(frozen=True)
class Hang:
    """What several samples of one run that reaches a limit have in common.

    Attributes:
        target: the signature, with the innermost pass that is in all samples.
        reached: the limit, in seconds or bytes, at which that pass was reached; None if unknown.
    """

    target: Signature
    reached: float | None = None


class LimitedRun(Protocol):
    """Runs something within other limits."""

    def __call__(self, *, limits: Limits) -> Outcome: ...


def named_late(first: Outcome, limits: Limits, run: LimitedRun) -> Outcome:
    """The outcome of a run that reached a limit, named by what a second run was in, too.

    A compiler that is only slow goes from pass to pass. What is at fault is the innermost pass in
    which both are, late in each. There is no second run if no pass is known, or if it took two to
    know one.
    """
    if not first.kind.traits.costly or not first.passes or first.extra:
        return first
    resource = ResourceLimits.of(first.signature)
    most = resource.limit(limits)
    if most == inf:
        return first
    second = run(limits=resource.limited(limits, resource.late * most))
    if second.cancelled:
        return second
    common = tuple(one for one in first.passes if one in second.passes)
    diagnostics = first.diagnostics
    if common[:1] != first.passes[:1]:
        message = (
            "the pass at the end depends on the limit: "
            f"{first.passes[0]} at {resource.said(most)}, "
            f"{second.passes[0] if second.passes else 'no known pass'} at "
            f"{resource.said(resource.late * most)}"
        )
        diagnostics = (*diagnostics, Diagnostic("", 0, 0, "note", message))
    return replace(
        first,
        signature=replace(first.signature, stage=pass_stage(common[0]) if common else ""),
        passes=common,
        diagnostics=diagnostics,
        cpu_seconds=first.cpu_seconds + second.cpu_seconds,
        seconds=first.seconds + second.seconds,
        extra=(("to see what it is in earlier", second.seconds), *second.extra),
    )


def sample_hang(judge: Judge, document: Document, first: Outcome) -> Hang:
    """Find the pass that hangs, given the outcome of a document at the full limits.

    Raises:
        Stopped: see `Judge.run`.
    """
    resource = ResourceLimits.of(first.signature)

    def cut(*, limits: Limits) -> Outcome:
        return _sample(judge, document, resource, resource.limit(limits))

    first = named_late(first, judge.limits, cut)
    target = first.signature
    if not first.passes:
        return Hang(target)
    samples, reached = [first], None
    most = resource.limit(judge.limits)
    for amount in resource.samples(most):
        sample = _sample(judge, document, resource, amount)
        samples[1:] = [sample]
        if shows(target, sample):
            if 2 * amount <= most:
                samples.append(_sample(judge, document, resource, 2 * amount))
            reached = amount
            break
    # What is only in the last sample may be slow rather than hanging, like what came before it.
    common = [one for one in first.passes if all(one in sample.passes for sample in samples)]
    stage = pass_stage(common[0]) if common else ""
    return Hang(replace(target, stage=stage), reached if common else None)


class ShortLimits:
    """The short limits of one reduction. They follow the best, and are raised if they mislead.

    Attributes:
        limits: the current limits, shared by all judges that use them; the full ones as long as
            it takes too long to reach the pass.
    """

    def __init__(self, target: Signature, full: Limits, raised: int = 1) -> None:
        self._target = target
        self._resource = ResourceLimits.of(target)
        self._full = full
        self._most = self._resource.limit(full) / MARGIN
        self._raised = raised
        self._factor = raised * self._resource.factor
        self.limits = RunLimits(full)

    @classmethod
    def of(cls, hang: Hang, full: Limits) -> "ShortLimits | None":
        """The short limits for a hang; None if its pass is unknown."""
        if not hang.target.pass_name:
            return None
        short = cls(hang.target, full)
        if hang.reached is not None:
            short._lower(hang.reached)
        return short

    @property
    def are_short(self) -> bool:
        """Whether candidates get less than the full limits."""
        return self._amount <= self._most

    def view(self, judge: Judge) -> Judge:
        """The same judge with the short limits."""
        # In the cache, an outcome stays valid when these are lowered for smaller programs.
        label = f"with {self._factor} times what it takes to reach the pass"
        return judge.with_(limits=self.limits, label=label)

    @property
    def enough(self) -> Limits:
        """Limits that tell a hang from a slow run for programs as small as the best."""
        return self._full.at_most(self.limits.current.times(2))

    def follow(self, judge: Judge, document: Document) -> None:
        """Lower the limits to what a new best needs to reach the pass.

        Raises:
            Stopped: see `Judge.run`.
        """
        for amount in self._resource.samples(self._amount):
            if self._short(amount) >= self._amount:
                return
            sample = _sample(judge, document, self._resource, amount)
            if shows(self._target, sample):
                self._lower(amount)
                return

    def raised(self) -> "ShortLimits | None":
        """Limits that tell more slow runs from hangs; None if there are none but the full ones."""
        if self._amount >= self._most:
            return None
        higher = ShortLimits(self._target, self._full, _RAISE * self._raised)
        higher._set(min(_RAISE * self._amount, self._most))
        return higher

    def _lower(self, reached: float) -> None:
        if reached <= self._most:
            self._set(self._short(reached))

    def _short(self, reached: float) -> float:
        """The limit for candidates of a program that reaches the pass at this point."""
        return min(max(self._resource.least, self._factor * reached), self._most)

    def _set(self, amount: float) -> None:
        self.limits.lower(self._resource.limited(self._full, amount))

    @property
    def _amount(self) -> float:
        return self._resource.limit(self.limits.current)


def _sample(judge: Judge, document: Document, resource: ResourceLimits, amount: float) -> Outcome:
    limits = RunLimits(resource.limited(judge.limits, amount))
    sampling = judge.with_(limits=limits, label=f"cut at {amount:g}")
    return sampling.run(document.text, document.op_count)

"""Check on other builds that a result is still the bug of the input; go back if it is not.

A program that fails where its original compiles has slipped to another bug, although the message is
the same. The accepted steps are then bisected for the first one after which that build failed, and
the reduction goes on from before it, with the build as a condition.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from reducer.identity.builds import (
    BuildConfig,
    BuildKind,
    Health,
    HealthCheck,
    Healths,
    Requirement,
)
from reducer.identity.builds.check import rounds, worth_comparing
from reducer.identity.conditions import Loss, SameOnOtherBuilds, last_that
from reducer.identity.multiple_bugs import lost_bug
from reducer.identity.program import Judging, Milestone, Program
from reducer.ir import Module

MAX_REPAIRS = 8
"""How often a reduction goes back, each time with one more condition."""

_SMALL_ENOUGH = 150  # ops; a larger program is not asked about elsewhere
_QUICK_ENOUGH = 2.0  # CPU seconds of the user's command; the same


@dataclass(frozen=True)
class Audit:
    """Asks about the programs of one reduction on other builds."""

    program: Program
    judging: Judging
    check: HealthCheck

    @staticmethod
    def of(program: Program, judging: Judging) -> "Audit":
        """The audit of a reduction that is asked about on other builds."""
        assert judging.health is not None
        return Audit(program, judging, judging.health)

    def lost(self) -> Loss | None:
        """What the result lacks of what it was made from, so that it shows another bug.

        Raises:
            Stopped: the user interrupted the run, or the time is up.
        """
        check = self.check
        loss = self._lost(check.builds)
        compared = any(step.document is self.program.original for step in self._steps())
        if compared or check.lost or check.repairs == MAX_REPAIRS:
            return loss
        return lost_bug(self.program, self.judging, check)

    def lost_early(self, start: int, confirm: Callable[[], None]) -> Loss | None:
        """The same of a program that is nearly minimal.

        The loss is after the milestone of the number `start`; earlier ones are left to the audit of
        the result. Only releases are asked here: most answers will be those for the result, too.
        That the program fails under the full command is only confirmed if it seems to be another
        bug.

        Raises:
            EarlyStopDiverged: `confirm` finds that the program does not fail under the full
                command.
            Stopped: as in `lost`.
        """
        releases = [build for build in self.check.builds if build.kind is BuildKind.RELEASE]
        return self._lost(releases, start, confirm)

    def complete(self) -> None:
        """Ask about the result of a search that ended before the audit, without going back."""
        self.check.lost = self._losses(self.check.builds)

    def _lost(
        self,
        builds: Sequence[BuildConfig],
        start: int = 0,
        confirm: Callable[[], None] = lambda: None,
    ) -> Loss | None:
        """Ask on some builds whether something is lost, after the milestone `start`.

        `confirm` is called in between: it may find that the program does not fail.
        """
        check = self.check
        check.lost = self._losses(builds)
        if not check.lost or check.repairs == MAX_REPAIRS:
            return None
        confirm()
        self.judging.full.check()
        return self._loss(start)

    def _losses(self, builds: Sequence[BuildConfig]) -> tuple[Requirement, ...]:
        """What the result does not do any more, although what it was made from does.

        Once something is lost, the other kinds of builds are not asked.
        """
        check, steps = self.check, self._steps()
        check.result = {}
        if not steps:
            return ()
        at: dict[BuildConfig, Health] = {}
        for part in _by_kind(builds):
            asked = dict[BuildConfig, Health]()
            for some in rounds(part, asked):
                asked |= self._profile(steps[-1], some)
            at |= asked
            check.result = at
            self._ask_before(steps, worth_comparing(asked))
            before = check.before
            lost = [build for build in asked if _known(before, build).is_lost_in(asked[build])]
            if lost:
                return tuple(Requirement(build, before[build]) for build in lost)
        return ()

    def _ask_before(self, steps: Sequence[Milestone], builds: Sequence[BuildConfig]) -> None:
        """Learn what the programs that the result was made from do on some builds.

        Another failure of the first of them may hide what it would do otherwise, so that a later
        one is asked as well.
        """
        check = self.check
        doubtful = [build for build in builds if not _known(check.before, build).tells]
        for step in _references(steps):
            found = self._profile(step, doubtful)
            check.before = {**check.before, **found}
            check.of_input.difference_update(doubtful)
            check.of_input.update(doubtful if step.document is self.program.original else ())
            doubtful = [build for build in doubtful if found[build] is Health.OTHER]

    def _loss(self, start: int) -> Loss | None:
        """The loss of what the last step did that does it; None if there is none.

        Builds are mostly lost together, so that requiring one brings back all of them.
        """
        program, check, steps = self.program, self.check, self._steps()
        lost = check.lost[0]
        last = self._last_that_meets(steps, lost)
        if last < 0 or steps[last] not in program.milestones[start:]:
            return None
        check.repairs += 1
        check.required = (*check.required, lost)
        condition = SameOnOtherBuilds(check.cross_check, check.required)
        kept = steps[: last + 1]
        return Loss(check.another_bug, kept, lambda asked: asked.under(condition))

    def _last_that_meets(self, steps: Sequence[Milestone], lost: Requirement) -> int:
        """The number of the last step that meets a requirement, by bisection; -1 if none is known.

        The program that met it in an earlier audit may be one that the reduction went back beyond.
        """
        references = _references(steps)
        met = (
            number
            for number, step in enumerate(steps)
            if step in references and self._meets(step, lost)
        )
        if (known := next(met, -1)) < 0:
            return known
        return last_that(steps[:-1], lambda step: self._meets(step, lost), known=known)

    def _meets(self, step: Milestone, lost: Requirement) -> bool:
        return self._profile(step, [lost.build])[lost.build] is lost.health

    def _profile(self, step: Milestone, builds: Sequence[BuildConfig]) -> Healths:
        return self.check.cross_check.profile(builds, step.document.text)

    def _steps(self) -> list[Milestone]:
        """The accepted programs that are cheap enough to ask about, the result last."""
        steps = [step for step in self.program.milestones if _is_cheap(step)]
        if isinstance(self.program.document, Module):
            present = self.program.milestone(self.judging.full)
            if not steps or steps[-1].document.text != present.document.text:
                steps.append(present)
        return steps


def compiles_nowhere(judging: Judging) -> bool:
    """Whether no other build tells if the program is still the bug of the input."""
    check = judging.health
    return check is None or Health.COMPILES not in check.result.values()


def is_small(document: Module) -> bool:
    """Whether a program is small enough to be asked about on other builds."""
    return document.op_count <= _SMALL_ENOUGH


def _by_kind(builds: Sequence[BuildConfig]) -> list[list[BuildConfig]]:
    """Targets last: they are many, and the others tell more bugs apart."""
    kinds = (BuildKind.RELEASE, BuildKind.LEVEL, BuildKind.TARGET)
    return [[build for build in builds if build.kind is kind] for kind in kinds]


def _known(before: Mapping[BuildConfig, Health], build: BuildConfig) -> Health:
    return before.get(build, Health.UNKNOWN)


def _references(steps: Sequence[Milestone]) -> list[Milestone]:
    """The first step, and a later one in case it says nothing."""
    chosen = sorted({0, 2 * len(steps) // 3})
    return [steps[index] for index in chosen if index < len(steps) - 1]


def _is_cheap(step: Milestone) -> bool:
    if not is_small(step.document):
        return False
    known = step.asked.known(step.document.text)
    return known is None or known.cpu_seconds <= _QUICK_ENOUGH

"""Judge the input of a reduction, and settle who judges the candidates, by `result_judge.py`.

If the evaluator only knows what a front end makes of a program, a defect of the front end is in
what it says, too. Other releases that are installed may make another program of it; which of them
is right, nobody knows.

Where results are right but for the sign of a zero, the evaluator's word alone is not enough, since
too many ops may give either zero. Either somebody else must compute what it does, or it must say
that the passes under test change the sign: what runs a program after them may lose it as well.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from reducer.miscompile.oracle.comparison import EITHER, Comparison, Judges
from reducer.miscompile.oracle.execution import ExecutionResult, Implementation, Poisoned
from reducer.miscompile.oracle.guards import Undefined
from reducer.miscompile.oracle.program_pool import ComparisonCase, FrontEnds, ProgramPool, Question
from reducer.miscompile.oracle.result_judge import (
    MAX_RELEASES,
    Finding,
    Judgement,
    ResultJudge,
    is_whole,
    right,
    why_undefined,
    why_unknown,
)
from reducer.miscompile.values.inputs import Trial

_ALIKE = "only compared with {}: a defect that both share would not be seen"
"""Backends and releases share most of a compiler."""

_UNTAMED = "no compiler can tell whether the program is defined for such values"
"""They differ about a shift by more than the width, for example, and neither is wrong."""


def _is_safe(trial: Trial) -> bool:
    """Whether a program can be expected to be defined for some values."""
    return trial.style.is_tame or bool(trial.user_inputs)


class InputJudge(ResultJudge):
    """Judges calls of the input."""

    def __init__(self, comparison: Comparison, pool: ProgramPool) -> None:
        super().__init__(comparison, pool)
        self.front_ends = FrontEnds(comparison.front_ends, pool)

    # ---- the input ---------------------------------------------------------------------------

    def judge_unrun(self, question: Question, trial: Trial) -> Finding | None:
        """The finding for a call of the input, if it is the same whatever the program gives.

        Then the program need not run: with extreme values, it may loop for ever and fill the memory
        with what it has yet to do.
        """
        what = self.comparison
        if what.fixed or what.expected is not None or what.evaluator is None or _is_safe(trial):
            return None
        meant = self.pool.ask(what.evaluator, question, once=True)
        nothing = ExecutionResult()
        known = meant is not None and not self._obstacle(what.evaluator, meant)
        if meant is not None and known and not why_undefined(meant, nothing):
            return None
        return self.judge_input(question, nothing, trial)

    def judge_input(self, question: Question, actual: ExecutionResult, trial: Trial) -> Finding:
        """Judge a call of the input. A wrong result comes with those who can judge candidates."""
        if self.comparison.fixed or self.comparison.expected is not None:
            return self._with_fixed(question, actual, trial)
        evaluator = self.comparison.evaluator
        if evaluator is None:
            return self._compiled(question, actual, trial)
        if self.comparison.named:  # others are compared with what it gives, too
            meant = self.pool.ask(evaluator, question)
        else:
            meant = self.pool.ask_beside(evaluator, question, actual)
        obstacle = self._obstacle(evaluator, meant)
        if meant is None or obstacle:
            if self.comparison.reference == evaluator:
                return Finding(Judgement.UNDECIDED, obstacle)
            if not _is_safe(trial):
                return Finding(Judgement.UNDEFINED, f"{obstacle}, and {_UNTAMED}")
            found = self._compiled(question, actual, trial)
            is_sure = found.judgement is Judgement.RIGHT and not found.remark
            return found if is_sure else _also(found, obstacle)
        why = why_undefined(meant, actual)
        if beyond := self._beyond_front_end(question, actual, meant, trial):
            return beyond
        if why:
            made = "what the front end makes of " if self.front_ends.is_lowered(evaluator) else ""
            return Finding(Judgement.UNDEFINED, f"{made}the program {why}")
        return self._evaluated(question, actual, meant, trial)

    def _beyond_front_end(
        self, question: Question, actual: ExecutionResult, meant: ExecutionResult, trial: Trial
    ) -> Finding | None:
        """A difference from a named reference where what the front end has made is undefined.

        The program need not be: the reference has a front end of its own.
        """
        what = self.comparison
        assert what.evaluator is not None
        if not what.named or not self.front_ends.is_lowered(what.evaluator):
            return None
        if is_whole(meant) and not why_undefined(meant, actual):
            return None
        sides = [side for side in (what.reference, *what.required) if side != what.evaluator]
        for side, given in self._answers(sides, question):
            case = question.expecting(given)
            if given.failure or case.agrees(actual):
                continue
            found = self._guarded(case, side, (*what.witnesses, *what.outside), trial)
            return replace(found, judges=replace(found.judges, is_evaluator_right=False))
        return None

    def _evaluated(
        self, question: Question, actual: ExecutionResult, meant: ExecutionResult, trial: Trial
    ) -> Finding:
        """Judge a call of the input whose meaning is known."""
        what = self.comparison
        assert what.evaluator is not None
        case = question.expecting(meant)
        named = (what.reference, *what.required) if what.named else ()
        others = [side for side in named if side != what.evaluator]
        opposed = [self._against(side, case) for side in others]
        if any(opposed):
            return Finding(Judgement.UNDECIDED, next(filter(None, opposed)))
        if case.agrees(actual):
            if what.signs and (finding := self._on_signs(case, actual, others)):
                return finding
            finding = right(case)
            blind = self.front_ends.is_lowered(what.evaluator) and not what.named
            if not blind or finding.judgement is not Judgement.RIGHT:
                return finding
            plain = not trial.style.specials  # what becomes of a NaN may differ and be right
            if plain and (dissent := self.front_ends.dissent(what.evaluator, question, case)):
                return Finding(Judgement.UNDECIDED, dissent)
            return replace(finding, remark=self.front_ends.not_judged(what.evaluator))
        if said := self._preserved(case, actual):
            return Finding(Judgement.UNDECIDED, said)
        if what.named:
            return self._wrong(case, what.evaluator, tuple(others))
        return self._confirmed(case, actual, what.evaluator)

    def _confirmed(
        self, case: ComparisonCase, actual: ExecutionResult, evaluator: Implementation
    ) -> Finding:
        """Settle a difference from the evaluator with the help of witnesses."""
        same: list[str] = []
        other: list[str] = []
        failing: dict[str, list[str]] = {}
        for witness, given in self._testimonies(case):
            if case.agrees(given):
                return self._wrong(case, evaluator, (witness,))
            if case.agree(given, actual):
                same.append(witness.name)
            elif given.failure:
                failing.setdefault(given.failure_text, []).append(witness.name)
            else:
                other.append(witness.name)
        if sibling := self._sibling(case, actual):
            return self._wrong(case, evaluator, (sibling,))
        allies, opponents, others = self._sided(case, actual)
        if not any((same, other, failing, opponents, others)):
            return self._wrong(case, evaluator, (), allies)
        statements = [f"the same from {', '.join(same + opponents)}"] if same or opponents else []
        statements += [f"other results from {', '.join(other + others)}"] if other or others else []
        statements += [f"a failure of {', '.join(names)} ({why})" for why, names in failing.items()]
        cleared = self._passes_cleared(case, actual)
        shaky = self._shaky(evaluator, case, actual) or cleared
        if shaky or opponents:
            said = shaky or "the evaluator is alone"
            said = f"the program gives {self._shown(case, actual)}; {said}" if cleared else said
            return Finding(Judgement.UNDECIDED, "; ".join([said, *statements]))
        judges = Judges(evaluator, whole=is_whole(case.expected), is_disputed=True)
        by = (
            f"the evaluator, and {allies[0]} computes the same" if allies else "the evaluator alone"
        )
        remark = f"expected values: {by}; conflict: {'; '.join(statements)}"
        return Finding(Judgement.WRONG, remark, case, judges)

    def _sided(
        self, case: ComparisonCase, actual: ExecutionResult
    ) -> tuple[list[str], list[str], list[str]]:
        """Those outside the compiler's project who compute what is expected, what the program
        gives, and something else.
        """
        sides: tuple[list[str], list[str], list[str]] = [], [], []
        for side, given in self._from_outside(case):
            where = 0 if case.agrees(given) else 1 if case.agree(given, actual) else 2
            sides[where].append(side.name)
        return sides

    def _wrong(
        self,
        case: ComparisonCase,
        judge: Implementation,
        confirmers: Sequence[Implementation],
        allies: Sequence[str] = (),
    ) -> Finding:
        by = " and ".join([judge.name, *(one.name for one in confirmers), *allies])
        known = confirmers or allies or self.comparison.named
        alone = "" if known else f"; {self._nobody_else()}"
        judges = Judges(judge, tuple(confirmers), whole=is_whole(case.expected))
        return Finding(Judgement.WRONG, f"expected values: {by}{alone}", case, judges)

    # ---- zeros with the other sign ------------------------------------------------------------

    def _on_signs(
        self, case: ComparisonCase, actual: ExecutionResult, named: Sequence[Implementation]
    ) -> Finding | None:
        """The finding, if the sign of a zero differs; `named` are the references to ask."""
        signed = replace(case, signs=True)
        if signed.agrees(actual):
            return None
        after = self._after_passes(signed)
        if after is not None and why_unknown(after):
            after = None
        if after is not None and signed.agrees(after):
            return None  # what runs the program loses the sign
        for side, given in self._asked(signed, named):
            if signed.agrees(given):
                by = f"expected values: {self._evaluator.name} and {side.name}"
                return self._wrong_sign(signed, by, Judges(self._evaluator, (side,)))
        if after is not None:
            by = f"expected values: {self._evaluator.name}, to which the passes make a difference"
            return self._wrong_sign(signed, by, Judges(self._evaluator, is_disputed=True))
        alone = f"for the evaluator alone: {signed.mismatches(actual)[0].text}"
        return replace(right(case), remark=alone)

    @property
    def _evaluator(self) -> Implementation:
        assert self.comparison.evaluator is not None
        return self.comparison.evaluator

    def _asked(
        self, case: ComparisonCase, named: Sequence[Implementation]
    ) -> Iterator[tuple[Implementation, ExecutionResult]]:
        """The answers of those who are asked, one by one."""
        if not named:
            yield from self._testimonies(case)
            yield from self._from_outside(case)
        for side in named:
            if (given := self.pool.ask(side, case)) is not None:
                yield side, given

    def _wrong_sign(self, case: ComparisonCase, remark: str, judges: Judges) -> Finding:
        judges = replace(judges, whole=is_whole(case.expected), signs=True)
        return Finding(Judgement.WRONG, remark, case, judges)

    # ---- the input, with a compiled reference ------------------------------------------------

    def _compiled(self, question: Question, actual: ExecutionResult, trial: Trial) -> Finding:
        """Judge a call of the input by a compiled reference."""
        reference = self.comparison.reference
        expected = self.pool.ask(reference, question)
        if expected is None:
            return Finding(Judgement.UNDECIDED, self.pool.why_not(reference))
        if expected.failure:
            return Finding(Judgement.UNDECIDED, f"{reference.name} fails: {expected.failure_text}")
        case = question.expecting(expected)
        if case.agrees(actual):
            return self._unless_releases_differ(case, trial)
        witnesses = (*self.comparison.witnesses, *self.comparison.outside)
        if self.comparison.named:
            return self._guarded(case, reference, witnesses, trial)
        allies, opponents, _ = self._sided(case, actual)
        opponents += [
            side.name
            for side, given in self._answers_of_releases(case)
            if not allies and case.agree(given, actual) and not case.agrees(given)
        ]
        if opponents:
            given = self._shown(case.expecting(actual), expected)
            alike = f"the program and {', '.join(opponents)} agree, but"
            return Finding(Judgement.UNDECIDED, f"{alike} {reference.name} gives {given}")
        finding = self._guarded(case, reference, witnesses, trial)
        if not finding.case:
            return finding
        if not allies and (sibling := self._sibling(case, actual)):
            allies = [sibling.name]
        if allies or actual.failure:
            told = f" and {allies[0]}" if allies else EITHER.format(reference.name)
            return replace(finding, remark=finding.remark + told)
        judges = replace(finding.judges, is_open=True)
        return replace(finding, remark=judges.summary, judges=judges)

    def _answers_of_releases(
        self, question: Question
    ) -> Iterator[tuple[Implementation, ExecutionResult]]:
        yield from islice(self._answers(self.comparison.releases, question), MAX_RELEASES)

    def _guarded(
        self,
        case: ComparisonCase,
        reference: Implementation,
        witnesses: Sequence[Implementation],
        trial: Trial,
    ) -> Finding:
        """Judge a call of the input that gives another result than a compiled reference."""
        guards = self._guards(reference, witnesses)
        try:
            plan = guards.plan(case, trial)
        except Undefined as error:  # undefined for one trial means undefined
            return Finding(Judgement.UNDECIDED, str(error), is_final=True)
        judges = Judges(reference, guards=plan)
        return Finding(Judgement.WRONG, f"expected values: {reference.name}", case, judges)

    def _unless_releases_differ(self, case: ComparisonCase, trial: Trial) -> Finding:
        """Judge a call that gives what another backend of the same release gives.

        Backends share most of a compiler. If another release agrees with somebody outside and not
        with them, the defect is in that part. Releases alone only make it a conflict: they may
        share a defect that is mended by now.
        """
        told: list[tuple[Implementation, ExecutionResult]] = []
        independent = self.comparison.named
        asked = () if independent else (*self._from_outside(case), *self._answers_of_releases(case))
        for side, given in asked:
            if case.agrees(given):
                independent |= side in self.comparison.outside
                break
            for other, also in told:
                is_sure = other in self.comparison.outside
                if is_sure and not given.failure and case.agree(given, also):
                    witnesses = (Poisoned(other), side)
                    return self._guarded(case.expecting(also), other, witnesses, trial)
            told.append((side, given))
        if not told:
            found, name = right(case), self.comparison.reference.name
            return found if independent else replace(found, remark=_ALIKE.format(name))
        said = "; ".join(f"{side.name} gives {self._shown(case, given)}" for side, given in told)
        alike = f"the program and {self.comparison.reference.name} agree, but {said}"
        return Finding(Judgement.UNDECIDED, alike)

    # ---- the input, with results that are known ----------------------------------------------

    def _with_fixed(self, question: Question, actual: ExecutionResult, trial: Trial) -> Finding:
        """Judge a call of the input by references that are right for the input only."""
        expected: ExecutionResult | None = None
        for name, given in self._fixed(question):
            if given.failure:
                return Finding(Judgement.UNDECIDED, f"{name} fails: {given.failure}")
            if why := question.function.misfit(given.results):
                return Finding(Judgement.UNDECIDED, f"{name} is not that of this program: {why}")
            if expected is not None and not question.agree(expected, given):
                return Finding(Judgement.UNDECIDED, f"the references disagree: {name} is different")
            expected = expected or given
        assert expected is not None
        case = question.expecting(expected)
        if case.agrees(actual):
            return right(case)
        excuse = self._excuse(case, actual)
        if excuse:
            return Finding(Judgement.UNDEFINED, excuse)
        judges = self._judges_beside(case, actual, trial)
        judge = judges.judge.name if judges.judge else "nobody"
        return Finding(Judgement.WRONG, judges.objection or f"judge: {judge}", case, judges)

    def _fixed(self, question: Question) -> Iterator[tuple[str, ExecutionResult]]:
        if self.comparison.expected is not None:
            yield "the expected output", ExecutionResult(self.comparison.expected)
        for side in self.comparison.fixed:
            given = self.pool.ask(side, question)
            yield side.name, given or ExecutionResult(failure="it cannot run")

    def _excuse(self, case: ComparisonCase, actual: ExecutionResult) -> str:
        """Why the program need not give the known results, according to the evaluator; '' if it
        must, or if the front end may have made that of it.
        """
        evaluator = self.comparison.evaluator
        meant = self.pool.ask(evaluator, case) if evaluator is not None else None
        if evaluator is None or meant is None or self._obstacle(evaluator, meant):
            return ""
        if self.front_ends.is_lowered(evaluator):
            return ""
        why = why_undefined(meant, actual)
        if why:
            return f"the program {why}"
        if case.agrees(meant) and replace(case, expected=meant).agrees(actual):
            return "the results differ only in elements that are undefined"
        return ""

    def _judges_beside(self, case: ComparisonCase, actual: ExecutionResult, trial: Trial) -> Judges:
        """Who can judge candidates: the first to compute the known results."""
        refused: list[str] = []
        same: list[str] = []
        other: list[str] = []
        evaluator = self.comparison.evaluator
        trusted = True
        if evaluator is not None:
            meant = self.pool.ask(evaluator, case)
            obstacle = self._obstacle(evaluator, meant)
            if meant is not None and not obstacle:
                why = why_undefined(meant, actual)
                agrees = not why and case.agrees(meant)
                if agrees and not replace(case, expected=meant).agrees(actual):
                    return self._judges_of(evaluator, case, meant)
                trusted = False
                obstacle = (
                    "to the evaluator, the wrong elements are undefined"
                    if agrees
                    else self._wrong_already(evaluator, case.agree(meant, actual), why)
                )
            refused.append(obstacle)
        for side, given in (*self._from_outside(case), *self._testimonies(case)):
            if case.agrees(given):
                known = (self.comparison.reference, *self.comparison.witnesses)
                others = [each for each in known if each not in (side, Poisoned(side))]
                guards = self._guards(side, [Poisoned(side), *others])
                try:
                    plan = guards.plan(case.expecting(given), trial)
                except Undefined as error:
                    refused.append(f"{side.name}: {error}")
                else:
                    return Judges(side, guards=plan, is_evaluator_right=trusted)
            else:
                (same if case.agree(given, actual) else other).append(side.name)
        for names, what in ((same, "the same wrong results"), (other, "other wrong results")):
            refused += [f"wrong as well, with {what}: {', '.join(names)}"] if names else []
        return Judges(objection="; ".join(refused))

    def _judges_of(
        self, evaluator: Implementation, case: ComparisonCase, meant: ExecutionResult
    ) -> Judges:
        """The evaluator as the judge of candidates, with a witness if one agrees with it."""
        agreeing = (side for side, given in self._testimonies(case) if case.agrees(given))
        witness = next(agreeing, None)
        confirmers = () if witness is None else (witness,)
        return Judges(evaluator, confirmers, whole=is_whole(meant), is_disputed=witness is None)

    def _wrong_already(self, evaluator: Implementation, is_same: bool, why: str) -> str:
        """What it means that the evaluator does not compute what is known to be right.

        `is_same` is whether it computes what the compiled program does; `why` is why it computes
        nothing.
        """
        if self.front_ends.is_lowered(evaluator) and (is_same or why):
            made = why or "has the other results already"
            return (
                "the front end is at fault, if the expected results are right: what it makes of "
                f"the program {made}"
            )
        if why:
            return f"for the evaluator the program {why}"
        other = "the same values as the compiled program" if is_same else "other values"
        return f"the evaluator computes {other}"


def _also(finding: Finding, remark: str) -> Finding:
    told = "; ".join(filter(None, (finding.remark, remark)))
    return Finding(finding.judgement, told, finding.case, finding.judges, finding.is_final)

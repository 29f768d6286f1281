"""Judge results that are right but for the sign of a zero.

Too many ops may give either zero, so the evaluator's word alone is not enough. Either somebody else
must compute what it does, or it must say that the passes under test change the sign: what runs a
program after them may lose it as well.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reducer.miscompile.oracle.comparison import Bench
from reducer.miscompile.oracle.execution import ExecutionResult, Implementation
from reducer.miscompile.oracle.result_judge import (
    Finding,
    Judgement,
    Jury,
    is_whole,
    right,
    why_unknown,
)
from reducer.miscompile.oracle.workbench import ComparisonCase


class SignJury(Jury):
    """Judges calls of the input whose results differ from the evaluator's in nothing else."""

    def on_signs(
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
                return self._wrong_sign(signed, by, Bench(self._evaluator, (side,)))
        if after is not None:
            by = f"expected values: {self._evaluator.name}, to which the passes make a difference"
            return self._wrong_sign(signed, by, Bench(self._evaluator, is_disputed=True))
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
            if (given := self.bench.ask(side, case)) is not None:
                yield side, given

    def _wrong_sign(self, case: ComparisonCase, remark: str, bench: Bench) -> Finding:
        bench = replace(bench, whole=is_whole(case.expected), signs=True)
        return Finding(Judgement.WRONG, remark, case, bench)

"""A call for which a program is wrong, its signature, and what is wrong in words.

Any difference that counts is a defect of the compiler, so a coarse signature is enough: whether
numbers are wrong, whether there are NaNs instead of numbers, whether the shape is wrong, or how the
program fails to run.
"""

from dataclasses import dataclass

from oracles.signature.kind import Kind
from oracles.signature.outcome import Signature
from reducer.miscompile.oracle.comparison import Judges
from reducer.miscompile.oracle.execution import ExecutionResult
from reducer.miscompile.oracle.program_pool import ComparisonCase
from reducer.miscompile.values.compare import MismatchKind, gravest
from reducer.miscompile.values.programs import Function


def signature_of(
    result: ExecutionResult, case: ComparisonCase, judges: Judges | None = None
) -> Signature:
    """The signature of a result that is not the expected one, by the word of a judges."""
    if result.failure:
        failed = result.failed
        return Signature(Kind.RUN_FAILURE, failed.template if failed else result.failure)
    kind = gravest(case.mismatches(result)).kind
    told = str(MismatchKind.VALUES if kind is MismatchKind.ORDER else kind)
    return Signature(Kind.DISAGREEMENT if judges and judges.is_open else Kind.MISCOMPILE, told)


@dataclass(frozen=True)
class Mismatch:
    """A call for which the candidate is wrong: what it gives, and what `case` expects."""

    case: ComparisonCase
    result: ExecutionResult
    signature: Signature
    text: str

    @property
    def function(self) -> Function:
        return self.case.function

    @property
    def inputs(self) -> tuple[str, ...]:
        return tuple(self.case.inputs)


def described(result: ExecutionResult, case: ComparisonCase, judges: Judges) -> str:
    """The defect in words: what is wrong first, then the call, whose arguments may be long."""
    call = f"@{case.function.name}({', '.join(_short(word) for word in case.inputs)})"
    if result.failure:
        return f"{result.failure_text}, in {call}"
    expected = f"{judges.judge.name} gives" if judges.is_open and judges.judge else "expected"
    return f"{gravest(case.mismatches(result)).in_words(expected)}, in {call}"


def _short(word: str) -> str:
    return word if len(word) <= 60 else f"{word[:57]}..."

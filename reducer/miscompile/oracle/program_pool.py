"""The programs that implementations make of one module, built and run when first needed."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from hashlib import sha256
from pathlib import Path

from oracles.run.limits import End
from reducer.miscompile.oracle.execution import (
    CANNOT,
    AfterFrontEnd,
    CallableProgram,
    CompilerConfig,
    ExecutionResult,
    Implementation,
    RunContext,
)
from reducer.miscompile.values.compare import Difference, compare
from reducer.miscompile.values.programs import Function

FIRST_GARBAGE, SECOND_GARBAGE = 85, 170
"""Fill bytes with alternating bits, far apart as floats, as integers and as indices."""

_KEPT = 16
"""The number of answers that are kept in any case."""

_MOST_ELEMENTS = 1 << 20
"""More answers are kept while the results have fewer elements."""


@dataclass(frozen=True)
class Question:
    """A call whose results are compared: a function of a module, and its inputs.

    `tolerance` replaces the tolerances by type; with `finite_only`, elements that are not finite
    are ignored; with `signs`, the sign of a zero counts."""

    text: str
    function: Function
    inputs: Sequence[str]
    tolerance: float | None = None
    finite_only: bool = False
    signs: bool = field(default=False, kw_only=True)

    def agree(self, one: ExecutionResult, other: ExecutionResult) -> bool:
        """Whether two sides say the same: equal results, or the same failure."""
        if one.failure or other.failure:
            return one.failure == other.failure
        return not self.differences(one, other)

    def differences(self, actual: ExecutionResult, expected: ExecutionResult) -> list[Difference]:
        """The differences between two lists of results."""
        return compare(
            actual.results,
            expected.results,
            tolerance=self.tolerance,
            finite_only=self.finite_only,
            signs=self.signs,
        )

    def expecting(self, expected: ExecutionResult) -> "ComparisonCase":
        """The call together with its correct results."""
        asked = {one.name: getattr(self, one.name) for one in fields(Question)}
        return ComparisonCase(**asked, expected=expected)


@dataclass(frozen=True)
class ComparisonCase(Question):
    """A call, and the reference's results for it."""

    expected: ExecutionResult = field(default_factory=ExecutionResult)

    def agrees(self, result: ExecutionResult) -> bool:
        """Whether a result is the expected one."""
        return not result.failure and not self.differences(result, self.expected)

    def mismatches(self, result: ExecutionResult) -> list[Difference]:
        """The differences between a result and the expected one."""
        return self.differences(result, self.expected)


_COMMENT = re.compile(r"^[ \t]*//(?! -----)[^\n]*\n?|^[ \t]*\n", re.M)


def bare(text: str) -> str:
    """A program without lines that are blank or comments."""
    return _COMMENT.sub("", text)


class Answers:
    """What sides have said of programs; of large answers the oldest are forgotten."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[ExecutionResult, float]] = {}
        self._elements = 0
        self.refusals: dict[str, str] = {}
        """Why sides make no program of a module, within some limits if these are what ended it."""

    def find(self, asked: str) -> tuple[ExecutionResult, float] | None:
        """An answer, and the CPU seconds that it took."""
        return self._known.get(asked)

    def keep(self, asked: str, given: ExecutionResult, seconds: float) -> None:
        """Remember an answer."""
        while len(self._known) >= _KEPT and self._elements > _MOST_ELEMENTS:
            oldest, _ = self._known.pop(next(iter(self._known)))
            self._elements -= _elements(oldest)
        if self._known.setdefault(asked, (given, seconds))[0] is given:
            self._elements += _elements(given)


class ProgramPool:
    """One module, and what implementations make of it in a private folder.

    `lasting` are answers about any module: a reference is asked about a program once.
    """

    def __init__(
        self, text: str, folder: Path, context: RunContext, lasting: Answers | None = None
    ) -> None:
        self.text = text
        self.context = context
        self._folder = folder
        self._programs: dict[str, CallableProgram | None] = {}
        self._digest = sha256(bare(text).encode(errors="surrogateescape")).hexdigest()
        self._answers = Answers()
        self._lasting = lasting or Answers()
        self._seconds: dict[str, float] = {}

    def program(self, side: Implementation) -> CallableProgram | None:
        """The side's program; None if it makes none of this module."""
        if side.key not in self._programs:
            refusals, limits = self._lasting.refusals, self.context.limits
            here, anywhere = (
                self._asked(side, str(one))
                for one in (limits, replace(limits, seconds=None, cpu=None))
            )
            made, refused = None, anywhere if anywhere in refusals else here
            if refused not in refusals:
                place = self._folder / f"side{len(self._programs)}"
                place.mkdir()
                before = self.context.seconds, self.context.cpu_seconds
                made = side.build(self.text, place, self.context)
                took = self.context.seconds - before[0], self.context.cpu_seconds - before[1]
                allowed = limits.seconds or math.inf, limits.cpu or math.inf
                refused = anywhere if took[0] < allowed[0] and took[1] < allowed[1] else here
            if made is None and not self.context.is_cancelled:
                reason = self.context.reasons.get(side.name, "")
                self.context.reasons[side.name] = refusals.setdefault(refused, reason)
            self._programs[side.key] = made
        return self._programs[side.key]

    def _asked(self, side: Implementation, *call: str) -> str:
        """A digest of all that an answer depends on."""
        return sha256("\0".join((self._digest, side.key, *call)).encode()).hexdigest()

    def refused_by(self, sides: Iterable[Implementation]) -> list[str]:
        """The names of those that were asked for a program of the module and made none."""
        known = self._programs
        return [side.name for side in sides if side.key in known and known[side.key] is None]

    def ask(
        self,
        side: Implementation,
        question: Question,
        *,
        garbage: int = FIRST_GARBAGE,
        once: bool = False,
    ) -> ExecutionResult | None:
        """What a side gives for a call; None if it makes no program of the module.

        With `once`, what an evaluator gives need not say how far it may be off.
        """
        of = question.function.name, str(garbage), *question.inputs
        asked = self._asked(side, *of)
        answer = self._answers.find(asked) or self._lasting.find(asked)
        if answer is None and once:
            asked = self._asked(side, "once", *of)
            answer = self._answers.find(asked) or self._lasting.find(asked)
        if answer is None:
            program = self.program(side)
            if program is None:
                return None
            before, call = self.context.cpu_seconds, program.call
            if once and isinstance(program, AfterFrontEnd):
                call = partial(program.call, once=True)
            given = call(question.function, question.inputs, self.context, garbage=garbage)
            answer = given, self.context.cpu_seconds - before
            is_final = given.end is End.EXITED and not (given.failure or given.unsupported)
            (self._lasting if is_final else self._answers).keep(asked, *answer)
        self._seconds[side.key] = answer[1]
        return answer[0]

    def ask_beside(
        self, side: Implementation, question: Question, actual: ExecutionResult
    ) -> ExecutionResult | None:
        """What an evaluator gives for a call, without how far that may be off if `actual` is it.

        To know that takes several times as long.
        """
        given = self.ask(side, question, once=True)
        if given is None or given.unsupported or given.undefined or given.failure:
            return given
        same = replace(question, signs=True).agree(actual, given.as_exact())
        return given if same else self.ask(side, question)

    def seconds(self, side: Implementation) -> float:
        """The CPU time of the side's last call."""
        return self._seconds.get(side.key, 0.0)

    def why_not(self, side: Implementation) -> str:
        """Why a side makes no program of the module, as far as that is known."""
        reason = self.context.reasons.get(side.name, "")
        verb = "compile" if isinstance(side, CompilerConfig) else "read"
        return f"{side.name} does not {verb} it" + (f": {reason}" if reason else "")


def _elements(given: ExecutionResult) -> int:
    return sum(value.count for value in given.results)


_BLIND = "only what the front end makes of {} was judged, not the front end itself"
_DISSENT = (
    "the program and what its front end makes of it agree, but {} makes another program of it: {}"
)
_QUICK = 10.0
"""How many CPU seconds the evaluator may take if others are to be asked as well."""


class FrontEnds:
    """The front ends of the compiler under test and of other releases, for one module."""

    def __init__(self, others: Sequence[Implementation], pool: ProgramPool) -> None:
        self._others = others
        self._pool = pool
        self._dissent = ""

    def is_lowered(self, evaluator: Implementation) -> bool:
        """Whether the evaluator only knows what the front end makes of the program."""
        program = self._pool.program(evaluator)
        return isinstance(program, AfterFrontEnd) and program.is_lowered

    def not_judged(self, evaluator: Implementation) -> str:
        """Of what the front end was not judged, in words."""
        program = self._pool.program(evaluator)
        ops = program.lowered_ops if isinstance(program, AfterFrontEnd) else ()
        return _BLIND.format(" and of ".join(ops) or "the program")

    def dissent(self, evaluator: Implementation, question: Question, case: ComparisonCase) -> str:
        """Which other front end makes another program of the module, in words; '' if none does.

        Once one does, and if the evaluator takes long, none is asked. `case` is the question with
        what is expected.
        """
        if self._dissent or self._pool.seconds(evaluator) > _QUICK:
            return self._dissent
        for side in self._others:
            given = self._pool.ask(side, question)
            if given is None or given.failure == CANNOT or given.unsupported or given.undefined:
                continue
            if given.failure:
                self._dissent = _DISSENT.format(side.name, given.failure_text)
            elif differences := case.mismatches(given):
                self._dissent = _DISSENT.format(side.name, differences[0].in_words("here"))
            if self._dissent:
                break
        return self._dissent

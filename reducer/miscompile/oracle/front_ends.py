"""What is known of a front end if the evaluator only knows what that makes of a program.

Then a defect of the front end is in what the evaluator says, too. Other releases that are installed
may make another program of it; which of them is right, nobody knows.
"""

from reducer.miscompile.oracle.comparison import Comparison
from reducer.miscompile.oracle.execution import CANNOT, AfterFrontEnd, Implementation
from reducer.miscompile.oracle.result_judge import failure_text
from reducer.miscompile.oracle.workbench import ComparisonCase, Question, Workbench

_BLIND = "only what the front end makes of {} was judged, not the front end itself"
_DISSENT = (
    "the program and what its front end makes of it agree, but {} makes another program of it: {}"
)
_QUICK = 10.0
"""How many CPU seconds the evaluator may take if others are to be asked as well."""


class FrontEnds:
    """The front ends of the compiler under test and of other releases, for one module."""

    def __init__(self, comparison: Comparison, bench: Workbench) -> None:
        self._others = comparison.front_ends
        self._bench = bench
        self._dissent = ""

    def is_lowered(self, evaluator: Implementation) -> bool:
        """Whether the evaluator only knows what the front end makes of the program."""
        program = self._bench.program(evaluator)
        return isinstance(program, AfterFrontEnd) and program.is_lowered

    def not_judged(self, evaluator: Implementation) -> str:
        """Of what the front end was not judged, in words."""
        program = self._bench.program(evaluator)
        ops = program.lowered_ops if isinstance(program, AfterFrontEnd) else ()
        return _BLIND.format(" and of ".join(ops) or "the program")

    def dissent(self, evaluator: Implementation, question: Question, case: ComparisonCase) -> str:
        """Which other front end makes another program of the module, in words; '' if none does.

        Once one does, and if the evaluator takes long, none is asked. `question` knows which calls
        follow, so that several are answered at once; `case` is the same with what is expected.
        """
        if self._dissent or self._bench.seconds(evaluator) > _QUICK:
            return self._dissent
        for side in self._others:
            given = self._bench.ask(side, question)
            if given is None or given.failure == CANNOT or given.unsupported or given.undefined:
                continue
            if given.failure:
                self._dissent = _DISSENT.format(side.name, failure_text(given))
            elif differences := case.mismatches(given):
                self._dissent = _DISSENT.format(side.name, differences[0].told("here"))
            if self._dissent:
                break
        return self._dissent

"""What is compared: the compiler under test, and who may say what is right."""

from dataclasses import dataclass, field

from reducer.miscompile.oracle.execution import CompilerUnderTest, Implementation
from reducer.miscompile.oracle.guards import Audit, GuardPlan
from reducer.miscompile.oracle.program_pool import Answers
from reducer.miscompile.values.inputs import Trial
from reducer.miscompile.values.programs import Value
from reducer.miscompile.values.user_inputs import InputSpec

EITHER = "; nothing else tells whether the program or {} is wrong"


@dataclass(frozen=True)
class Comparison:
    """The command under test, the references, and how to compare with them.

    Attributes:
        candidate: the command under test.
        reference: another way to compile the module, or the evaluator if the user named it.
        required: further references that the user named; all of them must agree.
        witnesses: other ways to compile the module, which settle what the reference alone does not.
        releases: other releases of the compiler, asked only about what nobody else settles.
        siblings: the same command with other releases, or without optimizations. They share most
            defects with it, so they are asked last, and what they compute counts only if it is not
            what the command does.
        untried: compilers that are installed and cannot be asked, and what would change that.
        outside: ways to run the module that share no passes with the compiler. They are kept for
            what nobody else settles, and to confirm the result in the end.
        evaluator: says what a program means, and whether it means anything; None if there is none.
        front_ends: evaluators of what the front ends of other releases make of a program, asked if
            the evaluator only knows that, too, and finds the results right.
        fixed: references that are right for the input only, such as a function in Python. They do
            not move with the module, so they never judge a candidate.
        named: whether the user chose `reference`.
        function: the function to call; None for every exported one.
        user_inputs: inputs chosen by the user.
        expected: results that the user knows to be right, for the input with these inputs only.
        tolerance: replaces the tolerances by type.
        signs: whether a zero with the other sign is wrong, if the evaluator and somebody else agree
            about it.
        audit: an additional check of candidates that no evaluator covers.
        answers: what the sides have said, of any program.
    """

    candidate: CompilerUnderTest
    reference: Implementation
    required: tuple[Implementation, ...] = ()
    witnesses: tuple[Implementation, ...] = ()
    releases: tuple[Implementation, ...] = ()
    siblings: tuple[Implementation, ...] = ()
    untried: str = field(default="", compare=False)
    outside: tuple[Implementation, ...] = ()
    evaluator: Implementation | None = None
    front_ends: tuple[Implementation, ...] = ()
    fixed: tuple[Implementation, ...] = ()
    named: bool = False
    function: str | None = None
    user_inputs: tuple[InputSpec, ...] = ()
    expected: tuple[Value, ...] | None = None
    tolerance: float | None = None
    signs: bool = False
    audit: Audit | None = field(default=None, compare=False)
    answers: Answers = field(default_factory=Answers, compare=False, repr=False)

    @property
    def sides(self) -> tuple[Implementation, ...]:
        """Everything that results may depend on, besides the command under test."""
        asked = (
            *(self.evaluator, *self.fixed, self.reference),
            *(*self.required, *self.witnesses, *self.releases, *self.siblings, *self.outside),
            *self.front_ends,
        )
        return tuple(dict.fromkeys(side for side in asked if side is not None))


@dataclass(frozen=True)
class Judges:
    """Who judges candidates; decided once, on the input.

    Attributes:
        judge: computes the expected results; None if nobody can.
        confirmers: must compute the same; asked only where the judge finds a difference.
        guards: what must hold of a compiled judge's results; None if the evaluator is the judge.
        whole: whether all elements of the expected results are defined on the input.
        is_disputed: whether the evaluator judges alone: no compiler computes the same.
        signs: whether the sign of a zero is all that is wrong.
        is_open: whether nobody but the judge, a compiler, says that the command is wrong.
        is_evaluator_right: whether the evaluator, if it covers a candidate, can be trusted.
        run_seconds: how long a candidate's program may run before it counts as hanging.
        judge_seconds: how long judging a call of it may take.
        hangs: whether the program of the input hangs.
        objection: why nobody can judge candidates.
    """

    judge: Implementation | None = None
    confirmers: tuple[Implementation, ...] = ()
    guards: GuardPlan | None = None
    whole: bool = False
    is_disputed: bool = False
    signs: bool = False
    is_open: bool = False
    is_evaluator_right: bool = True
    run_seconds: float | None = None
    judge_seconds: float | None = None
    hangs: bool = False
    objection: str = ""

    @property
    def summary(self) -> str:
        """Where expected values come from, in words; '' if there are none."""
        if self.judge is None:
            return ""
        names = [self.judge.name, *(side.name for side in self.confirmers)]
        alone = "; no other compiler confirms them" if self.is_disputed else ""
        if self.is_open:
            return f"compared with: {names[0]}{EITHER.format(names[0])}"
        return f"expected values: {' and '.join(names)}{alone}"

    @property
    def sides(self) -> frozenset[Implementation]:
        """Everybody who is asked about candidates."""
        witnesses = self.guards.witnesses if self.guards else ()
        asked = (self.judge, *self.confirmers, *witnesses)
        return frozenset(side for side in asked if side is not None)


@dataclass(frozen=True)
class ComparisonPlan:
    """What is decided once, on the input: how inputs are chosen, and who judges candidates.

    `trial` is None if no difference was found on the input. `device` is where the programs of
    candidates run, if that is another one than the command's.
    """

    trial: Trial | None
    judges: Judges = Judges()
    device: str = ""

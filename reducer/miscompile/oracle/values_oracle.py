"""The oracle for wrong results: compile, run, and compare with a reference."""

import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from oracles.base import Capabilities, Oracle, ResultOracle, capabilities_of
from oracles.compilers.command import Command, resolve_binary
from oracles.compilers.compiler import CompilerOracle
from oracles.evidence import PROGRAM, Carried, ResultEvidence
from oracles.run.limits import Limits
from oracles.signature.outcome import Outcome
from reducer.miscompile.oracle.comparison import Comparison, ComparisonPlan
from reducer.miscompile.oracle.demonstration import Demonstration, demonstration_of
from reducer.miscompile.oracle.differential import RUN_SECONDS, DifferentialRun
from reducer.miscompile.oracle.execution import Compiled, RunContext
from reducer.miscompile.oracle.mismatch import Mismatch
from reducer.miscompile.oracle.program_pool import bare
from reducer.miscompile.values.compare import gravest
from reducer.miscompile.values.programs import Function
from reducer.miscompile.values.user_inputs import InputSpec

CommandDisplay = Callable[[str, Command], list[str]]
"""Makes a command line that repeats the comparison for a file, with a command."""

_UNCONFIRMED = 16
"""Candidates whose results are kept until somebody else confirms what is expected."""


@dataclass
class _Known:
    """What the run of the input has shown; a copy begins with the plan."""

    plan: ComparisonPlan | None = None
    shown_by_input: Demonstration | None = field(default=None, init=False)
    wrong: tuple[str, int] | None = field(default=None, init=False)
    run: DifferentialRun | None = field(default=None, init=False)
    """Of the input, while it lasts."""
    planning: threading.Lock = field(default_factory=threading.Lock, init=False)
    unconfirmed: dict[str, tuple[Mismatch, Outcome]] = field(default_factory=dict, init=False)
    """Of the last candidates that are wrong by the word of the judge alone."""


@dataclass(frozen=True, eq=False)
class ValuesOracle(ResultOracle):
    """A module is interesting if it compiles and its program is at fault.

    That is, its results are wrong (kind MISCOMPILE), or it fails to run (RUN_FAILURE). If nobody
    can tell, the kind is UNDECIDED. `input_text` is the module under reduction: which inputs show
    the defect, and who judges candidates, is determined once, on it. `shown` makes the command line
    that repeats the comparison for a file.

    Attributes:
        demonstration: the failing call in the input, if this oracle is pinned to it.
        call: that call's function and inputs.
        is_disputed: whether only the evaluator computes what is expected, if this oracle is pinned.
        judges_candidates: whether the input itself is judged like any other program.
        asks_confirmers: whether a candidate is wrong only if the judge is not alone in saying so.
    """

    comparison: Comparison
    input_text: str
    _: KW_ONLY
    limits: Limits = field(default_factory=Limits)
    shown: CommandDisplay | None = None
    demonstration: Demonstration | None = None
    call: tuple[Function, tuple[str, ...]] | None = None
    is_disputed: bool = False
    judges_candidates: bool = False
    asks_confirmers: bool = True
    known: _Known = field(default_factory=_Known)

    def __post_init__(self) -> None:
        object.__setattr__(self, "known", replace(self.known))

    @property
    def run_seconds(self) -> float:
        """How long a compiled program may run before it counts as hanging."""
        return self.limits.seconds or RUN_SECONDS

    @property
    def capabilities(self) -> Capabilities:
        """Those of a compiler the results of whose programs count."""
        inner = self.inner
        return Capabilities(inner.executable, compiler=inner, results=self)

    @property
    def command(self) -> Command | None:
        """The passes under test; None if the reference depends on the flags too, so they stay."""
        under_test = self.comparison.candidate
        return under_test.command if under_test.is_pipeline else None

    def with_command(self, command: Command) -> "ValuesOracle":
        """The same comparison with other passes, judged as was decided for those of the input."""
        under_test = self.comparison.candidate.with_command(command)
        comparison = replace(self.comparison, candidate=under_test)
        return replace(
            self, comparison=comparison, demonstration=None, call=None, is_disputed=False
        )

    def on_program(self, text: str, command: Command) -> "ValuesOracle":
        """The same comparison of another program with other passes, judged anew.

        What is known to be right for the input only, such as its expected output, says nothing
        about it.
        """
        under_test = self.comparison.candidate.with_command(command)
        comparison = replace(self.comparison, candidate=under_test, fixed=(), expected=None)
        return ValuesOracle(comparison, text, limits=self.limits, shown=self.shown)

    @cached_property
    def key(self) -> str:
        """Every command, program and file that the results depend on."""
        what = self.comparison
        keys = " | ".join([what.candidate.key, *(side.key for side in what.sides)])
        audited = " audited" if what.audit else ""
        audited += "" if self.asks_confirmers else " unconfirmed"
        given = [one.key for one in what.user_inputs]
        columns = [(one.type, one.count and one.elements.tolist()) for one in what.expected or ()]
        expected = sha256(repr(columns).encode()).hexdigest() if what.expected else None
        asked = f"{what.function} {given} {expected} {what.tolerance} {what.signs}"
        return f"values{audited} {asked} {keys}"

    @property
    def inner(self) -> CompilerOracle:
        """The compiler under test."""
        return self.comparison.candidate.oracle("/dev/null")

    def shortened(self) -> "list[ValuesOracle]":
        """Empty: only a whole program can run."""
        return []

    def wants(self, outcome: Outcome) -> bool:
        """Whether the outcome is a wrong result, or a program that fails to run."""
        return outcome.kind.traits.wrong_results

    def objection(self) -> str:
        """Why nobody can judge candidates, although the input is known to be wrong; or ''."""
        plan, _ = self._plan_for(self.input_text, None, None)
        return "" if plan.trial is None else plan.judges.objection

    @cached_property
    def unconfirmed(self) -> "ValuesOracle | None":
        """See `ResultOracle`."""
        plan, _ = self._plan_for(self.input_text, None, None)
        if plan.trial is None or not plan.judges.confirmers:
            return None
        alone = replace(self, asks_confirmers=False)
        object.__setattr__(alone, "known", self.known)
        return alone

    def wrong_result(self) -> tuple[str, int] | None:
        """See `ResultOracle`."""
        self._plan_for(self.input_text, None, None)
        return self.known.wrong

    @property
    def is_comparing(self) -> bool:
        """See `ResultOracle`."""
        run = self.known.run
        return run is not None and run.candidate is not None

    def display(self, input_name: str) -> list[str]:
        """The command line that repeats the comparison for the file `input_name`."""
        if self.shown is None:
            return self.inner.display(input_name)
        return self.shown(input_name, self.comparison.candidate.command)

    def steps(self, input_name: str, values_name: str) -> list[list[str]]:
        """See `ResultOracle`."""
        shown = self.demonstration
        return self._steps(shown, input_name, values_name) if shown else []

    @property
    def long_inputs(self) -> str:
        """See `ResultOracle`."""
        shown = self.demonstration
        return "" if shown is None or shown.is_short else shown.inputs_text

    def evidence(self, text: str, folder: str, carried: Carried) -> ResultEvidence:
        """See `ResultOracle`."""
        from reducer.miscompile.evidence import evidence_of

        return evidence_of(self, text, folder, carried)

    def input_steps(self, input_name: str) -> list[list[str]]:
        """The command lines that show the failure of the input, if its run has shown one.

        Empty as well if they would need a file for the inputs.
        """
        shown = self.known.shown_by_input
        return self._steps(shown, input_name, "") if shown and shown.is_short else []

    def _steps(self, shown: Demonstration, input_name: str, values_name: str) -> list[list[str]]:
        compiling = self.inner.display(input_name, PROGRAM)
        name, *words = shown.words(values_name)
        runtime, found = self.comparison.candidate.run_module, shutil.which(name)
        assert runtime is not None
        same = found is not None and resolve_binary(Path(found)).samefile(resolve_binary(runtime))
        return [compiling, [name if same else str(runtime), *words]]

    def pinned(self, text: str) -> "ValuesOracle":
        """The oracle that makes only the failing call in `text`, and knows a demonstration of it.

        Another compiler might be wrong in another function. Returns this oracle itself if nothing
        is wrong.
        """
        plan = self._plan_of(text, None, None)
        with self._examination(text, RunContext(self.limits)) as asked:
            followed, _ = asked.judge(plan)
            mismatch, program = asked.mismatch, asked.candidate
            if mismatch is None or program is None:
                return self
            shown = None
            if isinstance(program, Compiled):
                shown = demonstration_of(mismatch.case, mismatch.result, program)
        given = tuple(map(InputSpec.parse, mismatch.inputs))
        comparison = replace(self.comparison, function=mismatch.function.name, user_inputs=given)
        if plan is not None and plan.trial is not None:
            plan = replace(plan, trial=replace(plan.trial, user_inputs=given))
        return replace(
            self,
            comparison=comparison,
            input_text=text,
            demonstration=shown,
            call=(mismatch.function, mismatch.inputs),
            is_disputed=followed.judges.is_disputed,
            judges_candidates=plan is not None,
            known=_Known(plan),
        )

    def confirm(
        self,
        text: str | bytes,
        input_name: str,
        *,
        limits: Limits,
        cancel: threading.Event | None = None,
    ) -> Outcome:
        """Compare once more, with no verdict cached.

        A remark says whether somebody confirms the result who took no part in finding it.
        """
        source = text if isinstance(text, str) else text.decode(errors="surrogateescape")
        plan = self._plan_of(source, cancel, limits)
        with self._examination(source, RunContext(limits, cancel)) as asked:
            followed, outcome = asked.judge(plan)
            if asked.mismatch is None:
                return outcome
            used = self.known.plan.judges if self.known.plan else followed.judges
            return asked.get_second_opinion(followed, used)

    def _plan_of(
        self, text: str, cancel: threading.Event | None, limits: Limits | None
    ) -> ComparisonPlan | None:
        """The plan by which a program is judged where it runs as the command says; None if it is
        judged as the input is.

        What is known of the input alone, such as its expected output, decides only about that,
        comments aside.
        """
        if not self.judges_candidates and bare(text) == bare(self.input_text):
            return None
        plan, _ = self._plan_for(self.input_text, cancel, limits)
        known = self.comparison.fixed or self.comparison.expected is not None
        return None if plan.trial is None and not known else replace(plan, device="")

    def run(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        """Compile and run both implementations of one candidate."""
        source = text if isinstance(text, str) else text.decode(errors="surrogateescape")
        plan, outcome = self._plan_for(source, cancel, limits)
        if outcome is not None:
            return outcome
        waiting = self.known.unconfirmed
        with self._examination(source, RunContext(limits or self.limits, cancel)) as asked:
            if self.asks_confirmers:
                before = waiting.get(source)
                return asked.judge(plan)[1] if before is None else asked.confirmed(plan, *before)
            alone = replace(plan, judges=replace(plan.judges, confirmers=()))
            _, outcome = asked.judge(alone)
            if asked.mismatch is not None:
                waiting[source] = asked.mismatch, outcome
                for oldest in list(waiting)[:-_UNCONFIRMED]:
                    waiting.pop(oldest, None)
            return outcome

    def _plan_for(
        self, text: str, cancel: threading.Event | None, limits: Limits | None
    ) -> tuple[ComparisonPlan, Outcome | None]:
        """The plan, made on the input first; with the outcome if `text` is the input."""
        known = self.known
        with known.planning:
            if known.plan is not None:
                return known.plan, None
            context = RunContext(limits or self.limits, cancel)
            with self._examination(self.input_text, context) as asked:
                known.run = asked
                plan, outcome = asked.judge(None)
                known.run = None
                if outcome.cancelled:
                    return plan, outcome
                found, program = asked.mismatch, asked.candidate
                if found is not None and not found.result.failure:
                    worst = gravest(found.case.mismatches(found.result))
                    known.wrong = found.function.name, worst.result
                if found is not None and isinstance(program, Compiled):
                    known.shown_by_input = demonstration_of(found.case, found.result, program)
            known.plan = plan
        return plan, outcome if text == self.input_text else None

    @contextmanager
    def _examination(self, text: str, context: RunContext) -> Iterator[DifferentialRun]:
        """A comparison in a folder of its own."""
        with tempfile.TemporaryDirectory(prefix="oracle-", ignore_cleanup_errors=True) as folder:
            yield DifferentialRun(self.comparison, text, Path(folder), context, self.run_seconds)


def values_of(oracle: Oracle) -> ValuesOracle | None:
    """The oracle, if it compares values."""
    results = capabilities_of(oracle).results
    return results if isinstance(results, ValuesOracle) else None

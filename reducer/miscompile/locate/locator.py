"""Locate a wrong result: the phase that makes it, the dispatch, and the ops of the input.

1. If a dispatch computes something else than its IR says, code generation is wrong. What each
   dispatch reads and makes comes from one run of the compiled program, and each is judged on what
   it read. The first one that differs is cut out, as a program of its own with these inputs, and
   judged like any other program.
2. Otherwise the IR itself has lost the meaning of the program. A reference that knows the dialects
   of all phases computes what the IR after each phase means; the first phase whose IR means
   something else is wrong.
3. If neither is, what is left is what happens between dispatches: how tensors are moved, which of
   them share memory, and in which order things run.
"""

import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from oracles import Command, CompilerOracle, Outcome
from oracles.profiles import DispatchCalls, dispatch_calls_of
from oracles.run.limits import ProcessResult
from reducer.asking import Cost, Stopped
from reducer.conversions import Conversions, OptPrinter
from reducer.errors import CannotJudge, NotInteresting
from reducer.explain.locator import SuspectOp
from reducer.ir.pretty import unwrap
from reducer.locate import ops_at
from reducer.locate.opt_tool import OptTool
from reducer.locate.rewrite import RewriteSearch
from reducer.miscompile.locate.dispatch_calls import DispatchCall
from reducer.miscompile.locate.finding import (
    BETWEEN_DISPATCHES,
    CODE_GENERATION,
    WrongDispatch,
    WrongResultLocation,
)
from reducer.miscompile.locate.small_widths import prove
from reducer.miscompile.locate.wrong_dispatch import (
    DispatchRun,
    SuspectDispatch,
    SuspectSearch,
    run_traced,
)
from reducer.miscompile.locate.wrong_pass import WrongPass, first_wrong_pass
from reducer.miscompile.oracle import Comparison, CompilerConfig, ValuesOracle
from reducer.miscompile.oracle.differential import DifferentialRun
from reducer.miscompile.oracle.execution import ExecutionResult, RunContext
from reducer.miscompile.oracle.mismatch import Mismatch
from reducer.miscompile.oracle.program_pool import FIRST_GARBAGE, ComparisonCase
from reducer.miscompile.values.inputs import STYLES
from reducer.storage.journal import Journal

_MOST_CONFIRMED = 5  # suspects that are run as programs of their own
_RELEASES = 2  # that are asked about a suspect


@dataclass
class CountedRuns(RunContext):
    """Counts the runs. `first` is the CPU time of the first compilation and the first run after it:
    those of the input under the command itself.
    """

    compilations: int = 0
    executions: int = 0
    first: float = 0.0

    def add(self, one: ProcessResult | Outcome) -> None:
        super().add(one)
        if isinstance(one, Outcome):
            self.compilations += 1
            self.first += one.cpu_seconds if self.compilations == 1 else 0.0
        else:
            self.executions += 1
            self.first += one.cpu_seconds if self.executions == 1 else 0.0


class WrongResultLocator:
    """Locates the wrong result of one program."""

    def __init__(
        self, text: str, oracle: ValuesOracle, opt: Path | None, show: Callable[[str], None]
    ) -> None:
        self.text = text
        self.comparison = oracle.comparison
        self.limits = oracle.limits
        self.opt = opt
        self.show = show
        self.stop = threading.Event()

    def run(self) -> WrongResultLocation:
        """Locate the wrong result as precisely as possible.

        Raises:
            NotInteresting: the results are right.
            CannotJudge: nobody can tell.
            Stopped: the user wants to stop.
        """
        cost, runs = Cost(), CountedRuns(self.limits, self.stop)
        self.show("compare the results of the input")
        finding = self._compare(runs)
        self._locate(finding, runs)
        if not finding.sure and not finding.judged_by_all:
            finding = self._settled(finding, runs)
        finding.compilations, finding.executions = runs.compilations, runs.executions
        cost.add(runs.compilations + runs.executions, runs.cpu_seconds)
        finding.cost = cost
        finding.full_runs = runs.cpu_seconds / max(runs.first, 0.001)
        return finding

    def _settled(self, finding: WrongResultLocation, runs: CountedRuns) -> WrongResultLocation:
        """Ask all references about an input for which there is only the evaluator's word.

        If they find it wrong for other values, the result is located there.

        Raises:
            NotInteresting: see `run`.
            CannotJudge: see `run`; only if nothing is known.
        """
        self.show("ask all references about the results of the input")
        try:
            agreed = WrongResultLocation(*self._judged_by_all(runs))
        except CannotJudge as error:
            if not finding.phase:
                raise
            finding.dispute = str(error)
            return finding
        if agreed.mismatch.inputs == finding.mismatch.inputs:
            return finding
        self._locate(agreed, runs)
        return agreed

    def _compare(self, runs: CountedRuns) -> WrongResultLocation:
        """Judge the input by the evaluator alone if it knows it, else by all references.

        Other compilers take as long as the command itself. What the evaluator says is confirmed on
        the dispatch, which they compile quickly.
        """
        evaluator = self.comparison.evaluator
        if evaluator is not None and not self.comparison.named:
            alone = replace(
                self.comparison,
                reference=evaluator,
                required=(),
                witnesses=(),
                releases=(),
                outside=(),
            )
            mismatch, outcome = self._judged(alone, self.text, runs)
            if mismatch is not None:
                return WrongResultLocation(mismatch, outcome, judged_by_all=False)
        return WrongResultLocation(*self._judged_by_all(runs))

    def _judged_by_all(self, runs: CountedRuns) -> tuple[Mismatch, Outcome]:
        mismatch, outcome = self._judged(self.comparison, self.text, runs)
        told = "; ".join(diagnostic.message for diagnostic in outcome.diagnostics)
        if outcome.kind.traits.undecided:
            raise CannotJudge(f"nothing can judge the results of the input; {told}")
        if mismatch is None:
            told = told or f"tried {', '.join(style.name for style in STYLES)} values"
            raise NotInteresting(f"the results of the input are not wrong; {told}")
        return mismatch, outcome

    def _judged(
        self, comparison: Comparison, text: str, runs: CountedRuns
    ) -> tuple[Mismatch | None, Outcome]:
        """What is wrong with the results. Any values that show it will do: each run is large."""
        with tempfile.TemporaryDirectory(prefix="oracle-", ignore_cleanup_errors=True) as folder:
            differential = DifferentialRun(comparison, text, Path(folder), runs)
            _, outcome = differential.make_plan(varied=True)
        self._check()
        return differential.mismatch, outcome

    def _check(self) -> None:
        if self.stop.is_set():
            raise Stopped("interrupted")

    def _locate(self, finding: WrongResultLocation, runs: CountedRuns) -> None:
        candidate = self.comparison.candidate
        if candidate.is_pipeline:
            self._find_pass(finding, runs)
            return
        ir = dispatch_calls_of(candidate.executable.name, candidate.command.flags)
        if finding.mismatch.result.failure:
            finding.how = "a failing program shows no values"
            return
        if ir is None or not isinstance(candidate, CompilerConfig):
            return
        self.show("run the program and show what its dispatches read and write")
        case = finding.mismatch.case
        shown = run_traced(candidate, ir, self.text, case.function, case.inputs, runs)
        self._check()
        if isinstance(shown, str):
            finding.how = shown
            return
        finding.dispatches = len(shown.calls)
        self._find_dispatch(finding, shown, ir, runs)
        if finding.dispatch is None or not finding.sure:
            self._find_phase(finding, shown, runs)

    # ---- the pass --------------------------------------------------------------------------

    def _find_pass(self, finding: WrongResultLocation, runs: CountedRuns) -> None:
        """Find the pass of a command that only transforms programs."""
        self.show("find the first pass after which the program means something else")
        candidate = self.comparison.candidate
        tool = OptTool(candidate.executable, limits=self.limits, calls=1, seconds=60)

        def is_wrong(command: Command) -> bool | None:
            comparison = replace(self.comparison, candidate=candidate.with_command(command))
            mismatch, outcome = self._judged(comparison, self.text, runs)
            return None if outcome.kind.traits.undecided else mismatch is not None

        found = first_wrong_pass(candidate.command, tool.knows_pass, is_wrong)
        if found is not None:
            finding.phase, finding.sure = f"the pass {found.name}", True
            finding.how = "after the passes before it, the program still means what it should"
            self._find_rewrite(finding, found, runs)

    def _find_rewrite(
        self, finding: WrongResultLocation, found: WrongPass, runs: CountedRuns
    ) -> None:
        """Find the rewrite of the wrong pass, on what the pass receives."""
        self.show("find the rewrite at fault")
        candidate, target = self.comparison.candidate, finding.outcome.signature
        tool = OptTool(
            candidate.executable, limits=self.limits, cancel=self.stop, calls=60, seconds=120
        )

        def is_wrong(command: Command, text: str) -> bool | None:
            comparison = replace(self.comparison, candidate=candidate.with_command(command))
            mismatch, outcome = self._judged(comparison, text, runs)
            return None if outcome.kind.traits.undecided else mismatch is not None

        try:
            text = self.text
            if found.before is not None:
                before = CompilerOracle(found.before, candidate.executable)
                text = RewriteSearch(before, text, target, is_wrong, tool).made(found.before)
            oracle = CompilerOracle(found.alone, candidate.executable)
            search = RewriteSearch(oracle, text, target, is_wrong, tool)
            if text and (rewrite := search.run()):
                finding.rewrite = rewrite.in_program(text, self.text)
                proof = prove(search, rewrite, finding.mismatch.inputs)
                finding.rewrite = replace(finding.rewrite, proof=proof)
        except Stopped:
            self._check()
        finally:
            runs.compilations += tool.cost.calls
            runs.cpu_seconds += tool.cost.cpu_seconds

    # ---- the dispatch ----------------------------------------------------------------------

    def _find_dispatch(
        self, finding: WrongResultLocation, shown: DispatchRun, ir: DispatchCalls, runs: CountedRuns
    ) -> None:
        """Find the first dispatch that is wrong, if possible one that is also wrong alone."""
        self.show("judge each dispatch on what it read")
        search = SuspectSearch(shown, ir, self.comparison, runs)
        trace: dict[str, WrongDispatch] = {}
        for suspect in search.suspects():
            name, call = suspect.execution.call.dispatch, suspect.execution.call
            if name in trace:
                continue
            verdict = None
            if not finding.sure and len(trace) < _MOST_CONFIRMED:
                self.show(f"run @{name} alone")
                verdict = self._verdict_alone(suspect, runs)
            trace[name] = self._wrong(suspect, shown.calls.index(call) + 1, verdict, runs)
            if finding.dispatch is None or (verdict is not None and not finding.sure):
                finding.dispatch, finding.sure = trace[name], verdict is not None
                finding.suspects = self._origins(call, runs)
        finding.judged, finding.unjudged = search.judged, search.unjudged
        if finding.dispatch is not None:
            finding.phase = CODE_GENERATION
            finding.how = self._evidence(finding.dispatch)
            finding.also_wrong = [name for name in trace if name != finding.dispatch.name]

    def _verdict_alone(self, suspect: SuspectDispatch, runs: CountedRuns) -> str | None:
        """Who says that the dispatch, as a program under the user's command, is wrong.

        Of the releases the oldest are asked, since they share the least code. Tools from outside,
        which start anew for each call, are asked only if nobody else can tell. None if it is not
        wrong.
        """
        comparison = replace(
            self.comparison,
            releases=self.comparison.releases[::-1][:_RELEASES],
            fixed=(),
            expected=None,
            function=suspect.function.name,
            user_inputs=suspect.inputs,
        )
        inside = replace(comparison, outside=())
        mismatch, outcome = self._judged(inside, suspect.text, runs)
        if outcome.kind.traits.undecided and comparison.outside:
            mismatch, outcome = self._judged(comparison, suspect.text, runs)
        told = (one.message for one in outcome.diagnostics if one.severity == "remark")
        return None if mismatch is None else "; ".join(told)

    def _wrong(
        self, suspect: SuspectDispatch, call: int, verdict: str | None, runs: CountedRuns
    ) -> WrongDispatch:
        return WrongDispatch(
            suspect.execution.call.dispatch,
            call,
            self._pretty(suspect.text, runs),
            suspect.execution.arguments,
            suspect.difference,
            suspect.reference,
            verdict is not None,
            verdict or "",
        )

    def _evidence(self, dispatch: WrongDispatch) -> str:
        inside = f"for the values that it read, {dispatch.reference} expects other results"
        if dispatch.confirmed:
            by = f" ({dispatch.verdict})" if dispatch.verdict else ""
            return f"{inside}, and it is wrong as a standalone program{by}"
        return f"{inside}, but it is right as a standalone program"

    def _pretty(self, text: str, runs: CountedRuns) -> str:
        if self.opt is None:
            return text
        printer = OptPrinter(self.opt, self.limits)
        printed = printer.pretty(text)
        runs.cpu_seconds += printer.cost.cpu_seconds
        return (unwrap(printed) or printed) if printed else text

    def _origins(self, call: DispatchCall, runs: CountedRuns) -> list[SuspectOp]:
        """The ops of the input that a dispatch was made of."""
        with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
            journal = Journal.open(Path(folder) / "journal", identity={})
            with journal:
                printer = OptPrinter(self.opt, self.limits) if self.opt else None
                conversions = Conversions(printer, journal, self.show)
                module = conversions.module(self.text)
                if module is None:
                    return []
                locations = conversions.locations(self.text, module)
                runs.cpu_seconds += conversions.cost.cpu_seconds
        places = {op: place for place, ops in reversed(locations.items()) for op in ops}
        found = set(ops_at(call.places, locations, module))
        outermost = sorted(op for op in found if module.t.parent[op] not in found)
        return [SuspectOp(module.t.name[op], places.get(op)) for op in outermost]

    # ---- the phase -------------------------------------------------------------------------

    def _find_phase(
        self, finding: WrongResultLocation, shown: DispatchRun, runs: CountedRuns
    ) -> None:
        """Find the first phase whose IR means something else than the program."""
        case = finding.mismatch.case
        if case.agrees(shown.result):
            finding.clear(BETWEEN_DISPATCHES)
            finding.how = "the results are right if the values of all dispatches are returned, too"
            return
        wrong = first_wrong(list(shown.phases), partial(self._flaw, finding, shown, runs))
        if wrong.flaw:
            known = f", that after {wrong.before} does not" if wrong.before else ""
            finding.clear(wrong.phase)
            finding.sure = True
            finding.how = f"the IR after {wrong.phase} {wrong.flaw}{known}"
        elif finding.dispatch is None and wrong.before:
            finding.how = f"the IR after {wrong.before} is right, and every judged dispatch is, too"
            if (
                wrong.before == list(shown.phases)[-1]
                and shown.is_complete
                and not finding.unjudged
            ):
                finding.phase, finding.sure = BETWEEN_DISPATCHES, True

    def _flaw(
        self, finding: WrongResultLocation, shown: DispatchRun, runs: CountedRuns, phase: str
    ) -> str | None:
        """What is wrong with the IR after a phase; '' if nothing, None if nobody can tell."""
        if self.comparison.evaluator is None:
            return None
        self.show(f"compute what the IR after {phase} means")
        case = finding.mismatch.case
        result = self._meaning(shown.phases[phase], case, runs)
        self._check()
        if result is None or result.undefined or result.unsupported:
            return None
        if result.failure:
            return f"fails ({result.failure})"
        if not case.agrees(result):
            return "computes other results"
        return "leaves some results undefined" if loses(case.expected, result) else ""

    def _meaning(
        self, text: str, case: ComparisonCase, runs: CountedRuns
    ) -> ExecutionResult | None:
        """What the evaluator says about the IR of some phase; None if it cannot read it."""
        assert self.comparison.evaluator is not None
        with tempfile.TemporaryDirectory(prefix="oracle-", ignore_cleanup_errors=True) as name:
            program = self.comparison.evaluator.build(text, Path(name), runs)
            if program is None:
                return None
            return program.call(case.function, case.inputs, runs, garbage=FIRST_GARBAGE)


@dataclass(frozen=True)
class WrongPhase:
    """The first wrong phase and its flaw, and the last right one before it; '' if unknown."""

    phase: str = ""
    flaw: str = ""
    before: str = ""


def first_wrong(phases: Sequence[str], flaw: Callable[[str], str | None]) -> WrongPhase:
    """Bisect the phases; those for which `flaw` is None are left out.

    What is wrong stays wrong, so if the last phase is right, all of them are.
    """
    left = list(phases)
    while left and (last := flaw(left[-1])) is None:
        left.pop()
    if not left:
        return WrongPhase()
    if not last:
        return WrongPhase(before=left[-1])
    right, wrong = -1, len(left) - 1
    while wrong - right > 1:
        middle = (right + wrong) // 2
        found = flaw(left[middle])
        if found is None:
            del left[middle]
            wrong -= 1
        elif found:
            wrong, last = middle, found
        else:
            right = middle
    return WrongPhase(left[wrong], last, left[right] if right >= 0 else "")


def loses(expected: ExecutionResult, result: ExecutionResult) -> bool:
    """Whether an element is undefined that should have a value."""
    pairs = zip(expected.results, result.results, strict=False)
    return any(
        bool((~now & (True if was is None else was)).any())
        for was, now in ((one.defined, other.defined) for one, other in pairs)
        if now is not None
    )

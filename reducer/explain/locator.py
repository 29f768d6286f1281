"""Locate a failure without reducing the program: its phase, its pass, and the suspect ops."""

import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from oracles import CompilerOracle, Oracle, Outcome, Signature
from oracles.base import CANDIDATE, capabilities_of
from reducer.asking import Cost, Stopped
from reducer.conversions import Conversions, OptPrinter
from reducer.driver.stages.early_stop import find_phase_number, phase_name
from reducer.driver.stages.locating import failing_dispatch
from reducer.explain.growth import Growth, growth_of
from reducer.identity.sanity import SanityChecks
from reducer.ir import NONE, Module
from reducer.ir.debug_info import has_locations
from reducer.ir.functions import container_of
from reducer.locate import ops_of_diagnostics
from reducer.locate.blame import Blame, Certainty, pass_blame
from reducer.locate.blamed import BlamedRewrite
from reducer.locate.failing_pass import FailingPassSearch
from reducer.locate.locations import Location
from reducer.locate.opt_tool import OptTool
from reducer.locate.rewrite import RewriteSearch, crash_judge
from reducer.search.candidate import Candidate
from reducer.search.conditions import SameFailure
from reducer.search.judge import Judge
from reducer.search.sampling import fingerprint, sample
from reducer.search.state import SearchState
from reducer.search.sweep import sweep
from reducer.search.windows import grow_around, halve
from reducer.storage.journal import Journal
from reducer.transformations import BodyOps, BoundaryTypes
from reducer.transformations.delete_ops import DeleteOps
from reducer.units import duration, plural


@contextmanager
def temporary_evaluator(oracle: Oracle, stop: threading.Event) -> Iterator[tuple[Judge, Journal]]:
    """A judge and its journal, which is deleted at the end of the `with` statement."""
    with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
        journal = Journal.open(Path(folder) / "journal", identity={})
        with journal:
            judge = Judge(oracle, journal, stop=stop)
            try:
                yield judge, journal
            finally:
                judge.close()


_MAX_SUSPECTS = 40
_LARGE = 500  # ops; what locates the failure in fewer is soon done
_FEW = 20  # ops; a larger group that fails by itself confirms little about each of them
_SWEPT = 200  # ops; of a larger program, deleting parts takes too many runs
_FINEST = 8  # parts of 1/_FINEST of the ops are deleted
_QUICK = 20.0  # CPU seconds; if the whole program takes longer, its pass is not looked for


@dataclass(frozen=True)
class SuspectOp:
    """An op that may cause the failure: its name, and its place in the input if known."""

    name: str
    place: Location | None

    def shown(self, program: str) -> str:
        """The op with its place, in the program of this name."""
        if self.place is None:
            return self.name
        file, line, column = self.place
        return f"{program if file == CANDIDATE else file}:{line}:{column}: {self.name}"

    def to_json(self, program: str) -> dict[str, Any]:
        return {**asdict(self), "text": self.shown(program)}


@dataclass
class FailureLocation:
    """The findings.

    Attributes:
        how: the evidence for the suspects.
        sure: whether a run confirmed it, on a part of the program.
        alone: the number of ops in that part, without those in regions of others.
        has_phases: whether the compiler can stop after a phase.
        phase: the first phase after which it fails if it stops there; '' if there is none.
        pass_shown: whether the pass fails alone, is the only one, or is measured; else it ran last.
        broken_by: an earlier pass, which breaks the IR that the pass fails on; '' if none does.
        rewrite: what the pass does to an op after which it fails, if that is known.
        growth: how a number that is the failure grows with a size; None if it does not.
        suspects: the likeliest first.
    """

    outcome: Outcome
    how: str = "none of the parts that were tried fails"
    sure: bool = False
    alone: int = 0
    suspects: list[SuspectOp] = field(default_factory=list)
    has_phases: bool = False
    phase: str = ""
    dispatch: str = ""
    pass_name: str = ""
    pass_shown: bool = False
    broken_by: str = ""
    pipeline: str = ""
    rewrite: BlamedRewrite | None = None
    growth: Growth | None = None
    cost: Cost = field(default_factory=Cost)

    @property
    def confirmed(self) -> str:
        """How far runs confirm the suspects: `yes`, `in part` if many ops fail together, `no`."""
        if not self.sure:
            return "no"
        return "yes" if self.alone <= _FEW else "in part"

    @property
    def blames(self) -> list[Blame]:
        """The phase, the dispatch, the pass and the rewrite, as far as they can be known."""
        shown, last = Certainty.SHOWN, Certainty.LAST_SEEN
        full = "" if self.phase else "unknown: fails only in a full compilation"
        phase = Blame("phase", self.phase, shown if self.phase else Certainty.UNKNOWN, full)
        blames = [phase] if self.has_phases else []
        blames += [Blame("dispatch", self.dispatch, shown)] if self.dispatch else []
        certainty = shown if self.pass_shown else last
        found_by = self.pass_name if self.broken_by else ""
        blames.append(pass_blame(self.broken_by or self.pass_name, certainty, found_by))
        return blames + [found.blame for found in (self.growth, self.rewrite) if found]

    def to_json(self, program: str) -> dict[str, Any]:
        """The fields of `locate --json` about a program of this name."""
        signature = self.outcome.signature
        return {
            "kind": str(signature.kind),
            "signature": signature.text,
            "bucket": signature.bucket,
            "phase": self.phase or None,
            "dispatch": self.dispatch or None,
            "pass": self.pass_name or None,
            "pipeline": self.pipeline or None,
            "numbers": dict(self.outcome.numbers) or None,
            "growth": self.growth and self.growth.to_json(),
            "rewrite": self.rewrite and self.rewrite.to_json(),
            "blames": [blame.to_json() for blame in self.blames],
            "sure": self.confirmed == "yes",
            "confirmed": self.confirmed,
            "ops_alone": self.alone or None,
            "how": self.how,
            "culprits": [suspect.to_json(program) for suspect in self.suspects],
            "calls": self.cost.calls,
            **self.cost.times(),
        }


class Locator:
    """Runs those stages of a reduction that locate the failure, and records their findings."""

    def __init__(
        self, text: str, oracle: Oracle, opt: Path | None, show: Callable[[str], None]
    ) -> None:
        self.text = text
        self.oracle = oracle
        self._can = capabilities_of(oracle)
        self.opt = opt
        self.show = show
        self.stop = threading.Event()

    def run(self) -> FailureLocation:
        """Locate the failure as precisely as possible.

        Raises:
            NotInteresting: the input does not fail.
            Stopped: the user wants to stop.
        """
        with temporary_evaluator(self.oracle, self.stop) as (judge, journal):
            return self._run(judge, journal)

    def _run(self, judge: Judge, journal: Journal) -> FailureLocation:
        printer = OptPrinter(self.opt, self.oracle.limits) if self.opt else None
        conversions = Conversions(printer, journal, self.show)
        self.show("run the input")
        module = conversions.module(self.text)
        ops = module.op_count if module else self.text.count("\n")
        begun = SanityChecks(judge, self.text, ops).run_input()
        finding, judge = FailureLocation(begun.outcome.with_remark(begun.spread)), begun.judge
        finding.cost = judge.costs
        if ops >= _LARGE:
            took = duration(finding.outcome.seconds)
            self.show(
                f"locate the failure in {ops:,} ops (the input took {took}; the runs that follow, "
                "most of them on parts of it, may together take nearly as long as a reduction)"
            )
        judge = judge.under(SameFailure(finding.outcome.signature))
        if module is not None:
            state = SearchState(module, Module.parse, judge, lambda candidate: None)
            self._find_ops(finding, state, conversions)
            if not finding.sure and has_locations(self.text):
                located = conversions.located_module(self.text)  # the failure may need some
                if located is not None:
                    state = SearchState(located, Module.parse, judge, lambda candidate: None)
                    self._find_ops(finding, state, conversions)
            self._find_phase(finding, judge, state.document)
            dispatches, metric = self._can.dispatches, self._can.numbers
            if dispatches and finding.phase in dispatches.compiled_in and finding.sure:
                self._find_dispatch(finding, judge, conversions, module)
            self._find_pass(finding, state.document)
            if metric is not None:
                unit, run = metric.metric.unit, partial(judge.run, ops=ops)
                finding.growth = growth_of(module, unit, run, self.show)
        finding.cost.add(conversions.cost.calls, conversions.cost.cpu_seconds)
        return finding

    def _find_ops(
        self, finding: FailureLocation, state: SearchState[Module], conversions: Conversions
    ) -> None:
        """Find the suspects: ops that fail on their own, or else those named by diagnostics."""
        module, boundary = state.document, BoundaryTypes.of(state.document)
        locations = conversions.locations(self.text, module)
        seeds = ops_of_diagnostics(finding.outcome.diagnostics, locations, module)
        places = {op: place for place, ops in reversed(locations.items()) for op in ops}
        if seeds:
            finding.how = "a diagnostic points to it"
            finding.suspects = [SuspectOp(module.t.name[op], places.get(op)) for op in seeds]
            self.show("try the diagnosed ops alone")
            finding.sure = grow_around(state, boundary, seeds)
            if finding.sure:
                finding.alone = len(BodyOps.of(state.document).ops)
                finding.how += f", and a program of {plural(finding.alone, 'op')} around it fails"
                left = _still_in(state.document, module, seeds)
                finding.suspects = [
                    one for op, one in zip(seeds, finding.suspects, strict=True) if op in left
                ]
            elif self._is_small_already(state):
                self._take_whole(finding, module)
                finding.how += f", and the program has only {plural(finding.alone, 'op')}"
            return
        self.show("sample each kind of op")
        if sample(state, boundary) or self._whole_survives(state):
            self.show("halve")
            halve(state, boundary)
            self._delete_parts(state, boundary)
            finding.sure = state.document.op_count < module.op_count
        if finding.sure:
            finding.alone = len(BodyOps.of(state.document).ops)
            size = plural(finding.alone, "op")
            finding.how = f"no diagnostic has a location, but a program of {size} fails"
        elif self._is_small_already(state):
            self._take_whole(finding, module)
            finding.how = f"the program has only {plural(finding.alone, 'op')}"
        if finding.sure:
            finding.suspects = _origins(
                module, state.document, places, finding.outcome.signature.op
            )

    def _delete_parts(self, state: SearchState[Module], boundary: BoundaryTypes) -> None:
        """Delete parts until few ops are left, or nothing helps.

        What fails may lie across any two halves, and need ops from both ends of the program.
        """
        progress = True
        while progress and _FEW < len(BodyOps.of(state.document).ops) <= _SWEPT:
            self.show("delete parts")
            progress = sweep(state, DeleteOps(boundary), finest=_FINEST)

    def _is_small_already(self, state: SearchState[Module]) -> bool:
        """Whether the program is no larger than what would be left of a large one."""
        ops = len(BodyOps.of(state.document).ops)
        return 0 < ops <= _FEW and self._whole_survives(state)

    @staticmethod
    def _take_whole(finding: FailureLocation, module: Module) -> None:
        finding.sure, finding.alone = True, len(BodyOps.of(module).ops)

    def _whole_survives(self, state: SearchState[Module]) -> bool:
        module = state.document
        return (
            state.judge.first_interesting([Candidate(module, "print in generic form")]) is not None
        )

    def _find_phase(self, finding: FailureLocation, judge: Judge, document: Module) -> None:
        if self._can.phases is None:
            return
        finding.has_phases = True
        self.show("find the failing phase")
        number = find_phase_number(judge, document)
        if number < len(judge.oracle.shortened()):
            finding.phase = phase_name(judge.oracle, number)

    def _find_dispatch(
        self,
        finding: FailureLocation,
        judge: Judge,
        conversions: Conversions,
        module: Module,
    ) -> None:
        self.show("find the failing dispatch")
        found = failing_dispatch(judge, conversions, self.text, module.op_count)
        finding.dispatch = found.name if found else ""

    def _find_pass(self, finding: FailureLocation, document: Module) -> None:
        finding.pass_name = finding.outcome.signature.named_pass
        if self._can.numbers is not None:
            if not finding.pass_name:
                finding.pass_name, runs, seconds = self._can.numbers.slowest_pass()
                finding.cost.add(runs, seconds)
            finding.pass_shown = bool(finding.pass_name)
        if self.opt is None or (compiler := self._can.failures) is None:
            return
        limits = replace(compiler.limits, seconds=compiler.limits.seconds or 60.0)
        tool = OptTool(self.opt, limits=limits, cancel=self.stop, calls=60, seconds=120.0)
        try:
            own = tool.passes_of(compiler)
            sole = own[0] if own and len(own) == 1 else ""
            finding.pass_name = sole or finding.pass_name
            if not finding.sure and finding.outcome.cpu_seconds > _QUICK:
                return
            self.show("find the failing pass")
            target = finding.outcome.signature
            failing = FailingPassSearch(compiler, document.text, target, tool).run()
            at_fault = failing and failing.at_fault(tool)
            if sole and failing is None:
                flags = tuple(word for word in compiler.command.flags if tool.knows_flag(word))
                alike = tool.fails_like(target, document.text, None, flags)
                finding.pass_shown = alike is None
        except Stopped:
            return
        finally:
            finding.cost.add(tool.cost.calls, tool.cost.cpu_seconds)
        if failing is not None:
            finding.pass_name, finding.pass_shown = failing.name, bool(failing.name)
            finding.broken_by = failing.broken_by
            finding.pipeline = failing.step.text if failing.step else ""
            if at_fault:
                self._find_rewrite(
                    finding, at_fault.oracle(tool), at_fault.text, at_fault.signature
                )
        elif own:
            text = self.text if self.text.count("\n") < _LARGE else document.text
            self._find_rewrite(finding, compiler, text, finding.outcome.signature)

    def _find_rewrite(
        self, finding: FailureLocation, oracle: CompilerOracle, text: str, target: Signature
    ) -> None:
        self.show("find the rewrite at fault")
        limits = replace(oracle.limits, seconds=oracle.limits.seconds or 60.0)
        tool = OptTool(oracle.executable, limits=limits, cancel=self.stop, calls=60, seconds=120.0)
        with suppress(Stopped):
            judge = crash_judge(oracle, target, tool)
            rewrite = RewriteSearch(oracle, text, target, judge, tool).run()
            finding.rewrite = rewrite and rewrite.in_program(text, self.text)
        finding.cost.add(tool.cost.calls, tool.cost.cpu_seconds)


def _still_in(after: Module, before: Module, ops: Sequence[int]) -> set[int]:
    """Which of these ops are in a carved module; all if none can be identified by its results."""
    left = _by_results(after)
    units = {unit for key, unit in _by_results(before).items() if key in left}
    body = BodyOps.of(before)
    return {op for op in ops if body.body_op_of(op) in units} or set(ops)


def _by_results(module: Module) -> dict[tuple[str | None, str], int]:
    """The ops of bodies by their functions and results: carving keeps the names of both.

    Ops without results go by their own names and those of their operands, unless two are alike.
    """
    units: dict[tuple[str | None, str], int] = {}
    alike = set()
    for unit, function in _bodies(module).items():
        for name in _names(module, unit):
            key = module.symbol_name(function), name
            if key in units:
                alike.add(key)
            units[key] = unit
    return {key: unit for key, unit in units.items() if key not in alike}


def _names(module: Module, unit: int) -> list[str]:
    if results := module.results(unit):
        return [module.tokens[value] for value in results]
    t = module.t
    return [t.name[unit] + module.text[t.operands_start[unit] : t.operands_end[unit]]]


def _bodies(module: Module) -> dict[int, int]:
    """The functions of the ops of bodies, and of the branches that choose between blocks."""
    branches = (op for op, targets in module.t.successors.items() if len(targets) > 1)
    functions = {op: container_of(module, op) for op in branches if not module.hidden[op]}
    own = {op: function for op, function in functions.items() if function != NONE}
    return {**BodyOps.of(module).function_of, **own}


def _origins(
    before: Module, after: Module, places: dict[int, Location], named: str
) -> list[SuspectOp]:
    """The ops of a carved module, with their places in the input, the likeliest first.

    The likeliest are those that the failure names, and then those of a kind that is rare in the
    input. Constants come last.
    """
    origins = _by_results(before)
    kinds = Counter(fingerprint(before, unit)[:2] for unit in _bodies(before))

    def unlikely(unit: int) -> tuple[bool, bool, int, int]:
        is_other = after.t.name[unit] != named
        return is_other, not after.t.operands[unit], kinds[fingerprint(after, unit)[:2]], unit

    out: list[SuspectOp] = []
    bodies = _bodies(after)
    for unit in sorted(bodies, key=unlikely):
        function, name = after.symbol_name(bodies[unit]), _names(after, unit)[0]
        origin = origins.get((function, name))
        place = places.get(origin) if origin is not None else None
        out.append(SuspectOp(after.t.name[unit], place))
    return out[:_MAX_SUSPECTS]

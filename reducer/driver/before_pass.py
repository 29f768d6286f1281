"""Reduce the IR that enters the failing pass, and turn it into an input for the compiler again.

A crash in the middle of the pipeline names no op. Before the crashing pass, any value may become an
argument, and running one pass costs a small fraction of a compilation; so a large program is cut
there. If cut too far, it would fail in that pass but no longer from the start, so bisection finds
the smallest cut that still does. This automates what people do by hand: dump the IR before the
pass, cut it, and undo earlier passes until it is an input again.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from oracles import CompilerOracle
from reducer.conversions import Conversions
from reducer.driver.early_stop import failing_phase, stoppable_phases
from reducer.ir import Module
from reducer.locate.failing_pass import FailingPass, find_failing_pass
from reducer.locate.opt_tool import OptTool, ToolBudgetExhausted
from reducer.search.candidate import Candidate
from reducer.search.evaluator import Evaluator
from reducer.search.state import SearchState
from reducer.search.sweep import sweep
from reducer.search.windows import halve
from reducer.transformations import BoundaryTypes
from reducer.transformations.as_input import as_inputs
from reducer.transformations.delete_ops import DeleteOps
from reducer.transformations.symbols import DropSymbols

ORIGIN = "cut before the failing pass"

_WORTH_ANOTHER_DIALECT = 4  # factor in ops; a program of few ops may have many one level below
_MAX_RUNS = 30  # maximum runs to find the pass
_MAX_SECONDS = 600.0  # maximum CPU time to find the pass
_RUN_TIMEOUT = 60.0  # seconds, if there is no other limit on a run


def cut_before_pass(state: SearchState[Module], conversions: Conversions) -> bool:
    """Shrink a document to what its failing pass needs, if a pass in mid-pipeline crashes on it.

    Returns:
        Whether a smaller program was accepted. It may be in other dialects than the document.

    Raises:
        Stopped: see `Evaluator.run`.
    """
    evaluator = state.evaluator
    if conversions.opt is None or not _may_help(state, conversions):
        return False
    tool = tool_within(evaluator, conversions.opt)
    found = _failing_pass(state, tool, conversions)
    module = conversions.module(found.text) if found else None
    if found is None or module is None:
        return False
    cuts = _cuts(evaluator.aside(_pass_oracle(evaluator, tool, found), found.signature), module)
    most = state.document.op_count // _WORTH_ANOTHER_DIALECT
    programs = [as_inputs(cut, state.document) for cut in cuts if cut.op_count <= most]
    return _accept_smallest(state, [found for found in programs if found])


def _may_help(state: SearchState[Module], conversions: Conversions) -> bool:
    evaluator = state.evaluator
    # An abnormal exit prints a stack, but rarely an op.
    if evaluator.target is None or not evaluator.target.kind.traits.aborts:
        return False
    if evaluator.query.test is not None:  # an intermittent failure has no conclusive IR before it
        return False
    phases = stoppable_phases(evaluator.oracle)
    if phases is None:
        return False
    return failing_phase(evaluator, state.document, conversions.cached) in phases.of_programs


def tool_within(evaluator: Evaluator, opt: Path) -> OptTool:
    """An `…-opt` tool within the limits of a search."""
    limits, budget = evaluator.limits, evaluator.query.budget
    return OptTool(
        opt,
        limits=replace(limits, seconds=limits.seconds or _RUN_TIMEOUT),
        cancel=evaluator.stop,
        calls=int(min(_MAX_RUNS, budget.calls_left(evaluator.costs))),
        seconds=_MAX_SECONDS,
        until=time.monotonic() + budget.seconds_left,
    )


def _failing_pass(
    state: SearchState[Module], tool: OptTool, conversions: Conversions
) -> FailingPass | None:
    """The pass in which a document fails, and the IR it receives; cached in the journal."""
    document, evaluator = state.document, state.evaluator
    oracle, target = evaluator.oracle, evaluator.target
    if not isinstance(oracle, CompilerOracle) or target is None:
        return None

    def find() -> str:
        try:
            found = find_failing_pass(
                oracle.command, oracle.executable, document.text, target, tool
            )
        except ToolBudgetExhausted:
            found = None
        evaluator.costs.add_probes(tool.calls, tool.compiler_seconds, document.op_count)
        evaluator.check()  # running out of budget does not mean that there is no pass
        return found.to_json() if found else ""

    known = conversions.cached("failing pass", document.text, find)
    return FailingPass.from_json(known) if known else None


def _pass_oracle(evaluator: Evaluator, tool: OptTool, found: FailingPass) -> CompilerOracle:
    """An oracle for the pass, as strict and with the same locations as the evaluator's own."""
    oracle = found.oracle(tool)
    if isinstance(evaluator.oracle, CompilerOracle):
        oracle.runner = evaluator.oracle.runner
    return oracle


def _cuts(evaluator: Evaluator, module: Module) -> list[Module]:
    """Smaller and smaller parts of a module that still fail under the evaluator's oracle."""
    if evaluator.first_interesting([Candidate(module, ORIGIN)]) is None:
        return []  # its generic form does not fail in the same way
    cuts = [module]
    state = SearchState(
        module, Module.parse, evaluator, lambda candidate: cuts.append(candidate.document)
    )
    boundary = BoundaryTypes.of(module)
    halve(state, boundary)
    for transformation in (DropSymbols(), DeleteOps(boundary)):
        sweep(state, transformation)
    return cuts


def _accept_smallest(state: SearchState[Module], programs: Sequence[Sequence[Module]]) -> bool:
    """Accept the last of a series of shrinking programs that fails from the start.

    Each program is given in several forms. If none of its forms fails, later programs are assumed
    not to fail either.
    """
    failing, passing, probe = -1, len(programs), len(programs) - 1
    found: Candidate[Module] | None = None
    while passing - failing > 1:
        candidates = [Candidate(program, ORIGIN) for program in programs[probe]]
        hit = state.evaluator.first_interesting(candidates, state.document)
        if hit is None:
            passing = probe
        else:
            failing, found = probe, hit[1]
        probe = (failing + passing) // 2
    if found is not None:
        state.accept(found)
    return found is not None

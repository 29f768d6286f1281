"""Go down a level: continue with a program in the dialects of a later phase of the compiler.

One op of the input may become a dispatch of many, and many may become one that fails because all
of them are in it. Where the ops of the input cannot be cut further, the IR that they become often
can: any value may be an argument there, and what does not take part is already gone. Programs are
made of that IR which the user's own command compiles from the start, so the result of the reduction
may be in other dialects than the input. The last program in the dialects of the input is
remembered.

A crash in the middle of the pipeline names no op. Running the failing pass alone costs a small
fraction of a compilation, so a large program is cut at that pass. If cut too far, it would fail in
the pass but no longer from the start, so bisection finds the smallest cut that still does. This
automates what people do by hand: dump the IR before the pass, cut it, and undo earlier passes until
it is an input again.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from oracles import CompilerOracle
from oracles.base import capabilities_of
from oracles.profiles import Dispatches
from reducer.asking import Stopped
from reducer.conversions import Conversions, tool_within
from reducer.driver.stages.early_stop import failing_phase
from reducer.driver.state import Context
from reducer.identity.program import InputLevel
from reducer.ir import Module
from reducer.locate.dispatch_as_input import dispatch_as_input
from reducer.locate.dispatches import Dispatch
from reducer.locate.failing_pass import FailingPass, FailingPassSearch
from reducer.locate.opt_tool import OptTool
from reducer.search.candidate import Candidate
from reducer.search.inquiry import boundary, inquire
from reducer.search.judge import Judge
from reducer.search.state import SearchState
from reducer.search.sweep import sweep
from reducer.search.windows import halve
from reducer.transformations import BoundaryTypes
from reducer.transformations.as_input import as_inputs
from reducer.transformations.delete_ops import DeleteOps
from reducer.transformations.symbols import DropSymbols

CUT_ORIGIN = "cut before the failing pass"

_WORTH_ANOTHER_DIALECT = 4  # factor in ops; a program of few ops may have many one level below


def cut_before_pass(state: SearchState[Module], conversions: Conversions) -> bool:
    """Shrink a document to what its failing pass needs, if a pass in mid-pipeline crashes on it.

    Returns:
        Whether a smaller program was accepted. It may be in other dialects than the document.

    Raises:
        Stopped: see `Judge.run`.
    """
    judge = state.judge
    if conversions.opt is None or not _may_help(state, conversions):
        return False
    tool = tool_within(judge, conversions.opt)
    found = _failing_pass(state, tool, conversions)
    module = conversions.module(found.text) if found else None
    if found is None or module is None:
        return False
    cuts = _cuts(judge.aside(_pass_oracle(judge, tool, found), found.signature), module)
    most = state.document.op_count // _WORTH_ANOTHER_DIALECT
    rows = (as_inputs(cut, state.document) for cut in cuts if cut.op_count <= most)
    programs = [forms for forms in rows if forms]
    # If no form of a program fails, later ones, which are smaller, are assumed not to fail either.
    smallest = partial(boundary, -1, len(programs), programs.__getitem__, len(programs) - 1)
    _, program = inquire(judge, state.document, smallest, _cut_program)
    if program is not None:
        state.accept(_cut_program(program))
    return program is not None


def _may_help(state: SearchState[Module], conversions: Conversions) -> bool:
    judge = state.judge
    # An abnormal exit prints a stack, but rarely an op.
    if judge.target is None or not judge.target.kind.traits.aborts:
        return False
    if judge.query.test is not None:  # an intermittent failure has no conclusive IR before it
        return False
    phases = capabilities_of(judge.oracle).phases
    if phases is None:
        return False
    return failing_phase(judge, state.document, conversions.cached) in phases.of_programs


def _failing_pass(
    state: SearchState[Module], tool: OptTool, conversions: Conversions
) -> FailingPass | None:
    """The pass in which a document fails, and the IR it receives; cached in the journal."""
    document, judge = state.document, state.judge
    compiler, target = capabilities_of(judge.oracle).failures, judge.target
    if compiler is None or target is None:
        return None

    def find() -> str:
        try:
            failing_pass = FailingPassSearch(compiler, document.text, target, tool).run()
        except Stopped:
            failing_pass = None
        judge.costs.add_probes(tool.cost, document.op_count)
        judge.check()  # running out of budget does not mean that there is no pass
        return failing_pass.to_json() if failing_pass else ""

    return conversions.cached("failing pass", document.text, find, FailingPass.from_json)


def _pass_oracle(judge: Judge, tool: OptTool, found: FailingPass) -> CompilerOracle:
    """An oracle for the pass, as strict and with the same locations as the judge's own."""
    oracle = found.oracle(tool)
    own = capabilities_of(judge.oracle).failures
    return oracle if own is None else replace(oracle, runner=own.runner)


def _cuts(judge: Judge, module: Module) -> list[Module]:
    """Smaller and smaller parts of a module that still fail under the judge's oracle."""
    if judge.first_interesting([Candidate(module, CUT_ORIGIN)]) is None:
        return []  # its generic form does not fail in the same way
    cuts = [module]
    state = SearchState(
        module, Module.parse, judge, lambda candidate: cuts.append(candidate.document)
    )
    boundary = BoundaryTypes.of(module)
    halve(state, boundary)
    for transformation in (DropSymbols(), DeleteOps(boundary)):
        sweep(state, transformation)
    return cuts


def _cut_program(program: Module) -> Candidate[Module]:
    return Candidate(program, CUT_ORIGIN)


DISPATCH_ORIGIN = "the dispatch as a program"


def go_down_to_dispatch(
    context: Context, dispatch: Dispatch, seeds: Sequence[int] = (), ops: int | None = None
) -> bool:
    """Continue with the program that a failing dispatch computes, if it fails from the start.

    Args:
        seeds: the ops of the document that the dispatch was made of.
        ops: how many of the document's ops fail at best, if it is not known that all are needed.

    Raises:
        Stopped: see `Judge.run`.
    """
    dispatches = _dispatches(context)
    module = context.conversions.module(dispatch.text)
    if module is None or dispatches is None:
        return False
    made = dispatch_as_input(module, dispatches)
    programs = [one for form in made for one in as_inputs(form, context.program.module)]
    most = (context.program.module.op_count if ops is None else ops) // _WORTH_ANOTHER_DIALECT
    candidates = [
        Candidate(program, DISPATCH_ORIGIN) for program in programs if program.op_count <= most
    ]
    hit = context.judging.candidates.first_interesting(candidates, context.program.document)
    if hit is None:
        return False
    what = f"the dispatch {dispatch.name}, as the compiler forms it, turned back into a program"
    above = InputLevel(context.milestone(), what, tuple(seeds))
    context.accept(hit[1])
    context.go_down(above)
    return True


def _dispatches(context: Context) -> Dispatches | None:
    return capabilities_of(context.judging.candidates.oracle).dispatches

"""Go down a level: continue with a program in the dialects of a later phase of the compiler.

One op of the input may become a dispatch of many, and many may become one that fails because all
of them are in it. Where the ops of the input cannot be cut further, the IR that they become often
can: any value may be an argument there, and what does not take part is already gone. Programs are
made of that IR which the user's own command compiles from the start, so the result of the reduction
may be in other dialects than the input. The last program in the dialects of the input is
remembered.
"""

from collections.abc import Sequence

from oracles import CompilerOracle
from oracles.profiles import Dispatches
from reducer.driver.state import Above, Context
from reducer.locate.dispatch_as_input import dispatch_as_input
from reducer.locate.dispatches import Dispatch
from reducer.search.candidate import Candidate
from reducer.transformations.as_input import as_inputs

ORIGIN = "the dispatch as a program"

_WORTH_ANOTHER_DIALECT = 4  # factor in ops; a program of few ops may have many one level below


def go_down_to_dispatch(
    context: Context, dispatch: Dispatch, seeds: Sequence[int] = (), ops: int | None = None
) -> bool:
    """Continue with the program that a failing dispatch computes, if it fails from the start.

    Args:
        seeds: the ops of the document that the dispatch was made of.
        ops: how many of the document's ops fail at best, if it is not known that all are needed.

    Raises:
        Stopped: see `Evaluator.run`.
    """
    dispatches = _dispatches(context)
    module = context.conversions.module(dispatch.text)
    if module is None or dispatches is None:
        return False
    made = dispatch_as_input(module, dispatches)
    programs = [one for form in made for one in as_inputs(form, context.program.module)]
    most = (context.program.module.op_count if ops is None else ops) // _WORTH_ANOTHER_DIALECT
    candidates = [Candidate(program, ORIGIN) for program in programs if program.op_count <= most]
    hit = context.judging.asked.first_interesting(candidates, context.program.document)
    if hit is None:
        return False
    what = f"the dispatch {dispatch.name}, as the compiler forms it, turned back into a program"
    above = Above(context.milestone(), what, tuple(seeds))
    context.accept(hit[1])
    context.go_down(above)
    return True


def _dispatches(context: Context) -> Dispatches | None:
    oracle = context.judging.asked.oracle
    return oracle.dispatches if isinstance(oracle, CompilerOracle) else None

"""Isolate the dispatch on which code generation fails, if no diagnostic identifies it."""

import json
import tempfile
from pathlib import Path

from oracles import CompilerOracle
from oracles.profiles import Dispatches
from reducer.ir import PlainText
from reducer.locate.dispatches import Dispatch, dispatch_of, read_dispatches
from reducer.search.candidate import Candidate, Verdict
from reducer.search.evaluator import Evaluator
from reducer.session.conversions import Conversions


def failing_dispatch(
    evaluator: Evaluator, conversions: Conversions, text: str, ops: int
) -> Dispatch | None:
    """The first dispatch of a program that has the target failure when compiled alone.

    Costs one run of the program up to code generation, and at most one run of each dispatch, as
    many at once as there are workers. The evaluator's limits apply to each run, so a dispatch that
    hangs is found like any other.

    Returns:
        None if the command does not support this, if the program fails before code generation, or
            if no dispatch fails alone.

    Raises:
        Stopped: see `Evaluator.run`.
    """
    oracle = evaluator.oracle
    dispatches = oracle.dispatches if isinstance(oracle, CompilerOracle) else None
    if not isinstance(oracle, CompilerOracle) or dispatches is None:
        return None
    dumped = conversions.cached(
        "dispatches", text, lambda: json.dumps(_dump(evaluator, oracle, dispatches, text, ops))
    )
    candidates = [Candidate(PlainText(dispatch), "dispatch") for dispatch in json.loads(dumped)]
    alone = evaluator.with_(oracle=oracle.with_extra_flags(dispatches.compile_flags))
    hit = alone.first_interesting(candidates)
    return dispatch_of(hit[1].text, dispatches.op) if hit else None


def _dump(
    evaluator: Evaluator, oracle: CompilerOracle, dispatches: Dispatches, text: str, ops: int
) -> list[str]:
    """The texts of all dispatches; none if the failure occurs before they are created."""
    with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
        flags = dispatches.dump_flags(Path(folder))
        outcome = evaluator.with_(oracle=oracle.with_extra_flags(flags)).run(text, ops)
        early = evaluator.judge(outcome) is Verdict.SAME
        return [] if early else read_dispatches(Path(folder))

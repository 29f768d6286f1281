"""Isolate the dispatch on which code generation fails, if no diagnostic identifies it.

Several dispatches in one text are compiled one after another, so the failing one is found by
bisection: half of them, a quarter… That takes as much work as compiling all of them once, in
log2(n) runs. If there are many, the third with the rarest ops comes first, since a construct that
breaks a compiler which handles the rest is likely rare. If it does not fail, nothing is lost, and
otherwise two thirds of the work.
"""

import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from oracles import CompilerOracle, Outcome
from oracles.profiles import Dispatches
from reducer.conversions import Conversions
from reducer.driver.notes import Note
from reducer.ir import PlainText
from reducer.locate.dispatches import Dispatch, at_origin, dispatch_of, read_dispatches
from reducer.search.candidate import Candidate, Verdict
from reducer.search.evaluator import Evaluator

_DISPATCHES = "dispatches"
_MANY = 12  # dispatches; with fewer, halves are as small as thirds
_RAREST = 3  # 1/_RAREST of the dispatches are compiled first
_OP = re.compile(r'(?:^ *|= )"?([a-zA-Z_]\w*(?:\.[\w$-]+)+)', re.M)
_AGAIN = (1, 2)
"""The repetitions of a run that has not said where it was."""


def failing_dispatch(
    evaluator: Evaluator, conversions: Conversions, text: str, ops: int
) -> Dispatch | None:
    """The first dispatch of a program that has the target failure when compiled alone.

    Costs a few runs of ever smaller parts of its dispatches, and if no run has noted those yet (see
    `dispatches_note`), one of the program up to code generation. If these lead nowhere, each
    dispatch is run by itself, as many at once as there are workers. The evaluator's limits apply to
    each run, so a dispatch that hangs is found like any other; since a run that hangs takes as long
    as the limit, no parts are run then.

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
        _DISPATCHES, text, lambda: json.dumps(_dump(evaluator, oracle, dispatches, text, ops))
    )
    texts: list[str] = json.loads(dumped)
    alone = evaluator.with_(oracle=oracle.with_extra_flags(dispatches.compile_flags))
    found = _bisected(alone, texts) or _first(alone, texts)
    return dispatch_of(found, dispatches.op) if found else None


def dispatches_note(
    dispatches: Dispatches,
    conversions: Conversions,
    text: str,
    is_past: Callable[[], bool] = lambda: False,
) -> Note:
    """Has a run of a program write its dispatches, for `failing_dispatch`.

    Its errors are taken back to the places that the dispatches come from.

    Args:
        is_past: whether the run, now that it has ended, is known to have written all of them. One
            that reached a limit may have been ended before.
    """

    def read(folder: Path, outcome: Outcome) -> Outcome:
        is_whole = not outcome.cancelled and (not outcome.kind.traits.costly or is_past())
        if is_whole and (texts := read_dispatches(folder)):
            conversions.cached(_DISPATCHES, text, lambda: json.dumps(texts))
        return replace(outcome, diagnostics=at_origin(outcome.diagnostics, folder))

    return Note(dispatches.write_flags, read)


def _bisected(alone: Evaluator, texts: Sequence[str]) -> str | None:
    """A dispatch that fails; None if bisection does not lead to one.

    A part that has another failure shows nothing about the target, and neither does one without a
    failure if the dispatches do not fail every time. Then the end of the bisection is wrong, too,
    and the run of this last dispatch tells.
    """
    target = alone.target
    if target is None or target.kind.traits.costly or alone.query.test is not None:
        return None
    if len(texts) >= _MANY:
        rare, common = _split_by_rarity(texts)
        texts = rare if _fails_together(alone, rare) else common
    while len(texts) > 1:
        middle = (len(texts) + 1) // 2
        rest = texts[middle:]
        texts = texts[:middle] if _fails_together(alone, texts[:middle]) else rest
    return _first(alone, texts)


def _fails_together(alone: Evaluator, texts: Sequence[str]) -> bool:
    return _first(alone, ["".join(texts)]) is not None


def _split_by_rarity(texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """The dispatches with the rarest ops, and the others, both in program order."""
    names = [frozenset(_OP.findall(text)) for text in texts]
    counts = Counter(name for found in names for name in found)
    rarity = [sorted(counts[name] for name in found) for found in names]
    order = sorted(range(len(texts)), key=lambda number: (rarity[number], number))
    rare = frozenset(order[: len(texts) // _RAREST])
    return (
        [text for number, text in enumerate(texts) if number in rare],
        [text for number, text in enumerate(texts) if number not in rare],
    )


def _first(alone: Evaluator, texts: Sequence[str]) -> str | None:
    """The first of several texts that fails.

    On a busy machine, a process that runs away may be ended before it has said in which pass it
    is. That shows nothing, so it is run again if no other text fails.
    """
    silent: list[Candidate[PlainText]] = []
    candidates = [Candidate(PlainText(text), "dispatch") for text in texts]

    def keep_silent(position: int, verdict: Verdict, outcome: Outcome) -> bool:
        if outcome.kind.traits.costly and not outcome.signature.stage:
            silent.append(candidates[position])
        return False

    hit = alone.first_interesting(candidates, on_rejected=keep_silent)
    if hit:
        return hit[1].text
    again = (one for one in silent for repetition in _AGAIN if _fails_in(alone, one, repetition))
    return next((one.text for one in again), None)


def _fails_in(alone: Evaluator, candidate: Candidate[PlainText], repetition: int) -> bool:
    ops = candidate.document.op_count
    outcome = alone.run_once(candidate.text, ops, repetition=repetition)
    return alone.judge(outcome) is Verdict.SAME


def _dump(
    evaluator: Evaluator, oracle: CompilerOracle, dispatches: Dispatches, text: str, ops: int
) -> list[str]:
    """The texts of all dispatches; none if the failure occurs before they are created.

    This run of the whole program stops early, so it counts as the part of one that it takes.
    """
    with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
        flags = (*dispatches.stop_flags, *dispatches.write_flags(Path(folder)))
        full = evaluator.known(text)
        outcome = evaluator.with_(oracle=oracle.with_extra_flags(flags)).run(text, 0)
        whole = full is not None and 0 < outcome.cpu_seconds < full.cpu_seconds
        share = outcome.cpu_seconds / full.cpu_seconds if whole and full is not None else 1.0
        evaluator.costs.candidate_ops += round(ops * share)
        early = evaluator.judge(outcome) is Verdict.SAME
        return [] if early else read_dispatches(Path(folder))

"""How early may the compiler stop and still show the failure?

A candidate on which nothing fails pays for the whole compilation, and most candidates are of that
kind. Stopped right after the failing phase, they never pay for code generation and linking.
"""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from oracles import CompilerOracle, Oracle
from oracles.phases import PHASES
from reducer.ir import Document
from reducer.search.candidate import Verdict
from reducer.search.evaluator import Evaluator

Remember = Callable[[str, str, Callable[[], str]], str]
"""Gives what was made for a purpose and a text before, or makes it now."""


class Drift(Exception):
    """What the shortened command accepted does not fail under the full one."""


def _make(purpose: str, text: str, make: Callable[[], str]) -> str:
    return make()


def find_shortest(
    evaluator: Evaluator, document: Document, remember: Remember = _make
) -> Oracle | None:
    """The shortest oracle that sees the failure of a document; None if only the full one does.

    A failure in one phase is seen by that phase's oracle and all later ones. Where the compiler
    tells which phases it finished, one run of it and at most one of the oracle are enough;
    otherwise, or if that oracle does not see the failure, the phases are bisected.
    """
    oracles: Sequence[Oracle] = evaluator.oracle.shortened()
    passing, failing = -1, len(oracles)
    guess = _guess(evaluator, document, remember) if oracles else failing
    if guess == failing:
        return None
    while failing - passing > 1:
        middle = guess if passing < guess < failing else (passing + failing) // 2
        if _fails(evaluator, oracles[middle], document):
            failing = middle
            if middle == guess:
                break
        else:
            passing = middle
    return oracles[failing] if failing < len(oracles) else None


def failing_phase(evaluator: Evaluator, document: Document, remember: Remember = _make) -> str:
    """The phase of IREE's compiler in which a document fails; '' where it does not tell."""
    guess = _guess(evaluator, document, remember) if evaluator.oracle.shortened() else -1
    return PHASES[guess] if 0 <= guess < len(PHASES) else ""


def _guess(evaluator: Evaluator, document: Document, remember: Remember) -> int:
    """The number of the failing phase by what the compiler wrote after each; -1 if it wrote none.

    A compiler that knows no such flag, or that fails in the first phase, writes nothing.
    """
    oracle = evaluator.oracle
    if not isinstance(oracle, CompilerOracle):
        return -1

    def finished() -> str:
        with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
            with evaluator.asking(oracle.adding([f"--dump-compilation-phases-to={folder}"])):
                outcome = evaluator.run(document.text, document.op_count)
            same = evaluator.judge(outcome) is Verdict.SAME
            done = {path.name.split(".")[-2] for path in Path(folder).glob("*.mlir")}
        return str(sum(phase in done for phase in PHASES) if same else -1)

    return int(remember("finished phases", document.text, finished))


def _fails(evaluator: Evaluator, oracle: Oracle, document: Document) -> bool:
    with evaluator.asking(oracle):
        outcome = evaluator.run(document.text, document.op_count)
    return evaluator.judge(outcome) is Verdict.SAME

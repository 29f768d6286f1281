"""How early may the compiler stop and still show the failure?

A candidate on which nothing fails pays for the whole compilation, and most candidates are of that
kind. Stopped right after the failing phase, they never pay for code generation and linking.
"""

from collections.abc import Sequence

from oracles import Oracle
from reducer.ir import Document
from reducer.search.candidate import Verdict
from reducer.search.evaluator import Evaluator


class Drift(Exception):
    """What the shortened command accepted does not fail under the full one."""


def find_shortest(evaluator: Evaluator, document: Document) -> Oracle | None:
    """Bisects the shortened oracles on one failing document; None if only the full one sees it.

    A failure in one phase is seen by that phase's oracle and all later ones.
    """
    oracles: Sequence[Oracle] = evaluator.oracle.shortened()
    passing, failing = -1, len(oracles)
    while failing - passing > 1:
        middle = (passing + failing) // 2
        if _fails(evaluator, oracles[middle], document):
            failing = middle
        else:
            passing = middle
    return oracles[failing] if failing < len(oracles) else None


def _fails(evaluator: Evaluator, oracle: Oracle, document: Document) -> bool:
    with evaluator.asking(oracle):
        outcome = evaluator.run(document.text, document.op_count)
    return evaluator.judge(outcome) is Verdict.SAME

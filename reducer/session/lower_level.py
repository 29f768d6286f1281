"""The same failure one level down, where the compiler takes a program over from its framework.

A few ops of a framework can be dozens of loops to the compiler, of which the failure needs one or
two. What IREE writes after its input phase is a program that the same command compiles.
"""

import tempfile
from pathlib import Path

from oracles import CompilerOracle
from reducer.ir import Document
from reducer.search.candidate import Verdict
from reducer.search.evaluator import Evaluator
from reducer.session.conversions import Conversions

_DUMP = "--dump-compilation-phases-to"


def after_input_phase(
    evaluator: Evaluator, conversions: Conversions, document: Document
) -> str | None:
    """What the compiler makes of a failing program in its input phase.

    None if it writes nothing of the kind, or fails in that phase already.
    """
    oracle = evaluator.oracle
    if not isinstance(oracle, CompilerOracle) or not oracle.shortened():
        return None

    def write() -> str:
        with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
            with evaluator.asking(oracle.adding([f"{_DUMP}={folder}"])):
                outcome = evaluator.run(document.text, document.op_count)
            found = sorted(Path(folder).glob("*.input.mlir"))
            same = evaluator.judge(outcome) is Verdict.SAME
            return found[0].read_text(errors="surrogateescape") if found and same else ""

    return conversions.remembered("after the input phase", document.text, write) or None

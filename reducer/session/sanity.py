"""Questions to ask before a reduction starts, so that hours are not spent on nonsense."""

import re
import shlex

from oracles import Outcome
from reducer.ir import Document, Module
from reducer.search.candidate import Verdict
from reducer.search.evaluator import Evaluator
from reducer.session.errors import FlakyOracle, NotInteresting

_EMPTY_MODULE = "module {\n}\n"
_QUOTED = 80  # characters of an error that are enough to look for it
_CHEAP = 10.0  # seconds; an input that runs longer is not run again as a whole


class Sanity:
    """Checks on one input. Every run goes through the evaluator, so it is counted and kept."""

    def __init__(self, evaluator: Evaluator, text: str, ops: int) -> None:
        self.evaluator = evaluator
        self.text = text
        self.ops = ops

    def run_input(self) -> Outcome:
        """Runs the input and makes its signature the wanted one.

        Raises:
            NotInteresting: nothing fails.
        """
        first = self.evaluator.run(self.text, self.ops)
        if not self.evaluator.oracle.wants(first):
            raise NotInteresting(
                "the command does not fail on the input, so there is nothing to reduce; "
                f"{_advice(first)}"
            )
        self.evaluator.wanted = first.signature
        return first

    def refuse_empty_module(self) -> None:
        """Raises NotInteresting if an empty module fails in the same way."""
        if self.empty_module_fails():
            wanted = self.evaluator.wanted
            raise NotInteresting(
                "an empty module fails in the same way, so the failure is in the command, "
                f"not in the input: {wanted.text if wanted else ''}"
            )

    def empty_module_fails(self) -> bool:
        """Whether the command fails in the same way on an empty module."""
        return self.evaluator.judge(self.empty_module()) is Verdict.SAME

    def empty_module(self) -> Outcome:
        """What the command makes of an empty module."""
        return self.evaluator.run(_EMPTY_MODULE, 0)

    def repeat_if_cheap(self, first: Outcome) -> None:
        """Runs a quick input again: does it fail in the same way every time?

        Raises:
            FlakyOracle: it does not.
        """
        self._repeat(self.text, self.ops, 1 if first.seconds < _CHEAP else 0)

    def repeat(self, document: Document) -> None:
        """Runs the first accepted candidate twice more: it costs little, the input may not.

        Raises:
            FlakyOracle: it fails in another way, or not at all.
        """
        self._repeat(document.text, document.op_count, 2)

    def survives_printing(self, module: Module) -> bool:
        """Whether our print of the whole input still fails in the same way."""
        outcome = self.evaluator.run(module.text, module.op_count)
        return self.evaluator.judge(outcome) is Verdict.SAME

    def _repeat(self, text: str, ops: int, times: int) -> None:
        for number in range(1, times + 1):
            outcome = self.evaluator.run(text, ops, repetition=number)
            if self.evaluator.judge(outcome) is not Verdict.SAME:
                wanted = self.evaluator.wanted
                raise FlakyOracle(
                    f"the same input gave '{wanted.text if wanted else ''}' first and "
                    f"'{outcome.signature.text}' in run {number + 1}; a flaky failure cannot be "
                    "reduced reliably: make it deterministic (try --mlir-disable-threading), or "
                    "write a --test script that runs the command several times"
                )


def _advice(outcome: Outcome) -> str:
    """What to do about a command that ends well."""
    remarks = [d.message for d in outcome.diagnostics if d.severity == "remark" and not d.file]
    if remarks:  # the oracle's own
        return "; ".join(remarks)
    error = next((d.message for d in outcome.diagnostics if d.severity == "error"), None)
    if error is None:
        return "check the flags, or say what to look for with --match or --test"
    words = re.escape(error[:_QUOTED]).replace("\\ ", " ")
    return f"but it prints an error and ends well; to keep that error: --match {shlex.quote(words)}"

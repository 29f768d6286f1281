"""What shows, with MLIR's tools alone, that passes change what a program gives."""

from dataclasses import dataclass

from oracles.values import ValuesOracle
from reducer.upstream.reference import MlirRunner, lowering
from reducer.upstream.showing import calling
from reducer.upstream.transformed import PassPipeline


@dataclass(frozen=True)
class PassesCheck:
    """How to see with MLIR's tools alone that passes change what a program gives.

    Attributes:
        caller: a function that calls the program and prints the results.
        lowering: the pipeline that makes the program one that can run.
        runner: the name of the program that runs it.
    """

    caller: str
    lowering: str
    runner: str

    @classmethod
    def of(cls, oracle: ValuesOracle, text: str) -> "PassesCheck | None":
        """The check for an oracle that is pinned to a call; None if the tools cannot show it."""
        under_test, call = oracle.comparison.candidate, oracle.call
        if not isinstance(under_test, PassPipeline) or call is None:
            return None
        if not isinstance(under_test.runner, MlirRunner):
            return None
        function, inputs = call
        caller = calling(text, function, inputs)
        if caller is None:
            return None
        return cls(caller, lowering(text), under_test.runner.tools.runner.name)

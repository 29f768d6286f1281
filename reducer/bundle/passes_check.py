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
        lowerer: the name of the tool that runs `lowering`; '' if it is the one with the passes.
    """

    caller: str
    lowering: str
    runner: str
    lowerer: str = ""

    @classmethod
    def of(cls, oracle: ValuesOracle, text: str) -> "PassesCheck | None":
        """The check for an oracle that is pinned to a call; None if the tools cannot show it.

        They cannot if the program gives the same without the passes when they run it.
        """
        under_test, call = oracle.comparison.candidate, oracle.call
        if oracle.is_disputed:
            return None
        if not isinstance(under_test, PassPipeline) or call is None:
            return None
        if not isinstance(under_test.runner, MlirRunner):
            return None
        function, inputs = call
        caller = calling(text, function, inputs)
        if caller is None:
            return None
        tools = under_test.runner.tools
        same = tools.opt.resolve() == under_test.executable.resolve()
        return cls(caller, lowering(text), tools.runner.name, "" if same else tools.opt.name)

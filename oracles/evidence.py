"""What a report shows of a wrong result: a call and what it should give, and the passes at fault.

An oracle of results makes it; the report knows no more of how results are compared.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from oracles.profiles import RUNTIME
from oracles.run.limits import Limits

Carried = Callable[[Path], str]
"""Puts a file into a report, and returns its name there."""

PROGRAM = f"a{RUNTIME.suffix}"
"""The name of the compiled program in printed commands."""

SHORT = 1500
"""The maximum number of characters of values in a printed command; more are in files."""

INPUTS, EXPECTED = "run.inputs.txt", "run.expected.txt"
"""Files of a report with the inputs and the expected values, if they are long."""

CALLER = "call_and_print"
"""The function of a `PassesCheck` that calls the program."""


@dataclass(frozen=True)
class RunCheck:
    """A call of a compiled program, and how to recognize that it still goes wrong.

    Attributes:
        words: the call as shown, which says what is right if the runtime's tool can compare that.
        call: the call that prints the results.
        wrong: the exit status of the `comparison`; None if the program fails.
        status: the exit code of a program that fails, negative for a signal.
        messages: must all be in the output of a program that fails, but for numbers and names.
        seconds: if not None, the failure is a program that runs longer.
        expected: the right results, spelled as the runtime's tool prints results.
        tolerances, scales: for each result the relative tolerance, and the least number that
            differences are relative to.
        finite_only: whether elements that are not finite are ignored.
        is_seen: whether the runtime's tool finds the results wrong by itself.
        inputs: the content of the file with the inputs; '' if they are in the call.
    """

    words: tuple[str, ...]
    call: tuple[str, ...]
    wrong: int | None = None
    status: int | None = None
    messages: tuple[str, ...] = ()
    seconds: float | None = None
    expected: str = ""
    tolerances: tuple[float, ...] = ()
    scales: tuple[float, ...] = ()
    finite_only: bool = False
    is_seen: bool = False
    inputs: str = ""

    @property
    def files(self) -> dict[str, str]:
        """The contents of the files that the call and the script need."""
        contents = {INPUTS: self.inputs, EXPECTED: self.expected}
        return {name: text for name, text in contents.items() if text}

    @property
    def is_long(self) -> bool:
        """Whether the right results are too long to be shown."""
        return len(self.expected) > SHORT


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


@dataclass(frozen=True)
class ResultEvidence:
    """What an oracle that is pinned to a call knows of a wrong result.

    Attributes:
        run: the call, if the runtime's tool shows what is wrong.
        passes: how MLIR's tools alone show it, if they do.
        runner: the tool that runs what the command under test makes; None if it is not known.
        wrong_pass: the pass that changes what the program means, '' if that cannot be told within
            limits for each run and a number of seconds.
    """

    run: RunCheck | None
    passes: PassesCheck | None
    runner: Path | None
    wrong_pass: Callable[[Limits, float], str]

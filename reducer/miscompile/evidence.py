"""What a report shows of a wrong result: a call and what it should give, and the pass at fault.

The values are spelled for a script that compares them. Passes that change what a program means are
shown with MLIR's tools alone.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from oracles import Command, Oracle
from oracles.profiles import RUNTIME
from oracles.run.limits import Limits
from reducer.locate.opt_tool import OptTool
from reducer.miscompile.locate.wrong_pass import first_wrong_pass
from reducer.miscompile.mlir_runner.pass_pipeline import PassPipeline
from reducer.miscompile.mlir_runner.printing_call import NAME as CALLER
from reducer.miscompile.mlir_runner.printing_call import printing_call
from reducer.miscompile.mlir_runner.reference import MlirRunner, lowering
from reducer.miscompile.oracle import Demonstration, values_of
from reducer.miscompile.oracle.demonstration import PROGRAM, SHORT, spelled_values
from reducer.miscompile.oracle.execution import RunFailure, parameter_file
from reducer.miscompile.values import printed_results
from reducer.miscompile.values.compare import (
    MismatchKind,
    exact_tolerance_of,
    gravest,
    scale_of,
    tolerance_of,
)
from reducer.miscompile.values.printed_results import SIGNED, SLACK, UNDEFINED
from reducer.miscompile.values.programs import Value

__all__ = [
    "CALLER",
    "EXITS",
    "EXPECTED",
    "PROGRAM",
    "SLACK",
    "UNDEFINED",
    "MismatchKind",
    "PassesCheck",
    "RunCheck",
    "comparison",
    "is_shown_by_call",
    "pinned",
    "runner_of",
    "wrong_pass_of",
]

INPUTS, EXPECTED = "run.inputs.txt", "run.expected.txt"
"""Files of a report with the inputs and the expected values, if they are long."""

EXITS = {
    MismatchKind.VALUES: printed_results.VALUES,
    MismatchKind.NOT_FINITE: printed_results.NOT_FINITE,
    MismatchKind.TYPE: printed_results.TYPE,
    MismatchKind.COUNT: printed_results.COUNT,
    MismatchKind.SIGN: printed_results.SIGN,
}
"""The exit status of the `comparison`."""

_UNKNOWN = "unknown"
"""Stands for the message of a program that printed none."""

_SIGNAL = re.compile(r"SIG[A-Z]+")


@dataclass(frozen=True)
class RunCheck:
    """A call of a compiled program, and how to recognize that it still goes wrong.

    Attributes:
        words: the call as shown, which says what is right if the runtime's tool can compare that.
        call: the call that prints the results.
        kind: how the result is wrong; None if the program fails.
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
    kind: MismatchKind | None = None
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
        found = {INPUTS: self.inputs, EXPECTED: self.expected if self.is_long else ""}
        return {name: text for name, text in found.items() if text}

    @property
    def is_long(self) -> bool:
        """Whether the right results are in a file."""
        return len(self.expected) > SHORT

    @classmethod
    def of_oracle(
        cls, oracle: Oracle, folder: str, carried: Callable[[Path], str]
    ) -> "RunCheck | None":
        """The check for an oracle that is pinned to a call; None if it is not.

        `carried` puts an archive of parameters into `folder`, and returns its name there.
        """
        if (values := values_of(oracle)) is None or (call := values.demonstration) is None:
            return None
        moved = []
        for archive in call.parameters:
            path = parameter_file(archive)
            moved.append(f"{archive.removesuffix(str(path))}{folder}/{carried(path)}")
        shown = replace(call, parameters=tuple(moved))
        return cls.of(shown, folder, values.run_seconds)

    @classmethod
    def of(cls, shown: Demonstration, folder: str, seconds: float) -> "RunCheck":
        """The check for a demonstration.

        Args:
            folder: the folder of the report's files, as in its scripts.
            seconds: how long a program may run before it hangs.
        """
        file = f"{folder}/{INPUTS}"
        words = tuple(shown.words(file))
        call = tuple(replace(shown, is_seen=False).words(file))
        inputs = "" if shown.is_short else shown.inputs_text
        failed = shown.result.failed
        if failed is not None and failed.is_hang:
            return cls(words, call, seconds=seconds, inputs=inputs)
        if failed is not None:
            told = tuple(_messages(failed))
            return cls(words, call, status=failed.exit_code, messages=told, inputs=inputs)
        right = shown.expected.results
        kind = gravest(shown.differences).kind
        tolerances = tuple(_tolerances(shown))
        printed = [
            _printed(
                _as_exact(_in_parts(one, tolerances[n]), shown) if n < len(tolerances) else one,
                signs=shown.signs,
            )
            for n, one in enumerate(right)
        ]
        return cls(
            words,
            call,
            MismatchKind.VALUES if kind is MismatchKind.ORDER else kind,
            expected="".join(f"result[{n}]: {one}\n" for n, one in enumerate(printed)),
            tolerances=tolerances,
            scales=tuple(0.0 if one.elements is None else scale_of(one) for one in right),
            finite_only=shown.finite_only,
            is_seen=shown.is_seen,
            inputs=inputs,
        )


def _messages(failed: RunFailure) -> Iterator[str]:
    """What the runtime reports: its status and, if there is more, the message."""
    reports = failed.status in RUNTIME.statuses
    message = failed.message.partition(": ")[2] if reports else failed.message
    if reports:
        yield failed.status
    if message != failed.status and not _SIGNAL.fullmatch(message):
        yield message


def _tolerances(shown: Demonstration) -> Iterator[float]:
    """The tolerance of each result: that of its exact elements, if it has any."""
    right = shown.expected.results
    for number, one in enumerate(shown.result.results):
        is_exact = number < len(right) and right[number].exact is not None
        usual = exact_tolerance_of if is_exact else tolerance_of
        own = 0.0 if one.type is None else usual(one)
        yield own if shown.tolerance is None else shown.tolerance


def _as_exact(value: Value, shown: Demonstration) -> Value:
    """A result whose elements that are not exact may be off by what the usual tolerance allows."""
    elements, exact = value.elements, value.exact
    if elements is None or value.type is None or exact is None or shown.tolerance is not None:
        return value
    sizes = tolerance_of(value) * np.maximum(np.abs(elements), scale_of(value))
    more = np.where(exact | ~np.isfinite(elements), 0.0, sizes)
    return replace(value, slack=more if value.slack is None else value.slack + more)


def _in_parts(value: Value, tolerance: float) -> Value:
    """A complex result as its parts, which are as exact as the whole numbers; others unchanged."""
    parts = value.elements
    if parts is None or value.type is None or not value.type.is_complex:
        return value
    sizes = np.repeat(np.hypot(parts[::2], parts[1::2]), 2)
    finite = np.isfinite(sizes)
    slack = (0.0 if value.slack is None else value.slack) + tolerance * sizes
    return replace(
        value,
        defined=finite if value.defined is None else finite & value.defined,
        slack=np.where(finite, slack, 0.0),
    )


def _printed(value: Value, *, signs: bool = False) -> str:
    """A right result in one line, with `UNDEFINED`, `SLACK` and `SIGNED` where they apply."""
    if value.elements is None or value.type is None:
        return _UNKNOWN
    elements = value.elements.tolist()
    words = [repr(float(one)) for one in elements]
    if not value.type.is_complex:
        words = spelled_values(elements, value.type).split(" ")
    known = [True] * len(words) if value.defined is None else value.defined
    if value.slack is not None:
        pairs = zip(words, value.slack, strict=False)
        words = [f"{word}{SLACK}{slack:.9g}" if slack else word for word, slack in pairs]
    if signs and value.signed is not None:
        zeros = (not one and sure for one, sure in zip(elements, value.signed, strict=False))
        words = [SIGNED + word if zero else word for word, zero in zip(words, zeros, strict=False)]
    shown = (word if one else UNDEFINED for word, one in zip(words, known, strict=False))
    return f"{value.type}={' '.join(shown)}"


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
    def of(cls, oracle: Oracle, text: str) -> "PassesCheck | None":
        """The check for an oracle that is pinned to a call; None if the tools cannot show it.

        They cannot if the program gives the same without the passes when they run it.
        """
        if (values := values_of(oracle)) is None or values.is_disputed:
            return None
        under_test, call = values.comparison.candidate, values.call
        if not isinstance(under_test, PassPipeline) or call is None:
            return None
        if not isinstance(under_test.runner, MlirRunner):
            return None
        function, inputs = call
        caller = printing_call(text, function, inputs)
        if caller is None:
            return None
        tools = under_test.runner.tools
        same = tools.opt.resolve() == under_test.executable.resolve()
        return cls(caller, lowering(text), tools.runner.name, "" if same else tools.opt.name)


def pinned(oracle: Oracle, text: str) -> Oracle:
    """The oracle that makes only the failing call in `text`; another kind of oracle unchanged."""
    return oracle if (values := values_of(oracle)) is None else values.pinned(text)


def is_shown_by_call(oracle: Oracle) -> bool:
    """Whether an oracle is pinned to a call of the runtime's tool that shows what is wrong."""
    return (values := values_of(oracle)) is not None and values.demonstration is not None


def runner_of(oracle: Oracle) -> Path | None:
    """The tool that runs what the command under test makes; None if it is not known."""
    if (values := values_of(oracle)) is None:
        return None
    under_test = values.comparison.candidate
    if isinstance(under_test, PassPipeline) and isinstance(under_test.runner, MlirRunner):
        return under_test.runner.tools.runner
    return under_test.run_module


def wrong_pass_of(oracle: Oracle, text: str, limits: Limits, seconds: float) -> str:
    """The pass under test that changes what a program means, if that can be told."""
    if (values := values_of(oracle)) is None or values.command is None:
        return ""
    executable = values.comparison.candidate.executable
    tool = OptTool(executable, limits=limits, calls=1, seconds=seconds)

    def is_wrong(command: Command) -> bool | None:
        kind = values.with_command(command).run(text).kind
        return None if kind.traits.undecided else kind.traits.wrong_results

    found = first_wrong_pass(values.command, tool.knows_pass, is_wrong)
    return found.name if found else ""


def comparison() -> str:
    """The text of a Python script that compares printed results with right ones."""
    return Path(printed_results.__file__).read_text(encoding="utf-8")

"""What a report shows of a wrong result: a call and what it should give, and the pass at fault.

The values are spelled for a script that compares them. Passes that change what a program means are
shown with MLIR's tools alone.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from oracles import Command
from oracles.evidence import INPUTS, Carried, PassesCheck, ResultEvidence, RunCheck
from oracles.profiles import RUNTIME
from oracles.run.limits import Limits
from reducer import printed_results
from reducer.locate.opt_tool import OptTool
from reducer.miscompile.locate.wrong_pass import first_wrong_pass
from reducer.miscompile.mlir_runner.pass_pipeline import PassPipeline
from reducer.miscompile.mlir_runner.printing_call import printing_call
from reducer.miscompile.mlir_runner.reference import MlirRunner, lowering
from reducer.miscompile.oracle import Demonstration, ValuesOracle
from reducer.miscompile.oracle.demonstration import spelled_values
from reducer.miscompile.oracle.execution import RunFailure, parameter_file
from reducer.miscompile.values.compare import (
    MismatchKind,
    exact_tolerance_of,
    gravest,
    scale_of,
    tolerance_of,
)
from reducer.miscompile.values.programs import Value
from reducer.printed_results import SIGNED, SLACK, UNDEFINED

EXITS = {
    MismatchKind.VALUES: printed_results.VALUES,
    MismatchKind.ORDER: printed_results.VALUES,
    MismatchKind.NOT_FINITE: printed_results.NOT_FINITE,
    MismatchKind.TYPE: printed_results.TYPE,
    MismatchKind.COUNT: printed_results.COUNT,
    MismatchKind.SIGN: printed_results.SIGN,
}
"""The exit status of the `comparison`."""

_UNKNOWN = "unknown"
"""Stands for the message of a program that printed none."""

_SIGNAL = re.compile(r"SIG[A-Z]+")


def evidence_of(values: ValuesOracle, text: str, folder: str, carried: Carried) -> ResultEvidence:
    """What an oracle that is pinned to a call knows of a wrong result; see `ResultOracle`."""
    under_test = values.comparison.candidate
    runner = under_test.run_module
    if isinstance(under_test, PassPipeline) and isinstance(under_test.runner, MlirRunner):
        runner = under_test.runner.tools.runner
    run = None
    if (call := values.demonstration) is not None:
        moved = []
        for archive in call.parameters:
            path = parameter_file(archive)
            moved.append(f"{archive.removesuffix(str(path))}{folder}/{carried(path)}")
        run = run_check(replace(call, parameters=tuple(moved)), folder, values.run_seconds)
    return ResultEvidence(
        run, passes_check(values, text), runner, partial(_wrong_pass, values, text)
    )


def run_check(shown: Demonstration, folder: str, seconds: float) -> RunCheck:
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
        return RunCheck(words, call, seconds=seconds, inputs=inputs)
    if failed is not None:
        told = tuple(_messages(failed))
        return RunCheck(words, call, status=failed.exit_code, messages=told, inputs=inputs)
    right = shown.expected.results
    tolerances = tuple(_tolerances(shown))
    printed = [
        _printed(
            _as_exact(_in_parts(one, tolerances[n]), shown) if n < len(tolerances) else one,
            signs=shown.signs,
        )
        for n, one in enumerate(right)
    ]
    return RunCheck(
        words,
        call,
        EXITS[gravest(shown.differences).kind],
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


def passes_check(values: ValuesOracle, text: str) -> PassesCheck | None:
    """The check for an oracle that is pinned to a call; None if the tools cannot show it.

    They cannot if the program gives the same without the passes when they run it.
    """
    under_test, call = values.comparison.candidate, values.call
    if values.is_disputed or not isinstance(under_test, PassPipeline) or call is None:
        return None
    if not isinstance(under_test.runner, MlirRunner):
        return None
    caller = printing_call(text, *call)
    if caller is None:
        return None
    tools = under_test.runner.tools
    same = tools.opt.resolve() == under_test.executable.resolve()
    return PassesCheck(caller, lowering(text), tools.runner.name, "" if same else tools.opt.name)


def _wrong_pass(values: ValuesOracle, text: str, limits: Limits, seconds: float) -> str:
    if values.command is None:
        return ""
    executable = values.comparison.candidate.executable
    tool = OptTool(executable, limits=limits, calls=1, seconds=seconds)

    def is_wrong(command: Command) -> bool | None:
        kind = values.with_command(command).run(text).kind
        return None if kind.traits.undecided else kind.traits.wrong_results

    found = first_wrong_pass(values.command, tool.knows_pass, is_wrong)
    return found.name if found else ""

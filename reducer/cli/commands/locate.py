"""`mlir-reducer locate`: find where a command fails without reducing the input."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from oracles.profiles import RUNTIME
from reducer.cli.display.console import print_phase, show
from reducer.cli.display.layout import NamedValues, Part
from reducer.cli.display.record import write_json
from reducer.cli.display.rewrite import rewrite_facts, rewrite_lines
from reducer.cli.request.oracle_options import OracleOptions
from reducer.cli.request.recorded import ResultRecord, with_command
from reducer.cli.signals import stop_on_signals
from reducer.cli.workspace import workspace
from reducer.errors import ExitCode, UsageError
from reducer.explain.locator import FailureLocation, Locator, SuspectOp
from reducer.miscompile.locate.finding import WrongDispatch, WrongResultLocation
from reducer.miscompile.locate.locator import WrongResultLocator
from reducer.miscompile.oracle import values_of
from reducer.storage.files import write_atomic
from reducer.storage.result_folder import ResultFolder
from reducer.units import cut, duration, plural

_CANDIDATE_NAME = "input.mlir"  # the input's file name for the compiler
_SHOWN = 12
_WIDTH = 120
_LONGEST_PROGRAM = 40  # lines


def locate(
    *,
    input: Path,
    output: Path | None,
    json_target: str | None,
    words: tuple[str, ...],
    **options: Any,
) -> int:
    """Find where COMMAND fails on INPUT without reducing it."""
    input = ResultFolder.result_of(input)
    asked = OracleOptions(source=input, words=words, **options)
    source = asked.read()
    with workspace() as place:
        asked = with_command(asked, source.text)
        oracle, opt = asked.oracle(source.text)
        if (comparing := values_of(oracle)) is not None:
            wrong = WrongResultLocator(source.text, comparing, opt, print_phase)
            with stop_on_signals(wrong.stop, leave=place.clean_up):
                found = wrong.run()
            values = _wrong_json(found, input.name)
            ResultRecord.of(input).add(source.text, values["bucket"], locate=values)
            return show_wrong_result(found, input.name, output, json_target)
        if output is not None:
            raise UsageError("--output needs --wrong-results")
        locating = Locator(source.text, oracle, opt, print_phase)
        with stop_on_signals(locating.stop, leave=place.clean_up):
            finding = locating.run()
    values = _as_json(finding, input.name)
    ResultRecord.of(input).add(source.text, values["bucket"], locate=values)
    if json_target is not None:
        write_json(json_target, values)
    if json_target != "-":
        show(*_as_parts(finding, input.name))
    return 0


def _as_parts(finding: FailureLocation, name: str) -> list[Part]:
    unknown = "unknown: fails only in a full compilation" if finding.has_phases else ""
    facts = [
        ("failure", finding.outcome.signature.text),
        ("bucket", finding.outcome.signature.bucket),
        ("number" if finding.outcome.numbers else "note", "; ".join(finding.outcome.remarks)),
        ("growth", finding.growth),
        ("phase", finding.phase or unknown),
        ("dispatch", finding.dispatch),
        ("pass", finding.pass_name or "unknown"),
        ("pipeline", finding.pipeline),
        *rewrite_facts(finding.rewrite),
        ("confirmed", f"{finding.confirmed}: {finding.how}"),
        (
            "cost",
            f"{plural(finding.cost.calls, 'run')}, {duration(finding.cost.cpu_seconds)} "
            "of compiler time",
        ),
    ]
    found = NamedValues.of(fact for fact in facts if fact[1])
    return [found, *suspect_lines(finding.suspects, name), *rewrite_lines(finding.rewrite)]


def _as_json(finding: FailureLocation, name: str) -> dict[str, Any]:
    signature = finding.outcome.signature
    return {
        "kind": str(signature.kind),
        "signature": signature.text,
        "bucket": signature.bucket,
        "phase": finding.phase or None,
        "dispatch": finding.dispatch or None,
        "pass": finding.pass_name or None,
        "pipeline": finding.pipeline or None,
        "numbers": dict(finding.outcome.numbers) or None,
        "growth": finding.growth or None,
        "rewrite": finding.rewrite and finding.rewrite.to_json(),
        "sure": finding.confirmed == "yes",
        "confirmed": finding.confirmed,
        "ops_alone": finding.alone or None,
        "how": finding.how,
        "culprits": [
            {**asdict(suspect), "text": suspect_line(suspect, name)} for suspect in finding.suspects
        ],
        "calls": finding.cost.calls,
        **finding.cost.times(),
    }


def show_wrong_result(
    found: WrongResultLocation, name: str, output: Path | None, json_target: str | None
) -> int:
    """Print or write the findings about the input called `name`; the exit code.

    Raises:
        OutputNotWritable: a file cannot be written.
    """
    if output is not None and found.dispatch is not None:
        _write_dispatch(found.dispatch, output)
    if json_target is not None:
        write_json(json_target, _wrong_json(found, name))
    if json_target != "-":
        show(*_wrong_parts(found, name, output))
    return ExitCode.CANNOT_JUDGE if found.dispute else ExitCode.REDUCED


def _write_dispatch(dispatch: WrongDispatch, output: Path) -> None:
    write_atomic(output, dispatch.text)
    write_atomic(_inputs_file(output), "".join(f"{one}\n" for one in _flags(dispatch)))


def _inputs_file(output: Path) -> Path:
    return output.with_name(f"{output.name}.inputs")


def _flags(dispatch: WrongDispatch) -> list[str]:
    return [f"{RUNTIME.input_flag}={value}" for value in dispatch.inputs]


def _wrong_parts(found: WrongResultLocation, name: str, output: Path | None) -> list[Part]:
    dispatch = found.dispatch
    signature = found.outcome.signature
    facts = [
        ("failure", signature.text),
        ("bucket", signature.bucket),
        ("result", cut(found.mismatch.text, _WIDTH)),
        ("phase", found.phase or "unknown"),
    ]
    if dispatch is not None:
        place = f"call {dispatch.call} of {found.dispatches}"
        facts += [("dispatch", f"{dispatch.name} ({place})"), ("its result", dispatch.difference)]
    facts += [
        *rewrite_facts(found.rewrite),
        ("also wrong", ", ".join(found.also_wrong)),
        ("confirmed", f"{'yes' if found.sure else 'no'}: {found.how}"),
        ("but", found.dispute),
        ("judged", _judged(found)),
        ("cost", _wrong_cost(found)),
    ]
    lines = suspect_lines(found.suspects, name, "ops of the dispatch:")
    lines += rewrite_lines(found.rewrite)
    if dispatch is not None:
        lines += _program(dispatch, output)
    return [NamedValues.of(fact for fact in facts if fact[1]), *lines]


def _judged(found: WrongResultLocation) -> str:
    if not found.dispatches:
        return ""
    told = f"{plural(found.judged, 'execution')} of {plural(found.dispatches, 'dispatch call')}"
    unknown = ", ".join(found.unjudged[:_SHOWN])
    return f"{told}; no reference can judge {unknown}" if unknown else told


def _wrong_cost(found: WrongResultLocation) -> str:
    return (
        f"{plural(found.compilations, 'compilation')} and {plural(found.executions, 'other run')}, "
        f"{duration(found.cost.cpu_seconds)} of CPU time ({found.full_runs:.1f} times that of "
        "compiling and running the input once)"
    )


def _program(dispatch: WrongDispatch, output: Path | None) -> list[str]:
    """The dispatch as a program, and what it reads."""
    if output is not None:
        return ["", f"wrote {output} and {_inputs_file(output)}"]
    if dispatch.text.count("\n") > _LONGEST_PROGRAM:
        return ["", "to save the dispatch as a standalone program, pass --output FILE"]
    inputs = [f"// {cut(flag, _WIDTH)}" for flag in _flags(dispatch)]
    return ["", "the dispatch as a standalone program:", "", *inputs, dispatch.text.rstrip()]


def suspect_lines(
    suspects: Sequence[SuspectOp], name: str, title: str = "suspect ops:"
) -> list[str]:
    """The ops with their places in the input called `name`, one per line."""
    shown = [f"  {suspect_line(suspect, name)}" for suspect in suspects[:_SHOWN]]
    hidden = len(suspects) - len(shown)
    more = [f"  … and {plural(hidden, 'more op')}"] if hidden else []
    return [*(["", title] if shown else []), *shown, *more]


def suspect_line(suspect: SuspectOp, name: str) -> str:
    """One op with its place."""
    if suspect.place is None:
        return suspect.name
    file, line, column = suspect.place
    return f"{name if file == _CANDIDATE_NAME else file}:{line}:{column}: {suspect.name}"


def _wrong_json(found: WrongResultLocation, name: str) -> dict[str, Any]:
    signature = found.outcome.signature
    return {
        "kind": str(signature.kind),
        "signature": signature.text,
        "bucket": signature.bucket,
        "result": found.mismatch.text,
        "function": found.mismatch.function.name,
        "phase": found.phase or None,
        "dispatch": found.dispatch.name if found.dispatch else None,
        "program": asdict(found.dispatch) if found.dispatch else None,
        "also_wrong": found.also_wrong,
        "sure": found.sure,
        "dispute": found.dispute or None,
        "how": found.how,
        "culprits": [
            {**asdict(suspect), "text": suspect_line(suspect, name)} for suspect in found.suspects
        ],
        "rewrite": found.rewrite and found.rewrite.to_json(),
        "dispatches": found.dispatches,
        "judged": found.judged,
        "unjudged": found.unjudged,
        "compilations": found.compilations,
        "calls": found.cost.calls,
        **found.cost.times(),
        "full_runs": round(found.full_runs, 2),
    }

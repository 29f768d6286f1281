"""`mlir-reducer locate`: find where a command fails without reducing the input."""

from collections.abc import Sequence
from pathlib import Path

from oracles.profiles import RUNTIME
from reducer import api
from reducer.cli.display.console import show
from reducer.cli.display.layout import NamedValues, Part
from reducer.cli.display.record import write_json
from reducer.cli.display.rewrite import rewrite_facts, rewrite_lines
from reducer.cli.request.failing import failing_program, record_findings
from reducer.cli.request.oracle_options import OracleOptions
from reducer.errors import ExitCode, UsageError
from reducer.explain.locator import FailureLocation, SuspectOp
from reducer.miscompile.locate.finding import WrongDispatch, WrongResultLocation
from reducer.miscompile.oracle import values_of
from reducer.storage.files import write_atomic
from reducer.storage.result_folder import ResultFolder
from reducer.units import cut, duration, plural

_PLACES = ("phase", "dispatch", "pass", "growth")
_SHOWN = 12
_WIDTH = 120
_LONGEST_PROGRAM = 40  # lines


def locate(asked: OracleOptions) -> int:
    """Find where COMMAND fails on INPUT without reducing it."""
    place, target = located(asked), asked.json_target
    name = ResultFolder.result_of(asked.source).name
    if isinstance(place, WrongResultLocation):
        return show_wrong_result(place, name, asked.output, target)
    if target is not None:
        write_json(target, place.to_json(name))
    if target != "-":
        show(*_as_parts(place, name))
    return 0


def located(asked: OracleOptions) -> FailureLocation | WrongResultLocation:
    """Where COMMAND fails on INPUT, which the record of a result has from now on, too."""
    with failing_program(asked) as it:
        if asked.output is not None and values_of(it.oracle) is None:
            raise UsageError("--output needs --wrong-results")
        place = api.locate(it)
    record_findings(it, place.outcome, locate=place.to_json(it.source.name))
    return place


def _as_parts(finding: FailureLocation, name: str) -> list[Part]:
    facts = [
        ("failure", finding.outcome.signature.text),
        ("bucket", finding.outcome.signature.bucket),
        ("number" if finding.outcome.numbers else "note", "; ".join(finding.outcome.remarks)),
        *((blame.kind, blame.text) for blame in finding.blames if blame.kind in _PLACES),
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


def show_wrong_result(
    location: WrongResultLocation, name: str, output: Path | None, json_target: str | None
) -> int:
    """Print or write the findings about the input called `name`; the exit code.

    Raises:
        OutputNotWritable: a file cannot be written.
    """
    if output is not None and location.dispatch is not None:
        _write_dispatch(location.dispatch, output)
    if json_target is not None:
        write_json(json_target, location.to_json(name))
    if json_target != "-":
        show(*_wrong_parts(location, name, output))
    return ExitCode.CANNOT_JUDGE if location.dispute else ExitCode.REDUCED


def _write_dispatch(dispatch: WrongDispatch, output: Path) -> None:
    write_atomic(output, dispatch.text)
    write_atomic(_inputs_file(output), "".join(f"{one}\n" for one in _flags(dispatch)))


def _inputs_file(output: Path) -> Path:
    return output.with_name(f"{output.name}.inputs")


def _flags(dispatch: WrongDispatch) -> list[str]:
    return [f"{RUNTIME.input_flag}={value}" for value in dispatch.inputs]


def _wrong_parts(location: WrongResultLocation, name: str, output: Path | None) -> list[Part]:
    dispatch = location.dispatch
    signature = location.outcome.signature
    facts = [
        ("failure", signature.text),
        ("bucket", signature.bucket),
        ("result", cut(location.mismatch.text, _WIDTH)),
        ("phase", location.phase or "unknown"),
    ]
    if dispatch is not None:
        place = f"call {dispatch.call} of {location.dispatches}"
        facts += [("dispatch", f"{dispatch.name} ({place})"), ("its result", dispatch.difference)]
    facts += [
        *rewrite_facts(location.rewrite),
        ("also wrong", ", ".join(location.also_wrong)),
        ("confirmed", f"{'yes' if location.sure else 'no'}: {location.how}"),
        ("but", location.dispute),
        ("judged", _judged(location)),
        ("cost", _wrong_cost(location)),
    ]
    lines = suspect_lines(location.suspects, name, "ops of the dispatch:")
    lines += rewrite_lines(location.rewrite)
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
    shown = [f"  {suspect.shown(name)}" for suspect in suspects[:_SHOWN]]
    hidden = len(suspects) - len(shown)
    more = [f"  … and {plural(hidden, 'more op')}"] if hidden else []
    return [*(["", title] if shown else []), *shown, *more]

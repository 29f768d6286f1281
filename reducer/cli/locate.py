"""`mlir-reducer locate`"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from reducer.cli.oracle_options import OracleOptions, with_oracle_options
from reducer.cli.record import write_json
from reducer.cli.signals import stop_on_signals
from reducer.cli.trailing import TrailingCommand
from reducer.cli.workspace import workspace
from reducer.inspection.locator import FailureLocation, Locator, SuspectOp
from reducer.storage.files import read_input
from reducer.units import duration, plural

_CANDIDATE_NAME = "input.mlir"  # the input's file name for the compiler
_SHOWN = 12


@click.command(cls=TrailingCommand)
@click.argument("input", type=click.Path(path_type=Path))
@with_oracle_options
@click.option(
    "--json",
    "json_target",
    metavar="FILE",
    type=click.Path(allow_dash=True),
    help="Write the answer as JSON; - for stdout.",
)
def locate(*, input: Path, json_target: str | None, words: tuple[str, ...], **options: Any) -> int:
    """Find where COMMAND fails on INPUT without reducing it.

    Prints the failing phase, dispatch, and pass, the suspect ops with their lines in INPUT, and
    whether a run confirmed them. Runs COMMAND once on INPUT and then on small programs; a failure
    in code generation takes one more partial run to name the dispatch, and a failure without
    diagnostics up to two more full runs.

    \b
      mlir-reducer locate model.mlir -- \\
          iree-compile --iree-hal-target-device=hip --iree-rocm-target=gfx942
    """
    source = read_input(input)
    with workspace() as place:
        oracle, opt = OracleOptions(source=input, words=words, **options).oracle(source.text)
        locating = Locator(source.text, oracle, opt, lambda text: click.echo(f"{text} …", err=True))
        with stop_on_signals(locating.stop, leave=place.clean_up):
            finding = locating.run()
    if json_target is not None:
        write_json(json_target, _as_json(finding, input.name))
    if json_target != "-":
        click.echo(_as_text(finding, input.name))
    return 0


def _as_text(finding: FailureLocation, name: str) -> str:
    facts = [
        ("failure", finding.outcome.signature.text),
        ("bucket", finding.outcome.signature.bucket),
        ("phase", finding.phase or "unknown: fails only in a full compilation"),
        ("dispatch", finding.dispatch),
        ("pass", finding.pass_name or "unknown"),
        ("pipeline", finding.pipeline),
        ("confirmed", f"{'yes' if finding.sure else 'no'}: {finding.how}"),
        (
            "cost",
            f"{plural(finding.calls, 'run')}, {duration(finding.compiler_seconds)} "
            "of compiler time",
        ),
    ]
    lines = [f"{key:<10} {value}" for key, value in facts if value]
    shown = [f"  {_line(suspect, name)}" for suspect in finding.suspects[:_SHOWN]]
    hidden = len(finding.suspects) - len(shown)
    more = [f"  … and {plural(hidden, 'more op')}"] if hidden else []
    return "\n".join([*lines, *(["", "suspect ops:"] if shown else []), *shown, *more])


def _line(suspect: SuspectOp, name: str) -> str:
    if suspect.place is None:
        return suspect.name
    file, line, column = suspect.place
    return f"{name if file == _CANDIDATE_NAME else file}:{line}:{column}: {suspect.name}"


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
        "sure": finding.sure,
        "how": finding.how,
        "culprits": [
            {**asdict(suspect), "text": _line(suspect, name)} for suspect in finding.suspects
        ],
        "calls": finding.calls,
        "compiler_seconds": round(finding.compiler_seconds, 3),
    }

"""`mlir-reducer bisect`"""

import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from oracles import Command, Kind, Oracle, PatternOracle
from oracles.command import INPUT
from reducer.cli.oracle_options import OracleOptions, with_oracle_options
from reducer.cli.record import write_json
from reducer.cli.references import default_reference
from reducer.cli.signals import stop_on_signals
from reducer.cli.trailing import TrailingCommand
from reducer.cli.workspace import workspace
from reducer.errors import ExitCode, UsageError
from reducer.releases import Bisector, BisectResult, Boundary, ReleaseResult, ReleaseRunner
from reducer.releases.query import BisectQuery
from reducer.session.printing import one_line
from reducer.storage.files import default_output
from reducer.storage.journal import Journal
from reducer.toolchain import NEWEST, newest_release
from reducer.units import duration, plural, size

_WIDTH = 88  # maximum characters of a message
_IDENTITY = {"command": "bisect"}
_PER_QUESTION = ("source", "words", "iree", "timeout", "memory_limit")  # all else is the question's


@click.command(
    cls=TrailingCommand,
    short_help="Find the compiler release that introduced a failure, and the one that fixed it.",
)
@click.argument("input", type=click.Path(path_type=Path))
@click.option("--bad", metavar="VERSION", help="A release that fails. [default: newest]")
@click.option(
    "--good",
    metavar="VERSION",
    help="A release believed to be good; only releases between it and the bad one are tested.",
)
@click.option("--all", "everything", is_flag=True, help="Test every release instead of bisecting.")
@click.option("--pre", is_flag=True, help="Include release candidates.")
@click.option(
    "--keep/--no-keep",
    default=True,
    show_default=True,
    help="Keep releases installed for this run, about 400 MB each.",
)
@with_oracle_options
@click.option(
    "--json", "json_target", metavar="FILE", help="Write the answer as JSON; - for stdout."
)
def bisect(
    *,
    input: Path,
    bad: str | None,
    good: str | None,
    everything: bool,
    pre: bool,
    keep: bool,
    json_target: str | None,
    words: tuple[str, ...],
    iree: str | None,
    **options: Any,
) -> int:
    """Find the compiler release that introduced a failure, and the one that fixed it.

    The failure is taken from the newest release or the one given with --bad (or --iree). Other
    releases are installed as needed; flags that were renamed between releases are translated. A
    release that cannot parse INPUT or COMMAND is reported as "cannot tell".

    \b
      mlir-reducer bisect model.reduced.mlir -- \\
          iree-compile --iree-hal-target-device=hip --iree-rocm-target=gfx942

    Exits with 0 if at least one other release gave a verdict, 1 if COMMAND does not fail on INPUT
    with the bad release, and 69 if no other release can tell. Verdicts are kept in a journal next
    to INPUT and reused.
    """
    if bad is not None and iree is not None and bad != iree:
        raise UsageError("--bad and --iree both name the failing release; give only one of them")
    bad = bad or iree or NEWEST
    oracle_options = with_reference(OracleOptions(source=input, words=words, **options), bad)
    source = oracle_options.read()
    query = query_of(oracle_options, source.text)
    stop = threading.Event()
    with workspace() as place, journal_of(input) as journal:
        runner = ReleaseRunner(query, journal, log=_print_status, stop=stop, keep=keep)
        job = Bisector(
            runner,
            bad=bad,
            good=good,
            everything=everything,
            candidates=pre,
            log=_print_status,
            on_result=lambda answer: _print_status(_row(answer)),
        )
        with stop_on_signals(stop, leave=place.clean_up):
            result = job.run()
    if json_target is not None:
        write_json(json_target, _as_json(result, runner))
    if json_target != "-":
        click.echo(_as_text(result, runner))
    return ExitCode.REDUCED if result.decided else ExitCode.UNAVAILABLE


def query_of(oracle_options: OracleOptions, text: str) -> BisectQuery:
    """The query that the options define, for use with any release.

    Raises:
        UsageError: the options do not apply to other releases.
    """
    return BisectQuery(
        text,
        tuple(
            INPUT if word == str(oracle_options.source) else word for word in oracle_options.words
        ),
        partial(_oracle, oracle_options),
        identity=_identity(oracle_options),
        kinds=_kinds(oracle_options),
        timeout=oracle_options.timeout,
    )


def with_reference(oracle_options: OracleOptions, bad: str) -> OracleOptions:
    """For wrong results, one reference for all releases: by default another backend of `bad`."""
    if not oracle_options.wrong_results or oracle_options.references or not oracle_options.words:
        return oracle_options
    version = newest_release(_print_status) if bad == NEWEST else bad
    backend = default_reference(Command.parse(oracle_options.words, source=oracle_options.source))
    return replace(oracle_options, references=(f"iree:{version}+{backend}",))


def _oracle(oracle_options: OracleOptions, version: str, words: Sequence[str], text: str) -> Oracle:
    oracle, _ = replace(oracle_options, iree=version, words=tuple(words)).oracle(text)
    return oracle


def _identity(oracle_options: OracleOptions) -> str:
    """Everything that determines an outcome, beyond version, words and text."""
    fields = {**vars(oracle_options), **dict.fromkeys(_PER_QUESTION)}
    return repr(sorted(fields.items()))


def _kinds(oracle_options: OracleOptions) -> frozenset[Kind] | None:
    if oracle_options.test is not None or oracle_options.plugin is not None:
        raise UsageError(
            "--test and --oracle cannot be bisected: a script chooses its own compiler; give a "
            "command after -- instead, with --match if needed"
        )
    if oracle_options.wrong_results:
        return frozenset(kind for kind in Kind if kind.traits.wrong_results)
    if oracle_options.match is not None or oracle_options.exit_code is not None:
        return PatternOracle.kinds
    return None


def journal_of(path: Path) -> Journal:
    """The journal of an input, shared by all queries about it."""
    stem = default_output(path).name.removesuffix(".reduced.mlir")
    place = path.with_name(f"{stem}.bisect.journal")
    return Journal.open(place, identity=_IDENTITY, resume=place.exists(), log=_print_status)


def _as_text(result: BisectResult, runner: ReleaseRunner) -> str:
    rows = [_row(answer) for answer in result.results]
    notes = [
        f"{answer.version}: {note}" for answer in result.results for note in answer.notes if note
    ]
    cost = f"{plural(runner.runs, 'run')}, {duration(runner.seconds)} of compiler time"
    if runner.fetched:
        fetched = ", ".join(runner.fetched)
        cost += f"; installed {fetched} ({size(round(runner.megabytes * 1e6))})"
    if result.untested:
        cost += f"; {plural(len(result.untested), 'release')} not tested (--all tests every one)"
    return "\n".join(
        [
            f"failure: {one_line(result.signature.text)}",
            "",
            *rows,
            *(["", *notes] if notes else []),
            "",
            *summary(result),
            cost,
        ]
    )


def _row(answer: ReleaseResult) -> str:
    took = duration(answer.seconds) if answer.seconds else ""
    message = _cut(one_line(answer.message))
    return f"{answer.version:<10}  {answer.verdict:<15}  {took:>8}  {message}".rstrip()


def _cut(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"


def summary(result: BisectResult) -> list[str]:
    """The releases between which the failure appeared and disappeared."""
    lines = [f"note: {note}" for note in result.notes]
    if result.first is not None:
        lines.append(_said_of_first(result.first))
    if result.fixed is not None:
        lines.append(_said_of_fixed(result.fixed))
    if result.other_bad:
        lines.append(f"also bad: {', '.join(result.other_bad)}")
    return lines


def _said_of_first(first: Boundary) -> str:
    if first.good is None:
        return f"first bad {first.bad} (no earlier release is known to be good){_unsure(first)}"
    return f"first bad {first.bad}, last good {first.good}{_unsure(first)}"


def _said_of_fixed(fixed: Boundary) -> str:
    if fixed.good is None:
        return f"last bad {fixed.bad}: not fixed in any later release{_unsure(fixed)}"
    return f"last bad {fixed.bad}, first good again {fixed.good}{_unsure(fixed)}"


def _unsure(boundary: Boundary) -> str:
    if not boundary.between:
        return ""
    return f" ({', '.join(boundary.between)}: neither good nor bad)"


def _as_json(result: BisectResult, runner: ReleaseRunner) -> dict[str, Any]:
    first, fixed = result.first, result.fixed
    return {
        "signature": result.signature.text,
        "bucket": result.signature.bucket,
        "reference": result.reference,
        "first_bad": first and first.bad,
        "last_good": first and first.good,
        "last_bad": fixed and fixed.bad,
        "first_good_again": fixed and fixed.good,
        "undecided": [*(first.between if first else ()), *(fixed.between if fixed else ())],
        "also_bad": list(result.other_bad),
        "releases": [answer.to_json() for answer in result.results],
        "not_asked": list(result.untested),
        "notes": list(result.notes),
        "runs": runner.runs,
        "compiler_seconds": round(runner.seconds, 3),
        "fetched": runner.fetched,
        "fetched_bytes": round(runner.megabytes * 1e6),
    }


def _print_status(text: str) -> None:
    click.echo(text, err=True)

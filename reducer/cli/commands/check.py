"""`mlir-reducer check`: run a command once and show its failure."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from oracles import Diagnostic, Oracle, Outcome, Signature
from oracles.base import CANDIDATE, capabilities_of
from oracles.signature.comparison import shows
from reducer.cli.commands.check_bisect import (
    LIMIT,
    BisectVerdict,
    in_own_spelling,
    known_failure,
    require_program,
    verdict_on,
)
from reducer.cli.display.console import echo, show, status_printer
from reducer.cli.display.layout import NamedValue, NamedValues, Style
from reducer.cli.display.record import write_json
from reducer.cli.display.shown_command import command_fact, compiler_facts
from reducer.cli.ending import next_call
from reducer.cli.request.intake import assertions_hint, command_and_input, own_file
from reducer.cli.request.oracle_options import OracleOptions
from reducer.cli.request.other_input import input_beside
from reducer.cli.request.recorded import with_recorded
from reducer.cli.workspace import workspace
from reducer.errors import ExitCode, NotInteresting
from reducer.identity.advice import (
    EMPTY_MODULE,
    WOULD_HELP,
    advice,
    crashes_when_empty,
    needs_no_input,
    no_failure,
    remark_on,
    saying_that_it_runs,
    says_otherwise,
)
from reducer.identity.unstable_crash import Spread, in_several_runs
from reducer.storage.result_folder import ResultFolder
from reducer.units import cut_inside, duration, plural, size

_PART = "input.mlir"
"""How a program is called that is only a part of a file."""
_SHOWN = 5
_WIDTH = 160
_STYLES = {
    BisectVerdict.GOOD: Style.GOOD,
    BisectVerdict.BAD: Style.BAD,
    BisectVerdict.SKIP: Style.WARNING,
}


def check(
    *,
    input: Path,
    bisect: str | None,
    yes: bool,
    json_target: str | None,
    words: tuple[str, ...],
    **options: Any,
) -> int:
    """Run COMMAND once on INPUT and print the failure a reduction would preserve."""
    input = ResultFolder.result_of(input)
    asked = with_recorded(OracleOptions(source=input, words=words, **options).with_own_limit())
    given = asked.words
    target = None
    if bisect is not None:
        asked = replace(asked, timeout=asked.timeout or LIMIT)
        target = known_failure(asked, Path(bisect) if bisect else None)
        require_program(asked)
    source = asked.read()
    text = source.text
    with workspace():
        if bisect is None:
            asked, text = command_and_input(asked, text, yes=yes)
        oracle, _ = asked.oracle(text)
        if bisect is not None:
            oracle, _ = in_own_spelling(asked, oracle).oracle(text)
        file = None if bisect is not None else own_file(asked, text, given)
        can = capabilities_of(oracle)
        judge = can.failures.on_file(file) if file and can.failures else oracle
        with saying_that_it_runs(status_printer(), oracle.limits.seconds):
            outcome = _outcome(oracle, partial(judge.run, text), target)
        empty = oracle.run(EMPTY_MODULE) if oracle.wants(outcome) else None
        fails_anyway = empty is not None and shows(outcome.signature, empty)
        if outcome.kind.traits.costly and not (bisect is not None or fails_anyway):
            from reducer.identity.short_limits import named_late

            outcome = named_late(outcome, oracle.limits, partial(judge.run, text))
    name = str(input) if text == source.text else _PART
    commands = {"command": oracle.display(name)}
    if can.results:
        commands |= zip(("compile", "run"), can.results.input_steps(name), strict=False)
    verdict, why = verdict_on(oracle, outcome, target)
    if fails_anyway:
        verdict, why = BisectVerdict.SKIP, "an empty module fails the same way"
    if outcome.numbers and oracle.wants(outcome) and bisect is None:
        assert can.numbers is not None
        outcome = outcome.with_remark(can.numbers.explanation())
    if json_target is not None:
        interesting = outcome.failed and not fails_anyway
        own = {"verdict": str(verdict)} if bisect is not None else {}
        write_json(json_target, {"interesting": interesting, **own, **_as_json(outcome, commands)})
    if json_target != "-":
        judged = [NamedValue("verdict", f"{verdict}: {why}", _STYLES[verdict])]
        told = _facts(outcome, commands, empty, fails_anyway=fails_anyway)
        facts = [*(judged if bisect is not None else ()), *told, *compiler_facts(oracle)]
        compiler = capabilities_of(oracle).compiler
        show(NamedValues(facts), *_told(outcome, CANDIDATE if compiler else ""))
        if bisect is None and oracle.wants(outcome) and not fails_anyway:
            call = next_call(("check", " reduce"), (r"--json[ =]\S+", ""))
            show("", NamedValues([NamedValue("next", call, Style.COMMAND)]))
    if bisect is not None:
        return verdict.value
    if outcome.kind.traits.undecided:
        return ExitCode.CANNOT_JUDGE
    if fails_anyway:
        raise NotInteresting(needs_no_input(oracle, outcome))
    if oracle.wants(outcome):
        return ExitCode.REDUCED
    hint = input_beside(asked.words, input) or assertions_hint(input, asked.words)
    echo(hint or no_failure(oracle, outcome, text), err=True)
    return ExitCode.NOT_INTERESTING


def _outcome(oracle: Oracle, run: Callable[..., Outcome], target: Signature | None) -> Outcome:
    """The outcome that counts; with a remark, if the program does not fail alike every time."""

    def at(number: int, random: bool = True) -> Outcome:
        return run(limits=replace(oracle.limits, random_addresses=random))

    def fails(outcome: Outcome) -> bool:
        return verdict_on(oracle, outcome, target)[0] is BisectVerdict.BAD

    outcome, runs = run(), 1
    if target is None or target.kind.traits.known_by_stack:
        outcome, runs = in_several_runs(outcome, at, fails)
    if runs > 1:
        return outcome.with_remark(f"it fails in 1 of {runs} runs" if fails(outcome) else "")
    if target is not None or capabilities_of(oracle).failures is None:
        return outcome
    signature = outcome.signature
    return outcome.with_remark(Spread.of(outcome, signature, at).text(signature))


def _facts(
    outcome: Outcome, commands: dict[str, list[str]], empty: Outcome | None, *, fails_anyway: bool
) -> Iterator[NamedValue]:
    """What the run showed. `empty` is the outcome of an empty module."""
    runs = [*outcome.extra, *([("of an empty module", empty.seconds)] if empty else [])]
    own = outcome.seconds - sum(seconds for _, seconds in outcome.extra)
    cost = (
        f"{duration(outcome.seconds)}, {duration(outcome.cpu_seconds)} of CPU time, "
        f"{size(outcome.peak_memory)} of memory"
    )
    if runs and outcome.kind.traits.costly:
        told = (f"one {why} {duration(seconds)}" for why, seconds in runs)
        cost += f"; the run of the input took {duration(own)}, {', '.join(told)}"
    missed = outcome.succeeded and outcome.exit_code  # it fails, but not as asked
    yield NamedValue("kind", "not the requested failure" if missed else str(outcome.kind))
    if outcome.failed:
        yield NamedValue("signature", outcome.signature.text)
    if outcome.failed and not fails_anyway:  # a mistake in the command is no bug with a bucket
        yield NamedValue("bucket", outcome.signature.bucket)
    if outcome.failed and (remark := remark_on(outcome.signature)):
        yield NamedValue("note", remark)
    if outcome.succeeded and outcome.exit_code == 0 and says_otherwise(outcome):
        yield NamedValue("note", advice(outcome))
    if (
        empty is not None
        and not fails_anyway
        and (remark := crashes_when_empty(empty, outcome.kind))
    ):
        yield NamedValue("note", remark)
    yield NamedValue("exit code", "none" if outcome.exit_code is None else str(outcome.exit_code))
    yield NamedValue("cost", cost)
    for name, words in commands.items():
        yield command_fact(name, words)


def _told(outcome: Outcome, own_file: str) -> list[str]:
    """The first errors, and what the oracle itself remarks, one per line.

    `own_file` is the name under which the compiler read the input; '' if it is not known.
    """
    own = [f"  {remark}" for remark in outcome.remarks]
    if outcome.kind.traits.undecided:
        return ["", "cannot judge:", *own, f"  {WOULD_HELP}"]
    errors = [one for one in outcome.diagnostics if one.severity == "error"]
    lines = ["", plural(len(errors), "error") + ":", *_lines(errors, own_file)] if errors else []
    if len(errors) > _SHOWN:
        lines.append(f"  … and {plural(len(errors) - _SHOWN, 'more error')}")
    return [*lines, *(["", plural(len(own), "remark") + ":", *own] if own else [])]


def _lines(diagnostics: Sequence[Diagnostic], own_file: str) -> list[str]:
    return [
        cut_inside(f"  {_place(one, own_file)}{one.message}", _WIDTH)
        for one in diagnostics[:_SHOWN]
    ]


def _place(diagnostic: Diagnostic, own_file: str) -> str:
    """Where the error is; the file is named if it is not the input.

    A location may be that in another file that a flag names, or in the model's source code.
    """
    if not diagnostic.line:
        return ""
    file = diagnostic.file.rsplit("/", 1)[-1]
    is_other = own_file and file not in ("", own_file)
    shown = f"{file}:" if is_other else ""
    return f"{shown}{diagnostic.line}:{diagnostic.column}: "


def _as_json(outcome: Outcome, commands: dict[str, list[str]]) -> dict[str, Any]:
    return {
        "kind": str(outcome.kind),
        "signature": outcome.signature.text,
        "bucket": outcome.signature.bucket,
        "failure": outcome.signature.to_json() if outcome.failed else None,
        "exit_code": outcome.exit_code,
        "cpu_seconds": round(outcome.cpu_seconds, 3),
        "wall_seconds": round(outcome.seconds, 3),
        "peak_memory": outcome.peak_memory,
        **({"numbers": dict(outcome.numbers)} if outcome.numbers else {}),
        "diagnostics": [diagnostic.to_json() for diagnostic in outcome.diagnostics],
        **commands,
    }

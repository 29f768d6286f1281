"""`mlir-reducer check`: run a command once and show its failure."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from oracles import Diagnostic, Outcome, Signature
from oracles.base import CANDIDATE, capabilities_of
from reducer import api
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
from reducer.driver.checked import Checked
from reducer.driver.failing import FailingProgram
from reducer.errors import ExitCode, NotInteresting
from reducer.identity.advice import (
    WOULD_HELP,
    advice,
    crashes_when_empty,
    needs_no_input,
    no_failure,
    remark_on,
    saying_that_it_runs,
    says_otherwise,
)
from reducer.storage.result_folder import ResultFolder
from reducer.units import cut_inside, duration, plural, size

_SHOWN = 5
_WIDTH = 160
_STYLES = {
    BisectVerdict.GOOD: Style.GOOD,
    BisectVerdict.BAD: Style.BAD,
    BisectVerdict.SKIP: Style.WARNING,
}


def check(asked: OracleOptions) -> int:
    """Run COMMAND once on INPUT and print the failure a reduction would preserve."""
    bisect, json_target = asked.bisect, asked.json_target
    finding, it, target, asked = checked(asked)
    oracle, outcome = it.oracle, finding.outcome
    verdict, why = verdict_on(oracle, outcome, target)
    if finding.fails_anyway:
        verdict, why = BisectVerdict.SKIP, "an empty module fails the same way"
    if json_target is not None:
        own = {"verdict": str(verdict)} if bisect is not None else {}
        write_json(json_target, {"interesting": finding.interesting, **own, **finding.to_json()})
    if json_target != "-":
        judged = [NamedValue("verdict", f"{verdict}: {why}", _STYLES[verdict])]
        facts = [*(judged if bisect is not None else ()), *_facts(finding), *compiler_facts(oracle)]
        compiler = capabilities_of(oracle).compiler
        show(NamedValues(facts), *_told(outcome, CANDIDATE if compiler else ""))
        if bisect is None and finding.is_wanted and not finding.fails_anyway:
            call = next_call(("check", " reduce"), (r"--json[ =]\S+", ""))
            show("", NamedValues([NamedValue("next", call, Style.COMMAND)]))
    if bisect is not None:
        return verdict.value
    code, why = ending(finding, it, asked)
    if finding.fails_anyway and code is ExitCode.NOT_INTERESTING:
        raise NotInteresting(why)
    if why:
        echo(why, err=True)
    return code


def ending(finding: Checked, it: FailingProgram, asked: OracleOptions) -> tuple[ExitCode, str]:
    """The exit code without a bisection, and why there is nothing to reduce; else ''."""
    oracle, outcome = it.oracle, finding.outcome
    if outcome.kind.traits.undecided:
        return ExitCode.CANNOT_JUDGE, ""
    if finding.fails_anyway:
        return ExitCode.NOT_INTERESTING, needs_no_input(oracle, outcome)
    if finding.is_wanted:
        return ExitCode.REDUCED, ""
    hint = input_beside(asked.words, it.source) or assertions_hint(it.source, asked.words)
    return ExitCode.NOT_INTERESTING, hint or no_failure(oracle, outcome, it.text)


def checked(
    asked: OracleOptions,
) -> tuple[Checked, FailingProgram, Signature | None, OracleOptions]:
    """What one run of COMMAND shows, on what, the failure to look for, and what is run."""
    asked = replace(asked, source=ResultFolder.result_of(asked.source))
    asked = with_recorded(asked.with_own_limit())
    given, bisect = asked.words, asked.bisect
    target = None
    if bisect is not None:
        asked = replace(asked, timeout=asked.timeout or LIMIT)
        target = known_failure(asked, Path(bisect) if bisect else None)
        require_program(asked)
    source = asked.read()
    text = source.text
    with workspace():
        if bisect is None:
            asked, text = command_and_input(asked, text, yes=asked.yes)
        oracle, opt = asked.oracle(text)
        if bisect is not None:
            oracle, opt = in_own_spelling(asked, oracle).oracle(text)
        file = None if bisect is not None else own_file(asked, text, given)
        it = FailingProgram(asked.source, text, oracle, opt, file)
        with saying_that_it_runs(
            status_printer(), oracle.limits.seconds, capabilities_of(oracle).results
        ):
            finding = api.check(
                it,
                is_part=text != source.text,
                target=target,
                fails=lambda outcome: verdict_on(oracle, outcome, target)[0] is BisectVerdict.BAD,
                names_late=bisect is None,
            )
    return finding, it, target, asked


def _facts(finding: Checked) -> Iterator[NamedValue]:
    """What the run showed."""
    outcome, empty, fails_anyway = finding.outcome, finding.empty, finding.fails_anyway
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
    for blame in finding.blames:
        if blame.kind != "pass":  # the signature has it
            yield NamedValue(blame.kind, blame.text)
    yield NamedValue("exit code", "none" if outcome.exit_code is None else str(outcome.exit_code))
    yield NamedValue("cost", cost)
    for name, words in finding.commands.items():
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

"""What is printed at the end of a reduction: what one needs to go on, or all of it (`-v`)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from oracles import Kind
from reducer.cli.display.layout import NamedValue, NamedValues, Part, Style, Table
from reducer.cli.display.progress import LevelSizes
from reducer.cli.display.rewrite import rewrite_brief, rewrite_facts
from reducer.cli.display.shown_command import command_fact
from reducer.cli.ending import next_call
from reducer.driver.best import OnDisk
from reducer.driver.records.figures import LevelRecord, PassRecord
from reducer.driver.records.record import Report
from reducer.escaping import one_line, shell_quoted
from reducer.identity.compiler_changed import REPLACED
from reducer.units import duration, percent, plural

if TYPE_CHECKING:
    from reducer.report import Bundle


def report_parts(
    report: Report,
    bundle: "Bundle | None" = None,
    seconds: float | None = None,
    compiler: Sequence[NamedValue] = (),
) -> list[Part]:
    """Sizes before and after, the failure, the cost, and how to reproduce it.

    `seconds` is the wall time of everything together, and `compiler` what is known of the program
    that the command runs.
    """
    stopped = []
    if report.status != "reduced":
        why = _STOPPED.get(report.status, report.status)
        stopped = [NamedValue("stopped", why, Style.WARNING)]
    if report.on_disk in _NONE_YET:
        return [NamedValues.of([*stopped, *_without_result(report)])]
    facts: list[tuple[str, str] | NamedValue] = [
        *stopped,
        ("failure", report.failure.text),
        ("bucket", report.failure.bucket),
        _verdict(report),
        *_rates(report),
        ("1-minimal", "yes" if report.one_minimal else "no"),
        *_degenerate(report),
        *_runs(report),
        *_elsewhere(report),
        ("cost", _cost(report)),
        *_earlier(report),
        *_whole(report, bundle, seconds),
        ("result", _RESULTS[report.on_disk].format(path=report.output_path)),
        *_commands(report),
        *compiler,
    ]
    facts += [fact for level in report.levels for fact in _level_facts(level)]
    if report.pass_level is not None:
        facts += _pass_facts(report.pass_level, report.failure.kind)
    if bundle is not None:
        facts.append(("report", _bundle(bundle)))
    facts += _next(report)
    return [_sizes(report), "", NamedValues.of(facts), *_also_found(report)]


def brief_parts(report: Report, bundle: "Bundle | None" = None) -> list[Part]:
    """At most nine lines: the result, its size, whether it is verified, and where to go on."""
    facts: list[tuple[str, str] | NamedValue] = []
    if report.status != "reduced":
        facts.append(
            NamedValue("stopped", _STOPPED.get(report.status, report.status), Style.WARNING)
        )
    facts.append(("failure", report.failure.text))
    if report.on_disk in _NONE_YET:
        none = _NONE_YET[report.on_disk].format(path=report.output_path)
        return [NamedValues.of([*facts, *_rates(report), ("result", none), *_next(report)])]
    sizes = LevelSizes(report.input)
    sizes.improve(report.output)
    result = _RESULTS[report.on_disk].format(path=report.output_path)
    facts.append(("result", f"{result}: {sizes.text()}"))
    verdict, rates = _verdict(report), [rate for _, rate in _rates(report)]
    text = verdict.value.replace("below reproduce", "in it reproduce").replace(
        "below did", "in it did"
    )
    facts += [NamedValue("verdict", "; ".join([text, *rates]), verdict.style)]
    facts += [fact for fact in _elsewhere(report) if fact.name == "doubt"]
    if level := report.pass_level:
        told = rewrite_brief(level.rewrite, level.output_path.name)
        before = "" if level.same_program else f"; the IR before it: {level.output_path}"
        facts += [("pass", f"{level.blame.text if level.pass_name else 'none'}{before}"), *told]
    if bundle is not None:
        facts.append(("report", _bundle(bundle)))
    also = [str(level.output_path) for level in report.levels]
    if report.also_found:
        also.append(
            f"{plural(len(report.also_found), 'other failure')} in {report.also_found_folder}"
        )
    return [
        NamedValues.of([*facts, *([("also", "; ".join(also))] if also else []), *_next(report)])
    ]


def _next(report: Report) -> list[NamedValue]:
    """What to run now: the same to go on, or what says more about the result."""
    call = f"mlir-reducer explain {shell_quoted(str(report.output_path))}"
    if report.status != "reduced":
        call = next_call((r"--fresh|--max-(?:calls|seconds)[ =]\S+", ""))
    elif not report.verified:
        call = next_call(("reduce", " reduce --flaky"))
    return [] if report.status == "interrupted" else [NamedValue("next", call, Style.COMMAND)]


_VERIFIED = "VERIFIED: the command below reproduces the failure in an empty folder"
_BOTH_VERIFIED = "VERIFIED: the commands below reproduce the failure in an empty folder"
_NOT_ASKED = "not verified: it failed when it was accepted, and was not run again"
_NOT_VERIFIED = "NOT VERIFIED: the command below did not reproduce the failure in its last run"
_REPLACED = "NOT VERIFIED: the compiler, or a file that the command names, has changed"

_STOPPED = {"budget": "the budget is spent"}

_RESULTS = {
    OnDisk.RESULT: "{path}",
    OnDisk.EARLIER: "{path} (kept from an earlier run, whose result is better)",
}
_NONE_YET = {
    OnDisk.OTHER: "none yet; {path} was not changed",
    OnDisk.NOTHING: "none yet; {path} was not written",
}


def _without_result(report: Report) -> list[tuple[str, str]]:
    """What is known of a reduction that has found nothing smaller than its input so far."""
    return [
        ("failure", report.failure.text),
        ("bucket", report.failure.bucket),
        *_rates(report),
        *_runs(report),
        ("cost", _cost(report)),
        *_earlier(report),
        ("result", _NONE_YET[report.on_disk].format(path=report.output_path)),
    ]


def _runs(report: Report) -> list[tuple[str, str]]:
    """The runs by verdict, and what was rejected without one."""
    verdicts = ", ".join(
        f"{count:,} {name}" for name, count in report.candidates.by_verdict.items()
    )
    runs = ("runs", f"{report.costs.calls:,} ({verdicts})" if verdicts else "0")
    return [runs, *_checks(report)]


def _verdict(report: Report) -> NamedValue:
    if report.verified:
        words = _VERIFIED if report.run is None else _BOTH_VERIFIED
        return NamedValue("verdict", words, Style.GOOD)
    if report.status == "interrupted":
        return NamedValue("verdict", _NOT_ASKED, Style.WARNING)
    replaced = REPLACED in report.notes
    return NamedValue("verdict", _REPLACED if replaced else _NOT_VERIFIED, Style.BAD)


def _commands(report: Report) -> list[NamedValue]:
    """The command, or the two that show what is wrong with the compiled program."""
    if report.compile is None or report.run is None:
        return [command_fact("command", report.command)]
    return [command_fact("compile", report.compile), command_fact("run", report.run)]


def _level_facts(level: LevelRecord) -> list[NamedValue]:
    size = f"{plural(level.output.lines, 'line')}, {plural(level.output.ops, 'op')}"
    checked = "" if level.verified else "; NOT VERIFIED"
    return [
        NamedValue(
            f"{level.level} level",
            f"{level.output_path} ({size}{checked}); {level.made}",
            Style.PLAIN if level.verified else Style.BAD,
        ),
        command_fact(f"{level.level} run", level.command),
    ]


def _pass_facts(level: PassRecord, kind: str) -> list[NamedValue]:
    rewrite = [NamedValue(*fact) for fact in rewrite_facts(level.rewrite)]
    if level.same_program:
        return [NamedValue("pass", level.blame.text), *rewrite] if level.pass_name else []
    size = f"{plural(level.output.lines, 'line')}, {plural(level.output.ops, 'op')}"
    shown = level.failure.partition(":")[0]
    another = f", shows a {shown}" if shown != kind and Kind(shown).traits.wrong_results else ""
    return [
        NamedValue(
            "pass", level.blame.text if level.pass_name else "none: the input itself is invalid"
        ),
        NamedValue("pass IR", f"{level.output_path} ({size}{another})"),
        command_fact("pass run", level.command),
        *rewrite,
    ]


def _bundle(bundle: "Bundle") -> str:
    checked = "" if bundle.verified else " (its repro.sh did not reproduce the failure)"
    return f"{bundle.folder}/report.md; to attach: {bundle.archive}{checked}"


def _sizes(report: Report) -> Table:
    rows = [
        ("lines", report.input.lines, report.output.lines),
        ("ops", report.input.ops, report.output.ops),
        ("bytes", report.input.bytes, report.output.bytes),
    ]
    return Table(
        [
            (name, f"{before:,}", f"{after:,}", percent(before - after, before))
            for name, before, after in rows
        ],
        head=("", "before", "after", "removed"),
        right=frozenset({1, 2, 3}),
    )


def _also_found(report: Report) -> list[Part]:
    """Other failures found on the way, one per row."""
    left_out = report.also_left_out
    if not report.also_found and not left_out:
        return []
    rows = [
        (f"  {one.bucket}", plural(one.lines, "line"), one_line(one.text))
        for one in report.also_found
    ]
    more = [f"  and {left_out} more (not kept: too large or too many)"] if left_out else []
    if cut := report.also_from_cutting:
        more.append(f"  and {cut} more (not kept: caused by cutting the program)")
    folder = report.also_found_folder
    kept = f"kept in {folder}/BUCKET" if folder else "not kept"
    return ["", f"also found, {kept}:", Table(rows, right=frozenset({1})), *more]


def _rates(report: Report) -> list[tuple[str, str]]:
    """The failure rates of a flaky failure."""
    if report.flaky is None:
        return []
    rates = f"the input fails in {report.flaky.input}"
    if report.flaky.result is not None:
        rates += f", the result in {report.flaky.result}"
    return [("flaky", rates)]


def _elsewhere(report: Report) -> list[NamedValue]:
    """Where else the result compiles, if that is known."""
    health = report.health
    if health is None:
        return []
    cost = f"{plural(health.runs, 'run')}, {health.cpu_seconds:.1f} s"
    facts = [NamedValue("elsewhere", f"{health.sentence or 'not asked'} ({cost})")]
    if health.doubt:
        facts.append(NamedValue("doubt", f"may be another bug: {health.doubt}", Style.WARNING))
    return facts


def _degenerate(report: Report) -> list[tuple[str, str]]:
    """The choice between a degenerate program and a larger one."""
    return [("degenerate", report.degenerate.text)] if report.degenerate else []


def _checks(report: Report) -> list[tuple[str, str]]:
    """Candidates rejected before a run of the command."""
    checks = report.checks
    if not checks.runs:
        return []
    words = f"{plural(checks.runs, 'check')} by the parser and verifier rejected"
    return [("checks", f"{words} {plural(checks.turned_away, 'candidate')}")]


def _cost(report: Report) -> str:
    return (
        f"{duration(report.wall_seconds)}, {duration(report.costs.cpu_seconds)} of compiler "
        f"time, as much as {plural(report.candidates.full_run_equivalents, 'run')} of the input"
    )


def _earlier(report: Report) -> list[tuple[str, str]]:
    """The cost with that of interrupted runs of the same reduction."""
    costs = report.in_all().costs
    if costs.calls == report.costs.calls:
        return []
    spent = f"{plural(costs.calls, 'run')}, {duration(costs.cpu_seconds)} of compiler time"
    return [("", f"{spent}, including earlier runs of this reduction")]


def _whole(report: Report, bundle: "Bundle | None", seconds: float | None) -> list[tuple[str, str]]:
    """The wall time with that of what follows the reduction."""
    after = [name for name, made in (("pass level", report.pass_level), ("report", bundle)) if made]
    if seconds is None or not after:
        return []
    return [("", f"{duration(seconds)}, including the {' and the '.join(after)}")]

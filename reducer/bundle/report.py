"""`report.md`: an issue in the order of the project's bug form, with the essentials at the top."""

from collections.abc import Iterator, Sequence

from oracles.profiles import RELEASES, RUNTIME, profile_of
from reducer import __version__
from reducer.bundle import markdown as md
from reducer.bundle.facts import FILES, Facts, LevelFile, PassFile
from reducer.bundle.repro_script import shell_word
from reducer.bundle.run_check import EXPECTED, SLACK, UNDEFINED, RunCheck
from reducer.bundle.wording import (
    components,
    expected,
    happened,
    signal_name,
    suspect_ops,
    target_of,
    title,
)
from reducer.inspection.explainer import Fact
from reducer.search.candidate import Verdict
from reducer.session import ReductionRecord
from reducer.session.figures import Origin, OtherFailureRecord
from reducer.session.health_record import HealthRecord

_SHOWN = 12
_WIDTH = 110


def origin(places: Sequence[Origin]) -> Iterator[str]:
    """The section on the source locations of the program's ops in the input."""
    if not places:
        return
    rows = [
        (
            md.code(f"{one.file or 'input'}:{one.line or '?'}"),
            md.code(one.op),
            md.code(_shortened_cell(one.text)) if one.text else "",
        )
        for one in places[:_SHOWN]
    ]
    yield "### Origin in the input"
    yield md.table(("Input", "Op", ""), rows)
    if len(places) > _SHOWN:
        yield f"… and {len(places) - _SHOWN} more."


def reduction(facts: Facts) -> Iterator[str]:
    """The section on the reduction: sizes before and after, and its cost."""
    before = facts.record.input
    if before is None:
        return
    yield "### How it was reduced"
    rows = [
        ("lines", f"{before.lines:,}", f"{facts.lines:,}"),
        ("ops", f"{before.ops:,}", f"{facts.ops:,}"),
        ("bytes", f"{before.bytes:,}", f"{facts.bytes:,}"),
    ]
    yield md.table((md.code(facts.source) if facts.source else "", "before", "after"), rows)
    yield _cost(facts.record)
    if facts.record.degenerate is not None:
        yield md.plain(facts.record.degenerate.text)


def also_found(others: Sequence[OtherFailureRecord]) -> Iterator[str]:
    """The section on other failures found during the reduction."""
    if not others:
        return
    rows = [(md.code(one.bucket), md.code(_shortened_cell(one.text))) for one in others]
    body = md.table(("Bucket", "Failure"), rows)
    yield md.folded("Other failures found along the way (not reduced)", body)


def _cost(record: ReductionRecord) -> str:
    costs, wall = record.costs, record.wall_seconds
    words = ["? compiler runs"]
    if costs is not None:
        seconds = f"{costs.compiler_seconds:,.0f} s of compiler time"
        words = [f"{costs.calls:,} compiler runs", seconds]
    words += [f"{wall:,.0f} s of wall time"] if wall is not None else []
    end = " No single edit that mlir-reducer knows makes it smaller." if record.one_minimal else ""
    return f"{', '.join(words)}.{end}"


def _shortened_cell(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"


MAX_CHARACTERS = 60_000
"""GitHub's limit for issues is 65,536."""

_INLINE, _INLINE_LINES = 12_000, 160  # characters and lines; longer programs stay in their file
_LOG = 4_000
_RAW = 12_000  # characters of a backtrace; all of it is in the archive
_CELL = 90
_THEN = {
    Verdict.NOT_INTERESTING: "passes",
    Verdict.OTHER_FAILURE: "fails differently",
    Verdict.TIMEOUT: "times out",
    Verdict.INVALID: "is invalid IR",
    Verdict.SAME: "still fails",
}


def report_text(facts: Facts, *, verified: bool, left_out: Sequence[str] = ()) -> str:
    """The text of the report.

    Args:
        verified: whether `repro.sh` reproduced the failure in an empty folder.
        left_out: files that do not fit into the archive.
    """
    form = profile_of(facts.compiler.name).bug_form
    parts = [
        f"# {title(facts)}",
        f"## {form.happened}",
        *_happened(facts),
        f"## {form.steps}",
        *_steps(facts, verified),
        f"## {form.component}",
        ", ".join(components(facts.compiler.name, facts.pass_name, facts.signature.op)),
        f"## {form.version}",
        *_versions(facts),
        f"## {form.context}",
        _context(facts),
        *_stack(facts),
        *(part for level in facts.level_files for part in _level(level)),
        *_pass_level(facts.pass_file),
        *_boundary(facts.boundary),
        *_releases(facts),
        *_elsewhere(facts.record.health),
        *_log(facts),
        *origin(facts.record.origin or ()),
        *reduction(facts),
        *also_found(facts.record.also_found or ()),
        *_notes(facts, left_out),
        f"Made by mlir-reducer {__version__}.",
    ]
    text = "\n\n".join(parts) + "\n"
    return text if len(text) <= MAX_CHARACTERS else text[:MAX_CHARACTERS].rstrip() + " …\n"


# ---- the form --------------------------------------------------------------------------------


def _happened(facts: Facts) -> Iterator[str]:
    version = facts.compiler.package or facts.compiler.version
    count = f"{facts.ops} op{'s' * (facts.ops != 1)}"
    program = " ".join(filter(None, [md.code(facts.compiler.name), version]))
    inside = f", in the pass {md.code(facts.pass_name)}" if facts.pass_name else ""
    yield f"{program} {happened(facts, f'the {count} below')}{inside}:"
    yield md.fenced("\n".join(facts.messages))
    yield f"**Expected:** {expected(facts)}{_neighbour(facts.boundary)}"


def _steps(facts: Facts, verified: bool) -> Iterator[str]:
    yield _inline(facts.head + facts.text, "repro.mlir")
    yield md.fenced("\n".join(map(_shell, facts.steps)), "sh")
    run = facts.check.run
    if run is not None and run.kind is not None:
        yield from _comparison(run)
        yield from _judgement(facts)
    if verified:
        runs = "runs this command" if run is None else "runs these commands and judges the outcome"
        yield (
            f"`repro.sh` in the attached archive {runs}; it exits with 0 as long as the "
            "failure occurs, and with 1 once it is fixed. It was checked in an empty folder."
        )
    else:
        yield "**Not verified:** `repro.sh` did not reproduce this failure."


def _judgement(facts: Facts) -> Iterator[str]:
    """Who says what the right results are, and whether anybody disagrees."""
    if facts.remarks:
        told = "; ".join(facts.remarks)
        yield f"{told[:1].upper()}{told[1:]}."
    if any("evaluator" in remark for remark in facts.remarks):
        yield (
            "(The evaluator is part of mlir-reducer. It computes in NumPy what the language "
            "reference says of each op, and shares no code with the compiler.)"
        )


def _comparison(run: RunCheck) -> Iterator[str]:
    """What the program should print, and who can see that it does not."""
    if run.is_long:
        yield f"The right results are in `{FILES}/{EXPECTED}` in the archive."
    else:
        yield "It should print, up to rounding:"
        yield md.fenced(run.expected)
        if UNDEFINED in run.expected:
            yield f"(`{UNDEFINED}` stands for an element that may be anything.)"
        if SLACK in run.expected:
            yield f"(After `{SLACK}` is how far an element may be off because of rounding.)"
    if not run.is_seen:
        yield (
            f"`{RUNTIME.expected_flag}` cannot show the difference, so `repro.sh` compares the "
            "printed results."
        )


def _versions(facts: Facts) -> Iterator[str]:
    compiler = facts.compiler
    if not compiler.lines:
        yield f"{md.code(compiler.name)} does not report its version."
        return
    told = {True: "on", False: "off", None: "unknown"}[compiler.assertions]
    lines = [*compiler.lines, f"(assertions: {told})"]
    if compiler.package:
        lines.append(f"# pip install {RELEASES.compiler_package}=={compiler.package}")
    yield md.fenced("\n".join(lines))
    health = facts.record.health
    for told in ("; ".join(facts.transitions), health.sentence if health else ""):
        if told:
            yield f"**{md.plain(told[:1].upper() + told[1:])}.**"


def _context(facts: Facts) -> str:
    signature = facts.signature
    rows = [
        ("Target", ", ".join(map(md.code, target_of(facts.check.words)))),
        ("Op", ", ".join(map(md.code, suspect_ops(facts)))),
        ("Failing pass", md.code(facts.pass_name) if facts.pass_name else ""),
        ("Kind", str(signature.kind)),
        ("Signature", md.code(signature.text)),
        ("Bucket", md.code(signature.bucket)),
        ("Exit status", _ending(facts.exit_code)),
        ("Needs", ", ".join(md.code(f"files/{name}") for name in facts.files)),
    ]
    return md.table(("", ""), [row for row in rows if row[1]])


def _ending(code: int | None) -> str:
    if code is None:
        return ""
    return str(code) if code >= 0 else signal_name(code)


# ---- additional context ----------------------------------------------------------------------


def _stack(facts: Facts) -> Iterator[str]:
    if facts.stack:
        yield "### Stack"
        yield md.fenced("\n".join(facts.stack))
    if facts.backtrace:
        raw = facts.backtrace
        raw = raw if len(raw) <= _RAW else f"{raw[:_RAW].rstrip()}…"
        yield md.folded("Backtrace as printed", md.fenced(raw))


def _level(found: LevelFile) -> Iterator[str]:
    yield f"### In the dialects of the {found.level}"
    told = f"The program above is in other dialects; {found.made}."
    if found.text:
        yield f"{md.plain(told)} The command fails in the same way on this one:"
        yield _inline(found.text, found.name)
    else:
        yield md.plain(f"{told} Nothing smaller than the {found.level} itself is known to fail.")


def _pass_level(found: PassFile | None) -> Iterator[str]:
    if found is None:
        return
    what = md.code(found.name) if found.name else "none (the IR itself is invalid)"
    yield f"### IR before the failing pass: {what}"
    yield _inline(found.text, "repro.pass.mlir")


def _boundary(facts: Sequence[Fact] | None) -> Iterator[str]:
    if facts is None:
        return
    yield "### What the failure needs"
    rows = [_boundary_row(fact) for fact in facts]
    head = ("", "Value", "Changed to", "Result")
    yield md.table(head, rows) if rows else "No part of the program could be changed."


def _boundary_row(fact: Fact) -> tuple[str, ...]:
    then = _THEN[fact.verdict]
    if fact.verdict is Verdict.OTHER_FAILURE:
        then += f": {md.code(_cut(fact.outcome))}"
    if fact.still and fact.verdict is not Verdict.SAME:
        then += f"; still fails with {', '.join(map(md.code, fact.still))}"
    change = fact.change or ", ".join(fact.still)
    where = f" (line {fact.line})" if fact.line else ""
    now = md.code(_cut(fact.now)) if fact.now else ""
    return (f"{fact.kind} {md.code(_cut(fact.subject))}{where}", now, _change(change), then)


def _change(change: str) -> str:
    """A change as markup: a value as code, a plain word unchanged."""
    return change if change.isalpha() or not change else md.code(_cut(change))


def _neighbour(facts: Sequence[Fact] | None) -> str:
    """A sentence about the nearest programs that compile."""
    near = [
        f"{md.code(fact.change)} instead of {md.code(fact.now)}"
        for fact in facts or ()
        if fact.kind in ("size", "element type") and fact.verdict is Verdict.NOT_INTERESTING
    ]
    return f" It does compile with {', or with '.join(near[:3])} (see below)." if near else ""


def _releases(facts: Facts) -> Iterator[str]:
    if facts.versions is None:
        return
    yield "### Versions"
    rows = [
        (md.code(one.version), md.plain(one.verdict), md.code(_cut(one.note)) if one.note else "")
        for one in facts.versions
    ]
    yield md.table((RELEASES.compiler_package, "", ""), rows)


def _elsewhere(health: HealthRecord | None) -> Iterator[str]:
    """Where else the program compiles, and whether a larger one did."""
    if health is None or not health.places:
        return
    rows = [
        (one.kind, md.code(one.name), one.health, one.before if one.before != one.health else "")
        for one in health.places
    ]
    body = md.table(("", "", "Result", "Before it was reduced"), rows)
    yield md.folded("Other targets, releases and optimization levels", body)
    if health.doubt:
        yield f"**Doubtful:** this may be another bug than the input's: {md.plain(health.doubt)}."


def _log(facts: Facts) -> Iterator[str]:
    """The compiler's output, if it contains more than the messages."""
    log = facts.log
    if not log.strip() or log.strip() in "\n".join(facts.messages):
        return
    if len(log) > _LOG:
        log = log[:_LOG].rstrip() + "…"
    producer = "Comparison" if facts.signature.kind.traits.wrong_results else "Compiler"
    yield md.folded(f"{producer} output", md.fenced(log))


def _notes(facts: Facts, left_out: Sequence[str]) -> Iterator[str]:
    lines = [f"- {md.plain(note)}" for note in facts.notes]
    if left_out:
        names = ", ".join(map(md.code, left_out))
        lines.append(f"- Left out to keep the archive below 25 MB: {names}")
    if lines:
        yield "\n".join(lines)


# ---- helpers ---------------------------------------------------------------------------------


def _inline(text: str, name: str) -> str:
    """A small program in full, or the start of a larger one and where to find it."""
    if len(text) <= _INLINE and text.count("\n") <= _INLINE_LINES:
        return md.fenced(text, "mlir")
    lines = text.splitlines()
    head = "\n".join(line[:160] for line in lines[:12])
    rest = f"… {len(lines):,} lines in total; see `{name}` in the archive."
    return f"{md.fenced(head, 'mlir')}\n\n{rest}"


def _shell(words: Sequence[str]) -> str:
    """The words as one shell command."""
    return " ".join(map(shell_word, words))


def _cut(text: str) -> str:
    return text if len(text) <= _CELL else f"{text[: _CELL - 1]}…"

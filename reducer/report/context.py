"""The additional context of a report: stack, other programs, dependences, and history."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from oracles.compilers.command import INPUT
from oracles.profiles import RELEASES
from reducer.driver.records.figures import Origin, OtherFailureRecord
from reducer.driver.records.record import ReductionRecord
from reducer.driver.stages.own_shapes import LEVEL as OWN_SHAPES
from reducer.driver.stages.second_program import shell_line
from reducer.explain.explainer import Fact
from reducer.identity.builds.record import HealthRecord
from reducer.identity.compiler_changed import REPLACED
from reducer.locate.blame import Blame
from reducer.locate.blamed import BlamedRewrite
from reducer.report import markdown as md
from reducer.report.facts import AFTER_REWRITE, BEFORE_REWRITE, OUTPUT, Facts, LevelFile, PassFile
from reducer.report.markdown import Passage
from reducer.report.wording import exit_status, suspect_ops, target_of
from reducer.search.candidate import Verdict
from reducer.units import cut

_INLINE, _INLINE_LINES = 12_000, 160  # characters and lines; longer programs stay in their file
_HEAD, _HEAD_WIDTH = 12, 160  # lines of such a program that are shown, and characters of each
_RAW = 12_000  # characters of a backtrace
_CELL = 90
_WIDTH = 110
_SIGNATURE = 400
_SHOWN = 12
_PLACES = ("phase", "dispatch", "pass")  # what has no section of its own
_THEN = {
    Verdict.NOT_INTERESTING: "passes",
    Verdict.OTHER_FAILURE: "fails differently",
    Verdict.TIMEOUT: "times out",
    Verdict.INVALID: "is invalid IR",
    Verdict.SAME: "still fails",
}


def parts(facts: Facts, left_out: Sequence[str]) -> Iterator[Passage]:
    """All of it, in order; `left_out` are files that do not fit into the archive."""
    yield Passage(_table(facts))
    yield from _stack(facts)
    for level in facts.level_files:
        yield from _level(level)
    yield from _pass_level(facts.pass_file)
    yield from _rewrite(facts.rewrite)
    yield from _boundary(facts.boundary)
    yield from _releases(facts)
    yield from _elsewhere(facts.record.health, {one.version for one in facts.versions or ()})
    yield from _log(facts)
    yield from _origin(facts.record.origin or ())
    yield from _reduction(facts)
    yield from _also_found(facts.record.also_found or ())
    yield from _notes(facts, left_out)


def elsewhere(name: str) -> str:
    """What stands in the place of something that is too long."""
    return f"(Too long for an issue; see `{name}` in the zip.)"


def program(text: str, name: str) -> Passage:
    """A small program in full, or the start of a larger one and where to find it."""
    lines = text.splitlines()
    head = "\n".join(line[:_HEAD_WIDTH] for line in lines[:_HEAD])
    start = (
        f"{md.fenced(head, 'mlir')}\n\n(… {len(lines):,} lines in all; see `{name}` in the zip.)"
    )
    is_shown = len(text) <= _INLINE and text.count("\n") <= _INLINE_LINES
    return Passage(md.fenced(text, "mlir"), start) if is_shown else Passage(start)


def is_shown_output(text: str) -> bool:
    """Whether what a compiler has printed stands in the report in full."""
    return len(text) <= _RAW


def shortened(text: str) -> str:
    """The text, shortened to fit a line."""
    return cut(text, _WIDTH)


def _table(facts: Facts) -> str:
    signature = facts.signature
    rows = [
        ("Target", _codes(target_of(facts.check.words))),
        ("Op", _codes(suspect_ops(facts))),
        *((one.kind.capitalize(), _claim(one)) for one in facts.blames if one.kind in _PLACES),
        ("Kind of failure", str(signature.kind).replace("-", " ")),
        ("Signature", md.code(cut(signature.text, _SIGNATURE))),
        ("Bucket", md.code(signature.bucket)),
        ("Exit status", exit_status(facts.exit_code) if facts.exit_code else ""),
        ("Needs", _codes(f"files/{name}" for name in facts.files)),
    ]
    return md.table(("", ""), [row for row in rows if row[1]])


def _claim(blame: Blame) -> str:
    return _with_code(replace(blame, name=f"`{cut(blame.name, _CELL)}`").text)


def _with_code(text: str) -> str:
    """Text as markup, with what is in backticks as code."""
    words = text.split("`")
    return "".join(md.code(one) if at % 2 else md.plain(one) for at, one in enumerate(words))


def _codes(texts: Iterable[str]) -> str:
    each = [md.code(cut(text, _CELL)) for text in texts]
    return ", ".join([*each[:_SHOWN], *(["…"] if len(each) > _SHOWN else [])])


def _stack(facts: Facts) -> Iterator[Passage]:
    if facts.stack:
        yield Passage("#### Stack")
        stack = "\n".join(facts.stack)
        yield Passage(md.fenced(stack), elsewhere("stack.txt"), {"stack.txt": stack})
    if facts.backtrace:
        kept = facts.backtrace[:_RAW].rpartition("\n")[0]
        raw = facts.backtrace if is_shown_output(facts.backtrace) else kept
        more = facts.backtrace.count("\n") - raw.count("\n")
        rest = f"\n\n(… {more:,} more lines; see `{OUTPUT}` in the zip.)" if more else ""
        name = OUTPUT if more else "backtrace.txt"
        instead = f"(Backtrace: see `{name}` in the zip.)"
        files = {} if more else {name: facts.backtrace}
        yield Passage(md.folded("Full backtrace", md.fenced(raw) + rest), instead, files)


def _level(file: LevelFile) -> Iterator[Passage]:
    if file.level == OWN_SHAPES:
        if file.text:
            yield Passage("#### With the shapes of the input")
            yield Passage(f"The program above has simpler shapes. This is {md.plain(file.made)}:")
            yield program(file.text, file.name)
        return
    yield Passage(f"#### In the dialects of the {file.level}")
    told = f"The program above is in different dialects; {file.made}."
    if file.text:
        yield Passage(f"{md.plain(told)} The command fails the same way on this one:")
        yield program(file.text, file.name)
    else:
        yield Passage(md.plain(f"{told} Nothing smaller than the {file.level} is known to fail."))


def _pass_level(file: PassFile | None) -> Iterator[Passage]:
    if file is None:
        return
    name = md.code(shortened(file.name))
    if file.pipeline is not None:
        yield Passage(f"#### IR before the failing pass: {name}")
    else:
        yield Passage(f"#### Invalid IR after the pass {name}" if file.name else "#### Invalid IR")
        yield Passage("It was cut from IR that the verifier rejects, so no pass needs to run.")
    yield program(file.text, "repro.pass.mlir")


def _rewrite(rewrite: BlamedRewrite | None) -> Iterator[Passage]:
    """The rewrite at fault, with the IR before and after it, and what it changes."""
    if rewrite is None or not rewrite.name:
        return
    yield Passage("#### The rewrite at fault")
    place = f" in line {rewrite.line} of the result" if rewrite.line else ""
    op = f"applied to `{rewrite.op}`{place}" if rewrite.op else ""
    told = [rewrite.blame.text, op, rewrite.proof]
    yield Passage(_with_code("; ".join(filter(None, told))))
    if rewrite.difference:
        body = md.fenced("\n".join(rewrite.difference), "diff")
        yield Passage(body, elsewhere("rewrite.diff"), {"rewrite.diff": body})
    if rewrite.before:
        yield Passage("Before it:")
        yield program(rewrite.before, BEFORE_REWRITE)
    if rewrite.alone:
        yield Passage("This command applies only this rewrite:")
        words = [BEFORE_REWRITE if word == INPUT else word for word in rewrite.alone]
        yield Passage(md.fenced(shell_line(words), "sh"))
    if rewrite.after:
        yield Passage("After it:")
        yield program(rewrite.after, AFTER_REWRITE)


def _boundary(facts: Sequence[Fact] | None) -> Iterator[Passage]:
    if facts is None:
        return
    yield Passage("#### What the failure depends on")
    if not facts:
        yield Passage("No part of the program could be changed.")
        return
    body = md.table(("", "Value", "Changed to", "Result"), map(_boundary_row, facts))
    yield Passage(body, elsewhere("boundary.md"), {"boundary.md": f"{body}\n"})


def _boundary_row(fact: Fact) -> tuple[str, ...]:
    then = _THEN[fact.verdict]
    if fact.verdict is Verdict.OTHER_FAILURE:
        then += f": {md.code(cut(fact.outcome, _CELL))}"
    if fact.still and fact.verdict is not Verdict.SAME:
        then += f"; still fails with {', '.join(map(md.code, fact.still))}"
    change = fact.change or ", ".join(fact.still)
    where = f" (line {fact.line})" if fact.line else ""
    now = md.code(cut(fact.now, _CELL)) if fact.now else ""
    return (f"{fact.kind} {md.code(cut(fact.subject, _CELL))}{where}", now, _change(change), then)


def _change(change: str) -> str:
    """A change as markup: a value as code, a plain word unchanged."""
    return change if change.isalpha() or not change else md.code(cut(change, _CELL))


def _releases(facts: Facts) -> Iterator[Passage]:
    if facts.versions is None:
        return
    yield Passage("#### Releases")
    rows = [
        (
            md.code(one.version),
            md.plain(one.verdict),
            md.code(cut(one.note, _CELL)) if one.note else "",
        )
        for one in facts.versions
    ]
    body = md.table((RELEASES.compiler_package, "", ""), rows)
    yield Passage(body, elsewhere("releases.md"), {"releases.md": f"{body}\n"})


def _elsewhere(health: HealthRecord | None, shown: Collection[str]) -> Iterator[Passage]:
    """Where else the program compiles, and whether a larger one did, but for releases `shown`."""
    if health is None or not health.places:
        return
    rows = [
        (one.kind, md.code(one.name), one.health, one.before if one.before != one.health else "")
        for one in health.places
        if one.name not in shown or one.is_lost
    ]
    differs = any(before for *_, before in rows)
    head = ("", "", "Result", *(["Before reduction"] if differs else []))
    body = md.table(head, [row[: len(head)] for row in rows])
    told = md.folded("Other targets, releases and optimization levels", body)
    if rows:
        yield Passage(told, elsewhere("places.md"), {"places.md": f"{body}\n"})
    if health.doubt:
        doubt = md.plain(cut(health.doubt, _SIGNATURE))
        yield Passage(f"**Caution:** this may not be the original bug: {doubt}.")


def _log(facts: Facts) -> Iterator[Passage]:
    """The compiler's output, if it contains more than the messages."""
    log, whole = facts.log.strip(), facts.output
    shown = "\n".join(facts.messages)
    if not whole and (not log or log in shown):
        return
    produced = "Comparison" if facts.signature.kind.traits.wrong_results else "Compiler output"
    if is_shown_output(whole):
        yield Passage(
            md.folded(produced, md.fenced(whole or log)),
            f"({produced}: see `{OUTPUT}` in the zip.)",
            {OUTPUT: whole or log},
        )
        return
    all_of_it = f"The whole output is in `{OUTPUT}` in the zip."
    body = "\n\n".join(filter(None, [md.fenced(log) if log else "", all_of_it]))
    yield Passage(md.folded(produced, body), f"({produced}: see `{OUTPUT}` in the zip.)")


def _origin(places: Sequence[Origin]) -> Iterator[Passage]:
    """The source locations of the program's ops in the input."""
    if not places:
        return
    rows = [
        (
            md.code(shortened(f"{one.file or 'input'}:{one.line or '?'}")),
            md.code(shortened(one.op)),
            md.code(shortened(one.text)) if one.text else "",
        )
        for one in places[:_SHOWN]
    ]
    yield Passage("#### Where it is in the original input")
    yield Passage(md.table(("Location", "Op", ""), rows))
    if len(places) > _SHOWN:
        yield Passage(f"… and {len(places) - _SHOWN} more.")


def _reduction(facts: Facts) -> Iterator[Passage]:
    """Sizes before and after the reduction, and its cost."""
    before = facts.record.input
    if before is None:
        return
    yield Passage("#### Reduction")
    rows = [
        ("lines", f"{before.lines:,}", f"{facts.lines:,}"),
        ("ops", f"{before.ops:,}", f"{facts.ops:,}"),
        ("bytes", f"{before.bytes:,}", f"{facts.bytes:,}"),
    ]
    source = md.code(shortened(facts.source)) if facts.source else ""
    yield Passage(md.table((source, "before", "after"), rows))
    yield Passage(_cost(facts.record))
    if facts.record.degenerate is not None:
        yield Passage(md.plain(cut(facts.record.degenerate.text, _SIGNATURE)))


def _cost(record: ReductionRecord) -> str:
    costs, wall = record.costs, record.wall_seconds
    words = ["? compiler runs"]
    if costs is not None:
        seconds = f"{costs.cpu_seconds:,.0f} s of compiler time"
        words = [f"{costs.calls:,} compiler runs", seconds]
    words += [f"{wall:,.0f} s of wall time"] if wall is not None else []
    end = " No single edit known to mlir-reducer makes it smaller." if record.one_minimal else ""
    return f"{', '.join(words)}.{end}"


def _also_found(others: Sequence[OtherFailureRecord]) -> Iterator[Passage]:
    """Other failures found during the reduction."""
    if not others:
        return
    rows = [(md.code(one.bucket), md.code(shortened(one.text))) for one in others]
    body = md.table(("Bucket", "Failure"), rows)
    yield Passage(
        md.folded("Other failures seen during the reduction (not reduced)", body),
        elsewhere("also-found.md"),
        {"also-found.md": f"{body}\n"},
    )


def _notes(facts: Facts, left_out: Sequence[str]) -> Iterator[Passage]:
    if REPLACED in (facts.record.notes or ()):
        yield Passage(f"**Caution:** {REPLACED}.")
    lines = [f"- {md.plain(note)}" for note in facts.notes]
    if left_out:
        lines.append(f"- Left out of the zip to keep it below 25 MB: {_codes(left_out)}")
    if lines:
        yield Passage("\n".join(lines))

"""`mlir-reducer explain`: show what a failure needs, and what refused candidates."""

from pathlib import Path

from reducer import api
from reducer.cli.display.console import show
from reducer.cli.display.layout import Part, Table
from reducer.cli.display.record import recorded_input, write_json
from reducer.cli.request.failing import failing_program, record_findings
from reducer.cli.request.oracle_options import OracleOptions
from reducer.driver.records.history import RefusedBy, reading
from reducer.errors import BadInput
from reducer.escaping import one_line
from reducer.explain.explainer import Explanation, Fact
from reducer.search.candidate import Verdict
from reducer.storage.result_folder import ResultFolder
from reducer.units import cut, duration, plural

_NARROW, _WIDE = 56, 100  # widths of a column in characters
_ENDINGS = {
    Verdict.NOT_INTERESTING: "passes",
    Verdict.OTHER_FAILURE: "fails differently",
    Verdict.TIMEOUT: "times out",
    Verdict.INVALID: "is invalid IR",
    Verdict.SAME: "still fails",
}


def explain(asked: OracleOptions) -> int:
    """Show which flags, ops, attributes, sizes, and element types of INPUT the failure needs."""
    if asked.rejected:
        return _explain_rejected(ResultFolder.result_of(asked.source), asked.json_target)
    explanation = explained(asked)
    if asked.json_target is not None:
        write_json(asked.json_target, explanation.to_json())
    if asked.json_target != "-":
        show(*_as_parts(explanation))
    return 0


def explained(asked: OracleOptions) -> Explanation:
    """What the failure of COMMAND on INPUT needs; the record of a result has it from now on."""
    asked, _ = recorded_input(asked)
    with failing_program(asked, jobs=int(asked.jobs)) as it:
        explanation = api.explain(it, parts=asked.parts)
    facts = [fact.to_json() for fact in explanation.facts]
    record_findings(it, explanation.outcome, boundary=facts)
    return explanation


def _explain_rejected(result: Path, json_target: str | None) -> int:
    """Show which conditions have refused candidates of a reduction, as its journal says."""
    path = ResultFolder.of(result).journal
    with reading(path) as journal:
        refused = journal.history().refused_most_first()
    if not refused:
        raise BadInput(
            f"{path} does not say why candidates were refused; run the same command again to "
            "record it"
        )
    if json_target is not None:
        rows = [{"condition": name, **vars(found)} for name, found in refused]
        write_json(json_target, {"refused": rows})
    if json_target != "-":
        head = ("refused by", "candidates", "first reason")
        show(Table([_rejected_row(name, found) for name, found in refused], head, frozenset({1})))
    return 0


def _rejected_row(name: str, found: RefusedBy) -> tuple[str, str, str]:
    first = ": ".join(filter(None, (found.origin, found.reason)))
    return name, f"{found.candidates:,}", _cut(first, _WIDE)


def _as_parts(explanation: Explanation) -> list[Part]:
    spent = explanation.cost
    cost = f"{plural(spent.calls, 'run')}, {duration(spent.cpu_seconds)} of CPU time"
    left = f"{plural(explanation.left_out, 'part')} farther away left alone (--parts 0 changes all)"
    more = [left] if explanation.left_out else []
    table = Table([_row(fact) for fact in explanation.facts])
    return [f"failure: {explanation.outcome.signature.text}", "", table, "", *more, cost]


def _row(fact: Fact) -> tuple[str, str, str, str]:
    """The part, its current value, the change, and the effect."""
    where = f" (line {fact.line})" if fact.line else ""
    then = _ENDINGS[fact.verdict]
    if fact.verdict is Verdict.OTHER_FAILURE:
        then += f": {fact.outcome}"
    if fact.still and fact.verdict is not Verdict.SAME:
        then += f"; still fails with {', '.join(fact.still)}"
    change = fact.change or ", ".join(fact.still)
    return (
        _cut(f"{fact.kind} {fact.subject}", _NARROW) + where,
        _cut(fact.now, _NARROW),
        f"→ {_cut(change, _NARROW)}" if change else "",
        _cut(then, _WIDE),
    )


def _cut(text: str, width: int) -> str:
    return cut(one_line(text), width)

"""The parts of the report that come from a reduction: origin, cost, other failures."""

from collections.abc import Iterator

from reducer.bundle import markdown as md
from reducer.bundle.facts import Facts, History

_SHOWN = 12
_WIDTH = 110


def origin(history: History) -> Iterator[str]:
    """Where the operations of the program are in the input."""
    places = history.items("origin")
    if not places:
        return
    rows = [
        (
            md.code(f"{one.get('file') or 'input'}:{one.get('line', '?')}"),
            md.code(str(one.get("op", ""))),
            md.code(_cut(str(one.get("text", "")))) if one.get("text") else "",
        )
        for one in places[:_SHOWN]
    ]
    yield "### Where it comes from"
    yield md.table(("Input", "Op", ""), rows)
    if len(places) > _SHOWN:
        yield f"… and {len(places) - _SHOWN} more."


def reduction(facts: Facts) -> Iterator[str]:
    """Sizes before and after, and what that took."""
    history = facts.history
    before = history.number("input", "ops")
    if before is None:
        return
    yield "### How it was reduced"
    after = {"lines": facts.lines, "ops": facts.ops, "bytes": facts.bytes}
    rows = [(unit, _number(history.number("input", unit)), _number(after[unit])) for unit in after]
    yield md.table((md.code(facts.source) if facts.source else "", "before", "after"), rows)
    yield _cost(history)


def also_found(history: History) -> Iterator[str]:
    """Other failures met on the way."""
    others = history.items("also_found")
    if not others:
        return
    rows = [
        (md.code(str(one.get("bucket", ""))), md.code(_cut(str(one.get("text", "")))))
        for one in others
    ]
    body = md.table(("Bucket", "Failure"), rows)
    yield md.folded("Other failures met on the way, not reduced", body)


def _cost(history: History) -> str:
    calls = history.number("oracle", "calls")
    compiler = history.number("oracle", "compiler_seconds")
    wall = history.number("wall_seconds")
    words = [f"{_number(calls)} runs of the compiler"]
    words += [f"{compiler:,.0f} s of its time"] if compiler is not None else []
    words += [f"{wall:,.0f} s in all"] if wall is not None else []
    minimal = history.record.get("one_minimal") is True
    end = " Nothing more can be taken away by one step." if minimal else ""
    return f"{', '.join(words)}.{end}"


def _number(value: float | None) -> str:
    return "?" if value is None else f"{value:,.0f}"


def _cut(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"

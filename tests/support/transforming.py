"""Samples of transformations: MLIR, and what becomes of it at some of its sites.

    ////
    BEFORE
    //// at 0, 2 of 3: what this shows
    AFTER
    //// at all of 3: what else

Nothing follows where there is no site (`at all of 0`), or where the transformation refuses. A
program in generic form may be its functions only, or the body of one without a return of nothing,
behind aliases. Afterwards, `...` may stand for lines that stay; then `- ` is before those that go.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from reducer.ir import Module, PlainText
from reducer.ir.function_types import function_type
from reducer.ir.lexer import split_commas
from reducer.transformations import (
    BoundaryTypes,
    Transformation,
    control_flow_transformations,
    last_transformations,
    standard_transformations,
    text_transformations,
)
from reducer.transformations.constants_for_ops import ReplaceByConstants
from reducer.transformations.delete_users import DeleteWithUsers
from reducer.transformations.rename_symbols import RenameSymbols
from tests.support.wellformed import problems

_STEP = re.compile(r"^//// (at (?:all|[\d, ]+) of \d+: .*)\n", re.MULTILINE)
_SITES = re.compile(r"at (all|[\d, ]+) of (\d+): (.*)")
_ARGUMENTS = re.compile(r"\^bb0\((.*)\):")
_RETURN = '"func.return"() : () -> ()'
_RETURNED = re.compile(r" : \((.*)\) -> \(\)")
TRANSFORMATIONS: dict[str, Transformation[Any]] = {
    one.name: one
    for one in (
        *standard_transformations(BoundaryTypes(frozenset())),
        *control_flow_transformations(),
        *last_transformations(),
        DeleteWithUsers(),
        RenameSymbols(),
        ReplaceByConstants(),
    )
}
OF_TEXT: dict[str, Transformation[Any]] = {one.name: one for one in text_transformations()}
FOLDER = Path(__file__).parents[1] / "transformations" / "samples"


@dataclass(frozen=True)
class Sample:
    """A text, and what a transformation makes of it at sites with these numbers, out of so many."""

    title: str
    before: str
    at: tuple[int, ...]
    of: int
    after: str


def samples(text: str) -> Iterator[Sample]:
    """The samples of a file."""
    for part in re.split(r"^////\n", text, flags=re.MULTILINE)[1:]:
        before, *steps = _STEP.split(part)
        for head, after in zip(steps[::2], steps[1::2], strict=True):
            at, of, title = _SITES.fullmatch(head).groups()  # type: ignore[union-attr]
            numbers = range(int(of)) if at == "all" else map(int, at.split(","))
            yield Sample(title, before, tuple(numbers), int(of), after)


def check(transformation: Transformation[Any], sample: Sample) -> None:
    """Compare what a transformation does with a sample of it; indentation does not count."""
    of_text = transformation in OF_TEXT.values()
    document = PlainText(sample.before) if of_text else Module.parse(whole(sample.before))
    sites = transformation.sites(document)
    assert len(sites) == sample.of
    chosen = [sites[number] for number in sample.at]
    after = transformation.apply(document, chosen) if chosen else None
    if after is not None and not of_text:
        assert problems(Module.parse(after)) == []
    shown = str if of_text else body
    before, made, expected = map(_lines, (shown(document.text), shown(after or ""), sample.after))
    assert expected == (elided(before, made) if "..." in expected else made)


def elided(before: list[str], after: list[str]) -> list[str]:
    """The lines afterwards, with `...` for those that stay, and `- ` before those that go."""
    out: list[str] = []
    changes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    for change, first, last, start, end in changes:
        if change == "equal" and end - start > 1:
            out.append("...")
        else:
            gone = before[first:last] if last - first > end - start else []
            out += [*(f"- {line}" for line in gone), *after[start:end]]
    return out


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


def body(text: str) -> str:
    """What `whole` makes a text of; the text itself if there is nothing."""
    lines = text.splitlines()
    count = _first_op(lines)
    for around, indent in ((2, r" {2,4}"), (1, r" {2}")):
        inside = [re.sub(f"^{indent}", "", line) for line in lines[count + around : -around]]
        if len(inside) > 1 and inside[-1] == _RETURN:
            inside.pop()
        shown = "".join(f"{line}\n" for line in (*lines[:count], *inside))
        if inside and _lines(whole(shown)) == _lines(text):
            return shown
    return text


def whole(text: str) -> str:
    """A module in generic form, of its functions, or of the body of a function `f`."""
    lines = text.splitlines()
    count = _first_op(lines)
    head, inside = lines[:count], lines[count:]
    if not inside or inside[0].startswith('"builtin.module"'):
        return text
    if not any(line.startswith('"func.func"') for line in inside):
        inside = _function(inside)
    inside = [f"  {line}" for line in inside]
    return "\n".join([*head, '"builtin.module"() ({', *inside, "}) : () -> ()", ""])


def _first_op(lines: list[str]) -> int:
    return next((n for n, line in enumerate(lines) if not line.startswith(("#", "!"))), 0)


def _function(body: list[str]) -> list[str]:
    if not any('"func.return"' in line for line in body):
        body = [*body, _RETURN]
    label, returned = _ARGUMENTS.fullmatch(body[0]), _RETURNED.search(body[-1])
    arguments = label[1].split(", %") if label else []
    kinds = [part.partition(": ")[2] for part in arguments]
    type_ = function_type(kinds, split_commas(returned[1]) if returned else [])
    head = f'"func.func"() <{{function_type = {type_}, sym_name = "f"}}> ({{'
    return [head, *(f"  {line}" for line in body), "}) : () -> ()"]

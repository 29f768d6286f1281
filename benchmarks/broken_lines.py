"""Lines of a program as a tired person might have written them.

A condition is negated, `and` stands for `or`, a comparison is turned round or off by one, a number
is off by one, a call or a `not` is missing, two arguments are swapped, the other truth value is
returned, a key or a flag is misspelled, or `break` stands for `continue`.
"""

import ast
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_MISTAKES: dict[type[ast.AST], tuple[str, ...]] = {
    ast.And: ("and", "or"), ast.Or: ("or", "and"), ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="),
    ast.Lt: ("<", "<=", ">"), ast.LtE: ("<=", "<", ">="), ast.Gt: (">", ">=", "<"),
    ast.GtE: (">=", ">", "<="), ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"), ast.NotIn: ("not in", "in"),
}  # fmt: skip
"""How each operator is written, and what is written for it by mistake."""

_Edit = tuple[int, int, int, int, str, str]
"""From which line and byte to which one to replace what by what."""


class Break(NamedTuple):
    """One line, before and after."""

    file: str
    line: int
    before: str
    after: str


def draw(root: Path, seed: str, number: int) -> list[Break]:
    """Different breaks of the packages in a folder; equal seeds draw equal ones."""
    rng = random.Random(seed)
    folders: dict[Path, list[Path]] = {}
    for file in sorted([*root.glob("oracles/**/*.py"), *root.glob("reducer/**/*.py")]):
        folders.setdefault(file.parent, []).append(file)
    drawn: list[Break] = []
    while len(drawn) < number:
        files = rng.choice(list(folders.values()))
        for file in rng.sample(files, len(files)):
            found = breaks(file.read_text(encoding="utf-8"), file.relative_to(root).as_posix(), rng)
            if each := next((each for each in found if each not in drawn), None):
                drawn.append(each)
                break
    return drawn


def breaks(source: str, name: str, rng: random.Random) -> Iterator[Break]:
    """All breaks of a module, in random order; each is valid Python and means something else."""
    tree = ast.parse(source)
    lines = [line.encode() for line in source.splitlines()]
    edits: dict[int, list[_Edit]] = {}
    for edit in (edit for node in _code(tree) for edit in _edits(node)):
        edits.setdefault(edit[0], []).append(edit)
    for number in rng.sample(list(edits), len(edits)):
        line = lines[number - 1]
        for _, start, last, end, old, new in rng.sample(edits[number], len(edits[number])):
            part = re.sub(old.encode(), new.encode(), line[start:end], count=1)
            after = line[:start] + part + line[end:]
            try:
                broken = ast.parse(b"\n".join([*lines[: number - 1], after, *lines[number:]]))
            except SyntaxError:
                continue
            if number == last and ast.dump(broken) != ast.dump(tree):
                yield Break(name, number, line.decode().strip(), after.decode().strip())


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it, except documentation, imports, and types."""
    match node:
        case (
            ast.Import() | ast.ImportFrom() | ast.JoinedStr() | ast.Expr(value=ast.Constant())
            | ast.If(test=ast.Name("TYPE_CHECKING")) | ast.Assign(targets=[ast.Name("__all__")])
            | ast.Subscript(value=ast.Name("Literal"))
        ):  # fmt: skip
            return
    yield node
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and field not in ("annotation", "returns"):
                yield from _code(child)


def _edits(node: ast.AST) -> Iterator[_Edit]:
    match node:
        case (
            ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test)
            | ast.comprehension(ifs=[test, *_])
        ):  # fmt: skip
            yield *_place(test), "^(.*)$", r"not (\1)"
        case (
            ast.BoolOp(op=operator, values=[left, right, *_])
            | ast.Compare(left=left, ops=[operator], comparators=[right])
        ):  # fmt: skip
            for mistake in _MISTAKES[type(operator)][1:]:
                written = _MISTAKES[type(operator)][0]
                yield *_place(left)[2:], *_place(right)[:2], written, mistake
        case ast.Expr(value=ast.Call() | ast.Await()):
            yield *_place(node), "^.*$", "pass"
        case ast.UnaryOp(op=ast.Not()):
            yield *_place(node), "^not ", ""
        case ast.Return(value=ast.Constant(value=bool(value))):
            yield *_place(node), str(value), str(not value)
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            yield *_place(node), "^.*$", str(value - 1)
            yield *_place(node), "^.*$", str(value + 1)
        case ast.Continue():
            yield *_place(node), "continue", "break"
        case ast.Break():
            yield *_place(node), "break", "continue"
        case ast.Call(args=[left, right, *_]):
            (_, a, _, b), (_, c, _, d) = _place(left), _place(right)
            swapped = f"^(.{{{b - a}}})(.*)(.{{{d - c}}})$"
            yield *_place(left)[:2], *_place(right)[2:], swapped, r"\3\2\1"
    match node:  # the names of keys and flags
        case (
            ast.Subscript(slice=ast.Constant(value=str()) as name)
            | ast.Dict(keys=[ast.Constant(value=str()) as name, *_])
            | ast.Call(
                func=ast.Attribute(attr="get" | "pop" | "setdefault"),
                args=[ast.Constant(value=str()) as name, *_],
            )
        ):  # fmt: skip
            yield *_place(name), '(.)(.)"$', r'\2\1"'
        case ast.Constant(value=str(flag)) if re.fullmatch(r"--?[a-z][\w-]+", flag):
            yield *_place(node), '(.)(.)"$', r'\2\1"'


def _place(node: ast.expr | ast.stmt) -> tuple[int, int, int, int]:
    return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0

"""Text files are read and written as UTF-8, whatever the locale of the machine is."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("package", ["benchmarks", "oracles", "reducer"])
def test_every_text_file_is_opened_with_an_encoding(package: str) -> None:
    places = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / package).rglob("*.py"))
        for line in without_encoding(path.read_text(encoding="utf-8"))
    ]
    assert not places, "say encoding="


def test_what_counts_as_opened_without_an_encoding() -> None:
    for bad in ("p.read_text()", "p.write_text(x)", "p.open()", 'p.open("w")', "open(x)"):
        assert list(without_encoding(bad)) == [1], bad
    for good in (
        'p.read_text(encoding="utf-8")',
        'p.open("rb")',
        'open(x, "wb")',
        'open(x, "w", encoding="ascii")',
        "os.open(x, flags)",
        "Journal.open(x)",
    ):
        assert list(without_encoding(good)) == [], good


def without_encoding(source: str) -> Iterator[int]:
    """The lines of calls that leave the encoding to the locale, found by the names of methods.

    Ruff's PLW1514 sees only those whose receiver it knows to be a path.
    """
    relevant = re.search(r"\b(open|read_text|write_text)\(", source)
    for node in ast.walk(ast.parse(source if relevant else "")):
        if not isinstance(node, ast.Call) or not opens_text(node):
            continue
        if not any(keyword.arg == "encoding" for keyword in node.keywords):
            yield node.lineno


def opens_text(call: ast.Call) -> bool:
    match call.func:
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super"))):  # no path is
            return False
        case ast.Attribute(attr="read_text" | "write_text"):
            return True
        case ast.Attribute(attr="open"):  # of a path; others are given what to open
            return is_text_mode(call.args)
        case ast.Name(id="open"):
            return is_text_mode(call.args[1:])
    return False


def is_text_mode(arguments: list[ast.expr]) -> bool:
    match arguments:
        case []:
            return True
        case [ast.Constant(value=str(mode)), *_]:
            return "b" not in mode
    return False

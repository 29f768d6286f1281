"""Every message that ends the program has the same style: what is wrong; what to do."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from reducer import errors

ROOT = Path(__file__).parents[1]
NAMES = {name for name, value in vars(errors).items() if isinstance(value, type)} | {
    "ToolchainError",
    "PluginError",
}
_VALUE = "\N{REPLACEMENT CHARACTER}"  # stands for what is filled in


def messages() -> Iterator[tuple[str, str]]:
    """Where each error is raised with a text of its own, and the text."""
    for package in ("oracles", "reducer"):
        for path in sorted((ROOT / package).rglob("*.py")):
            source = path.read_text(encoding="utf-8")
            for node in ast.walk(ast.parse(source if "raise " in source else "")):
                raised = node.exc if isinstance(node, ast.Raise) else None
                if isinstance(raised, ast.Call) and raised.args and _name(raised) in NAMES:
                    text = "".join(_parts(raised.args[0]))
                    if text.strip(_VALUE):
                        yield f"{path.relative_to(ROOT)}:{node.lineno}", text


def _name(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _parts(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        for part in node.values:
            yield from _parts(part)
    else:
        yield _VALUE


def faults(text: str) -> Iterator[str]:
    """What should be done otherwise."""
    if re.match(r"[A-Z][a-z]", text):
        yield "begin with a small letter"
    if text.endswith((".", "!")):
        yield "end without a period"
    if "\n" in text:
        yield "write one line"
    if re.search(r"\b(please|sorry|invalid argument)\b", text, re.I):
        yield "say what to do"


def test_a_message_is_one_phrase() -> None:
    found = list(messages())
    assert len(found) > 100
    assert [f"{place}: {fault}" for place, text in found for fault in faults(text)] == []


@pytest.mark.parametrize(
    "text", ["No such file", "no such file.", "no such\nfile", "please name a file"]
)
def test_what_is_no_phrase(text: str) -> None:
    assert len(list(faults(text))) == 1
    assert not list(faults("no such file; name one"))

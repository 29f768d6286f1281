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
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
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


@pytest.mark.parametrize(("place", "text"), [*messages()])
def test_a_message_is_one_phrase(place: str, text: str) -> None:
    assert not re.match(r"[A-Z][a-z]", text), "begin with a small letter"
    assert not text.endswith((".", "!")), "end without a period"
    assert "\n" not in text, "write one line"
    assert not re.search(r"\b(please|sorry|invalid argument)\b", text, re.I), "say what to do"


def test_there_are_messages() -> None:
    assert len(list(messages())) > 100

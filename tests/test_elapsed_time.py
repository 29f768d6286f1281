"""What a busy machine prolongs decides nothing: neither a result nor a sentence."""

import ast
from collections.abc import Iterator
from pathlib import Path

HOME = Path(__file__).parents[1]
RUNS = frozenset(("outcome", "first", "known", "result", "self", "one"))
"""Names of what has the elapsed time of a run as `seconds`."""

BOUNDING = ("max", "min", "int")

ALLOWED = {
    "reducer/explain/explainer.py": "a limit that a busy machine only raises",
    "reducer/bisect/classifier.py": "the same",
    "reducer/locate/rewrite.py": "the same",
    "reducer/search/speculation.py": "whether to run again what was run ahead",
    "reducer/driver/comments.py": "shown",
    "reducer/triage/buckets.py": "of CPU time, as the database has it",
}


def _decisions(tree: ast.AST) -> Iterator[ast.AST]:
    """What is compared, and what bounds or rounds something."""
    for node in ast.walk(tree):
        compares = isinstance(node, ast.Compare) and not isinstance(node.ops[0], ast.Is | ast.IsNot)
        calls = isinstance(node, ast.Call) and getattr(node.func, "id", "") in BOUNDING
        if compares or calls:
            yield node


def _is_elapsed(node: ast.AST) -> bool:
    """Whether this is the elapsed time of a run: `outcome.seconds`, `context.first.seconds`…"""
    if not isinstance(node, ast.Attribute) or node.attr != "seconds":
        return False
    owner = node.value
    name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
    return name in RUNS


def test_no_decision_depends_on_elapsed_time() -> None:
    found = set()
    for package in ("reducer", "oracles"):
        for path in (HOME / package).rglob("*.py"):
            source = path.read_text(encoding="utf-8")
            decisions = _decisions(ast.parse(source if ".seconds" in source else ""))
            if any(_is_elapsed(node) for one in decisions for node in ast.walk(one)):
                found.add(str(path.relative_to(HOME)))
    assert found <= set(ALLOWED)

"""The names that users may rely on are those that the documentation has, as they are declared.

`public_names.txt` has them, so that whoever changes one notices, and says so in the changelog.
`python -m tests.test_public_names` prints that file anew.
"""

import ast
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]
TABLE = Path(__file__).with_name("public_names.txt")
FOR_USERS = "python.md", "custom-oracle.md", "agents.md"
"""Pages whose Python code is outside of this repository; extending.md adds to what is inside."""


def documented() -> list[str]:
    """Names that users' code imports, and modules and names that any page has in full."""
    found = set()
    for page in (ROOT / "docs").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        found |= set(re.findall(r"`((?:reducer|oracles)(?:\.\w+)+)`", text))
        blocks = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
        if page.name in FOR_USERS:
            found |= {name for block in blocks for name in imported(block)}
    return sorted(found)


def imported(code: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and re.match(r"(reducer|oracles)\b", node.module or ""):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def declared() -> str:
    """A line for each name, and for each public member of a class, as it is written there."""
    lines: list[str] = []
    for name in documented():
        module, _, attribute = name.rpartition(".")
        thing = getattr(importlib.import_module(module), attribute, None)
        if thing is None or isinstance(thing, ModuleType):
            lines += of_module(name, importlib.import_module(name))
        elif hasattr(thing, "__module__") and not hasattr(thing, "__args__"):
            lines += of(name, node_of(thing))
        else:
            lines.append(f"{name} = {thing}")
    return "".join(f"{line}\n" for line in dict.fromkeys(lines))


def node_of(thing: object) -> ast.stmt:
    return ast.parse(textwrap.dedent(inspect.getsource(thing))).body[0]


def of_module(name: str, module: ModuleType) -> Iterator[str]:
    """What a module defines itself."""
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield from of(f"{name}.{node.name}", node)


def of(name: str, node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef):
        returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        marks = "".join(f" @{ast.unparse(one)}" for one in node.decorator_list)
        yield f"{name}({ast.unparse(node.args)}){returned}{marks}"
    elif isinstance(node, ast.AnnAssign):
        has_default = "" if node.value is None else " = …"
        yield f"{name}: {ast.unparse(node.annotation)}{has_default}"
    elif isinstance(node, ast.Assign):
        yield f"{name} = {ast.unparse(node.value)}"
    elif isinstance(node, ast.ClassDef):
        yield f"class {name}({', '.join(map(ast.unparse, node.bases))})"
        for member in node.body:
            names = [*map(ast.unparse, getattr(member, "targets", ()))]
            names += [getattr(member, "name", "")] if hasattr(member, "name") else []
            names += [member.target.id] if isinstance(member, ast.AnnAssign) else []
            public = [one for one in names if not one.startswith("_") or one == "__init__"]
            yield from (line for one in public for line in of(f"{name}.{one}", member))


def test_public_names_change_on_purpose() -> None:
    assert declared() == TABLE.read_text(encoding="utf-8"), (
        "if it is on purpose: python -m tests.test_public_names > tests/public_names.txt"
    )


def test_the_packages_are_typed_for_others() -> None:
    assert all((ROOT / name / "py.typed").is_file() for name in ("reducer", "oracles"))


if __name__ == "__main__":
    print(declared(), end="")

"""Imports run one way: a package only knows those that stand below it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# From the top down; packages of one line know nothing of each other.
LAYERS = (
    ("cli",),
    ("cluster", "bundle"),
    ("triage", "page"),
    ("releases",),
    ("inspection",),
    ("session",),
    ("search", "locate", "storage"),
    ("transformations",),
    ("ir", "toolchain"),
    ("oracles",),
    ("errors", "units"),
)
LAYER = {name: number for number, names in enumerate(LAYERS) for name in names}


def packages() -> list[str]:
    folders = [path.name for path in (ROOT / "reducer").iterdir() if path.is_dir()]
    return sorted([*(name for name in folders if name != "__pycache__"), "oracles"])


def imported(path: Path) -> Iterator[str]:
    """The packages of ours that a file imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        names = [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for first, *rest in (name.split(".") for name in names):
            if first == "oracles":
                yield first
            elif first == "reducer" and rest:
                yield rest[0]


@pytest.mark.parametrize("package", packages())
def test_a_package_only_knows_those_below_it(package: str) -> None:
    folder = ROOT / package if package == "oracles" else ROOT / "reducer" / package
    upwards = {
        f"{path.relative_to(ROOT)} imports {other}"
        for path in folder.rglob("*.py")
        for other in imported(path)
        if other != package and LAYER[other] <= LAYER[package]
    }
    assert not upwards

"""Imports run one way: a package only knows those that stand below it in docs/design.md."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def layers() -> list[list[str]]:
    """The layers that the page lists, from the top down; those of one line know nothing of each
    other.
    """
    page = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    block = re.search(r"^## What may import what\n.*?^```text\n(.*?)^```", page, re.M | re.S)
    assert block is not None
    return [line.split(", ") for line in block[1].splitlines()]


LAYER = {name: number for number, names in enumerate(layers()) for name in names}


IMPORT = re.compile(
    r"^ *(?:from|import) (?:(?P<oracles>oracles)\b|reducer(?:\.(?P<package>[a-z]\w*)"
    r"| import (?P<names>[\w, ]+|\([\w\s,]+\))))",
    re.M,
)
"""Of ours; what is imported without naming a package are packages."""


def packages() -> dict[str, list[Path]]:
    """The files of each package, and of each module beside them; `oracles` is one package."""
    found = {"oracles": sorted((ROOT / "oracles").rglob("*.py"))}
    for path in (ROOT / "reducer").iterdir():
        if path.suffix == ".py" and not path.name.startswith("__"):
            found[path.stem] = [path]
        elif (path / "__init__.py").is_file():
            found[path.name] = sorted(path.rglob("*.py"))
    return dict(sorted(found.items()))


def imported(path: Path) -> Iterator[str]:
    """The packages of ours that a file imports."""
    for match in IMPORT.finditer(path.read_text(encoding="utf-8")):
        if match["oracles"]:
            yield "oracles"
        elif match["package"]:
            yield match["package"]
        else:
            names = re.findall(r"\b[a-z]\w*", match["names"] or "")
            yield from ("session" if name == "reduce" else name for name in names)


def test_every_package_has_its_layer() -> None:
    assert set(LAYER) == set(packages())


@pytest.mark.parametrize("package", packages())
def test_a_package_only_knows_those_below_it(package: str) -> None:
    upwards = {
        f"{path.relative_to(ROOT)} imports {other}"
        for path in packages()[package]
        for other in imported(path)
        if other != package and LAYER[other] <= LAYER[package]
    }
    assert not upwards

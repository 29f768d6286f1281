"""Imports run one way: a package only knows those that stand below it in docs/architecture.md."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from reducer.search.conditions import ConditionName

ROOT = Path(__file__).parents[1]


def layers() -> list[list[str]]:
    """The layers that the page lists, from the top down; those of one line know nothing of each
    other.
    """
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    block = re.search(r"^## What may import what\n.*?^```text\n(.*?)^```", page, re.M | re.S)
    assert block is not None
    return [line.split(", ") for line in block[1].splitlines()]


MOST_FILES_OF_THE_DRIVER = 280
"""That it may reach by imports: who reads it must hold that many in the head."""

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
            yield from ("driver" if name == "reduce" else name for name in names)


def modules() -> dict[str, Path]:
    """All modules of ours, by name; a package is its `__init__`."""
    found = {}
    for path in [*(ROOT / "oracles").rglob("*.py"), *(ROOT / "reducer").rglob("*.py")]:
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts).removesuffix(".__init__")] = path
    return found


def reached(start: str, known: dict[str, Path]) -> set[str]:
    """The modules that those of a package import when they are loaded or later, and theirs."""
    seen: set[str] = set()
    todo = [name for name in known if f"{name}.".startswith(f"{start}.")]
    while todo:
        if (name := todo.pop()) not in seen:
            seen.add(name)
            for node in ast.walk(ast.parse(known[name].read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and node.module:
                    inside = (f"{node.module}.{one.name}" for one in node.names)
                    todo += [one for one in (node.module, *inside) if one in known]
    return seen


def test_the_driver_reaches_no_room_beside_it() -> None:
    """What reports, triages, bisects or compares results comes in from above, as a value."""
    found = reached("reducer.driver", modules())
    rooms = "cli", "cluster", "explain", "miscompile", "bisect", "report", "triage"
    assert not [name for name in found if name.startswith(tuple(f"reducer.{x}" for x in rooms))]
    assert len(found) <= MOST_FILES_OF_THE_DRIVER


ENTRANCES = {
    *("oracle", "interpreter.reference"),
    *("locate.finding", "locate.locator", "locate.pass_level"),
    *("mlir_runner.pass_pipeline", "mlir_runner.reference", "mlir_runner.tools"),
    *("values.input_files", "values.programs", "values.user_inputs"),
}
"""The modules of `reducer.miscompile` that the rest knows: the command line builds an oracle and
locators of them."""

KNOWING = {
    *("api", "cli.commands.locate", "cli.commands.reduce", "report.making"),
    *(f"cli.request.{name}" for name in ("call_options", "references", "wrong_results")),
}
"""The modules that know any of them; all others ask the oracle."""


def test_wrong_results_are_behind_few_doors() -> None:
    imports = {
        (name.removeprefix("reducer."), node.module.removeprefix("reducer.miscompile."))
        for name, path in modules().items()
        if not name.startswith("reducer.miscompile")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith("reducer.miscompile")
        and node.module
    }
    assert {entrance for _, entrance in imports} <= ENTRANCES
    assert {name for name, _ in imports} <= KNOWING


def test_nobody_asks_for_the_class_of_an_oracle() -> None:
    """But `values_of`, beside the class of the package that nobody below it may know."""
    asking = re.compile(r"\bisinstance\([^)]*Oracle\b")
    found = [name for name, path in modules().items() if asking.search(path.read_text("utf-8"))]
    assert found == ["reducer.miscompile.oracle.values_oracle"]


DEFINING_CONDITIONS = "driver.stages.own_shapes", "identity.conditions", "identity.pretty_form"


def test_only_conditions_refuse() -> None:
    """Each under a name of its own, in the list's module or with what it must know."""
    texts = {name: path.read_text("utf-8") for name, path in modules().items()}
    making = {name for name, text in texts.items() if re.search(r"\bRefusal\(", text)}
    assert making == {f"reducer.{name}" for name in ("search.conditions", *DEFINING_CONDITIONS)}
    named = re.compile(r"(?:name: ClassVar = |Refusal\(|Verdict\.\w+: )ConditionName\.(\w+)")
    found = {(condition, name) for name, text in texts.items() for condition in named.findall(text)}
    assert sorted(one for one, _ in found) == sorted(each.name for each in ConditionName)


def test_a_class_name_has_one_meaning() -> None:
    trees = (ast.parse(path.read_text("utf-8")) for path in modules().values())
    nodes = (node for tree in trees for node in ast.walk(tree))
    names = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    assert not [name for name, count in names.items() if count > 1]


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

"""The examples of docs/extending.md, word for word."""

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from reducer.ir import Module
from reducer.transformations import Transformation

DOCS = (Path(__file__).parents[1] / "docs" / "extending.md").read_text()
EXAMPLE, TEST = re.findall(r"```python\n(.*?)```", DOCS, re.DOTALL)
NAME = "reducer.transformations.replace_by_arguments"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The transformation, as if it lay where the page says."""
    module = ModuleType(NAME)
    exec(EXAMPLE, module.__dict__)
    monkeypatch.setitem(sys.modules, NAME, module)
    return module


def test_the_test_of_the_example_passes(example: ModuleType) -> None:
    names: dict[str, object] = {}
    exec(TEST, names)
    tests = [value for name, value in names.items() if name.startswith("test_") and callable(value)]
    assert len(tests) == 1
    for test in tests:
        test()


def test_the_example_is_a_transformation(example: ModuleType) -> None:
    transformation: Transformation[Module] = example.ReplaceByArguments()
    assert transformation.name == "replace by arguments"
    text = '"builtin.module"() ({\n  "t.alone"() : () -> ()\n}) : () -> ()\n'
    assert transformation.sites(Module.parse(text)) == []


def test_what_the_page_names_is_there() -> None:
    root = Path(__file__).parents[1]
    for path in re.findall(r"`((?:reducer|tests)/[\w/]+\.py)`", DOCS):
        if "replace_by_arguments" not in path:
            assert (root / path).is_file(), path
    for file in re.findall(r"\]\((\w+\.md)", DOCS):
        assert (root / "docs" / file).is_file(), file

"""The examples of docs/extending.md, word for word."""

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from reducer.ir import Module
from reducer.transformations import Transformation

DOCS = (Path(__file__).parents[1] / "docs" / "extending.md").read_text(encoding="utf-8")
EXAMPLE, TEST, *_ = re.findall(r"```python\n(.*?)```", DOCS, re.DOTALL)
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

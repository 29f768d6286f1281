"""The examples of docs/extending.md, word for word."""

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from reducer.ir import Module
from reducer.transformations import Transformation
from tests.support.transforming import check, samples

DOCS = (Path(__file__).parents[1] / "docs" / "extending.md").read_text(encoding="utf-8")
EXAMPLE, *_ = re.findall(r"```python\n(.*?)```", DOCS, re.DOTALL)
(SAMPLE,) = re.findall(r"```mlir\n(.*?)```", DOCS, re.DOTALL)
NAME = "reducer.transformations.replace_by_arguments"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The transformation, as if it lay where the page says."""
    module = ModuleType(NAME)
    exec(EXAMPLE, module.__dict__)
    monkeypatch.setitem(sys.modules, NAME, module)
    return module


def test_the_sample_of_the_example(example: ModuleType) -> None:
    (sample,) = samples(SAMPLE)
    check(example.ReplaceByArguments(), sample)


def test_the_example_is_a_transformation(example: ModuleType) -> None:
    transformation: Transformation[Module] = example.ReplaceByArguments()
    assert transformation.name == "replace by arguments"
    text = '"builtin.module"() ({\n  "t.alone"() : () -> ()\n}) : () -> ()\n'
    assert transformation.sites(Module.parse(text)) == []

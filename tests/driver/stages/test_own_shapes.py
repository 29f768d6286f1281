"""The second program, at the sizes and element types of the input."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from reducer.driver.records.record import Report
from reducer.driver.stages.own_shapes import LEVEL, OwnShapes
from reducer.ir import Module
from tests.support.predicate import PredicateOracle
from tests.support.reducing import reduced_by
from tests.support.sides import function

KIND = "tensor<8x16xf16>"
MATRIX = re.compile(r'"t.bad"\(%.*tensor<\d+x\d+x')
PROGRAM = function(
    f'%0 = "t.good"(%arg0) : ({KIND}) -> {KIND}\n'
    f'%1 = "t.bad"(%0) : ({KIND}) -> {KIND}\n'
    f'"func.return"(%1) : ({KIND}) -> ()\n',
    arguments=f"%arg0: {KIND}",
    results=KIND,
)


def reduced(tmp_path: Path, fails: Callable[[str], bool], *keeps: str) -> Report:
    oracle = PredicateOracle(lambda text: "t.bad" in text and fails(text))
    return reduced_by(oracle, tmp_path, PROGRAM, keeps=frozenset(keeps))


def second(report: Report) -> str:
    (level,) = report.levels
    assert level.verified and level.level == LEVEL
    return level.output_path.read_text()


@pytest.mark.parametrize(
    ("keeps", "kind"),
    [
        (("sizes",), "tensor<8x16xf32>"),
        (("types",), "tensor<2x2xf16>"),
        (("sizes", "types"), "tensor<8x16xf16>"),
    ],
)
def test_shapes_of_the_input_are_put_back(
    tmp_path: Path, keeps: tuple[str, ...], kind: str
) -> None:
    report = reduced(tmp_path, lambda text: MATRIX.search(text) is not None, *keeps)
    assert "8x16" not in report.text
    text = second(report)
    assert kind in text and "t.good" not in text
    assert "put back" in report.levels[0].made


def test_what_does_not_fail_with_them_is_reduced_again_under_them(tmp_path: Path) -> None:
    """At the sizes of the input, the failure needs one more op."""
    report = reduced(
        tmp_path,
        lambda text: MATRIX.search(text) is not None and ("8x16" not in text or "t.good" in text),
        "sizes",
    )
    assert "t.good" not in report.text
    text = second(report)
    assert "8x16" in text and "t.good" in text
    assert "what is left" in report.levels[0].made


def test_nothing_is_made_unasked(tmp_path: Path) -> None:
    assert reduced(tmp_path, lambda text: True).levels == ()


def test_only_shapes_of_the_input_are_admitted() -> None:
    module = Module.parse(PROGRAM)
    own = OwnShapes.of([module], frozenset({"sizes"}))
    assert own.admits(module)
    assert own.admits(Module.parse(PROGRAM.replace("f16", "f32")))
    assert not own.admits(Module.parse(PROGRAM.replace("8x16", "8x8")))
    types = OwnShapes.of([module], frozenset({"types"}))
    assert not types.admits(Module.parse(PROGRAM.replace("f16", "f32")))

"""The choice between a degenerate result and a larger one, with a real compiler."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast
from unittest.mock import Mock

import pytest

from oracles import Command, CompilerOracle
from reducer.driver.records.record import Report
from reducer.driver.stages import still_the_bug
from reducer.identity.builds import (
    BuildConfig,
    BuildKind,
    CrossCheck,
    Health,
    HealthCheck,
)
from reducer.identity.degenerate import DegenerateChoice
from reducer.toolchain import Toolchain
from reducer.transformations.sizes import Sizes
from tests.driver.test_table import context_of
from tests.support.corpus import Case
from tests.support.predicate import PredicateOracle
from tests.support.reducing import reduced_by

HIP = ("--iree-hal-target-device=hip", "--iree-rocm-target=gfx942")

# A product of mixed f8 types does not become a valid `vector.contract`.
PRODUCT = """\
func.func @main(%a: tensor<2x3x2xf8E5M2FNUZ>, %b: tensor<2x2x2xf8E4M3FNUZ>) -> tensor<2x3x2xf32> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x2xf8E5M2FNUZ>, tensor<2x2x2xf8E4M3FNUZ>) -> tensor<2x3x2xf32>
  return %0 : tensor<2x3x2xf32>
}
"""  # noqa: E501


@pytest.fixture
def ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes become 1, as in shapes that no verifier checks."""

    def simpler(sizes: Sizes, number: int, value: int | None) -> list[int | None]:
        return [1] if value is not None and value > 1 else []

    monkeypatch.setattr(Sizes, "simpler", simpler)


@pytest.fixture
def reduce(iree_toolchain: Callable[..., Toolchain], tmp_path: Path) -> Callable[..., Report]:
    """A whole reduction with IREE 3.13.0."""

    def run(text: str, *flags: str, **options: Any) -> Report:
        toolchain = iree_toolchain("3.13.0")
        oracle = CompilerOracle(Command.parse(["iree-compile", *flags]), toolchain.compile)
        return reduced_by(oracle, tmp_path, text, opt=toolchain.opt, keep_flags=True, **options)

    return run


@pytest.mark.usefixtures("ones")
@pytest.mark.iree
def test_sizes_stay_at_two_if_the_pass_receives_something_else_with_one(
    reduce: Callable[..., Report], tmp_path: Path
) -> None:
    report = reduce(PRODUCT, *HIP)
    assert report.verified and report.one_minimal
    choice = report.degenerate
    assert choice is not None
    assert (choice.features, choice.kept, choice.same_ir) == (("sizes below 2",), False, False)
    assert choice.pass_name == "iree-codegen-generic-vectorization"
    assert "-> tensor<2x2x2xf32>" in report.text
    assert (tmp_path / "out.mlir").read_text().count("2x2x2xf32") == 3
    assert report.candidates.by_verdict["probe"] == 2

    again = reduce(PRODUCT, *HIP)
    assert again.text == report.text
    assert again.degenerate == choice
    assert again.costs.calls <= 1, "only the last run is repeated"


@pytest.mark.usefixtures("ones")
@pytest.mark.iree
def test_sizes_of_one_are_kept_if_the_pass_receives_the_same(
    reduce: Callable[..., Report], corpus: Callable[[str], Case]
) -> None:
    text = corpus("matmul-k0-sigfpe").input_text()
    report = reduce(text)
    assert report.degenerate == DegenerateChoice(
        ("sizes below 2",), kept=True, same_ir=True, pass_name="iree-flow-annotate-dispatches"
    )
    assert "tensor<1x0xf32>" in report.text
    assert report.candidates.by_verdict["probe"] == 2


@pytest.mark.usefixtures("ones")
@pytest.mark.iree
def test_nothing_is_compared_if_the_verifier_rejects_the_program(
    reduce: Callable[..., Report], corpus: Callable[[str], Case]
) -> None:
    report = reduce(corpus("batch-matmul-20548").input_text())
    assert "tensor<1x1x1xf32>" in report.text
    assert report.degenerate is None
    assert "probe" not in report.candidates.by_verdict


@pytest.mark.iree
def test_sizes_need_no_comparison_that_stay_at_two(reduce: Callable[..., Report]) -> None:
    report = reduce(PRODUCT, *HIP)
    assert "-> tensor<2x2x2xf32>" in report.text
    assert report.degenerate is None
    assert "probe" not in report.candidates.by_verdict


def test_the_choice_in_words() -> None:
    features = ("sizes below 2", "an unused result")
    larger = DegenerateChoice(features, kept=False, same_ir=False, pass_name="cse")
    smaller = DegenerateChoice(features, kept=True, same_ir=True, pass_name="cse")
    alone = DegenerateChoice(features, kept=True, same_ir=None)
    assert larger.text == (
        "A smaller program, with sizes below 2 and an unused result, fails with the same message. "
        "It was not kept because cse then receives other ops or loops."
    )
    assert smaller.text == (
        "The result has sizes below 2 and an unused result where the input has none; in a larger "
        "program, closer to the input, cse receives the same ops and loops."
    )
    assert "may show another bug" in alone.text


@pytest.mark.parametrize("health", Health)
def test_a_place_that_compiles_the_result_decides_instead(
    health: Health, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(still_the_bug, "is_degenerate", lambda *_: True)
    context, _ = context_of(PredicateOracle(lambda text: True), tmp_path)
    compared = still_the_bug.compared_after(Mock())
    assert compared.when(context), "no place is known"
    profile = {BuildConfig(BuildKind.TARGET, "vulkan"): health}
    context.judging.health = HealthCheck(cast(CrossCheck, None), (), result=profile)
    assert compared.when(context) == (health is not Health.COMPILES)
    context.judging.full.close()

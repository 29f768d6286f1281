"""PyTorch's ops are judged by PyTorch, if it is installed, not by what the front end makes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from reducer.evaluator.dialects.names import needs_front_end
from reducer.evaluator.errors import Unsupported
from reducer.evaluator.reference import frameworks_for
from reducer.toolchain import Toolchain
from tests.support.evaluating import Functions, f32, functions, generic

TEXT = """
func.func @alpha(%a: !torch.vtensor<[3],f32>, %b: !torch.vtensor<[3],f32>) -> !torch.vtensor<[3],f32> {
  %two = torch.constant.int 2
  %r = torch.aten.add.Tensor %a, %b, %two : !torch.vtensor<[3],f32>, !torch.vtensor<[3],f32>, !torch.int -> !torch.vtensor<[3],f32>
  return %r : !torch.vtensor<[3],f32>
}
func.func @reshaped(%a: !torch.vtensor<[2,3],si64>) -> !torch.vtensor<[3,2],si64> {
  %two = torch.constant.int 2
  %three = torch.constant.int 3
  %shape = torch.prim.ListConstruct %three, %two : (!torch.int, !torch.int) -> !torch.list<int>
  %r = torch.aten.view %a, %shape : !torch.vtensor<[2,3],si64>, !torch.list<int> -> !torch.vtensor<[3,2],si64>
  return %r : !torch.vtensor<[3,2],si64>
}
func.func @best(%a: !torch.vtensor<[4],bf16>) -> (!torch.vtensor<[2],bf16>, !torch.vtensor<[2],si64>) {
  %two = torch.constant.int 2
  %axis = torch.constant.int 0
  %yes = torch.constant.bool true
  %v, %i = torch.aten.topk %a, %two, %axis, %yes, %yes : !torch.vtensor<[4],bf16>, !torch.int, !torch.int, !torch.bool, !torch.bool -> !torch.vtensor<[2],bf16>, !torch.vtensor<[2],si64>
  return %v, %i : !torch.vtensor<[2],bf16>, !torch.vtensor<[2],si64>
}
func.func @joined(%a: !torch.vtensor<[1],f32>) -> !torch.vtensor<[3],f32> {
  %b = torch.vtensor.literal(dense<[5.0, 6.0]> : tensor<2xf32>) : !torch.vtensor<[2],f32>
  %axis = torch.constant.int 0
  %list = torch.prim.ListConstruct %a, %b : (!torch.vtensor<[1],f32>, !torch.vtensor<[2],f32>) -> !torch.list<vtensor>
  %r = torch.aten.cat %list, %axis : !torch.list<vtensor>, !torch.int -> !torch.vtensor<[3],f32>
  return %r : !torch.vtensor<[3],f32>
}
func.func @random(%a: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> {
  %none = torch.constant.none
  %r = torch.aten.bernoulli %a, %none : !torch.vtensor<[2],f32>, !torch.none -> !torch.vtensor<[2],f32>
  return %r : !torch.vtensor<[2],f32>
}
"""  # noqa: E501


def test_the_package_is_an_extra() -> None:
    assert needs_front_end("torch.aten.mm") and needs_front_end("torch.constant.int")
    assert not needs_front_end("torch.aten.mm", {"torch"})
    assert needs_front_end("torch.aten.mm", {"onnx"})
    assert needs_front_end("torch.runtime.assert", {"torch"}), "nothing evaluates it"


@pytest.fixture(scope="module")
def module(iree_toolchain: Callable[..., Toolchain]) -> Functions:
    pytest.importorskip("torch")
    return functions(iree_toolchain(), TEXT)


@pytest.mark.iree
@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("alpha", [f32(1, 2, 3), f32(10, 20, 30)], [[21, 42, 63]]),
        ("reshaped", [np.arange(6).reshape(2, 3)], [[[0, 1], [2, 3], [4, 5]]]),
        ("best", [f32(1, 4, 2, 3)], [[4, 3], [1, 3]]),
        ("joined", [f32(4)], [[4, 5, 6]]),
    ],
)
def test_ops(module: Functions, name: str, given: list[Any], expected: list[Any]) -> None:
    import ml_dtypes

    arguments = [one.astype(ml_dtypes.bfloat16) if name == "best" else one for one in given]
    assert [one.tolist() for one in module.all(name, *arguments)] == expected


@pytest.mark.iree
def test_random_numbers_may_be_any(module: Functions) -> None:
    assert module.poison("random", f32(0.5, 0.5)).all()


@pytest.mark.iree
def test_what_pytorch_refuses_is_named(module: Functions) -> None:
    with pytest.raises(Unsupported, match=r"aten\.view .*invalid for input"):
        module("reshaped", np.arange(4).reshape(2, 2))


@pytest.mark.iree
def test_frameworks_are_used_if_they_know_all_ops(
    iree_toolchain: Callable[..., Toolchain],
) -> None:
    pytest.importorskip("torch")
    text = generic(iree_toolchain(), TEXT)
    assert frameworks_for(text) == {"torch"}

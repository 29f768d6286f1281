"""Planting keeps what a trigger does, in a module that is healthy but for it."""

import re
import subprocess
from pathlib import Path

import pytest

from benchmarks.plant import plant
from tests.conftest import NEWEST_TESTED
from tests.support.corpus import Case, cases

TRIGGER = """\
// A comment.
#map = affine_map<(d0) -> (d0)>
func.func @f(%a: tensor<4xf32>, %b: index) -> (tensor<4xf32>, index) {
  %0 = math.exp %a : tensor<4xf32>
  return %0, %b : tensor<4xf32>, index
}
"""


def lines_with(text: str, part: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if part in line]


def test_trigger_shares_the_function_of_the_host() -> None:
    planted = plant(TRIGGER, layers=2)
    (function,) = lines_with(planted, "func.func")
    assert function.endswith(
        "%a: tensor<4xf32>, %b: index) -> (tensor<64x64xf32>, tensor<4xf32>, index) {"
    )
    assert lines_with(planted, "return ") == [
        "return %host1_result, %0, %b : tensor<64x64xf32>, tensor<4xf32>, index"
    ]
    assert planted.startswith("#host_matrix") and "#map = affine_map" in planted


def test_trigger_lies_half_way_in() -> None:
    before, after = plant(TRIGGER, layers=10).split("math.exp")
    assert before.count("linalg.matmul") == after.count("linalg.matmul") == 5


def test_torch_trigger_stays_a_function_of_its_own() -> None:
    torch = TRIGGER.replace("tensor<4xf32>", "!torch.vtensor<[4],f32>")
    host, trigger = lines_with(plant(torch, layers=2), "func.func")
    assert "torch" not in host
    assert trigger.startswith("func.func @f(%a: !torch.vtensor<[4],f32>")


def test_trigger_that_calls_itself_stays_a_function_of_its_own() -> None:
    planted = plant("func.func @f() {\n  call @f() : () -> ()\n  return\n}\n", layers=2)
    assert lines_with(planted, "func.func")[1] == "func.func @f() {"
    assert lines_with(planted, "return")[-1] == "return"


def test_a_trigger_may_name_its_values_as_it_likes() -> None:
    """All that the layers define is named after the host, inside their loops as well."""
    host = plant(TRIGGER, layers=2).replace("%a: tensor<4xf32>, %b: index", "")
    defined = re.findall(r"%(\w+)(?: =|: )", host)
    assert [name for name in defined if not name.startswith("host")] == ["0"]


def test_only_a_single_function_can_be_planted() -> None:
    for text in ("", TRIGGER + TRIGGER, TRIGGER.replace("return", "util.return")):
        with pytest.raises(ValueError, match="a trigger is one"):
            plant(text, layers=2)


@pytest.mark.iree
@pytest.mark.slow
def test_host_is_healthy(iree_compile: Path, tmp_path: Path) -> None:
    (tmp_path / "host.mlir").write_text(plant(TRIGGER, layers=3))
    command = [iree_compile, "host.mlir", "--iree-hal-target-backends=llvm-cpu", "-o", "host.vmfb"]
    subprocess.run(command, cwd=tmp_path, check=True)


def one_of_each_kind() -> list[Case]:
    """Two, if there are some of Torch, which are planted in another way."""
    found = {
        (case.runs[0].kind, "torch." in case.input_text()): case
        for case in cases()
        if not case.packed_input and not case.execution and case.runs[0].is_plain
        if case.runs[0].wheel == NEWEST_TESTED
    }
    return list(found.values())


@pytest.mark.iree
@pytest.mark.slow
@pytest.mark.parametrize("case", one_of_each_kind(), ids=lambda case: case.name)
def test_planted_trigger_fails_as_it_did_alone(
    case: Case, iree_compile: Path, tmp_path: Path
) -> None:
    (run, *_) = case.runs
    (tmp_path / "input.mlir").write_text(plant(case.input_text(), layers=2))
    command = [iree_compile, "input.mlir", *run.flags, "-o", "program.vmfb"]
    result = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False
    )
    assert result.returncode != 0
    assert run.message in result.stderr

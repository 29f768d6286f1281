"""Phase, pass and ops of a failure, with a real compiler."""

from collections.abc import Callable

import pytest

from benchmarks.plant import plant
from oracles import Command, CompilerOracle, Limits
from reducer.errors import NotInteresting
from reducer.inspection.locator import FailureLocation, Locator
from reducer.toolchain import Toolchain
from tests.support.corpus import Case

pytestmark = pytest.mark.iree


@pytest.fixture
def locate(iree_toolchain: Callable[..., Toolchain]) -> Callable[..., FailureLocation]:
    def run(text: str, *flags: str) -> FailureLocation:
        toolchain = iree_toolchain()
        oracle = CompilerOracle(
            Command.parse(["iree-compile", *flags]), toolchain.compile, limits=Limits(120.0)
        )
        return Locator(text, oracle, toolchain.opt, lambda stage: None).run()

    return run


def test_a_diagnostic_is_confirmed(
    locate: Callable[..., FailureLocation], corpus: Callable[[str], Case]
) -> None:
    case = corpus("seed-21014-topk-bufferize-40")
    text = plant(case.input_text(), layers=20)
    finding = locate(text, *case.runs[0].flags)
    assert finding.sure
    assert finding.phase == "executable-targets"
    assert finding.dispatch.startswith("pick$async_dispatch_")
    assert finding.pass_name == "iree-codegen-iree-comprehensive-bufferize"
    (suspect,) = finding.suspects
    assert suspect.place is not None
    file, line, _ = suspect.place
    assert file == "input.mlir"
    assert "torch.aten.topk" in text.splitlines()[line - 1]


def test_a_crash_without_a_diagnostic_is_narrowed_down(
    locate: Callable[..., FailureLocation], corpus: Callable[[str], Case]
) -> None:
    case = corpus("matmul-k0-sigfpe")
    text = plant(case.input_text(), layers=20)
    finding = locate(text, *case.runs[0].flags)
    assert finding.sure
    assert finding.phase == "flow"
    assert finding.dispatch == ""
    lines = text.splitlines()
    named = [lines[c.place[1] - 1] for c in finding.suspects if c.place is not None]
    assert any("tensor<4x0xbf16>" in line for line in named)


def test_nothing_to_locate(locate: Callable[..., FailureLocation]) -> None:
    with pytest.raises(NotInteresting):
        locate("func.func @f() {\n  return\n}\n", "--iree-hal-target-backends=vmvx")

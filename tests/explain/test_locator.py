"""Phase, pass and ops of a failure, with a real compiler."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.plant import plant
from oracles import Command, CompilerOracle, Kind, Limits, Outcome, Signature
from reducer.errors import NotInteresting
from reducer.explain.locator import FailureLocation, Locator, _origins, _still_in
from reducer.ir import Module
from reducer.toolchain import Toolchain
from tests.support.corpus import Case
from tests.support.sides import function

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
    assert finding.confirmed == "yes"
    assert finding.phase == "flow"
    assert finding.dispatch == ""
    lines = text.splitlines()
    named = [lines[c.place[1] - 1] for c in finding.suspects if c.place is not None]
    assert any("tensor<4x0xbf16>" in line for line in named[:2]), "the likeliest come first"


def test_a_small_program_is_taken_as_a_whole(
    locate: Callable[..., FailureLocation], corpus: Callable[[str], Case]
) -> None:
    case = corpus("matmul-k0-sigfpe")
    finding = locate(case.text("expert", case.runs[0]), *case.runs[0].flags)
    assert (finding.confirmed, finding.alone) == ("yes", 3)
    assert finding.how == "the program has only 3 ops"
    assert finding.pass_name == "iree-flow-annotate-dispatches"
    assert "linalg.matmul" in [suspect.name for suspect in finding.suspects]


@pytest.mark.parametrize(
    ("sure", "alone", "confirmed"), [(False, 0, "no"), (True, 9, "yes"), (True, 1435, "in part")]
)
def test_many_ops_that_fail_together_confirm_little(sure: bool, alone: int, confirmed: str) -> None:
    finding = FailureLocation(Outcome(Kind.CRASH, Signature(Kind.CRASH)), sure=sure, alone=alone)
    assert finding.confirmed == confirmed


def test_the_named_op_comes_first_and_constants_last() -> None:
    module = Module.parse(
        function(
            """%0 = "t.constant"() : () -> i32
%1 = "t.often"(%0) : (i32) -> i32
%2 = "t.often"(%1) : (i32) -> i32
%3 = "t.rare"(%2) : (i32) -> i32
%4 = "t.named"(%3) : (i32) -> i32
"func.return"() : () -> ()"""
        )
    )
    names = [suspect.name for suspect in _origins(module, module, {}, "t.named")]
    assert names == ["t.named", "t.rare", "t.often", "t.often", "t.constant"]


def test_a_branch_and_an_op_without_results_may_be_suspects() -> None:
    text = function(
        """"t.store"(%arg0, %arg0) : (i32, i32) -> ()
"t.store"(%arg1, %arg0) : (i32, i32) -> ()
"t.choose"(%arg0)[^bb1, ^bb2] : (i32) -> ()
^bb1:
"t.jump"()[^bb2] : () -> ()
^bb2:
"func.return"() : () -> ()""",
        arguments="%arg0: i32, %arg1: i32",
    )
    whole = Module.parse(text)
    lines = text.splitlines(keepends=True)
    part = Module.parse("".join(line for line in lines if '"t.store"(%arg0' not in line))
    places = {op: ("a.mlir", op, 1) for op in range(len(whole))}
    found = {(suspect.name, suspect.place) for suspect in _origins(whole, part, places, "")}
    at = whole.t.name.index("t.store") + 1
    assert found == {("t.store", places[at]), ("t.choose", places[at + 1])}


def test_nobody_knows_which_of_two_ops_that_are_alike_is_left() -> None:
    text = function('"t.wait"() : () -> ()\n"t.wait"() : () -> ()\n"func.return"() : () -> ()')
    whole = Module.parse(text)
    part = Module.parse(text.replace('"t.wait"() : () -> ()\n', "", 1))
    places = {op: ("a.mlir", op, 1) for op in range(len(whole))}
    assert [suspect.place for suspect in _origins(whole, part, places, "")] == [None]


def test_what_does_not_fail_alone_is_no_suspect() -> None:
    """Errors about other failures point to other ops."""
    ops = '"t.empty"() : () -> ()\n%1 = "t.a"() : () -> i32\n%2 = "t.b"() : () -> i32\n'
    whole = Module.parse(function(f'{ops}"func.return"() : () -> ()'))
    alone = Module.parse(function('%2 = "t.b"() : () -> i32\n"func.return"() : () -> ()'))
    diagnosed = [whole.t.name.index(name) for name in ("t.a", "t.b")]
    assert _still_in(alone, whole, diagnosed) == {diagnosed[1]}
    nameless = [whole.t.name.index("t.empty")]
    assert _still_in(alone, whole, nameless) == set(nameless), "nobody can tell"


def test_nothing_to_locate(locate: Callable[..., FailureLocation]) -> None:
    with pytest.raises(NotInteresting):
        locate("func.func @f() {\n  return\n}\n", "--iree-hal-target-backends=vmvx")


def test_a_failure_that_needs_source_locations_is_located_with_them(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    compiler = tmp_path / "compiler"
    compiler.write_text(
        f"#!/bin/sh\n{iree_toolchain().opt} --allow-unregistered-dialect --mlir-print-debuginfo "
        '--mlir-print-local-scope "$@" -o - | grep -q \'loc("layer 7")\' || exit 0\n'
        "echo 'error: bad layer' >&2\nexit 1\n"
    )
    compiler.chmod(0o755)
    layers = "".join(
        f'  %{n + 1} = "t.layer{n % 9}"(%{n}) : (f32) -> f32 loc("layer {n}")\n' for n in range(90)
    )
    text = f"func.func @main(%0: f32) -> f32 {{\n{layers}  return %90 : f32\n}}\n"
    oracle = CompilerOracle(Command.parse([str(compiler)]), compiler, limits=Limits(60.0))
    finding = Locator(text, oracle, iree_toolchain().opt, lambda stage: None).run()
    assert finding.confirmed == "yes"
    assert "t.layer7" in [suspect.name for suspect in finding.suspects]

"""A report can be filed as it is, and reproduces the failure wherever it is unpacked.

`repro.sh` and the lit tests tell the failure from any other. Text of programs and messages stays
text, and `--anonymize` leaves no private names.

This file: anonymized folders and names, and the check for leaks.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Diagnostic, Kind, Oracle, Outcome, Signature
from reducer.report.anonymize import (
    AnonymizedResult,
    Leftover,
    NotAnonymous,
    anonymize,
    find_leftovers,
    hide_folders,
    leak_check,
)
from reducer.report.names import Name, NameKind, without_locations
from reducer.search.judge import Judge
from reducer.toolchain import Toolchain
from tests.support.corpus import load_case
from tests.support.predicate import Memory, PredicateOracle


def test_locations_go_and_strings_stay() -> None:
    text = '"a.op"() {s = "at loc(x)"} : () -> () loc(fused<"(">["a.py":1:2, unknown])\n'
    assert without_locations(text) == '"a.op"() {s = "at loc(x)"} : () -> ()\n'


def test_folders_of_a_run_go() -> None:
    folder = f"{tempfile.gettempdir()}/mlir-reducer-0f/oracle-ab12cd34"
    assert hide_folders(f"{folder}/repro.mlir:3:1: error: x") == "repro.mlir:3:1: error: x"
    assert hide_folders("/var/tmp/z/oracle-ab12cd34/input.mlir") == "input.mlir"


def test_the_folder_of_a_compiler_goes() -> None:
    text = "/root/.cache/mlir-reducer/toolchains/x-3.13.0/iree/compiler/_mlir_libs/iree-compile"
    assert hide_folders(f"Program arguments: {text} a.mlir") == (
        "Program arguments: iree-compile a.mlir"
    )
    assert hide_folders("/opt/llvm/bin/mlir-opt", [Path("/opt/llvm/bin")]) == "mlir-opt"


def test_a_folder_in_another_one_goes_as_a_whole() -> None:
    folders = [Path("/opt/llvm"), Path("/opt/llvm/bin")]
    assert hide_folders("/opt/llvm/bin/mlir-opt /opt/llvm/x.mlir", folders) == "mlir-opt x.mlir"


def test_the_home_of_the_user_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/jane.doe")
    assert hide_folders("in /home/jane.doe/models/x.mlir") == "in ~/models/x.mlir"
    assert hide_folders("HOME=/home/jane.doe") == "HOME=~"
    assert hide_folders("/home/jane.doering/x") == "/home/jane.doering/x"


def test_a_root_home_folder_hides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/")
    assert hide_folders("/usr/include/a.h") == "/usr/include/a.h"


BAD = Signature(Kind.LEGALIZATION, "failed to legalize operation 'x.bad'")
HIP = ("iree-compile", "--iree-hal-target-device=hip", "--iree-rocm-target=gfx942")

SECRET = """// made by Jane
module @deepsecret {
  util.global private @router_weight = #flow.parameter.named<"deepsecret"::"ffn.gate"> : tensor<32xf32>
  func.func @secret_router(%activations: !torch.vtensor<[?,32],f32>) -> !torch.vtensor<[?,1],si64> attributes {note = "quarterly"} {
    %int1 = torch.constant.int 1 loc("/home/jane/model.py":3:4)
    %true = torch.constant.bool true
    %values, %indices = torch.aten.topk %activations, %int1, %int1, %true, %true : !torch.vtensor<[?,32],f32>, !torch.int, !torch.int, !torch.bool, !torch.bool -> !torch.vtensor<[?,1],f32>, !torch.vtensor<[?,1],si64>
    return %indices : !torch.vtensor<[?,1],si64>
  }
}
"""  # noqa: E501
SECRETS = ("deepsecret", "router", "ffn", "gate", "quarterly", "jane", "Jane", "activations")


def failing_on(*needed: str) -> PredicateOracle:
    """An oracle that fails if a program contains all of these texts."""
    return PredicateOracle(
        lambda text: all(part in text for part in needed), failure=Outcome(BAD.kind, BAD, 1)
    )


def anonymized(
    text: str, oracle: Oracle, target: Signature, opt: Path | None = None
) -> AnonymizedResult:
    judge = Judge(oracle, Memory(), target=target)
    done = anonymize(text, judge, opt=opt)
    judge.close()
    return done


def test_without_a_tool_the_text_is_edited() -> None:
    oracle = failing_on("x.bad")
    text = (
        '"x.bad"(%secret) {layer = "attention"} : (i1) -> () loc("model.py":1:2) // why\n'
        "x.use @weights @weights @other\n"
    )
    done = anonymized(text, oracle, BAD)
    assert done.text == '"x.bad"(%v0) {layer = "s0"} : (i1) -> ()\nx.use @f0 @f0 @f1\n'
    assert (done.calls, done.verified, done.leftovers, done.kept) == (1, True, (), ())
    assert done.renamed == {"symbol": 2, "string": 1, "resource": 0, "data": 0}


def test_names_that_the_failure_depends_on_are_kept_and_reported() -> None:
    oracle = failing_on("x.bad", '"onnx.If"')
    names = " ".join(f'"string {number}"' for number in range(30))
    done = anonymized(f'x.bad {{a = "onnx.If"}} {names}\n', oracle, BAD)
    assert done.verified
    assert done.kept == (Name(NameKind.STRING, "onnx.If"),)
    assert done.leftovers == (Leftover("onnx.If", "program"),)
    assert "string 3" not in done.text
    assert done.calls < 20


def test_a_program_that_no_longer_fails_is_not_verified() -> None:
    done = anonymized("x.bad // x.worse\n", failing_on("x.worse"), BAD)
    assert not done.verified


def test_leftovers_in_the_message_and_the_command() -> None:
    outcome = Outcome(
        BAD.kind, BAD, 1, diagnostics=(Diagnostic("", 0, 0, "error", "in @attention_0"),)
    )
    command = ["iree-compile", "--entry=ffn", "--parameters=/home/jane/a.irpa", "-o", "/dev/null"]
    original = "func.func @attention()\nfunc.func @ffn()\nmodule @module\n"
    assert find_leftovers(original, "func.func @f0()", outcome, command) == (
        Leftover("/home/jane/a.irpa", "command"),
        Leftover("ffn", "command"),
        Leftover("attention", "message"),
    )


def test_new_names_do_not_occur_in_the_original() -> None:
    done = anonymized("x.bad @f0 @secret @f1\n", failing_on("x.bad"), BAD)
    assert done.text == "x.bad @f2 @f3 @f4\n"


@pytest.mark.iree
def test_a_private_model(iree_toolchain: Callable[..., Toolchain]) -> None:
    toolchain = iree_toolchain()
    oracle = CompilerOracle(Command.parse(HIP), toolchain.compile)
    signature = oracle.run(SECRET).signature
    assert signature.kind is Kind.BUFFERIZATION
    done = anonymized(SECRET, oracle, signature, toolchain.opt)
    assert done.verified and not done.leftovers, (done.kept, done.leftovers)
    assert done.calls == 1
    assert oracle.run(done.text).signature == signature
    assert not [name for name in SECRETS if name in done.text + done.outcome.stderr]
    assert "util.global private @f" in done.text


@pytest.mark.iree
def test_bytes_of_constants_are_blanked(iree_toolchain: Callable[..., Toolchain]) -> None:
    text = """func.func @weights() -> (tensor<2xi32>, tensor<3xi8>) {
  %0 = arith.constant dense_resource<layer0> : tensor<2xi32>
  %1 = arith.constant dense<"0x0A0B0C"> : tensor<3xi8>
  %2 = "x.bad"() : () -> i1
  return %0, %1 : tensor<2xi32>, tensor<3xi8>
}
{-# dialect_resources: { builtin: { layer0: "0x040000000102030405060708" } } #-}
"""
    done = anonymized(text, failing_on("x.bad"), BAD, iree_toolchain().opt)
    assert done.verified and not done.leftovers
    assert 'r0: "0x040000000000000000000000"' in done.text
    assert "layer0" not in done.text and "0A0B0C" not in done.text.upper()


@pytest.mark.iree
@pytest.mark.slow
def test_a_layer_of_deepseek(iree_toolchain: Callable[..., Toolchain]) -> None:
    text = load_case("ds_real1_dyn").input_text()
    toolchain = iree_toolchain()
    oracle = CompilerOracle(Command.parse(HIP), toolchain.compile)
    done = anonymized(text, oracle, oracle.run(text).signature, toolchain.opt)
    assert done.verified and not done.leftovers, (done.kept, done.leftovers)
    for name in ("blocks", "attn", "kv_norm", "prefill", "ffn", "model", "__auto"):
        assert name not in done.text
        assert name not in done.outcome.stderr


ORIGINAL = """// secret comment
module @acme_net {
  func.func @decode(%hidden_states: tensor<4xf32>, %arg1234: i1) -> tensor<4xf32> {
    %0 = "x.bad"(%hidden_states) {layer = "acme.layers.0.mlp", mode = "x"} : (tensor<4xf32>) -> ()
  }
}
"""


def look(text: str, *told: str) -> None:
    leak_check(ORIGINAL, told)({"report.md": text.encode()})


@pytest.mark.parametrize("name", ["acme_net", "hidden_states", "acme.layers.0.mlp", "decode"])
def test_leak_check_finds_names_in_any_context(name: str) -> None:
    for text in (name, f"error: @{name} has", f"f$async_{name}_dispatch_0"):
        with pytest.raises(NotAnonymous, match=name):
            look(text)
    look(f"the word {name}", name)


def test_leak_check_ignores_uninformative_names() -> None:
    look('%arg1234 = "x.bad"() {layer, mode = "s0"} : tensor<4xf32> func.func')
    look("a secret comment")  # comments are not names, and are not in the report


def test_the_leak_error_names_the_file_and_the_remedy() -> None:
    with pytest.raises(NotAnonymous, match=r"'acme_net' in the report\.md.*--anonymize=NAME"):
        look("acme_net")

"""Which pass the output names as the failing one."""

from dataclasses import replace
from pathlib import Path

import pytest

from oracles import End, Kind, ProcessResult, Signature, signal_code
from oracles.signature.classify import (
    Classification,
    classify,
    named_pass,
    pass_on_stack,
    pattern_on_stack,
)

NOTE = "a.mlir:1:1: note: Pipeline failed while executing {}: reproducer generated at `/tmp/r`\n"


@pytest.mark.parametrize(
    ("stderr", "name"),
    [
        (
            NOTE.format("[`(anonymous namespace)::FooPass` on 'builtin.module' operation]"),
            "FooPass",
        ),
        (NOTE.format("[`B` on 'func.func' operation: @f, `A` on 'func.func' operation: @g]"), "A"),
        ("a.mlir:1:1: error: no\n", ""),
    ],
)
def test_named_pass(stderr: str, name: str) -> None:
    assert named_pass(stderr) == name


def test_a_pass_that_runs_others_is_not_the_failing_one() -> None:
    names = [
        "a::f",
        "b::TranslateTargetExecutableVariantsPass::runOnOperation",
        "c::C::runOnOperation",
    ]
    assert pass_on_stack(names) == "C"
    assert pass_on_stack(["main"]) == ""


def test_the_pattern_of_a_crash_is_inside_of_the_pass() -> None:
    inside = ["a::tiles", "mlir::ex::Tile<a::B>::matchAndRewrite", "c::C::runOnOperation"]
    assert pattern_on_stack(inside) == "mlir::ex::Tile<a::B>"
    assert pattern_on_stack(["a::f", "c::C::runOnOperation", "d::D::matchAndRewrite"]) == ""
    assert pattern_on_stack(["main"]) == ""


def test_the_verifier_after_a_pass_does_not_blame_the_one_around_it() -> None:
    functions = [
        "mlir::Type::getContext() const",
        "(anonymous namespace)::OperationVerifier::verifyOperation(mlir::Operation&)",
        "mlir::verify(mlir::Operation*, bool)",
        "mlir::detail::OpToOpPassAdaptor::run(mlir::Pass*, mlir::Operation*)",
        "a::AutoPipelinePass::runOnOperation()",
        "mlir::PassManager::run(mlir::Operation*)",
    ]
    stack = [f" #{i} 0x00007fcb2287236{i} {name} A.cpp:0:0" for i, name in enumerate(functions)]
    found = classify(failure("\n".join(("Stack dump:", *stack)), -11))
    assert found.crash.after_pass
    assert not found.pass_name


DATA = Path(__file__).parent / "recorded"


def failure(stderr: str, exit_code: int = 1, end: End = End.EXITED) -> ProcessResult:
    return ProcessResult(end, exit_code, 0.0, 0.0, 0, "", stderr)


def recorded(name: str) -> Classification:
    return classify(failure((DATA / f"{name}.txt").read_text()))


def bucket(finding: Classification) -> str:
    return Signature(finding.kind, finding.template, finding.op, "", finding.frames).bucket


def test_the_kind_of_an_error_follows_from_its_words() -> None:
    assert recorded("unused-sort-result/argsort-1000-expert-3.13.0").kind is Kind.BUFFERIZATION


def test_only_a_follow_up_is_nameless() -> None:
    follow_up = recorded("pad-20581b/expert-3.3.0")
    assert follow_up.nameless and follow_up.template.endswith(" for backend <attr>")
    assert not recorded("cat-zero-width/expert-3.8.0").nameless


def test_follow_up_shows_that_a_pass_was_running() -> None:
    assert recorded("f8-contract/expert-3.13.0").settled
    assert not recorded("cat-zero-width/expert-3.8.0").settled


def test_order_of_parallel_dispatches_does_not_matter() -> None:
    first = (DATA / "f8-contract/expert-3.13.0.txt").read_text()
    second = (DATA / "f8-readlane/expert-3.13.0.txt").read_text()
    one, other = classify(failure(first + second)), classify(failure(second + first))
    assert bucket(one) == bucket(other)


def test_later_error_of_a_dispatch_is_not_its_bug() -> None:
    """Two errors from one dispatch: the second is a consequence of the first."""
    stderr = (DATA / "i4-maskedload/expert-3.13.0.txt").read_text()
    assert "'func.func' op failed to emulate bit width" in stderr
    assert recorded("i4-maskedload/expert-3.13.0").op == "vector.maskedload"


@pytest.mark.parametrize(
    ("end", "kind"),
    [(End.TIMEOUT, Kind.TIMEOUT), (End.MEMORY, Kind.MEMORY), (End.CANCELLED, Kind.CANCELLED)],
)
def test_forced_end_says_nothing_else(end: End, kind: Kind) -> None:
    """The output of a killed process depends on when it was killed."""
    finding = classify(failure("a.mlir:1:1: error: failed to bufferize op\n", -9, end))
    assert (finding.kind, finding.template) == (kind, "")


@pytest.mark.parametrize(
    ("stack", "unanswered", "unplaced"),
    [
        (" #0 0x01 (/lib/libIREECompiler.so+0x1)\n", False, True),
        (" #0 0x01 x::FooPass::runOnOperation() (/lib/libIREECompiler.so+0x1)\n", False, False),
        (" #0 0x01 f() (/lib/l.so+0x1)\n #1 0x02 abort (/lib/libc.so.6+0x2)\n", False, True),
        ("", False, False),
        ("", True, True),
    ],
)
def test_a_stack_without_a_pass_may_be_incomplete(
    stack: str, unanswered: bool, unplaced: bool
) -> None:
    """A program without any stack says no more if it is asked again."""
    result = replace(failure(stack, -3, End.TIMEOUT), unanswered=unanswered)
    assert classify(result).is_unplaced is unplaced


@pytest.mark.parametrize(
    ("code", "expected"),
    [(245, -11), (250, -6), (248, -8), (139, -11), (134, -6), (-11, -11), (1, 1), (124, 124)],
)
def test_signal_however_it_is_reported(code: int, expected: int) -> None:
    assert signal_code(code) == expected


def test_only_a_memory_fault_can_be_recursion_that_has_used_up_the_stack() -> None:
    lines = ["a::divide() (/b/libA.so+0x10)", *["a::walk() (/b/libA.so+0x20)"] * 255]
    stack = "".join(f" #{number} 0x{number:x} {line}\n" for number, line in enumerate(lines))
    assert classify(failure(stack, exit_code=-11)).frames == ("a::walk",)
    assert classify(failure(stack, exit_code=-8)).frames[0] == "a::divide"


def cast(inputs: str, outputs: str) -> Classification:
    operation = f'%5 = "builtin.unrealized_conversion_cast"(%4) : ({inputs}) -> {outputs}'
    message = "error: LLVM Translation failed for operation: builtin.unrealized_conversion_cast"
    lines = message, f"note: see current operation: {operation}"
    return classify(failure("".join(f"<unknown>:0: {line}\n" for line in lines)))


def test_casts_that_are_left_are_told_apart_by_what_they_convert() -> None:
    """All that a compiler says of two ops without a lowering may be that a cast is left."""
    index = cast("i64", "index")
    assert index.op == 'builtin.unrealized_conversion_cast "integer to index"'
    assert cast("i32", "index").op == index.op
    assert cast("memref<4xf32>", "!llvm.struct<(ptr, i64)>").op != index.op


def test_a_runtime_says_why_before_where() -> None:
    def of(words: str, function: str) -> str:
        stderr = (
            f"iree/runtime/src/iree/hal/pools.c:236: {words}; while invoking native function "
            f"hal.device.queue.alloca; while calling import;\n"
            f"[ 0] bytecode module.{function}:66 m.mlir:2:3; invoking function '{function}'\n"
        )
        return classify(ProcessResult(End.EXITED, 1, 0.0, 0.0, 0, "", stderr)).template

    assert of("RESOURCE_EXHAUSTED; out of 12 bytes", "f") == "RESOURCE_EXHAUSTED: out of N bytes"
    assert of("RESOURCE_EXHAUSTED; out of 7 bytes", "g") == "RESOURCE_EXHAUSTED: out of N bytes"
    assert of("ABORTED; wait failed", "f") == "ABORTED: wait failed"
    assert of("INTERNAL; bad address; cuLaunchKernel", "f") == "INTERNAL: bad address"

"""Which pass a text calls the failing one."""

import pytest

from oracles.passes import named_pass, pass_on_stack

NOTE = "a.mlir:1:1: note: Pipeline failed while executing {}: reproducer generated at `/tmp/r`\n"


@pytest.mark.parametrize(
    ("stderr", "name"),
    [
        ("// -----// IR Dump After FooPass Failed (foo) //----- //\n", "FooPass"),
        (NOTE.format("`FooPass` on 'func.func' operation: @f"), "FooPass"),
        (
            NOTE.format("[`(anonymous namespace)::FooPass` on 'builtin.module' operation]"),
            "FooPass",
        ),
        (NOTE.format("[`B` on 'func.func' operation: @f, `A` on 'func.func' operation: @g]"), "A"),
        (
            "1.\tRunning pass 'Function Pass Manager' on module 'x'.\n"
            "2.\tRunning pass 'X86 DAG->DAG Instruction Selection' on function '@f'\n",
            "X86 DAG->DAG Instruction Selection",
        ),
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

"""What LLVM's verifiers say about invalid IR."""

import pytest

from oracles.signature.abnormal import abnormal_exit
from oracles.signature.abort_message import abort_message, broken_rule, broken_rule_about

BROKEN = "LLVM ERROR: Broken module found, compilation aborted!\nStack dump:\n"
ALLOCA = "alloca on amdgpu must be in addrspace(5) or addrspace(13)\n"
CALL = (
    "Call parameter type does not match function signature!\nptr @g\n i64  %1 = call @f(ptr @g)\n"
)


@pytest.mark.parametrize(
    ("before", "rule"),
    [
        (f"{ALLOCA}  %68 = alloca [2 x i64], i64 1, align 8\n", ALLOCA.strip()),
        (CALL, "Call parameter type does not match function signature!"),
        ("Range must not be empty!\ni32 5\n!4 = !{}\nin function f\n", "Range must not be empty!"),
        (f"a.mlir:1:1: warning: slow\n{ALLOCA}", ALLOCA.strip()),
        (
            "*** Bad machine code: Illegal physical register ***\n- function:    f\n",
            "Bad machine code: Illegal physical register",
        ),
        ("a.mlir:1:1: warning: slow\n  %0 = a.b\n", ""),
        ("", ""),
    ],
)
def test_the_broken_rule_is_the_line_that_is_no_value(before: str, rule: str) -> None:
    assert broken_rule(before) == rule


def test_the_order_of_functions_does_not_matter() -> None:
    assert broken_rule(ALLOCA + CALL) == broken_rule(CALL + ALLOCA)


def test_two_broken_rules_are_two_bugs() -> None:
    one, other = (abnormal_exit(text + BROKEN, -6) for text in (ALLOCA, CALL))
    assert one is not None
    assert other is not None
    assert one.template == "alloca on amdgpu must be in addrspace(N) or addrspace(N)"
    assert other.template.startswith("Call parameter type")


def test_a_rule_about_intrinsics_is_broken_for_one_of_them() -> None:
    rule = "Intrinsic has incorrect argument type!"
    one, same, other = (
        abnormal_exit(f"{rule}\nptr @llvm.{name}\n{BROKEN}", -6)
        for name in ("amdgcn.readlane.i32", "amdgcn.readlane.v2f16", "nvvm.shfl.sync")
    )
    assert one is not None and same is not None and other is not None
    assert one.template == same.template == f"{rule} llvm.amdgcn.readlane"
    assert other.template == f"{rule} llvm.nvvm.shfl.sync"
    assert broken_rule(f"{rule}\nptr @llvm.f\n") == rule  # as it is printed
    assert "llvm" not in broken_rule_about("Bad call!\n  call void @llvm.f()\n")


def test_the_rule_is_shown_with_the_last_words() -> None:
    assert abort_message(ALLOCA + BROKEN) == (ALLOCA.strip(), BROKEN.splitlines()[0])

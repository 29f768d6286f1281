"""The final message of a crashing compiler."""

import pytest

from oracles.abnormal import abnormal_exit
from oracles.classify import classify
from oracles.kind import Kind
from oracles.process import End, ProcessResult

CAST = 'isa<To>(Val) && "cast<Ty>() argument of incompatible type!"'


@pytest.mark.parametrize(
    ("stderr", "template"),
    [
        (  # Clang
            "opt: /a/Casting.h:566: decltype(auto) llvm::cast(const From &) "
            f"[To = mlir::FloatType, From = mlir::Type]: Assertion `{CAST}' failed.\n",
            f"{CAST} in llvm::cast [To = mlir::FloatType]",
        ),
        (  # GCC
            "opt: /b/Casting.h:572: decltype(auto) llvm::cast(const From&) "
            f"[with To = mlir::FloatType; From = mlir::Type]: Assertion `{CAST}' failed.\n",
            f"{CAST} in llvm::cast [To = mlir::FloatType]",
        ),
        (  # macOS
            f"Assertion failed: ({CAST}), function cast, file Casting.h, line 578.\n",
            f"{CAST} in cast",
        ),
        ("Assertion failed: n > 0, file D:\\src\\a.cpp, line 3\n", "n > 0 at a.cpp"),
        (
            "/usr/include/vector:1400: assertion __n < size() failed: index out of bounds\n",
            "__n < size() failed: index out of bounds",
        ),
        ("unknown type\nUNREACHABLE executed at /a/B.cpp:7!\n", "unknown type at B.cpp"),
        (
            "a.mlir:1:1: error: other\nUNREACHABLE executed at /a/B.cpp:7!\n",
            "unreachable executed at B.cpp",
        ),
        ("    ^\nUNREACHABLE executed!\n", "unreachable executed"),
        (  # Rust
            "\nthread 'main' (77) panicked at src/lower.rs:12:5:\nno type 'i7' for 3 values\n"
            "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n",
            "no type <type> for N values at lower.rs",
        ),
        (
            "thread 'main' panicked at 'no type for 3 values', src/lower.rs:12:5\nnote: run with",
            "no type for N values at lower.rs",
        ),
        (  # glog, Abseil
            "I0102 03:04:05.123 77 a.cc:1] fine\n"
            "F0102 03:04:05.123 77 xla/conv.cc:123] Check failed: a.size() == b (3 vs. 4) sizes\n",
            "Check failed: a.size() == b sizes at conv.cc",
        ),
        (  # TensorFlow
            "2026-01-02 03:04:05.123456: F xla/conv.cc:123] Check failed: ok\n",
            "Check failed: ok at conv.cc",
        ),
    ],
)
def test_assertions_of_all_compilers(stderr: str, template: str) -> None:
    words = abnormal_exit(stderr, -6)
    assert words is not None
    assert (words.kind, words.template) == (Kind.ASSERTION, template)


def test_a_fatal_error_of_the_driver() -> None:
    words = abnormal_exit("fatal error: error in backend: Cannot select: t3: f64 = fsin t2\n", 70)
    assert words is not None
    assert (words.kind, words.template) == (Kind.FATAL_ERROR, "Cannot select: <type> = fsin")


def test_an_orderly_end_has_no_last_words() -> None:
    assert abnormal_exit("a.mlir:1:1: error: no\n", 1) is None


SANITIZED = """{line}
==9==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x5611e5efc1ed
READ of size 4 at 0x602000000010 thread T0
    #0 0x7f9c3e6b76a8 in __interceptor_memcpy (/usr/lib/libasan.so.8+0xb76a8) (BuildId: 12ab)
    #1 0x5611e5efc1ec in toy::{function}(mlir::Value) /src/lower.cpp:4:7
    #2 0x5611e5efc21d in toy::LowerPass::runOnOperation() /src/lower.cpp:5
    #3 0x7f9c3e445249 in main /src/main.cpp:58

SUMMARY: AddressSanitizer: heap-use-after-free /src/lower.cpp:4:7 in toy::{function}(mlir::Value)
==9==ABORTING
"""


def test_a_sanitizers_report_is_that_of_a_crash() -> None:
    one, same, other = (
        classify(ProcessResult(End.EXITED, 1, 0.0, 0.0, 0, "", SANITIZED.format(**parts)))
        for parts in (
            {"line": "", "function": "f"},
            {"line": "a.mlir:1:1: warning: old", "function": "f"},
            {"line": "", "function": "g"},
        )
    )
    assert one.kind is Kind.CRASH and one.template == "AddressSanitizer: heap-use-after-free"
    assert one.frames == same.frames == ("toy::f", "toy::LowerPass::runOnOperation")
    assert other.frames[0] == "toy::g"


def test_undefined_behavior_is_told_by_its_words() -> None:
    stderr = (
        "/src/a.cpp:3:9: runtime error: shift exponent 77 is too large for 64-bit type 'long'\n"
        "SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior /src/a.cpp:3:9\n"
    )
    words = abnormal_exit(stderr, 1)
    assert words is not None and words.kind is Kind.CRASH
    assert words.template.startswith("UndefinedBehaviorSanitizer: shift exponent N is too large")


def test_a_leak_is_not_what_ended_a_program() -> None:
    stderr = "SUMMARY: AddressSanitizer: 288 byte(s) leaked in 3 allocation(s).\n"
    assert abnormal_exit(stderr, 23) is None

"""The final message of a crashing compiler."""

import pytest

from oracles.abnormal import abnormal_exit
from oracles.kind import Kind

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

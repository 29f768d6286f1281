"""Stack frames and short C++ names."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from oracles.frames import (
    crash_frames,
    demangle,
    meaningful_frames,
    name_frames,
    parse_stack,
    short_name,
)
from oracles.symbols import load_index


@pytest.mark.parametrize(
    ("full", "short"),
    [
        ("mlir::Type::getIntOrFloatBitWidth() const", "mlir::Type::getIntOrFloatBitWidth"),
        ("a::(anonymous namespace)::P::run(int, b<c>)", "a::P::run"),
        ("void a::f<int (long)>(int)", "a::f"),
        ("a::f[abi:cxx11](b&)::$_0::operator()(c*) const", "a::f::lambda::operator()"),
        ("a::operator<<(b&, int)", "a::operator<<"),
        ("bool a::operator<(b const&, b const&)", "a::operator<"),
        ("a::B<(c)1>::operator->() const", "a::B::operator->"),
        ("std::vector<a::b, std::allocator<a::b> >::push_back(a::b&&)", "std::vector::push_back"),
        ("main", "main"),
        ("f() [clone .cold]", "f"),
    ],
)
def test_short_name(full: str, short: str) -> None:
    assert short_name(full) == short


def test_demangle_leaves_c_names_alone() -> None:
    assert demangle("ireeCompilerInvocationPipeline") == "ireeCompilerInvocationPipeline"


def test_name_that_the_runtime_cannot_demangle() -> None:
    assert demangle("_ZN4llvm6detail3fooI???").startswith("llvm::detail::foo")


DATA = Path(__file__).parent / "data"


def _none(module: str) -> None:
    """No symbols."""


def text(name: str) -> str:
    return (DATA / f"{name}.txt").read_text()


def test_symbolized_stack() -> None:
    assert crash_frames(text("complex-dot2-hip-segv"), lambda module: None)[:3] == (
        "mlir::FloatType::getWidth",
        "mlir::Type::getIntOrFloatBitWidth",
        "mlir::iree_compiler::getCopyTileSizes",
    )


def test_exported_names_help_without_symbols() -> None:
    assert crash_frames(text("exported-names-3.8.0"), lambda module: None) == (
        "mlir::FloatType::getWidth",
        "mlir::Type::getIntOrFloatBitWidth",
    )


def test_raw_addresses_alone_give_distances_that_no_load_address_changes() -> None:
    stack = text("raw-addresses-3.13.0")
    frames = crash_frames(stack, lambda module: None)
    assert frames[:2] == ("libIREECompiler.so+0x1eb6a65", "libIREECompiler.so+0x1eb3621")
    moved = stack.replace("0x00007efd", "0x00007abc")
    assert crash_frames(moved, lambda module: None) == frames


def test_a_stack_without_a_signal_handler_has_no_distances() -> None:
    assert crash_frames("0  a.so 0x0000000000001000\n1  a.so 0x0000000000002000\n", _none) == ()


def test_an_inlined_function_is_folded_into_its_caller() -> None:
    """`f` was inlined into `g`: a build without debug information shows only `g`."""
    inlined = " #0 0x01 f() /a.h:1:2\n #1 0x01 g() /a.cpp:3:4\n #2 0x02 h() /a.cpp:5:6\n"
    plain = " #0 0x01 g() (/lib/x.so+0x1)\n #1 0x02 h() (/lib/x.so+0x2)\n"
    assert crash_frames(inlined, _none) == crash_frames(plain, _none) == ("g", "h")


def test_the_dump_of_another_thread_in_between_is_skipped() -> None:
    stack = " #0 0x01 a()\n #1 0x02 b()\n #0 0x11 x()\n #2 0x03 c()\n #1 0x12 y()\n"
    assert crash_frames(stack, _none) == ("a", "b", "c")


def test_functions_that_only_take_ir_apart_say_nothing() -> None:
    names = ["mlir::Operation::~Operation", "llvm::iplist_impl::erase", "mlir::Block::~Block"]
    names += ["mlir::Operation::erase", "mlir::RewriterBase::replaceOp", "mine::Pattern::rewrite"]
    assert meaningful_frames(names) == ("mine::Pattern::rewrite",)


@pytest.mark.parametrize(
    "line",
    [
        "3  libsystem_platform.dylib 0x000000019ffcea24 _sigtramp + 56",
        " #3 0x00000001b0a454c4 (/usr/lib/system/libsystem_platform.dylib+0x1803414c4)",
        " #3 0x00007f46b58a99fc __pthread_kill_implementation ./nptl/./nptl/pthread_kill.c:44:76",
        " #3 0x00007f0000000000 raise ./signal/../sysdeps/posix/raise.c:27:6",
    ],
)
def test_frames_of_the_system(line: str) -> None:
    below = "\n #4 0x0000000000000001 f() (/b/x+0x1)\n"
    head = "".join(f" #{n} 0x{n + 50:016x} SignalHandler(int) (/b/x+0x1)\n" for n in range(3))
    assert crash_frames(head + line + below, _none) == ("f",)


@pytest.mark.iree
def test_raw_addresses_and_names_give_the_same_frames(iree_toolchain: Callable[..., Any]) -> None:
    """One crash, recorded with and without a symbolizer, possibly at another load address."""
    folder = iree_toolchain("3.13.0").compile.resolve().parent
    raw = crash_frames(text("raw-addresses-3.13.0"), lambda module: load_index(folder / module))
    assert raw == crash_frames(text("matmul-k0-sigfpe"), lambda module: None)
    assert raw[0] == "mlir::iree_compiler::IREE::Flow::summarizeDispatchRegion"


def test_first_dump_only() -> None:
    twice = text("complex-dot2-hip-segv") + text("matmul-k0-sigfpe")
    assert len(parse_stack(twice)) == len(parse_stack(text("complex-dot2-hip-segv")))


def test_recursion_counts_once_and_the_entry_ends_the_stack() -> None:
    names = ["a::visit", "a::visit", "b::walk", "a::visit", "main", "x::y"]
    assert meaningful_frames(names) == ("a::visit", "b::walk")


def test_no_path_of_the_text_is_opened() -> None:
    """Library names are bare: the oracle itself knows where the library is."""
    asked: list[str] = []
    stack = " #0 0x0000000000001000 f (/a/../lib.so+0x10)\n #1 0x0000000000002000 g (/x/lib.so+0x2)"
    name_frames(parse_stack(stack), lambda module: asked.append(module))
    assert asked == ["lib.so"]

"""Crash stacks, as LLVM prints them with and without a symbolizer."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from oracles.frames import crash_frames, meaningful_frames, name_frames, parse_stack
from oracles.symbols import load_index

DATA = Path(__file__).parent / "data"


def text(name: str) -> str:
    return (DATA / f"{name}.txt").read_text()


def test_symbolized_stack() -> None:
    assert crash_frames(text("complex-dot2-hip-segv"), lambda module: None) == (
        "mlir::FloatType::getWidth",
        "mlir::Type::getIntOrFloatBitWidth",
        "mlir::iree_compiler::getCopyTileSizes",
    )


def test_exported_names_help_without_symbols() -> None:
    assert crash_frames(text("exported-names-3.8.0"), lambda module: None) == (
        "mlir::FloatType::getWidth",
        "mlir::Type::getIntOrFloatBitWidth",
    )


def test_raw_addresses_alone_say_little() -> None:
    assert crash_frames(text("raw-addresses-3.13.0"), lambda module: None) == ()


@pytest.mark.iree
def test_raw_addresses_and_names_give_the_same_frames(iree_toolchain: Callable[..., Any]) -> None:
    """One crash, recorded with a symbolizer and without, possibly at another load address."""
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
    """Library names are bare: where the library lies, the oracle knows itself."""
    asked: list[str] = []
    stack = " #0 0x0000000000001000 f (/a/../lib.so+0x10)\n #1 0x0000000000002000 g (/x/lib.so+0x2)"
    name_frames(parse_stack(stack), lambda module: asked.append(module))
    assert asked == ["lib.so"]

"""A crash is known by the functions at fault, whoever printed its stack.

LLVM, GCC, Julia and debuggers print frames in their own ways. Functions without names are known by
where they begin.

This file: what identifies a bug in a crash stack.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from oracles.stacks.crash_stack import crash_stack
from oracles.stacks.frames import Resolver, is_offset, name_frames, parse_stack
from oracles.stacks.symbols import load_index

DATA = Path(__file__).parents[1] / "data"


def crash_frames(stack: str, resolver: Resolver, *, says_why: bool = True) -> tuple[str, ...]:
    parsed = parse_stack(stack)
    return crash_stack(parsed, name_frames(parsed, resolver), says_why=says_why).frames


def text(name: str) -> str:
    return (DATA / f"{name}.txt").read_text()


def test_symbolized_stack() -> None:
    assert crash_frames(text("complex-dot2-hip-segv"), lambda module: None)[:2] == (
        "mlir::iree_compiler::getCopyTileSizes",
        "mlir::iree_compiler::TileLinalgCopy::matchAndRewrite",
    )


def test_accessors_alone_do_not_describe_a_crash() -> None:
    """Only `mlir::FloatType::getWidth` and `mlir::Type::getIntOrFloatBitWidth` are exported."""
    found = crash_frames(text("exported-names-3.8.0"), lambda module: None)
    assert found[0] == "libIREECompiler.so+0x1ed467e" and all(map(is_offset, found))


def test_raw_addresses_alone_give_distances_that_no_load_address_changes() -> None:
    stack = text("raw-addresses-3.13.0")
    found = crash_frames(stack, lambda module: None)
    assert found[:2] == ("libIREECompiler.so+0x1eb6a65", "libIREECompiler.so+0x1eb3621")
    moved = stack.replace("0x00007efd", "0x00007abc")
    assert crash_frames(moved, lambda module: None) == found


@pytest.mark.iree
def test_raw_addresses_and_names_give_the_same_frames(iree_toolchain: Callable[..., Any]) -> None:
    """One crash, recorded with and without a symbolizer, possibly at another load address."""
    folder = iree_toolchain("3.13.0").compile.resolve().parent
    raw = crash_frames(text("raw-addresses-3.13.0"), lambda module: load_index(folder / module))
    assert raw == crash_frames(text("matmul-k0-sigfpe"), lambda module: None)
    assert raw[0] == "mlir::iree_compiler::IREE::Flow::summarizeDispatchRegion"

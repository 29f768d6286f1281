"""Stack frames and the names of their functions."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from oracles.stacks.frames import name_frames, parse_stack, place_frames
from oracles.stacks.symbols import load_index

DATA = Path(__file__).parents[1] / "data"


def text(name: str) -> str:
    return (DATA / f"{name}.txt").read_text()


def test_the_caller_of_abort_is_looked_up_before_its_return_address() -> None:
    """Nothing follows a call that does not return, or the first byte of another function."""
    stack = "\n".join(
        f"#{number} 0x{address:x} {rest}"
        for number, (address, rest) in enumerate(
            [
                (0x11, "SignalHandler(int) (/lib/libA.so+0x11)"),
                (0x12, "(/lib/libc.so.6+0x12)"),
                (0x13, "raise (/lib/libc.so.6+0x13)"),
                (0x14, "abort (/lib/libc.so.6+0x14)"),
                (0x46, "(/lib/libA.so+0x46)"),
                (0x90, "a::g() (/lib/libA.so+0x90)"),
            ]
        )
    )
    symbols = Mock(name_before=lambda address: "")
    symbols.name = lambda address: {0x45: "a::fail", 0x8F: "a::g"}.get(address, "")
    named = name_frames(parse_stack(stack), lambda module: symbols)
    assert named[-2:] == ["a::fail", "a::g"]


def test_return_addresses_tell_where_a_library_without_names_was_loaded() -> None:
    """The innermost function has not called anything: there, the fault itself is printed."""
    stack = "0 libLLVM.so 0x11\n1 libLLVM.so 0x12\n2 libc.so.6 0x1\n" + "".join(
        f"{number} a 0x{0x7000 + number:x}\n" for number in range(3, 7)
    )
    library = Mock()
    library.name.return_value = library.name_before.return_value = ""
    library.load_base.return_value = None
    library.base_of_returns.return_value = 0x5000
    placed = place_frames(parse_stack(stack), lambda name: library if name == "a" else None)
    assert [frame.offset for frame in placed[3:]] == [0x2003, 0x2004, 0x2005, 0x2006]
    library.base_of_returns.assert_called_once_with([0x7004, 0x7005, 0x7006])


@pytest.mark.iree
def test_the_calls_in_a_library_tell_as_much_as_its_names(
    iree_toolchain: Callable[..., Any],
) -> None:
    library = iree_toolchain("3.13.0").compile.resolve().parent / "libIREECompiler.so"
    stack = parse_stack(text("raw-addresses-3.13.0"))
    symbols = load_index(library)
    assert symbols is not None
    returns = [
        frame.address
        for inside, frame in pairwise(stack)
        if frame.module == library.name and not inside.is_system
    ]
    named = symbols.load_base(stack[0].address, stack[1].address)
    assert named is not None and symbols.base_of_returns(returns) == named


def test_first_dump_only() -> None:
    twice = text("complex-dot2-hip-segv") + text("matmul-k0-sigfpe")
    assert len(parse_stack(twice)) == len(parse_stack(text("complex-dot2-hip-segv")))


def test_no_path_of_the_text_is_opened() -> None:
    """Library names are bare: the oracle itself knows where the library is."""
    asked: list[str] = []
    stack = " #0 0x0000000000001000 f (/a/../lib.so+0x10)\n #1 0x0000000000002000 g (/x/lib.so+0x2)"
    name_frames(parse_stack(stack), lambda module: asked.append(module))
    assert set(asked) == {"lib.so"}


MASK = (1 << 64) - 1


@pytest.mark.iree
def test_a_frame_that_the_symbolizer_cannot_name(iree_toolchain: Callable[..., Any]) -> None:
    """The printed offset in the library is looked up in its symbol table."""
    folder = iree_toolchain("3.13.0").compile.resolve().parent
    raw = parse_stack(text("raw-addresses-3.13.0"))
    symbols = load_index(folder / raw[0].module)
    assert symbols is not None
    base = symbols.load_base(raw[0].address, raw[1].address)
    assert base is not None
    lines = [
        f" #{number} 0x{frame.address:x} (/x/{frame.module}+0x{frame.address - base & MASK:x})"
        for number, frame in enumerate(raw)
    ]
    lines[0] = lines[0].partition("(")[0] + "a::handler() Signals.cpp:0:0"  # says no module
    found = name_frames(parse_stack("\n".join(lines)), lambda module: load_index(folder / module))
    assert "mlir::iree_compiler::IREE::Flow::summarizeDispatchRegion" in found


@pytest.mark.parametrize("folder", ["C:\\PROGRA~1\\", "C:\\Program Files (x86)\\b\\", "/opt/b/"])
def test_a_library_in_any_folder(folder: str) -> None:
    [frame] = parse_stack(f" #0 0x00007ff68742c31b ({folder}a.exe+0x277c31b)\n")
    assert (frame.module, frame.offset, frame.name) == ("a.exe", 0x277C31B, "")
    [frame] = parse_stack(f" #0 0x00007ff68742c31b a::f(void) {folder}a.h:200:0\n")
    assert frame.name == "a::f(void)"


def test_a_name_from_far_away_is_that_of_another_function() -> None:
    """A library for macOS names what it exports, whatever lies between."""
    line = "4  libA.dylib    0x000000010a6a96cc {} + {}\n".replace("4", "0", 1)
    assert parse_stack(line.format("a::f", 4711))[0].name == "a::f"
    assert parse_stack(line.format("mainOfA", 12537648))[0].name == ""

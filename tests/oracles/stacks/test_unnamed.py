"""Passes and crashes without names are told apart by where a function begins."""

from dataclasses import dataclass
from unittest.mock import Mock

from oracles import End, ProcessResult
from oracles.signature.classify import classify, passes_at_limit
from oracles.stacks.crash_stack import at_its_function
from oracles.stacks.frames import StackFrame, Symbols, parse_stack

HANG = """\
 #0 0x0101 mlir::applyPatternsGreedily() (/b/libA.so+0x101)
 #1 0x{call} (/b/libA.so+0x{call})
 #2 0x0201 mlir::detail::OpToOpPassAdaptor::run(mlir::Pass*) (/b/libA.so+0x201)
 #3 0x0301 mlir::PassManager::run() (/b/libA.so+0x301)
"""


def library(module: str) -> Mock:
    """A library without names whose functions are 4 KiB long."""
    symbols = Mock()
    symbols.name.return_value = symbols.name_before.return_value = ""
    symbols.start_of.side_effect = lambda address: address & ~0xFFF
    return symbols


def test_two_calls_of_one_pass_are_in_one_pass() -> None:
    first, second, other = (HANG.format(call=call) for call in ("5123", "5456", "6123"))
    assert (
        passes_at_limit(first, library) == passes_at_limit(second, library) == ("libA.so+0x5000",)
    )
    assert passes_at_limit(other, library) == ("libA.so+0x6000",)


def test_a_call_returns_behind_itself() -> None:
    """If it is the last instruction, the frame is where the next function begins."""
    assert passes_at_limit(HANG.format(call="6000"), library) == ("libA.so+0x5000",)


def test_without_a_table_of_functions_the_call_counts() -> None:
    assert passes_at_limit(HANG.format(call="5123"), lambda module: None) == ("libA.so+0x5123",)


@dataclass
class Table:
    """Functions without names, each 4096 bytes long."""

    def start_of(self, address: int) -> int:
        return address & ~0xFFF

    def name(self, address: int) -> str:
        return ""

    name_before = name

    def load_base(self, frame0: int, frame1: int) -> int | None:
        return None

    base_of = load_base

    def base_of_returns(self, returns: object) -> int | None:
        return None


SIGNAL = """\
 #0 0x0000000000001100 (/b/t-opt+0x1100)
 #1 0x0000000000001200 (/b/t-opt+0x1200)
"""
SYSTEM = " #{0} 0x000000000000300{0} (/lib/libc.so.6+0x3c05{0})\n"
CRASH = " #{} 0x0000000000005123 (/b/t-opt+0x5123)\n #{} 0x0000000000006456 (/b/t-opt+0x6456)\n"


def offsets(stack: str, *, symbols: Symbols | None) -> list[int | None]:
    frames: list[StackFrame] = parse_stack("Stack dump:\n" + stack)
    assert len(frames) >= 5
    found = at_its_function(frames, [""] * len(frames), lambda module: symbols)
    return [frame.offset for frame in found if not frame.is_system][2:]


def test_where_it_crashed_is_a_function_and_who_called_it_a_place() -> None:
    assert offsets(SIGNAL + SYSTEM.format(2) + CRASH.format(3, 4), symbols=Table()) == [
        0x5000,
        0x6456,
    ]


def test_what_is_not_known_stays() -> None:
    stack = SIGNAL + SYSTEM.format(2) + CRASH.format(3, 4)
    assert offsets(stack, symbols=None) == [0x5123, 0x6456]


def test_who_stops_itself_says_which_call_it_was() -> None:
    """`abort` is in the system, below the handler of its signal."""
    stack = SIGNAL + SYSTEM.format(2) + SYSTEM.format(3) + CRASH.format(4, 5)
    assert offsets(stack, symbols=Table()) == [0x5123, 0x6456]


def test_a_sanitizer_begins_with_the_fault() -> None:
    """Or with what was called: the functions of its own that stand in for those of the system."""
    system = SYSTEM.format(0)
    for stack, own in (
        (CRASH.format(0, 1), [0x5000, 0x6456]),
        (system + CRASH.format(1, 2), [0x5123, 0x6456]),
    ):
        frames = parse_stack("==1==ERROR: AddressSanitizer: SEGV\n" + stack)
        found = at_its_function(frames, [""] * 3, lambda module: Table(), handled=False)
        assert [frame.offset for frame in found if not frame.is_system] == own


def test_a_crash_under_a_sanitizer_is_where_its_function_begins() -> None:
    report = f"==1==ERROR: AddressSanitizer: SEGV on unknown address\n{CRASH.format(0, 1)}"
    report += "SUMMARY: AddressSanitizer: SEGV (/b/t-opt+0x5123)\n"
    result = ProcessResult(End.EXITED, 1, 0.0, 0.0, 0, "", report)
    assert classify(result, lambda module: Table()).frames[0] == "t-opt+0x5000"


def test_a_function_with_a_name_is_known_by_that() -> None:
    frames = parse_stack("Stack dump:\n" + SIGNAL + SYSTEM.format(2) + CRASH.format(3, 4))
    names = ["", "", "", "a::f", ""]
    assert at_its_function(frames, names, lambda module: Table()) == frames

"""Passes of a stripped tool are known by where their functions begin."""

from unittest.mock import Mock

from oracles.signature.classify import passes_at_limit

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

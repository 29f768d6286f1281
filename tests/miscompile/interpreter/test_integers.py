"""Integer ops against Python's integers, for all widths."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reducer.miscompile.interpreter.errors import UndefinedBehavior
from reducer.miscompile.values.elements import parse_element, wrapped
from tests.support.evaluating import Functions

pytestmark = pytest.mark.iree

WIDTHS = (1, 2, 4, 5, 8, 16, 31, 32, 64)
BINARY = (
    "addi", "subi", "muli", "andi", "ori", "xori", "divsi", "divui", "remsi", "remui",
    "floordivsi", "ceildivsi", "ceildivui", "shli", "shrsi", "shrui", "maxsi", "minsi", "maxui",
    "minui",
)  # fmt: skip
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


def program() -> str:
    text = []
    for width in WIDTHS:
        kind = f"tensor<?xi{width}>"
        for name in BINARY:
            text.append(
                f"func.func @{name}_{width}(%a: {kind}, %b: {kind}) -> {kind} {{\n"
                f"  %r = arith.{name} %a, %b : {kind}\n  return %r : {kind}\n}}"
            )
        for name in PREDICATES:
            text.append(
                f"func.func @{name}_{width}(%a: {kind}, %b: {kind}) -> tensor<?xi1> {{\n"
                f"  %r = arith.cmpi {name}, %a, %b : {kind}\n  return %r : tensor<?xi1>\n}}"
            )
    return "\n".join(text)


TEXT = program()


def signed(number: int, width: int) -> int:
    number &= (1 << width) - 1
    return number - (1 << width) if number >> (width - 1) else number


def trunc_div(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def meaning(name: str, a: int, b: int, width: int) -> int | None:
    """What an op computes, from signed numbers; None if it is undefined or poison."""
    u, v = a & ((1 << width) - 1), b & ((1 << width) - 1)
    division = name[:-2] in ("div", "rem", "floordiv", "ceildiv") and b
    overflow = name.endswith("si") and b == -1 and a == -(1 << (width - 1))
    defined = bool(division) and not overflow
    return {
        "addi": lambda: a + b,
        "subi": lambda: a - b,
        "muli": lambda: a * b,
        "andi": lambda: a & b,
        "ori": lambda: a | b,
        "xori": lambda: a ^ b,
        "divsi": lambda: trunc_div(a, b) if defined else None,
        "divui": lambda: u // v if defined else None,
        "remsi": lambda: a - b * trunc_div(a, b) if defined else None,
        "remui": lambda: u % v if defined else None,
        "floordivsi": lambda: a // b if defined else None,
        "ceildivsi": lambda: -(-a // b) if defined else None,
        "ceildivui": lambda: -(-u // v) if defined else None,
        "shli": lambda: a << v if v < width else None,
        "shrsi": lambda: a >> v if v < width else None,
        "shrui": lambda: u >> v if v < width else None,
        "maxsi": lambda: max(a, b),
        "minsi": lambda: min(a, b),
        "maxui": lambda: max(u, v),
        "minui": lambda: min(u, v),
        "eq": lambda: a == b,
        "ne": lambda: a != b,
        "slt": lambda: a < b,
        "sle": lambda: a <= b,
        "sgt": lambda: a > b,
        "sge": lambda: a >= b,
        "ult": lambda: u < v,
        "ule": lambda: u <= v,
        "ugt": lambda: u > v,
        "uge": lambda: u >= v,
    }[name]()


def stored(numbers: list[int], width: int) -> Any:
    element = parse_element(f"i{width}")
    assert element is not None
    return wrapped(np.array(numbers, np.int64), element)


@given(
    width=st.sampled_from(WIDTHS),
    name=st.sampled_from(BINARY + PREDICATES),
    pairs=st.lists(st.tuples(st.integers(), st.integers()), min_size=1, max_size=6),
    edges=st.booleans(),
)
def test_every_op_at_every_width(
    module: Functions, width: int, name: str, pairs: list[tuple[int, int]], edges: bool
) -> None:
    limits = [0, 1, -1, 1 << (width - 1), (1 << (width - 1)) - 1]
    pairs = pairs + [(a, b) for a in limits for b in limits] if edges else pairs
    known = [(signed(a, width), signed(b, width)) for a, b in pairs]
    divides = name[:-2] in ("div", "rem", "floordiv", "ceildiv")
    expected = [meaning(name, a, b, width) for a, b in known]
    if divides and None in expected:
        with pytest.raises(UndefinedBehavior):
            run(module, name, known, width)
        return
    out, poison = run(module, name, known, width)
    found = [None if bad else int(n) for n, bad in zip(out, poison, strict=True)]
    assert found == [None if n is None else printed(n, name, width) for n in expected]


def printed(number: int, name: str, width: int) -> int:
    """An integer as it is stored; i1 is a bool."""
    if name in PREDICATES or width == 1:
        return number & 1
    return signed(number, width)


def run(module: Functions, name: str, pairs: list[tuple[int, int]], width: int) -> Any:
    a, b = (stored([pair[side] for pair in pairs], width) for side in (0, 1))
    (out,) = module.arrays(f"{name}_{width}", a, b)
    return out.data, out.mask()


def test_constants_of_the_llvm_dialect() -> None:
    """They stand beside others where a pass has lowered a part of a program."""
    functions = Functions("""
      "func.func"() ({
        %0 = "llvm.mlir.constant"() <{value = 29 : index}> : () -> i64
        %1 = "builtin.unrealized_conversion_cast"(%0) : (i64) -> index
        %2 = "llvm.mlir.constant"() <{value = true}> : () -> i1
        %3 = "llvm.mlir.constant"() <{value = 1.5 : f32}> : () -> f32
        %4 = "llvm.mlir.constant"() <{value = dense<[1, -2]> : vector<2xi16>}> : () -> vector<2xi16>
        "func.return"(%1, %2, %3, %4) : (index, i1, f32, vector<2xi16>) -> ()
      }) {sym_name = "f"} : () -> ()
    """)
    found = [one.tolist() for one in functions.all("f")]
    assert found == [29, True, 1.5, [1, -2]] or found == [29, -1, 1.5, [1, -2]]

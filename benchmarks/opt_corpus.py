"""The failures of other tools, each planted in a healthy module.

The healthy ops are functions of their own, and arithmetic in front of the failing ops. A tool that
fails on some of them otherwise gets only those that it takes.
"""

import re
from collections.abc import Iterator

from reducer.conversions import OptPrinter
from reducer.ir import Module
from tests.support.opt_corpus import OptCase

_ARITHMETIC = """\
  %{p}0 = arith.constant {k} : i32
  %{p}1 = arith.addi %{p}0, %{p}0 : i32
  %{p}2 = arith.muli %{p}1, %{p}0 : i32
  %{p}3 = arith.subi %{p}2, %{p}1 : i32
  %{p}4 = arith.cmpi slt, %{p}3, %{p}1 : i32
"""
_LOOPS = """\
  %{p}m = memref.alloc() : memref<16x8xf32>
  %{p}x = arith.constant 1.5 : f32
  affine.for %i = 0 to 16 {{
    affine.for %j = 0 to 8 {{
      %l = affine.load %{p}m[%i, %j] : memref<16x8xf32>
      %s = arith.addf %l, %{p}x : f32
      affine.store %s, %{p}m[%i, %j] : memref<16x8xf32>
    }}
  }}
"""
_BODIES = (_LOOPS + _ARITHMETIC, _ARITHMETIC, "")


def ops_of(case: OptCase, text: str) -> int:
    """The number of ops of a program; lines if the tool's printer cannot parse it."""
    opt = case.opt()
    generic = OptPrinter(opt, case.limits).generic(text) if opt else None
    return Module.parse(generic).op_count if generic else text.count("\n")


def planted(case: OptCase, ops: int) -> str:
    """The program with healthy ops around it that the tool takes without failing."""
    if not ops:
        return case.text
    for body in _BODIES:
        functions = "".join(_functions(body, ops)) if body and case.package != "triton" else ""
        inside = _inside(case.text, ops // 5)
        healthy = case.oracle(functions)
        if functions and healthy.wants(healthy.run(functions)):
            continue
        text = inside + functions
        wanted = case.oracle().run(case.text).signature.bucket
        if case.oracle(text).run(text).signature.bucket == wanted:
            return text
    return case.text


def _functions(body: str, ops: int) -> Iterator[str]:
    lines = body.count("\n") - body.count("}}\n") + 2
    for number in range(ops // lines):
        yield f"func.func @host{number}() {{\n{body.format(p='h', k=number)}  return\n}}\n"


def _inside(text: str, ops: int) -> str:
    """The program with arithmetic at the start of its first function."""
    head = re.search(r"^ *(?:func|llvm|tt)\.func (?!private)[^\n]*\{\n", text, re.M)
    if head is None:
        return text
    own = "".join(_ARITHMETIC.format(p=f"h{number}_", k=number) for number in range(ops // 5))
    return text[: head.end()] + own + text[head.end() :]

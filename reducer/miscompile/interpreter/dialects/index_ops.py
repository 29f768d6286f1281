"""The index dialect: arithmetic on `index`, which means what it means in the arith dialect.

Source: MLIR language reference, 'index' dialect. An index has 64 bits here, as on every target of
the compilers under test.
"""

import re
from typing import Any

import numpy as np

from reducer.miscompile.interpreter.attributes import integer
from reducer.miscompile.interpreter.errors import Unsupported
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.interpreter.registry import alias, elementwise, op
from reducer.miscompile.interpreter.values import Array
from reducer.miscompile.values.elements import unsigned

for _ours, _theirs in {
    "add": "addi", "sub": "subi", "mul": "muli", "and": "andi", "or": "ori", "xor": "xori",
    "divs": "divsi", "divu": "divui", "ceildivs": "ceildivsi", "ceildivu": "ceildivui",
    "floordivs": "floordivsi", "rems": "remsi", "remu": "remui", "maxs": "maxsi", "maxu": "maxui",
    "mins": "minsi", "minu": "minui", "shl": "shli", "shrs": "shrsi", "shru": "shrui",
}.items():  # fmt: skip
    alias(f"index.{_ours}", f"arith.{_theirs}")
alias("index.casts", "arith.index_cast")
alias("index.castu", "arith.index_castui")

_PREDICATE = re.compile(r"cmp_predicate\s*<?\(?(\w+)")
_ORDER = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal,
          "gt": np.greater, "ge": np.greater_equal}  # fmt: skip


@op("index.constant", batched=True)
def constant(frame: Any, op: Op) -> Array:
    return Array(np.int64(integer(op.text("value"))))


@op("index.bool.constant", batched=True)
def bool_constant(frame: Any, op: Op) -> Array:
    return Array(np.bool_(op.text("value") == "true"))


@op("index.sizeof", batched=True)
def sizeof(frame: Any, op: Op) -> Array:
    return Array(np.int64(64))


@elementwise("index.cmp")
def cmp(op: Op, a: Any, b: Any) -> Any:
    match = _PREDICATE.search(op.text("pred"))
    name = match[1] if match else ""
    if name not in _ORDER:
        if name[:1] not in "su" or name[1:] not in _ORDER:
            raise Unsupported([f"index.cmp {name}"])
        if name[0] == "u":
            a, b = unsigned(a, op.operand), unsigned(b, op.operand)
        name = name[1:]
    return _ORDER[name](a, b)

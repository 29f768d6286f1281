"""Integer ops of the arith dialect, and the index dialect, whose ops mean what these mean.

Source: MLIR language reference, 'arith' and 'index' dialects. An index has 64 bits here, as on
every target of the compilers under test. Integers wrap around; the flags nsw and nuw, and a
shift by the width or more, make poison; a division by zero or of the least integer by -1 is
undefined behavior.
"""

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from reducer.miscompile.interpreter.attributes import integer
from reducer.miscompile.interpreter.errors import UndefinedBehavior, Unsupported
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.interpreter.registry import alias, elementwise, elementwise_rows, op, rows
from reducer.miscompile.interpreter.values import Array, merged
from reducer.miscompile.values.elements import (
    INDEX_WIDTH,
    Element,
    Numbers,
    signed,
    unsigned,
    wrapped,
)

# ---- ring arithmetic --------------------------------------------------------------------------


def _exact(a: Numbers, b: Numbers, compute: Any) -> Numbers:
    """The result without wraparound, as 64-bit or Python integers."""
    if a.dtype.itemsize <= 4 and b.dtype.itemsize <= 4:
        return np.asarray(compute(a.astype(np.int64), b.astype(np.int64)))
    return np.asarray(compute(a.astype(object), b.astype(object)))


def _overflow(op: Op, a: Numbers, b: Numbers, compute: Any) -> Numbers | None:
    """Where a promise not to overflow is broken."""
    flags = op.flags("overflowFlags")
    element = op.result
    out: Numbers | None = None
    if "nsw" in flags:
        exact = _exact(signed(a), signed(b), compute)
        out = (exact < element.lowest) | (exact > element.highest)
    if "nuw" in flags:
        exact = _exact(unsigned(a, element), unsigned(b, element), compute)
        over = (exact < 0) | (exact >= 1 << element.width)
        out = over if out is None else out | over
    return None if out is None else out.astype(np.bool_)


def _ring(name: str, compute: Callable[[Any, Any], Any]) -> None:
    @elementwise(name)
    def run(op: Op, a: Numbers, b: Numbers) -> tuple[Numbers, Numbers | None]:
        out = wrapped(np.asarray(compute(signed(a), signed(b))), op.result)
        if not op.has("overflowFlags"):
            return out, None
        return out, _overflow(op, a, b, compute)


_ring("arith.addi", lambda a, b: a + b)
_ring("arith.subi", lambda a, b: a - b)
_ring("arith.muli", lambda a, b: a * b)

elementwise_rows(
    {
        "arith.andi": lambda op, a, b: np.asarray(a & b),
        "arith.ori": lambda op, a, b: np.asarray(a | b),
        "arith.xori": lambda op, a, b: np.asarray(a ^ b),
    }
)


def _extended(op: Op, a: Array, b: Array, kind: Any) -> tuple[Array, ...]:
    """The low and the high half of a product."""
    element = op.result
    exact = kind(a.data).astype(object) * kind(b.data).astype(object)
    exact = np.asarray(exact, object)
    poison = merged(a, b)
    halves = exact, exact >> element.width
    return tuple(Array(_from_exact(half, element), poison) for half in halves)


def _from_exact(data: Any, element: Element) -> Numbers:
    """Python integers modulo the width."""
    low = np.asarray(np.asarray(data, object) & ((1 << element.width) - 1), object)
    return wrapped(low.astype(np.uint64).view(np.int64), element)


@op("arith.addui_extended", batched=True)
def addui_extended(frame: Any, op: Op, a: Array, b: Array) -> tuple[Array, Array]:
    element = op.operand
    total = wrapped(signed(a.data) + signed(b.data), element)
    carry = unsigned(total, element) < unsigned(a.data, element)
    poison = merged(a, b)
    return Array(total, poison), Array(carry, poison)


# ---- division ---------------------------------------------------------------------------------


def _checked(a: Numbers, b: Numbers, element: Element, *, is_signed: bool) -> None:
    if not np.all(b):
        raise UndefinedBehavior("division by zero")
    if is_signed and np.any((b == -1) & (a == element.lowest)):
        raise UndefinedBehavior("signed overflow in a division")


def _truncated(a: Numbers, b: Numbers) -> Numbers:
    """The quotient rounded toward zero."""
    quotient = a // b
    return np.asarray(quotient + ((quotient * b != a) & ((a < 0) != (b < 0))))


def _ceiling(a: Numbers, b: Numbers) -> Numbers:
    quotient = a // b
    return np.asarray(quotient + (quotient * b != a).astype(quotient.dtype))


def _division(name: str, is_signed: bool, compute: Callable[[Any, Any], Any]) -> None:
    """Register a division. With the flag `exact`, one that leaves a remainder makes poison."""

    @op(f"arith.{name}", batched=True)
    def run(frame: Any, op: Op, a: Array, b: Array) -> Array:
        element = op.result
        divisor = frame.known(b, "a divisor")
        if is_signed:
            left, right = signed(a.data), signed(divisor)
        else:
            left, right = unsigned(a.data, element), unsigned(divisor, element)
        if a.poison is not None:
            left = np.where(a.poison, left.dtype.type(0), left)
        _checked(left, right, element, is_signed=is_signed)
        out = np.asarray(compute(left, right))
        poison = a.poison
        if op.has("isExact") and (inexact := out * right != left).any():
            frame.saw_poison(op)
            poison = inexact if poison is None else poison | inexact
        return Array(wrapped(out, element), poison)


_division("divsi", True, _truncated)
_division("divui", False, lambda a, b: a // b)
_division("remsi", True, lambda a, b: a - _truncated(a, b) * b)
_division("remui", False, lambda a, b: a % b)
_division("floordivsi", True, lambda a, b: a // b)
_division("ceildivsi", True, _ceiling)
_division("ceildivui", False, _ceiling)

# ---- shifts -----------------------------------------------------------------------------------


def _amount(op: Op, b: Numbers) -> tuple[Numbers, Numbers]:
    """The amounts, within the width, and where they are not."""
    amount = unsigned(b, op.result)
    beyond = amount >= op.result.width
    return np.where(beyond, amount.dtype.type(0), amount), beyond


@elementwise("arith.shli")
def shli(op: Op, a: Numbers, b: Numbers) -> tuple[Numbers, Numbers]:
    amount, beyond = _amount(op, b)
    out = wrapped(signed(a) << amount.astype(signed(a).dtype), op.result)
    flags = op.flags("overflowFlags")
    if "nsw" in flags:
        beyond = beyond | (signed(out) >> amount.astype(signed(a).dtype) != signed(a))
    if "nuw" in flags:
        back = unsigned(out, op.result) >> amount
        beyond = beyond | (back != unsigned(a, op.result))
    return out, beyond


@elementwise("arith.shrsi")
def shrsi(op: Op, a: Numbers, b: Numbers) -> tuple[Numbers, Numbers]:
    amount, beyond = _amount(op, b)
    out = wrapped(signed(a) >> amount.astype(signed(a).dtype), op.result)
    return out, _inexact(op, beyond, out, amount, a)


@elementwise("arith.shrui")
def shrui(op: Op, a: Numbers, b: Numbers) -> tuple[Numbers, Numbers]:
    amount, beyond = _amount(op, b)
    bits = unsigned(a, op.result)
    out = wrapped(bits >> amount.astype(bits.dtype), op.result)
    return out, _inexact(op, beyond, out, amount, a)


def _inexact(op: Op, beyond: Numbers, out: Numbers, amount: Numbers, a: Numbers) -> Numbers:
    """With the flag `exact`, a shift that loses bits makes poison too."""
    if not op.has("isExact"):
        return beyond
    back = wrapped(signed(out) << amount.astype(signed(out).dtype), op.result)
    return np.asarray(beyond | (back != a))


# ---- comparison and selection -----------------------------------------------------------------

_SIGNED: list[Any] = [
    np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal,
]  # fmt: skip


@elementwise("arith.cmpi")
def cmpi(op: Op, a: Numbers, b: Numbers) -> Numbers:
    predicate = op.integer("predicate")
    if predicate < 6:
        return np.asarray(_SIGNED[predicate](signed(a), signed(b)))
    element = op.operand
    return np.asarray(_SIGNED[predicate - 4](unsigned(a, element), unsigned(b, element)))


def _extremum(name: str, function: Any, is_signed: bool) -> None:
    @elementwise(f"arith.{name}")
    def run(op: Op, a: Numbers, b: Numbers) -> Numbers:
        if is_signed:
            return wrapped(np.asarray(function(signed(a), signed(b))), op.result)
        out = function(unsigned(a, op.result), unsigned(b, op.result))
        return wrapped(np.asarray(out), op.result)


_extremum("maxsi", np.maximum, True)
_extremum("minsi", np.minimum, True)
_extremum("maxui", np.maximum, False)
_extremum("minui", np.minimum, False)


@op("arith.select", batched=True)
def select(frame: Any, op: Op, condition: Any, a: Any, b: Any) -> Any:
    """Poison in the operand that is not chosen does not matter."""
    sides: Any = a, b
    if not isinstance(a, Array):
        return a if frame.known(condition, "a choice") else b
    if condition.data.ndim == 0 and condition.poison is None and frame.batch is None:
        return a if condition.data else b
    return np.where(condition, *sides)


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


rows(
    {
        "index.constant": lambda op: Array(np.int64(integer(op.text("value")))),
        "index.bool.constant": lambda op: Array(np.bool_(op.text("value") == "true")),
        "index.sizeof": lambda op: Array(np.int64(INDEX_WIDTH)),
        "arith.mulsi_extended": lambda op, a, b: _extended(op, a, b, signed),
        "arith.mului_extended": lambda op, a, b: _extended(
            op, a, b, lambda data: unsigned(data, op.operand)
        ),
    },
    batched=True,
)


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

"""Affine maps as coefficients and as values over arrays of indices, and affine sets.

The grammar is that of the MLIR language reference (Affine Dialect, "Polyhedral Structures"). It is
Python's but for the names of three operators, which bind alike.
"""

import ast
import operator
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from reducer.ir.affine import AffineMap, parse_map
from reducer.ir.lexer import split_commas
from reducer.miscompile.interpreter.errors import UndefinedBehavior, Unsupported

_DIVISIONS = {"floordiv": "//", "ceildiv": "@", "mod": "%"}
_DIVISION = re.compile(rf"\b(?:{'|'.join(_DIVISIONS)})\b")
_OPERATORS: dict[type[ast.AST], Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.MatMult: lambda left, right: -(-left // right),
    ast.Mod: operator.mod,
}


@dataclass(frozen=True)
class Linear:
    """`sum(coefficients[n] * dim n) + constant`."""

    coefficients: tuple[int, ...]
    constant: int


@lru_cache(maxsize=4096)
def linear(affine: AffineMap, number: int) -> Linear | None:
    """A result of a map as a linear function of the dims; None if it is not one."""
    result = _results(affine)[number]
    dims = [f"d{n}" for n in range(affine.dims)]
    for node in ast.walk(result):
        is_symbol = isinstance(node, ast.Name) and node.id not in dims
        if is_symbol or isinstance(node, (ast.FloorDiv, ast.MatMult, ast.Mod)):
            return None
    zero = dict.fromkeys(dims, 0)
    constant = _evaluate(result, zero)
    moved = (_evaluate(result, {**zero, dim: 1}) for dim in dims)
    return Linear(tuple(value - constant for value in moved), constant)


def evaluate(affine: AffineMap, operands: list[Any]) -> list[Any]:
    """The results of a map for some dims followed by symbols, which may be arrays.

    Raises:
        UndefinedBehavior: a divisor is not positive.
    """
    values = dict(zip(_names(affine), operands, strict=False))
    return [_evaluate(result, values) for result in _results(affine)]


def _names(affine: AffineMap) -> list[str]:
    return [*(f"d{n}" for n in range(affine.dims)), *affine.symbol_names]


def _evaluate(node: ast.expr, values: dict[str, Any]) -> Any:
    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            return values[node.id]
        case ast.UnaryOp():
            return -_evaluate(node.operand, values)
        case ast.BinOp():
            left, right = _evaluate(node.left, values), _evaluate(node.right, values)
            is_division = isinstance(node.op, (ast.FloorDiv, ast.MatMult, ast.Mod))
            if is_division and np.any(np.asarray(right) <= 0):
                raise UndefinedBehavior("division in an affine map by what is not positive")
            return _OPERATORS[type(node.op)](left, right)
    raise Unsupported([f"affine expression {ast.unparse(node)[:60]}"])


@lru_cache(maxsize=4096)
def _results(affine: AffineMap) -> tuple[ast.expr, ...]:
    names, out = _names(affine), []
    for result in affine.results:
        text = _DIVISION.sub(lambda match: _DIVISIONS[match[0]], result)
        try:
            results = ast.parse(text.strip(), mode="eval").body
        except SyntaxError:
            raise Unsupported([f"affine expression {result[:60]}"]) from None
        used = (node.id for node in ast.walk(results) if isinstance(node, ast.Name))
        if unknown := next((name for name in used if name not in names), ""):
            raise Unsupported([f"affine expression near '{unknown}'"])
        out.append(results)
    return tuple(out)


@lru_cache(maxsize=4096)
def parse_affine_map(text: str) -> AffineMap:
    """The map in `affine_map<(d0, d1)[s0] -> (d0 + s0, d1)>`.

    Raises:
        Unsupported: the text is not an affine map.
    """
    found = parse_map(text)
    if found is None:
        raise Unsupported([f"affine map {text[:60]}"])
    _results(found)
    return found


_SET = re.compile(r"(?:affine_set<)?(\([^()]*\)(?:\[[^\]]*\])?) ?: ?\((.*)\)>?$", re.S)
_RELATION = re.compile(r"(.*?)(==|>=|<=)(.*)", re.S)


@dataclass(frozen=True)
class AffineSet:
    """The points at which some values of a map are zero, and the others at least zero."""

    values: AffineMap
    zero: tuple[bool, ...]

    def contains(self, operands: list[Any]) -> bool:
        """Whether a point, dims followed by symbols, is in the set."""
        values = evaluate(self.values, operands)
        return all(
            value == 0 if zero else value >= 0
            for value, zero in zip(values, self.zero, strict=True)
        )


@lru_cache(maxsize=4096)
def parse_affine_set(text: str) -> AffineSet:
    """The set in `affine_set<(d0)[s0] : (d0 - s0 >= 0, d0 == 3)>`.

    Raises:
        Unsupported: the text is not an affine set.
    """
    match = _SET.match(text.strip())
    if match is None:
        raise Unsupported([f"affine set {text[:60]}"])
    values, zero = [], []
    for constraint in split_commas(match[2]):
        relation = _RELATION.match(constraint)
        if relation is None:
            raise Unsupported([f"affine constraint {constraint[:60]}"])
        left, sign, right = relation.groups()
        left, right = (right, left) if sign == "<=" else (left, right)
        values.append(f"{left} - ({right})")
        zero.append(sign == "==")
    values_map = parse_affine_map(f"affine_map<{match[1]} -> ({', '.join(values)})>")
    return AffineSet(values_map, tuple(zero))

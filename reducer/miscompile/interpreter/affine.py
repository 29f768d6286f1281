"""Affine maps and sets: parsed, as coefficients, and evaluated over arrays of indices.

The grammar is that of the MLIR language reference (Affine Dialect, "Polyhedral Structures").
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from reducer.ir.affine import parse_map
from reducer.ir.lexer import split_commas
from reducer.miscompile.interpreter.errors import UndefinedBehavior, Unsupported

_TOKEN = re.compile(r"\s*(->|floordiv|ceildiv|mod|[A-Za-z_][\w$.]*|\d+|[-+*(),])")

Expression = tuple[Any, ...]
"""`("dim", n)`, `("symbol", n)`, `("constant", n)`, or an operator with two expressions."""


@dataclass(frozen=True)
class Linear:
    """`sum(coefficients[n] * dim n) + constant`."""

    coefficients: tuple[int, ...]
    constant: int

    @property
    def plain_dim(self) -> int | None:
        """The dim that this is, if it is nothing else."""
        used = [n for n, coefficient in enumerate(self.coefficients) if coefficient]
        if len(used) == 1 and self.coefficients[used[0]] == 1 and not self.constant:
            return used[0]
        return None


@dataclass(frozen=True)
class AffineMap:
    """A map from dims and symbols to indices."""

    dims: int
    symbols: int
    results: tuple[Expression, ...]

    def linear(self, number: int) -> Linear | None:
        """A result as a linear function of the dims; None if it is not one."""
        return _linear(self.results[number], self.dims)

    def evaluate(self, operands: list[Any]) -> list[Any]:
        """The results for some dims followed by symbols, which may be arrays.

        Raises:
            UndefinedBehavior: a divisor is not positive.
        """
        dims, symbols = operands[: self.dims], operands[self.dims :]
        return [_evaluate(result, dims, symbols) for result in self.results]


@lru_cache(maxsize=4096)
def parse_affine_map(text: str) -> AffineMap:
    """The map in `affine_map<(d0, d1)[s0] -> (d0 + s0, d1)>`.

    Raises:
        Unsupported: the text is not an affine map.
    """
    found = parse_map(text)
    if found is None:
        raise Unsupported([f"affine map {text[:60]}"])
    symbols = [name.strip() for name in found.symbols.strip("[]").split(",") if name.strip()]
    names: dict[str, Expression] = {f"d{n}": ("dim", n) for n in range(found.dims)}
    names.update({name: ("symbol", n) for n, name in enumerate(symbols)})
    results = (_Parser(one, names).expression() for one in found.results)
    return AffineMap(found.dims, len(symbols), tuple(results))


_SET = re.compile(r"(?:affine_set<)?(\([^()]*\)(?:\[[^\]]*\])?) ?: ?\((.*)\)>?$", re.S)
_RELATION = re.compile(r"(.*?)(==|>=|<=)(.*)", re.S)


@dataclass(frozen=True)
class AffineSet:
    """The points at which some values of a map are zero, and the others at least zero."""

    values: AffineMap
    zero: tuple[bool, ...]

    def contains(self, operands: list[Any]) -> bool:
        """Whether a point, dims followed by symbols, is in the set."""
        values = self.values.evaluate(operands)
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


class _Parser:
    """Recursive descent over a result of a map."""

    def __init__(self, text: str, names: dict[str, Expression]) -> None:
        self.words = _TOKEN.findall(text)
        self.names = names
        self.at = 0

    def expression(self) -> Expression:
        found = self._sum()
        self._take("")
        return found

    def _peek(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def _take(self, wanted: str) -> None:
        if self._peek() != wanted:
            raise Unsupported([f"affine expression near '{self._peek()}'"])
        self.at += 1

    def _sum(self) -> Expression:
        left = self._product()
        while (sign := self._peek()) in ("+", "-"):
            self.at += 1
            right = self._product()
            left = ("+", left, right if sign == "+" else ("*", right, ("constant", -1)))
        return left

    def _product(self) -> Expression:
        left = self._factor()
        while (operator := self._peek()) in ("*", "floordiv", "ceildiv", "mod"):
            self.at += 1
            left = (operator, left, self._factor())
        return left

    def _factor(self) -> Expression:
        word = self._peek()
        self.at += 1
        if word == "(":
            inner = self._sum()
            self._take(")")
            return inner
        if word == "-":
            return ("*", self._factor(), ("constant", -1))
        if word.isdigit():
            return ("constant", int(word))
        if word in self.names:
            return self.names[word]
        raise Unsupported([f"affine expression near '{word}'"])


def _linear(expression: Expression, dims: int) -> Linear | None:
    kind = expression[0]
    if kind == "dim":
        return Linear(tuple(int(n == expression[1]) for n in range(dims)), 0)
    if kind == "constant":
        return Linear((0,) * dims, expression[1])
    if kind not in ("+", "*"):
        return None
    left, right = _linear(expression[1], dims), _linear(expression[2], dims)
    if left is None or right is None:
        return None
    if kind == "+":
        pairs = zip(left.coefficients, right.coefficients, strict=True)
        return Linear(tuple(a + b for a, b in pairs), left.constant + right.constant)
    if any(left.coefficients):
        left, right = right, left
    if any(left.coefficients):
        return None
    factor = left.constant
    return Linear(tuple(factor * c for c in right.coefficients), factor * right.constant)


def _evaluate(expression: Expression, dims: list[Any], symbols: list[Any]) -> Any:
    kind = expression[0]
    if kind == "dim":
        return dims[expression[1]]
    if kind == "symbol":
        return symbols[expression[1]]
    if kind == "constant":
        return expression[1]
    left = _evaluate(expression[1], dims, symbols)
    right = _evaluate(expression[2], dims, symbols)
    if kind == "+":
        return left + right
    if kind == "*":
        return left * right
    if np.any(np.asarray(right) <= 0):
        raise UndefinedBehavior(f"{kind} of an affine map by a number that is not positive")
    if kind == "floordiv":
        return left // right
    if kind == "ceildiv":
        return -(-left // right)
    return left % right

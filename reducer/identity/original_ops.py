"""Whether a program is a part of what the user has: ops were left out of it, and none was changed.

A reduction also changes ops: it makes sizes, types, attributes and operands simpler, and computes
with another value of the same type. If the compiler rejects what only such an edit has made, that
says nothing about the user's program.
"""

from collections.abc import Iterator
from functools import cache

from reducer.ir import NONE, Module
from reducer.ir.dialects import MODULE_OPS
from reducer.ir.functions import Functions
from reducer.ir.lexer import ALIAS, Outside
from reducer.search.candidate import canonical

_ALIASES = Outside(ALIAS)


class UncutOps:
    """The ops of whole programs, as they are there, and what they compute with."""

    def __init__(self) -> None:
        self._known: set[int] = set()

    def add(self, module: Module) -> None:
        """Regard every op of a program as one that no edit has changed."""
        self._known.update(_facts(module))

    def contain(self, module: Module) -> bool:
        """Whether no op of a program was changed.

        What it computes with may have become the argument of a function.
        """
        return all(fact in self._known for fact in _facts(module))


def _facts(module: Module) -> Iterator[int]:
    """A hash of each op in a function, and of each with the op that computes one of its operands.

    An op has all that is nested in it, other than a module. Functions and what ends them are left
    out: to leave out an op changes what they take and return.
    """
    t = module.t
    functions = Functions.of(module)
    apart = functions.all | _ends(module, functions)
    modules = {op for op, name in enumerate(t.name) if name in MODULE_OPS}
    around = functions.around | modules
    holders = functions.all | around
    meant = _aliases(module)

    @cache
    def form(op: int) -> int:
        text = module.own_text(op) if op in around else module.text[t.start[op] : t.end[op]]
        return hash(" ".join(_expanded(canonical(text), meant).split()))

    for op, operands in enumerate(t.operands):
        outside = t.parent[op]
        nested = outside != NONE and outside not in holders
        if nested or op in apart:
            continue
        yield form(op)
        for number, value in enumerate(operands):
            producer = NONE if value == NONE else t.def_op[value]
            if producer != NONE:
                yield hash((form(op), number, form(producer), value - t.first_result[producer]))


def _ends(module: Module, functions: Functions) -> set[int]:
    """The last op of each block of a function."""
    blocks = (block for function in functions.all for block in module.blocks_of(function))
    return {ops[-1] for block in blocks if (ops := module.t.block_ops[block])}


def _aliases(module: Module) -> dict[str, str]:
    """What each alias stands for, without other aliases."""
    meant: dict[str, str] = {}
    for alias in module.t.aliases:
        value = module.text[alias.start : alias.end].partition("=")[2].strip()
        meant[alias.name] = _expanded(value, meant)
    return meant


def _expanded(text: str, meant: dict[str, str]) -> str:
    return _ALIASES.sub(lambda match: meant.get(match[0], match[0]), text) if meant else text

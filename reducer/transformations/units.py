"""Units: the ops that stand directly in a function's body, in text order across functions.

Windows and deletions work on units; what is nested in a unit goes and stays with it.
"""

from functools import cached_property
from weakref import WeakKeyDictionary

from reducer.ir import NONE, Module
from reducer.ir.functions import is_function

_COLLECTED: "WeakKeyDictionary[Module, Units]" = WeakKeyDictionary()


class Units:
    """The units of a module, its functions, and the other symbols around them."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.functions: list[int] = []
        self.others: list[int] = []  # ops beside the functions: globals, declarations…
        self.function_of: dict[int, int] = {}
        self._collect()

    @staticmethod
    def of(module: Module) -> "Units":
        """The units of a module, collected once per module."""
        found = _COLLECTED.get(module)
        if found is None:
            found = Units(module)
            _COLLECTED[module] = found
        return found

    def _collect(self) -> None:
        module = self.module
        for root in module.roots:
            self._visit(root)
        for function in self.functions:
            for block in module.blocks_of(function):
                for op in module.t.block_ops[block][:-1]:
                    self.function_of[op] = function

    def _visit(self, op: int) -> None:
        stack = [op]
        while stack:
            op = stack.pop()
            if is_function(self.module, op):
                self.functions.append(op)
            elif self._holds_functions(op):
                stack.extend(reversed(list(self.module.children(op))))
            else:
                self.others.append(op)

    def _holds_functions(self, op: int) -> bool:
        """Whether a function lies directly in an op, or in an op in it (nested modules)."""
        if op not in self.module.t.regions:
            return False
        text = self.module.text
        start, end = self.module.t.header_end[op], self.module.t.end[op]
        return self.module.t.parent[op] == NONE or text.find("function_type = ", start, end) >= 0

    @cached_property
    def units(self) -> list[int]:
        """All units in text order: every op in a function's block but its terminator."""
        return sorted(self.function_of)

    @cached_property
    def defined(self) -> dict[str, int]:
        """Symbol name to the function or other op that defines it."""
        out: dict[str, int] = {}
        for op in (*self.others, *self.functions):
            name = self.module.symbol_name(op)
            if name is not None:
                out.setdefault(name, op)
        return out

    @cached_property
    def referenced(self) -> dict[str, list[int]]:
        """Symbol name to the functions and other ops that mention it anywhere inside."""
        out: dict[str, list[int]] = {}
        for op in (*self.others, *self.functions):
            for name in self.module.symbol_refs(op):
                out.setdefault(name, []).append(op)
        return out

    def unit_of(self, op: int) -> int:
        """The unit that an op is or lies in; NONE for functions, terminators and what is beside."""
        while op != NONE and op not in self.function_of:
            op = self.module.t.parent[op]
        return op

"""Units: the ops that stand directly in a function's body, in text order across functions.

Windows and deletions work on units; what is nested in a unit goes and stays with it.
"""

from collections.abc import Iterator
from functools import cached_property

from reducer.ir import NONE, Module
from reducer.ir.functions import is_function


class BodyOps:
    """The units of a module, its functions, and the other symbols around them."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.functions: list[int] = []
        self.enclosing: list[int] = []  # ops around functions: executables, nested modules…
        self.module_symbols: list[
            int
        ] = []  # ops beside the functions: globals, declarations, exports…
        self.function_of: dict[int, int] = {}
        self.ops_in: dict[int, list[int]] = {}
        self._callees: dict[int, list[int]] = {}
        self._collect()

    @staticmethod
    def of(module: Module) -> "BodyOps":
        """The units of a module, collected once per module."""
        return module.derived(BodyOps)

    def _collect(self) -> None:
        module = self.module
        for root in module.roots:
            self._visit(root)
        for function in self.functions:
            blocks = (module.t.block_ops[block] for block in module.blocks_of(function))
            inside = self.ops_in[function] = [op for ops in blocks for op in ops[:-1]]
            self.function_of.update((op, function) for op in inside)

    def _visit(self, op: int) -> None:
        stack = [op]
        while stack:
            op = stack.pop()
            if is_function(self.module, op):
                self.functions.append(op)
            elif self._holds_functions(op):
                if self.module.t.parent[op] != NONE:
                    self.enclosing.append(op)
                stack.extend(reversed(list(self.module.children(op))))
            else:
                self.module_symbols.append(op)

    def _holds_functions(self, op: int) -> bool:
        """Whether a function lies directly in an op, or in an op in it (nested modules)."""
        if op not in self.module.t.regions:
            return False
        text = self.module.text
        start, end = self.module.t.header_end[op], self.module.t.end[op]
        return self.module.t.parent[op] == NONE or text.find("function_type = ", start, end) >= 0

    @cached_property
    def outside(self) -> frozenset[int]:
        """Functions, and everything that stands around or beside them."""
        return frozenset((*self.functions, *self.enclosing, *self.module_symbols))

    @cached_property
    def ops(self) -> list[int]:
        """All units in text order: every op in a function's block but its terminator."""
        return sorted(self.function_of)

    @cached_property
    def _defined(self) -> dict[str, list[int]]:
        """Symbol name to the shells, other ops and functions of that name."""
        out: dict[str, list[int]] = {}
        for op in (*self.enclosing, *self.module_symbols, *self.functions):
            name = self.module.symbol_name(op)
            if name is not None:
                out.setdefault(name, []).append(op)
        return out

    def definition(self, name: str, seen_from: int) -> int:
        """The op that a symbol means to an op that mentions it; NONE if there is none.

        Of several with that name, in the symbol tables of several nested modules, it is the one
        in the innermost table around the op.
        """
        found = self._defined.get(name, [])
        parents = self.module.t.parent
        around = [op for op in found if self.module.is_inside(seen_from, parents[op])]
        return max(around, key=lambda op: parents[op], default=found[0] if found else NONE)

    @cached_property
    def referenced(self) -> dict[str, list[int]]:
        """Symbol name to the functions and other ops that mention it anywhere inside."""
        out: dict[str, list[int]] = {}
        for op in (*self.module_symbols, *self.functions):
            for name in self.module.symbol_refs(op):
                out.setdefault(name, []).append(op)
        return out

    def body_op_of(self, op: int) -> int:
        """The unit that an op is or lies in; NONE for functions, terminators and what is beside."""
        while op != NONE and op not in self.function_of:
            op = self.module.t.parent[op]
        return op

    def callees(self, function: int) -> list[int]:
        """Other functions that a function mentions, also through an executable around them."""
        found = self._callees.get(function)
        if found is None:
            found = self._callees[function] = list(self._find_callees(function))
        return found

    def _find_callees(self, function: int) -> Iterator[int]:
        for name in self.module.symbol_refs(function):
            op = self.definition(name, function)
            if op in self.ops_in and op != function:
                yield op
            elif op != NONE:
                yield from (f for f in self.functions_inside(op) if f != function)

    def functions_inside(self, enclosing_op: int) -> list[int]:
        """The functions anywhere inside a shell."""
        return [f for f in self.functions if self.module.is_inside(f, enclosing_op)]

    @cached_property
    def _enclosing_set(self) -> frozenset[int]:
        return frozenset(self.enclosing)

    def enclosing_ops(self, op: int) -> Iterator[int]:
        """The shells that an op lies in, from the inside out."""
        op = self.module.t.parent[op]
        while op != NONE:
            if op in self._enclosing_set:
                yield op
            op = self.module.t.parent[op]

    @cached_property
    def exported(self) -> frozenset[int]:
        """Functions that an op beside them refers to, as an export does: their type is fixed."""
        module_symbols = set(self.module_symbols)
        return frozenset(
            function
            for function in self.functions
            if (name := self.module.symbol_name(function)) is not None
            and any(op in module_symbols for op in self.referenced.get(name, ()))
        )


def is_referred_to(module: Module, function: int) -> bool:
    """Whether some op mentions a function by name, so that its type must stay."""
    name = module.symbol_name(function)
    return name is not None and bool(BodyOps.of(module).referenced.get(name))

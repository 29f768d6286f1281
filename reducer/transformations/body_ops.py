"""Body ops: the ops directly in a function's body, in text order across all functions.

Windows and deletions work on body ops; ops nested in a body op are kept or deleted with it.
"""

from collections.abc import Iterator
from functools import cached_property
from itertools import chain

from reducer.ir import NONE, Module, Returned
from reducer.ir.functions import (
    Functions,
    entry_block,
    is_function,
    may_end_block,
    signature,
    takes_arguments,
    terminator_of,
)


class BodyOps:
    """The body ops of a module, its functions, and its other module-level symbols."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.functions: list[int] = []
        self.enclosing: list[int] = []  # ops that contain functions: executables, nested modules…
        self.module_symbols: list[int] = []  # ops next to functions: globals, declarations…
        self.function_of: dict[int, int] = {}
        self.ops_in: dict[int, list[int]] = {}
        self._callees: dict[int, list[int]] = {}
        self._returning: dict[int, int | None] = {}
        self._returned: dict[int, list[tuple[int, int, Returned]]] = {}
        self._argument_users: dict[int, dict[int, set[int]]] = {}
        self._collect()

    @staticmethod
    def of(module: Module) -> "BodyOps":
        """The body ops of a module, computed once per module."""
        return module.derived(BodyOps)

    def _collect(self) -> None:
        module = self.module
        for root in module.roots:
            self._visit(root)
        for function in self.functions:
            blocks = (module.t.block_ops[block] for block in module.blocks_of(function))
            inside = self.ops_in[function] = [
                op for ops in blocks for op in ops if op != ops[-1] or not may_end_block(module, op)
            ]
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
        """Whether an op contains a function, directly or in a nested op."""
        if op not in self.module.t.regions:
            return False
        return self.module.t.parent[op] == NONE or op in Functions.of(self.module).around

    @cached_property
    def outside(self) -> frozenset[int]:
        """Functions, enclosing ops and other module-level ops."""
        return frozenset((*self.functions, *self.enclosing, *self.module_symbols))

    @cached_property
    def ops(self) -> list[int]:
        """All body ops in text order: the ops in each function's blocks, without terminators."""
        return sorted(self.function_of)

    @cached_property
    def _defined(self) -> dict[str, list[int]]:
        """Symbol name to the enclosing ops, other module-level ops and functions that define it."""
        out: dict[str, list[int]] = {}
        for op in (*self.enclosing, *self.module_symbols, *self.functions):
            name = self.module.symbol_name(op)
            if name is not None:
                out.setdefault(name, []).append(op)
        return out

    def definition(self, name: str, seen_from: int) -> int:
        """The op that defines a symbol referenced from the op `seen_from`; NONE if there is none.

        If several symbol tables of nested modules define the name, the innermost one around the
        reference wins.
        """
        found = self._defined.get(name, [])
        parents = self.module.t.parent
        around = [op for op in found if self.module.is_inside(seen_from, parents[op])]
        return max(around, key=lambda op: parents[op], default=found[0] if found else NONE)

    @cached_property
    def _references(self) -> dict[tuple[str, str], list[int]]:
        """Scope and symbol name to the functions and other module-level ops that refer to that."""
        out: dict[tuple[str, str], list[int]] = {}
        for op in (*self.module_symbols, *self.functions):
            for reference in self.module.scoped_symbol_refs(op):
                out.setdefault(reference, []).append(op)
        return out

    def users_of(self, op: int) -> list[int]:
        """The functions and other module-level ops that refer to a symbol, each once.

        `@a::@b` refers to the `b` in `a` only. Kernels often have the name of a module beside.
        """
        name = self.module.symbol_name(op) or ""
        scopes = dict.fromkeys(("", self._scope(op)))
        found = (self._references.get((scope, name), ()) for scope in scopes)
        return list(dict.fromkeys(chain.from_iterable(found)))

    def _scope(self, op: int) -> str:
        """The name of the nearest op with a name around an op; '' if there is none."""
        return self._scopes[op]

    @cached_property
    def _scopes(self) -> list[str]:
        out: list[str] = []
        for parent in self.module.t.parent:
            name = "" if parent == NONE else self.module.symbol_name(parent)
            out.append(out[parent] if name is None else name)
        return out

    def body_op_of(self, op: int) -> int:
        """The body op that is or contains an op; NONE for functions, terminators and the rest."""
        return op if op == NONE else self._body_ops[op]

    @cached_property
    def _body_ops(self) -> list[int]:
        out: list[int] = []
        for op, parent in enumerate(self.module.t.parent):
            out.append(op if op in self.function_of else NONE if parent == NONE else out[parent])
        return out

    @cached_property
    def users(self) -> dict[int, set[int]]:
        """For each body op with used results, the body ops that use them; NONE for other ops."""
        t, inside = self.module.t, self.function_of
        users: dict[int, set[int]] = {}
        for op, operands in enumerate(t.operands):
            user = op if op in inside else self.body_op_of(op)
            for value in operands:
                if value != NONE and (maker := t.def_op[value]) in inside:
                    users.setdefault(maker, set()).add(user)
        return users

    def makers(self, body_op: int) -> Iterator[int]:
        """The body ops whose results a body op uses, itself or in its regions."""
        for value in self.module.captured(body_op):
            maker = self.module.t.def_op[value]
            if maker in self.function_of:
                yield maker

    @cached_property
    def referring(self) -> frozenset[int]:
        """The body ops that may refer to symbols."""
        t, text = self.module.t, self.module.text
        return frozenset(op for op in self.function_of if "@" in text[t.start[op] : t.end[op]])

    def callees(self, function: int) -> list[int]:
        """Other functions that a function refers to, directly or through an executable."""
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

    # ---- signatures ------------------------------------------------------------------------

    def may_change(self, function: int) -> bool:
        """Whether a function's arguments and results may change."""
        return function not in self.exported and takes_arguments(self.module, function)

    def returning(self, function: int) -> int | None:
        """The terminator that returns a function's results, if these may change."""
        if function not in self._returning:
            self._returning[function] = self._find_returning(function)
        return self._returning[function]

    def _find_returning(self, function: int) -> int | None:
        t = self.module.t
        terminator = terminator_of(self.module, function)
        types = signature(self.module, function) if self.may_change(function) else None
        if terminator is None or types is None or terminator in t.regions:
            return None
        return terminator if len(t.operands[terminator]) == len(types[1]) else None

    def returned(self, terminator: int) -> list[tuple[int, int, Returned]]:
        """The values that a terminator returns, each once, with the ops that make them."""
        operands = self._returned.get(terminator)
        if operands is None:
            module = self.module
            numbers: dict[int, int] = {}
            for number, value in enumerate(module.t.operands[terminator]):
                if value != NONE:
                    numbers.setdefault(value, number)
            operands = self._returned[terminator] = [
                (
                    value,
                    module.t.def_op[value],
                    Returned(module.tokens[value], module.type_of(value), number),
                )
                for value, number in numbers.items()
            ]
        return operands

    def argument_users(self, function: int) -> dict[int, set[int]]:
        """For each argument of a function, the body ops that use it."""
        users = self._argument_users.get(function)
        if users is None:
            block, uses = entry_block(self.module, function), self.module.uses
            values = self.module.block_args(block) if block is not None else ()
            users = self._argument_users[function] = {
                value: {self.body_op_of(op) for op, _ in uses[value]} - {NONE} for value in values
            }
        return users

    def functions_inside(self, enclosing_op: int) -> list[int]:
        """All functions nested in an enclosing op."""
        return [f for f in self.functions if self.module.is_inside(f, enclosing_op)]

    @cached_property
    def _enclosing_set(self) -> frozenset[int]:
        return frozenset(self.enclosing)

    def enclosing_ops(self, op: int) -> Iterator[int]:
        """The enclosing ops around an op, innermost first."""
        op = self.module.t.parent[op]
        while op != NONE:
            if op in self._enclosing_set:
                yield op
            op = self.module.t.parent[op]

    @cached_property
    def exported(self) -> frozenset[int]:
        """Functions that a module-level op refers to, such as an export; their type is fixed."""
        module_symbols = set(self.module_symbols)
        return frozenset(
            function
            for function in self.functions
            if not module_symbols.isdisjoint(self.users_of(function))
        )


def is_referred_to(module: Module, function: int) -> bool:
    """Whether any op refers to a function by name, so that its type must not change."""
    return bool(BodyOps.of(module).users_of(function))

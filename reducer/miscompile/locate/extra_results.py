"""Make the function that a user calls return further values of the program.

The values are in the body of this function, or in a function that it calls: some programs have a
wrapper that creates and awaits a fence, and a function that signals it. The results of such a
function are complete only behind a *barrier*, an op that signals the fence; so further results pass
through it, too.
"""

import re
from collections.abc import Sequence

from oracles.profiles import DispatchCalls, TracedTensor
from reducer.ir import NONE, Module, Returned, Rewrite
from reducer.ir.functions import entry_block, terminator_of
from reducer.miscompile.locate.dispatch_calls import Operand, dispatch_functions

_TIED_NAME = "tied_operands"
_TIED = re.compile(rf"({_TIED_NAME} = \[)([^\]]*)(\])")


class Returning:
    """Collects values of one block, and returns them.

    Attributes:
        block: the block whose values can be returned; None if there is none.
        inputs: the values there that are inputs of the called function, unchanged, by name, with
            their numbers.
        own_results: the number of results that the called function has anyway.
    """

    def __init__(
        self, module: Module, rewrite: Rewrite, ir: DispatchCalls, function: str | None
    ) -> None:
        self._module = module
        self._rewrite = rewrite
        self._ir = ir
        self._returned: list[Operand] = []
        self.block: int | None = None
        self.inputs: dict[str, int] = {}
        self.own_results: int | None = None
        outer = dispatch_functions(module).get(function or "", NONE)
        if outer != NONE and terminator_of(module, outer) is not None:
            self._find(outer)

    def _find(self, outer: int) -> None:
        """Find the function with the dispatches, and the inputs that are known there."""
        last = terminator_of(self._module, outer)
        assert last is not None
        self._outer, self._outer_last = outer, last
        self.own_results = len(self._module.t.operands[last])
        block = entry_block(self._module, outer)
        assert block is not None
        known = {value: n for n, value in enumerate(self._module.block_args(block))}
        known |= self._imported(block, known)
        self._call = self._inner_call(block)
        self._inner = outer
        if self._call is not None:
            callee = self._callee(self._call)
            inner = entry_block(self._module, callee)
            if inner is None or terminator_of(self._module, callee) is None:
                return
            passed = zip(
                self._module.block_args(inner), self._module.t.operands[self._call], strict=False
            )
            known = {ours: known[theirs] for ours, theirs in passed if theirs in known}
            known |= self._imported(inner, known)
            self._inner, block = callee, inner
        self.block = block
        self.inputs = {self._module.tokens[value]: number for value, number in known.items()}

    def _imported(self, block: int, known: dict[int, int]) -> dict[int, int]:
        """The tensors made of known inputs."""
        t, found = self._module.t, {}
        for op in t.block_ops[block]:
            if t.name[op] == self._ir.imported and t.operands[op][0] in known:
                (result,) = self._module.results(op)
                found[result] = known[t.operands[op][0]]
        return found

    def _inner_call(self, block: int) -> int | None:
        """The call of another function, if the block calls one function and no dispatch."""
        t = self._module.t
        calls = [op for op in t.block_ops[block] if self._callee(op) != NONE]
        direct = any(t.name[op] == self._ir.call for op in t.block_ops[block])
        return calls[0] if len(calls) == 1 and not direct else None

    def _callee(self, op: int) -> int:
        entry = self._module.syntax(op).property("callee")
        name = entry.value.lstrip("@").strip('"') if entry else ""
        return dispatch_functions(self._module).get(name, NONE)

    def add(self, operand: Operand) -> int:
        """Return a value as well; its number among all results."""
        self._returned.append(operand)
        return (self.own_results or 0) + len(self._returned) - 1

    # ---- changes ---------------------------------------------------------------------------

    def finish(self) -> None:
        """Make the changes."""
        last = terminator_of(self._module, self._inner) if self._returned else None
        if last is None:
            return
        made = [as_tensor(one, f"%watched_{n}", self._ir) for n, one in enumerate(self._returned)]
        prepared = "".join(text for text, _ in made)
        tensors = [tensor for _, tensor in made]
        barrier = self._barrier()
        if barrier is not None:
            tensors = self._pass_through(barrier, prepared, tensors)
            prepared = ""
        names = [f"%watched_{number}_result" for number in range(len(tensors))]
        exports = [self._ir.export(name, *one) for name, one in zip(names, tensors, strict=True)]
        at = self._module.t.start[last]
        self._rewrite.replace(at, at, prepared + "".join(exports))
        self._return(self._inner, last, names)
        if self._call is not None:
            names = self._extend_call(self._call, len(names))
            self._return(self._outer, self._outer_last, names)

    def _barrier(self) -> int | None:
        """The last barrier of the block, which comes after all dispatches."""
        t = self._module.t
        ops = t.block_ops[self.block] if self.block is not None else []
        return next((op for op in reversed(ops) if t.name[op] == self._ir.barrier), None)

    def _pass_through(
        self, barrier: int, prepared: str, tensors: Sequence[TracedTensor]
    ) -> list[TracedTensor]:
        """The tensors behind the barrier, which becomes one with more operands and results."""
        syntax, t = self._module.syntax(barrier), self._module.t
        *own, fence = (self._rewrite.token(value) for value in t.operands[barrier])
        *types, fence_type = syntax.operand_types
        operands = [*own, *(name for name, _, _ in tensors), fence]
        types += [type_ for _, type_, _ in tensors]
        name = "%watched_barrier"
        self._replace(
            barrier,
            f'{prepared}{name}:{len(types)} = "{self._ir.barrier}"({", ".join(operands)}) : '
            f"({', '.join([*types, fence_type])}) -> ({', '.join(types)})\n",
        )
        for number, value in enumerate(self._module.results(barrier)):
            self._rewrite.substitute(value, f"{name}#{number}")
        first = len(own)
        return [
            (f"{name}#{first + number}", type_, sizes)
            for number, (_, type_, sizes) in enumerate(tensors)
        ]

    def _extend_call(self, call: int, count: int) -> list[str]:
        """The names of further results of a call, which becomes one with more results."""
        module, syntax = self._module, self._module.syntax(call)
        own = [module.type_of(value) for value in module.results(call)]
        types = [*own, *[self._ir.exported_type] * count]
        operands = ", ".join(module.tokens[value] for value in module.t.operands[call])
        spans = (syntax.properties_span, syntax.attributes_span)
        written = " ".join(module.text[slice(*span)] for span in spans if span is not None)
        name = "%watched_call"
        self._replace(
            call,
            f'{name}:{len(types)} = "{module.t.name[call]}"({operands}) '
            f"{_untied(written, count)} : "
            f"({', '.join(syntax.operand_types)}) -> ({', '.join(types)})\n",
        )
        for number, value in enumerate(module.results(call)):
            self._rewrite.substitute(value, f"{name}#{number}")
        return [f"{name}#{len(own) + number}" for number in range(count)]

    def _return(self, function: int, last: int, names: Sequence[str]) -> None:
        module = self._module
        own = [
            Returned(self._rewrite.token(value), module.type_of(value), number)
            for number, value in enumerate(module.t.operands[last])
        ]
        more = [Returned(name, self._ir.exported_type) for name in names]
        self._rewrite.set_returns(function, last, [*own, *more])
        tied = module.syntax(function).entry(_TIED_NAME)
        if tied is not None:
            whole = _untied(f"{_TIED_NAME} = {tied.value}", len(names))
            self._rewrite.set_entry(function, _TIED_NAME, whole.partition(" = ")[2])

    def _replace(self, op: int, text: str) -> None:
        t = self._module.t
        self._rewrite.replace(t.start[op], t.end[op], text)


def _untied(text: str, count: int) -> str:
    """The properties of a function or a call with so many more results, tied to no argument."""
    more = ", ".join(["-1 : index"] * count)
    return _TIED.sub(lambda match: f"{match[1]}{match[2]}, {more}{match[3]}", text)


def as_tensor(operand: Operand, prefix: str, ir: DispatchCalls) -> tuple[str, TracedTensor]:
    """Ops that make a tensor of a number, if it is one; and the name, type and sizes of it."""
    if operand.is_tensor:
        return "", (operand.name, operand.type, operand.sizes)
    text, name, type_ = ir.as_tensor(operand.name, operand.type, prefix)
    return text, (name, type_, ())

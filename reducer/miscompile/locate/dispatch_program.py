"""A dispatch as an ordinary function on tensors, which any compiler and interpreter can take.

The function of a dispatch reads parts of its arguments and writes parts of others. Here a read is
`tensor.extract_slice`, a write is `tensor.insert_slice` into what the argument held before, and
what the arguments hold in the end is returned. Everything between the two is in dialects that the
compiler accepts as input, so the text is a program again, with the same meaning.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from oracles.profiles import DispatchCalls
from reducer.ir import NONE, Module
from reducer.ir.functions import entry_block, terminator_of
from reducer.ir.lexer import VALUE, Outside
from reducer.ir.retype import operand_segments
from reducer.ir.shapes import parse_shaped
from reducer.miscompile.locate.dispatch_calls import DispatchCall

_MENTION = Outside(VALUE)
_STATIC = re.compile(r"array<i64: ?(.*)>")
_NAME = re.compile(r"\W")


@dataclass(frozen=True)
class TensorFunction:
    """A function on tensors. `body` is the text of its region, without the braces."""

    name: str
    arguments: tuple[str, ...]
    results: tuple[str, ...]
    body: str

    def text(self, *, private: bool = False) -> str:
        """The function in generic form."""
        visibility = ', sym_visibility = "private"' if private else ""
        return (
            f'"func.func"() <{{function_type = {function_type(self.arguments, self.results)}, '
            f'sym_name = "{self.name}"{visibility}}}> ({{\n{self.body}}}) : () -> ()\n'
        )


def function_type(arguments: Sequence[str], results: Sequence[str]) -> str:
    """The type of a function, or of an op in generic form."""
    return f"({', '.join(arguments)}) -> ({', '.join(results)})"


def in_module(*functions: str) -> str:
    """A module in generic form."""
    return f'"builtin.module"() ({{\n{"".join(functions)}}}) : () -> ()\n'


def tensor_function(
    module: Module, function: int, ir: DispatchCalls, call: DispatchCall
) -> TensorFunction | None:
    """The dispatch in `function`, called like `call`, as a function on tensors.

    Returns:
        None if it does more than read, compute and write, for example if it refers to a symbol or
            asks for its workgroup.
    """
    return _Translation(module, function, ir, call).run()


@dataclass
class _Argument:
    """A tensor argument of a dispatch: what it holds ('' if undefined), and its sizes."""

    access: str
    type: str
    held: str
    sizes: tuple[str, ...] = ()


@dataclass
class _Translation:
    module: Module
    function: int
    ir: DispatchCalls
    call: DispatchCall
    names: dict[str, str] = field(default_factory=dict)
    tensors: dict[int, _Argument] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)

    def run(self) -> TensorFunction | None:
        block, last = (
            entry_block(self.module, self.function),
            terminator_of(self.module, self.function),
        )
        if block is None or last is None or self._refers_to_symbols():
            return None
        arguments = self._arguments(block)
        outputs = self._outputs(block)
        if arguments is None or outputs is None:
            return None
        for op in self.module.t.block_ops[block]:
            if op != last and not self._translate(op):
                return None
        held = [self._held(one) for one in outputs]
        results = [one.type for one in outputs]
        label = ", ".join(f"{name}: {type_}" for name, type_ in arguments)
        body = _MENTION.sub(lambda match: self.names.get(match[0], match[0]), "".join(self.lines))
        returned = f'"func.return"({", ".join(held)}) : ({", ".join(results)}) -> ()\n'
        types = tuple(type_ for _, type_ in arguments)
        name = _NAME.sub("_", self.call.dispatch)
        return TensorFunction(name, types, tuple(results), f"^bb0({label}):\n{body}{returned}")

    def _refers_to_symbols(self) -> bool:
        own = {self.module.symbol_name(self.function)}
        return not self.module.symbol_refs(self.function) <= own

    def _arguments(self, block: int) -> list[tuple[str, str]] | None:
        """The arguments of the new function: all but those that are only written."""
        values = self.module.block_args(block)
        types = [_without_location(one) for one in self.module.block_arg_types(block)]
        if len(types) != len(values):
            return None
        arguments = []
        for value, type_ in zip(values, types, strict=True):
            name = self.module.tokens[value]
            tensor = re.match(self.ir.argument, type_)
            if tensor is not None:
                held = "" if tensor[1] == "writeonly" else name
                self.tensors[value] = _Argument(tensor[1], tensor[2], held)
                type_ = tensor[2]
            if tensor is None or tensor[1] != "writeonly":
                arguments.append((name, type_))
        return arguments if len(arguments) == len(self.call.arguments) else None

    def _outputs(self, block: int) -> list[_Argument] | None:
        """The argument that each result of the call is written to."""
        values = self.module.block_args(block)
        written = [one for one in self.tensors.values() if one.access == "writeonly"]
        outputs = []
        for tied in self.call.tied:
            argument = self.tensors.get(values[tied]) if tied != NONE else next(iter(written), None)
            written = written[1:] if tied == NONE else written
            if argument is None:
                return None
            outputs.append(argument)
        return outputs

    # ---- ops -------------------------------------------------------------------------------

    def _translate(self, op: int) -> bool:
        """Add an op of the dispatch to the new function. False if it has no counterpart."""
        t, name = self.module.t, self.module.t.name[op]
        if name in self.ir.same:
            return self._same(op)
        if name in self.ir.load:
            return self._load(op)
        if name in self.ir.store:
            return self._store(op)
        if any(v in self.tensors for inner in self.module.subtree(op) for v in t.operands[inner]):
            return False
        self.lines.append(self.module.text[t.start[op] : t.end[op]])
        return True

    def _same(self, op: int) -> bool:
        source, *sizes = self.module.t.operands[op]
        (result,) = self.module.results(op)
        if source in self.tensors:
            self.tensors[result] = self.tensors[source]
            self.tensors[source].sizes = tuple(map(self._name, sizes))
        else:
            self.names[self.module.tokens[result]] = self._name(source)
        return True

    def _load(self, op: int) -> bool:
        source = self.tensors.get(self.module.t.operands[op][0])
        (result,) = self.module.results(op)
        type_, token = self.module.type_of(result), self.module.tokens[result]
        if source is None:
            return False
        part = self._part(op, 1, source)
        held = self._held(source)
        if part.is_whole and type_ == source.type:
            self.names[token] = held
            return True
        self.lines.append(
            f'{token} = "tensor.extract_slice"({_listed(held, part.operands)}) '
            f"<{{operandSegmentSizes = array<i32: 1, {part.counts}>, {part.static}}}> : "
            f"{function_type([source.type, *part.types], [type_])}\n"
        )
        return True

    def _store(self, op: int) -> bool:
        value, target, *_ = self.module.t.operands[op]
        argument = self.tensors.get(target)
        if argument is None or argument.access == "readonly":
            return False
        type_, written = self.module.syntax(op).operand_types[0], self._name(value)
        part = self._part(op, 2, argument)
        if part.is_whole and type_ == argument.type:
            argument.held = written
            return True
        held, fresh = self._held(argument), self._fresh()
        self.lines.append(
            f'{fresh} = "tensor.insert_slice"({_listed(written, [held, *part.operands])}) '
            f"<{{operandSegmentSizes = array<i32: 1, 1, {part.counts}>, {part.static}}}> : "
            f"{function_type([type_, argument.type, *part.types], [argument.type])}\n"
        )
        argument.held = fresh
        return True

    def _held(self, argument: _Argument) -> str:
        """The value of a tensor argument at this point."""
        if not argument.held:
            argument.held = self._fresh()
            self.lines.append(
                f'{argument.held} = "tensor.empty"({", ".join(argument.sizes)}) : '
                f"{function_type(['index'] * len(argument.sizes), [argument.type])}\n"
            )
        return argument.held

    def _part(self, op: int, first: int, argument: _Argument) -> "_Part":
        """The part of an argument that an op reads or writes; `first` counts what is before it."""
        names = [self._name(value) for value in self.module.t.operands[op]]
        counts = operand_segments(self.module, op)[first:]
        known, given = counts[0], counts[1:]
        operands = names[first + known :]
        syntax = self.module.syntax(op)
        static = {
            key: entry.value if (entry := syntax.entry(key)) else "array<i64>"
            for key in ("static_offsets", "static_sizes", "static_strides")
        }
        return _Part(argument, tuple(operands), tuple(given), static)

    def _name(self, value: int) -> str:
        token = self.module.tokens[value] if value != NONE else ""
        return self.names.get(token, token)

    def _fresh(self) -> str:
        return f"%dispatch_state_{len(self.lines)}"


@dataclass(frozen=True)
class _Part:
    """Offsets, sizes and strides: dynamic ones as operands, with their numbers, and the rest."""

    argument: _Argument
    operands: tuple[str, ...]
    numbers: tuple[int, ...]
    properties: dict[str, str]

    @property
    def types(self) -> list[str]:
        return ["index"] * len(self.operands)

    @property
    def counts(self) -> str:
        return ", ".join(map(str, self.numbers))

    @property
    def static(self) -> str:
        return ", ".join(f"{key} = {value}" for key, value in self.properties.items())

    @property
    def is_whole(self) -> bool:
        """Whether the part is provably the whole argument."""
        shaped = parse_shaped(self.argument.type)
        offsets, sizes, strides = map(_static, self.properties.values())
        if shaped is None or self.numbers[0] or self.numbers[2] or any(offsets):
            return False
        whole = [known for known in shaped.dims if known is not None]
        static = [size for size, known in zip(sizes, shaped.dims, strict=True) if known is not None]
        dynamic = self.operands[: self.numbers[1]]
        return static == whole and dynamic == self.argument.sizes and set(strides) <= {1}


def _static(array: str) -> list[int]:
    found = _STATIC.match(array)
    return [int(word) for word in found[1].split(",")] if found else []


def _listed(first: str, others: Sequence[str]) -> str:
    return ", ".join([first, *others])


def _without_location(type_: str) -> str:
    return type_.partition(" loc(")[0]

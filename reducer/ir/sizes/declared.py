"""Symbols that declare a type, such as globals, and the values of that type.

An op that reads or writes a global repeats its type, so both must change together. Declarations
are recognized by form rather than by op name: an op with a symbol name but no operands, results or
body, with an attribute that is called `type` or holds a shaped type.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from reducer.ir.functions import is_function
from reducer.ir.module import NONE, Module
from reducer.ir.rewrite import Rewrite
from reducer.ir.shapes import Shaped, parse_shaped


@dataclass(frozen=True)
class Declaration:
    """An op that declares a symbol, its declared type, and the values of that type.

    The values are operands and results of the ops that refer to the symbol.
    """

    op: int
    kind: str
    values: tuple[int, ...]


def declarations(module: Module) -> list[Declaration]:
    """The declarations of a module whose type some value has, in text order."""
    kinds = {
        name: (op, kind)
        for op in range(len(module))
        if (kind := _declared(module, op)) and (name := module.symbol_name(op)) is not None
    }
    if not kinds:
        return []
    values: dict[str, dict[int, None]] = {}
    for user in range(len(module)):
        if not is_function(module, user):
            for name in module.own_symbol_refs(user) & kinds.keys():
                of_kind = _values_of(module, user, kinds[name][1])
                values.setdefault(name, {}).update(dict.fromkeys(of_kind))
    return [
        Declaration(op, kind, tuple(values[name]))
        for name, (op, kind) in kinds.items()
        if values.get(name)
    ]


def set_declared_type(
    rewrite: Rewrite,
    declaration: Declaration,
    kind: str,
    converted: Callable[[str], str] = lambda text: text,
) -> None:
    """Change the declared type wherever the declaring op mentions it.

    Args:
        converted: maps the text of an initial value, without its type, to the new text.
    """
    for entry in rewrite.module.syntax(declaration.op).entries:
        head, colon, last = entry.value.rpartition(" : ")
        if (after := _as_much(last, declaration.kind, kind)) is not None:
            before = f"{converted(head)}{colon}" if colon else ""
            rewrite.set_entry(declaration.op, entry.name, f"{before}{after}")


def _declared(module: Module, op: int) -> str | None:
    t = module.t
    if op in t.regions or t.num_results[op] or t.operands[op] or module.hidden[op]:
        return None
    if "sym_name = " not in module.own_text(op):
        return None
    syntax = module.syntax(op)
    if (entry := syntax.entry("type")) is not None:
        return entry.value
    types = (entry.value for entry in syntax.entries if parse_shaped(entry.value))
    return next((kind for kind in types if " : " not in kind), None)


def _values_of(module: Module, op: int, kind: str) -> Iterator[int]:
    for value in (*module.t.operands[op], *module.results(op)):
        if value != NONE and module.type_of(value) == kind:
            yield value


def _as_much(text: str, before: str, after: str) -> str | None:
    """The new form of a type with the declared shape and element type, as of an initial value."""
    if text == before:
        return after
    shape, old, new = parse_shaped(text), parse_shaped(before), parse_shaped(after)
    if shape is None or old is None or new is None or _content(shape) != _content(old):
        return None
    return shape.with_dims(new.dims).with_element(new.element).text


def _content(shape: Shaped) -> tuple[object, str]:
    return shape.dims, shape.element

"""Symbols that say the type of what they hold, as globals do, and the values of that type.

An op that reads or writes a global writes its type once more, so that they only change together.
Nothing here knows the names of ops: a declaration is a symbol that makes nothing and has no body,
with an attribute that is its type, by that name or by having a shape.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from reducer.ir.functions import is_function
from reducer.ir.module import NONE, Module
from reducer.ir.rewrite import Rewrite
from reducer.ir.shapes import Shaped, parse_shaped


@dataclass(frozen=True)
class Declaration:
    """A symbol's op, the type that it declares, and the values of ops that name the symbol."""

    op: int
    kind: str
    values: tuple[int, ...]


def declarations(module: Module) -> list[Declaration]:
    """The declarations of a module that some value has the type of, in text order."""
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
    """Writes another type wherever the symbol's op has the one that it declares.

    Args:
        converted: what becomes of the text of an initial value before its type.
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
    """A type of the declared shape and element type, as of an initial value, in its new form."""
    if text == before:
        return after
    shape, old, new = parse_shaped(text), parse_shaped(before), parse_shaped(after)
    if shape is None or old is None or new is None or _content(shape) != _content(old):
        return None
    return shape.with_dims(new.dims).with_element(new.element).text


def _content(shape: Shaped) -> tuple[object, str]:
    return shape.dims, shape.element

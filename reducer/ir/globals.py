"""Symbols that have a type of their own, such as global variables, and who reads and writes them.

`"util.global"() <{sym_name = "w", type = tensor<4xf16>}>`: an op that names `@w` and takes or makes
a value of that type passes it on, so that the type can only change in all these places together.
"""

from collections.abc import Iterator, Mapping

from reducer.ir.module import NONE, Module
from reducer.ir.rewrite import Rewrite

_TYPE = "type"


def passed_by_globals(module: Module) -> Iterator[tuple[int, list[int]]]:
    """Each op that gives a symbol a type, and the values that other ops load or store there."""
    kinds = {
        name: (op, entry.value)
        for op in range(len(module))
        if f"{_TYPE} = " in module.own_text(op)
        and (entry := module.syntax(op).property(_TYPE)) is not None
        and (name := module.symbol_name(op)) is not None
    }
    if not kinds:
        return
    found: dict[str, list[int]] = {name: [] for name in kinds}
    for op in range(len(module)):
        for name in module.own_symbol_refs(op) & found.keys():
            values = (*module.t.operands[op], *module.results(op))
            kind = kinds[name][1]
            found[name] += [v for v in values if v != NONE and module.type_of(v) == kind]
    for name, (op, _) in kinds.items():
        yield op, found[name]


def retype_globals(module: Module, types: Mapping[int, str], rewrite: Rewrite) -> None:
    """Gives symbols the types that what is loaded from them has now, and their values too."""
    for op, values in passed_by_globals(module):
        after = next((types[value] for value in values if value in types), None)
        entry = module.syntax(op).property(_TYPE)
        if after is None or entry is None or after == entry.value:
            continue
        rewrite.set_entry(op, _TYPE, after)
        for other in module.syntax(op).entries:
            head, colon, kind = other.value.rpartition(" : ")
            if colon and kind == entry.value:
                rewrite.set_entry(op, other.name, f"{head} : {after}")

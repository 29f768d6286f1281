"""The constants and attributes that a conversion may require, and a program that has them again.

A conversion may insist on a constant or an attribute, and refuses whatever lacks it in the same
words as what the original program fails for. So a program that has lost one may be refused for that
alone.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.dialects import is_ordinary
from reducer.ir.functions import is_function, type_entry
from reducer.ir.lexer import ALIAS
from reducer.ir.sizes.repeats import integer_array
from reducer.ir.syntax import Entry
from reducer.transformations.degenerate import MadeFrom

SYMBOL_NAME = "sym_name"
"""An attribute of some ops, and a property of others, that tells nothing."""

_ALIAS = re.compile(ALIAS)

_Pattern = tuple[frozenset[str], tuple[str, ...]]


@dataclass(frozen=True)
class RequiredConstants:
    """The attributes, and operands that are constants, of all ops with one name."""

    patterns: Mapping[str, frozenset[_Pattern]]

    @staticmethod
    def of(module: Module) -> "RequiredConstants":
        found: dict[str, set[_Pattern]] = {}
        for op, name in enumerate(module.t.name):
            found.setdefault(name, set()).add(_pattern(module, op))
        return RequiredConstants({name: frozenset(patterns) for name, patterns in found.items()})

    def admits(self, module: Module) -> bool:
        """Whether each op of a module has all that some op with its name has here."""
        return all(
            name not in self.patterns or self._has_all(name, _pattern(module, op))
            for op, name in enumerate(module.t.name)
        )

    def _has_all(self, name: str, found: _Pattern) -> bool:
        return any(
            attributes <= found[0] and Counter(constants) <= Counter(found[1])
            for attributes, constants in self.patterns[name]
        )


def _pattern(module: Module, op: int) -> _Pattern:
    attributes = {_identity(entry) for entry in _telling(module, op)}
    attributes |= {entry.name for entry in module.syntax(op).properties}
    operands = () if is_ordinary(module.t.name[op]) else module.t.operands[op]
    constants = (_constant(module, value) for value in operands)
    return frozenset(attributes), tuple(text for text in constants if text)


def _telling(module: Module, op: int) -> list[Entry]:
    """The attributes of an op without its name and its type, which changes with the values."""
    kind = type_entry(module, op)
    return [one for one in module.syntax(op).attributes if one.name != SYMBOL_NAME and one != kind]


def _identity(entry: Entry) -> str:
    """An attribute without its value if it is a list of integers, which changes with the types."""
    return entry.name if integer_array(entry) is not None else f"{entry.name} = {entry.value}"


def _constant(module: Module, value: int) -> str:
    """The constant that a value is, without its name; '' if it is none.

    It is the only result of an op that depends on nothing but its attributes.
    """
    op = module.t.def_op[value] if value != NONE else NONE
    if op == NONE or module.t.operands[op] or op in module.t.regions:
        return ""
    if module.t.num_results[op] != 1 or module.symbol_refs(op):
        return ""
    return module.header(op).split(" = ", 1)[1].strip()


def with_required_constants(module: Module, origin: MadeFrom) -> str | None:
    """The module with the constants and attributes of the original; None if it lacks none.

    Values whose types have changed stay as they are, and so do properties that an op still has.
    """
    rewrite, changed = Rewrite(module), False
    for op, before in origin.ops.items():
        if module.hidden[op] or module.t.name[op] != origin.module.t.name[before]:
            continue
        for number, text in _lost_constants(module, op, origin.module, before):
            token, value = rewrite.fresh(), origin.module.t.operands[before][number]
            start = module.t.start[_before(module, op, origin.module, before, value)]
            rewrite.replace(start, start, f"{token} = {text}\n")
            rewrite.set_operand(op, number, token)
            changed = True
        if lost := _lost_attributes(module, op, origin.module, before):
            changed = _set_attributes(rewrite, op, lost) or changed
    return rewrite.render() if changed else None


def _before(module: Module, op: int, original: Module, before: int, value: int) -> int:
    """The op, or one around it, that has what makes a value in front of it in the original."""
    block = original.t.block[original.t.def_op[value]]
    while original.t.block[before] != block:
        around, before = module.t.parent[op], original.t.parent[before]
        if NONE in (around, before) or is_function(module, around):
            break
        op = around
    return op


def _lost_constants(
    module: Module, op: int, original: Module, before: int
) -> Iterator[tuple[int, str]]:
    now, then = module.t.operands[op], original.t.operands[before]
    if len(now) != len(then) or is_ordinary(module.t.name[op]):
        return
    for number, (value, old) in enumerate(zip(now, then, strict=True)):
        text = _constant(original, old)
        if not text or NONE in (value, old) or text == _constant(module, value):
            continue
        if module.type_of(value) == original.type_of(old):
            yield number, text


def _lost_attributes(module: Module, op: int, original: Module, before: int) -> dict[str, str]:
    """The attributes that are not properties and differ, with their values in the original.

    One that uses an alias is no loss if the module does not define that.
    """
    now = {_identity(entry) for entry in module.syntax(op).attributes}
    defined = {alias.name for alias in module.t.aliases}
    unknown = {alias.name for alias in original.t.aliases} - defined
    return {
        entry.name: entry.value
        for entry in _telling(original, before)
        if _identity(entry) not in now and unknown.isdisjoint(_ALIAS.findall(entry.value))
    }


def _set_attributes(rewrite: Rewrite, op: int, values: Mapping[str, str]) -> bool:
    """Give an op attributes, in place of those with the same names; whether that is possible."""
    module = rewrite.module
    syntax = module.syntax(op)
    if syntax.types_span is None:
        return False
    texts = [f"{name} = {value}" if value else name for name, value in values.items()]
    texts += [
        module.text[slice(*entry.span)] for entry in syntax.attributes if entry.name not in values
    ]
    dictionary = f"{{{', '.join(texts)}}}"
    if syntax.attributes_span is not None:
        rewrite.replace(*syntax.attributes_span, dictionary)
    else:
        colon = module.text.rindex(":", 0, syntax.types_span[0])
        rewrite.replace(colon, colon, f"{dictionary} ")
    return True

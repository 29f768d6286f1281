"""The functions of a module whose compiled program does not say what they take.

A compiled program describes its functions only if their arguments are builtin tensors. PyTorch's
front end makes wrappers without a description; then the module itself says what they take, in the
printer's own form or in generic form.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import replace

from reducer.ir.lexer import brackets_at, split_commas
from reducer.ir.shapes import parse_shaped
from reducer.miscompile.values.programs import Function, ValueType, signless

_ALIAS = re.compile(r"^(!\w+) = (.*)$", re.M)
_PRETTY = re.compile(
    r'^\s*func\.func (?:(public|private|nested) )?@(?:"([^"\n]+)"|([\w$.-]+))\(', re.M
)
_GENERIC = re.compile(r'^\s*"func\.func"\(\) .*$', re.M)
_FUNCTION_TYPE = re.compile(r"\bfunction_type = \(")
_SYMBOL = re.compile(r'\bsym_name = "([^"\n]+)"')
_HIDDEN = re.compile(r'\bsym_visibility = "(?:private|nested)"')
_MEMREF = re.compile(r"\bmemref<((?:(?:\d+|\?)x)*\w+)>")
_VECTOR = re.compile(r"\bvector<((?:\d+x)*\w+)>")
_SCALARS = {"!torch.int": "i64", "!torch.float": "f64", "!torch.bool": "i1"}
Types = tuple[ValueType | None, ...]


def declared_functions(text: str, named: str | None = None) -> list[Function]:
    """The public functions of a module in MLIR's text, by name, and the `named` one.

    That need not be public if it takes nothing: a compiler may know all callers of such a function,
    and so rely on the arguments that they pass.
    """
    for name, definition in _ALIAS.findall(text):
        text = re.sub(rf"{re.escape(name)}\b(?! =)", definition.replace("\\", r"\\"), text)
    found = {one.name: one for one in (*_pretty(text, named), *_generic(text, named))}
    return [found[name] for name in sorted(found)]


def hidden_functions(text: str) -> list[str]:
    """The functions of a module in MLIR's text that could be called if they were named.

    They are not public and take nothing.

    >>> hidden_functions("func.func private @f() -> i32 {\\n}\\nfunc.func private @g()")
    ['f']
    """
    hidden = []
    for match in _PRETTY.finditer(text):
        arguments, end = _list_at(text, match.end() - 1)
        line = text[end:].partition("\n")[0]
        if match[1] in ("private", "nested") and not arguments and line.endswith("{"):
            hidden.append(match[2] or match[3])
    return hidden


def working_on_memory(text: str, named: str | None = None) -> list[Function]:
    """The same; arguments may be memory (without a layout of its own) as well.

    Arguments and results may also be vectors of a fixed size. All is passed as it is in memory.
    """
    numbers = {one.name: one for one in declared_functions(text, named)}
    with_vectors = _VECTOR.sub(r"tensor<\1>", text)
    values = {one.name: one for one in declared_functions(with_vectors, named)}
    found = []
    for one in declared_functions(_MEMREF.sub(r"tensor<\1>", with_vectors), named):
        was, now = numbers[one.name], values[one.name]
        found.append(
            replace(
                one,
                inputs=_marked(one.inputs, was.inputs, now.inputs),
                results=_marked(one.results, was.results, now.results),
                memory=tuple(n for n in range(len(one.inputs)) if _only(one, now, n)),
                in_memory=True,
            )
        )
    return found


def _marked(types: Types, numbers: Types, values: Types) -> Types:
    """The types, with those marked that are known if vectors are, and else are not."""
    return tuple(
        replace(type_, is_vector=True) if type_ and not number and value else type_
        for type_, number, value in zip(types, numbers, values, strict=True)
    )


def _only(one: Function, other: Function, number: int) -> bool:
    """Whether the type of an input is known in one function, and not in the other."""
    return one.inputs[number] is not None and other.inputs[number] is None


def mentions_elements(text: str, types: Collection[str]) -> bool:
    """Whether a text has one of some element types, alone or in a shaped type."""
    pattern = rf"(?:^|[x<,( ])(?:{'|'.join(map(re.escape, types))})(?!\w)"
    return bool(types) and re.search(pattern, text, re.M) is not None


def _pretty(text: str, named: str | None) -> Iterator[Function]:
    for match in _PRETTY.finditer(text):
        name = match[2] or match[3]
        arguments, end = _list_at(text, match.end() - 1)
        if match[1] in ("private", "nested") and (name != named or arguments):
            continue
        types = tuple(_type(one.partition(":")[2]) for one in arguments)
        yield Function(name, types, _results(text, end))


def _generic(text: str, named: str | None) -> Iterator[Function]:
    for match in _GENERIC.finditer(text):
        type_, name = _FUNCTION_TYPE.search(match[0]), _SYMBOL.search(match[0])
        if type_ is None or name is None:
            continue
        arguments, end = _list_at(match[0], type_.end() - 1)
        if _HIDDEN.search(match[0]) and (name[1] != named or arguments):
            continue
        yield Function(name[1], tuple(map(_type, arguments)), _results(match[0], end))


def _results(text: str, at: int) -> tuple[ValueType | None, ...]:
    """The result types behind an argument list: `-> A`, `-> (A, B)`, or nothing."""
    arrow = re.compile(r"\s*->\s*").match(text, at)
    if arrow is None:
        return ()
    if text.startswith("(", arrow.end()):
        return tuple(map(_type, _list_at(text, arrow.end())[0]))
    line = re.split(r"\n| attributes \{| ?\{(?=\s)", text[arrow.end() :], maxsplit=1)[0]
    return tuple(map(_type, split_commas(line)[:1]))


def _list_at(text: str, start: int) -> tuple[list[str], int]:
    """The items of the bracketed list that starts at an offset, and the offset behind it."""
    found = brackets_at(text, start)
    if found is None:
        return [], len(text)
    return split_commas(text[start + 1 : found.end]), found.end + 1


def _type(text: str) -> ValueType | None:
    """The type that the compiled program takes or returns; None if it is not made of numbers."""
    text = text.strip()
    if text.startswith("!torch.") and (shaped := parse_shaped(text)):
        return ValueType(signless(shaped.element), shaped.dims)
    scalar = next((known for name, known in _SCALARS.items() if text.startswith(name)), None)
    return ValueType(scalar, None) if scalar else ValueType.parse(text)

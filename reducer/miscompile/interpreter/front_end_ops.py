"""Lowers the ops that the evaluator does not know, each by itself.

The compiler's front end could lower the whole program, but then nobody would judge what it makes of
the ops that are known. So each unknown op becomes a function of its own, the front end lowers
these, and the program calls them.

What is constant, or of a type that the evaluator does not have (a tuple, a list of numbers), is
made inside of the function, by the ops that make it in the program.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from oracles.signature.printed_ir import carried_name
from reducer.ir import NONE, GenericSyntaxError, Module
from reducer.miscompile.interpreter.outline import (
    Outlined,
    in_functions,
    named_resources,
    outlined,
    spliced,
    written_out,
)

_NUMBERS = re.compile(
    r"(?:tensor<(?:(?:\d+|\?)x)*)?(?:complex<f\d+>|(?:[su]?i|bf|f)\d+\w*|index)>?"
    r"|!torch\.vtensor<\[[\d?,]*\],\w+>"
)
_CONSTANT = re.compile(r"\.(?:[cC]onstant|literal)$|\.constant\.")
_PREFIX = "front_end_"


@dataclass(frozen=True)
class Mixed:
    """A module in which some ops are calls of what the front end has made of them."""

    text: str
    ops: tuple[str, ...]


def with_lowered_ops(
    text: str, is_unknown: Callable[[str], bool], lower: Callable[[str], str | None]
) -> Mixed | None:
    """The module with a call in place of each unknown op; None if some have to stay.

    An op that stands for another one is asked about by both names. `lower` is the front end, from
    generic form to generic form; None if it fails.
    """
    module = Module.parse(text)
    unknown = module.outermost(
        _with_results(module, op)
        for op in range(len(module))
        if any(map(is_unknown, _names(module, op)))
    )
    try:
        calls = [_outlined(module, op) for op in unknown if _has_numbers(module, op)]
    except _CannotStandAlone:
        return None
    removed = set(unknown) - {one.op for one in calls}
    if not calls or not all(_can_go(module, op, unknown) for op in removed):
        return None
    different = list({one.key: one for one in reversed(calls)}.values())
    prefix = _free_prefix(text)
    lowered = lower(in_functions(module, different, prefix))
    functions = None if lowered is None else _functions(lowered, text, prefix, len(different))
    if functions is None:
        return None
    numbers = {one.key: number for number, one in enumerate(different)}
    new = dict.fromkeys(removed, "")
    new.update({one.op: _call(one, f"{prefix}{numbers[one.key]}") for one in calls})
    first = module.t.start[next(module.children(module.roots[0]))]
    written = spliced(module, new)
    told = {carried_name(*_own(module, op)) or module.t.name[op] for op in unknown}
    return Mixed(f"{written[:first]}{functions}{written[first:]}", tuple(sorted(told)))


def _names(module: Module, op: int) -> set[str]:
    return {module.t.name[op], carried_name(*_own(module, op))} - {""}


def _own(module: Module, op: int) -> tuple[str, str]:
    return module.t.name[op], module.own_text(op)


def _with_results(module: Module, op: int) -> int:
    """The op itself, or the one around it that gets what it has, as from a terminator."""
    while not module.results(op) and module.t.parent[op] != NONE:
        op = module.t.parent[op]
    return op


class _CannotStandAlone(Exception):
    """An op uses a value that cannot be passed to a function."""


def _outlined(module: Module, op: int) -> Outlined:
    return outlined(module, op, sorted(_along(module, op)))


def _along(module: Module, op: int) -> set[int]:
    """The ops that come along with an op.

    Raises:
        _CannotStandAlone: one of them has regions, or there is none that makes a value.
    """
    found: set[int] = set()
    for value in module.captured(op):
        maker = module.t.def_op[value]
        is_number = _is_number(module.type_of(value))
        if maker != NONE and maker not in module.t.regions:
            if not is_number or any(map(_CONSTANT.search, _names(module, maker))):
                found |= {maker, *_along(module, maker)}
        elif not is_number:
            raise _CannotStandAlone
    return found


def _is_number(kind: str) -> bool:
    return _NUMBERS.fullmatch(kind) is not None


def _has_numbers(module: Module, op: int) -> bool:
    """Whether an op has results, all of them numbers."""
    results = module.results(op)
    return bool(results) and all(_is_number(module.type_of(value)) for value in results)


def _can_go(module: Module, op: int, unknown: list[int]) -> bool:
    """Whether an op makes only what the functions of other ops make again."""
    used = [user for value in module.results(op) for user, _ in module.uses[value]]
    return bool(module.results(op)) and all(
        any(module.is_inside(user, one) for one in unknown) for user in used
    )


def _free_prefix(text: str) -> str:
    """The start of names that no symbol has."""
    prefix = _PREFIX
    while prefix in text:
        prefix += "_"
    return prefix


def _functions(lowered: str, text: str, prefix: str, count: int) -> str | None:
    """The functions of a module as they can be put into another one; None if they cannot."""
    try:
        module = Module.parse(lowered)
    except GenericSyntaxError:
        return None
    children = list(_children(module))
    names = [module.symbol_name(op) or "" for op in children]
    wanted = {f"{prefix}{number}" for number in range(count)}
    if not wanted <= set(names) or any(f'"{name}"' in text for name in names):
        return None
    parts = (module.text[module.t.start[op] : module.t.end[op]] for op in children)
    functions = "".join(f"{written_out(module, part).rstrip()}\n" for part in parts)
    return functions if named_resources(functions) <= named_resources(text) else None


def _children(module: Module) -> Iterator[int]:
    for root in module.roots:
        yield from module.children(root) if module.t.name[root] == "builtin.module" else (root,)


def _call(one: Outlined, name: str) -> str:
    return (
        f'"func.call"({", ".join(one.uses)}) <{{callee = @{name}}}> : '
        f"({', '.join(one.types)}) -> ({', '.join(one.results)})"
    )

"""Let one constant serve where there are two of different values or types."""

import re
from collections.abc import Iterator, Sequence

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.elements import ElementTypes, element_of
from reducer.transformations.base import Site

_MOST = 8  # pairs of one module
_TRIED = re.compile(r"= [01](?:\.0+e\+00)? : ")  # values that each constant is given in any case


class ShareConstants:
    """Replaces a constant by another one of its block; what it is used with gets that one's type.

    The number of a site is the constant that stays.
    """

    name = "share constants"
    all_at_once = False

    def sites(self, module: Module) -> list[Site]:
        return list(_pairs(module))[:_MOST]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        types = ElementTypes(module)
        class_of = {v: number for number, (_, values) in enumerate(types.classes) for v in values}
        stays: dict[int, int] = {}
        elements: dict[int, str] = {}
        for site in sites:
            if site.op in stays or site.number in stays or site.op in stays.values():
                continue
            stays[site.op] = site.number
            gone, kept = _result(module, site.op), _result(module, site.number)
            if module.type_of(gone) != module.type_of(kept):
                elements[class_of[gone]] = module.type_of(kept)
        typed = Module.parse(types.text(elements)) if elements else module
        if typed.t.name != module.t.name:  # a cast is gone, so that the numbers are others
            return None
        rewrite = Rewrite(typed)
        for op, other in stays.items():
            rewrite.remove(op)
            rewrite.substitute(_result(typed, op), typed.tokens[_result(typed, other)])
        return rewrite.render()


def _pairs(module: Module) -> Iterator[Site]:
    """Each constant with those of another type, or of another value, that may take its place."""
    constants = list(_constants(module))
    for op in constants:
        gone = _result(module, op)
        users = [user for user, _ in module.uses[gone]]
        for other in constants:
            kind = module.type_of(_result(module, other))
            same = kind == module.type_of(gone)
            if other == op or module.t.block[other] != module.t.block[op]:
                continue
            if same and (
                _TRIED.search(module.header(other)) or _body(module, op) == _body(module, other)
            ):
                continue
            if (same or _alike(kind, module.type_of(gone))) and other < min(users, default=0):
                yield Site(op, other)


def _constants(module: Module) -> Iterator[int]:
    t = module.t
    for op in range(len(module)):
        plain = not t.operands[op] and op not in t.regions and t.num_results[op] == 1
        if plain and t.block[op] != NONE and not module.hidden[op]:
            kind = module.type_of(_result(module, op))
            if kind == "index" or element_of(kind) == kind:
                yield op


def _alike(one: str, other: str) -> bool:
    """Whether two types are integers, or floats, of different width."""
    return "index" not in (one, other) and one.lstrip("b")[0] == other.lstrip("b")[0]


def _body(module: Module, op: int) -> str:
    return module.header(op).partition(" = ")[2]


def _result(module: Module, op: int) -> int:
    return module.results(op)[0]

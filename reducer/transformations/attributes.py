"""Drop attributes that are optional, and properties that have a default."""

import re
from collections.abc import Iterator, Sequence

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.dialects import is_op_set_attribute, is_opaque
from reducer.ir.functions import is_function, type_entry
from reducer.ir.retype import RESULT_SEGMENT_SIZES, SEGMENT_SIZES
from reducer.transformations.base import Site

ESSENTIAL = frozenset(
    {"function_type", "sym_name", "callee", "value", *SEGMENT_SIZES, *RESULT_SEGMENT_SIZES}
)
"""Properties that define the structure of a program; other edits change them as needed."""

# Properties that are optional on every function or symbol; others are defined by their op.
_OPTIONAL_PROPERTIES = ("arg_attrs", "res_attrs", "sym_visibility")
_STRUCTURAL = re.compile(r"\[|array<|affine_|@|[a-z]+<|!")  # lists, symbols, types: often required
_DEFAULT = re.compile(r"#[\w.]+<none>|false")


def ops_with_attributes(module: Module) -> Iterator[int]:
    """The ops with attributes that a verifier knows."""
    for op in range(len(module)):
        if (
            "{" in module.own_text(op)
            and not module.hidden[op]
            and not is_opaque(module.t.name[op])
        ):
            yield op


class _DropEntries:
    all_at_once = True

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        for site in sites:
            rewrite.set_entry(site.op, site.name, None)
        return rewrite.render()


class DropAttributes(_DropEntries):
    """Drops discardable attributes, argument attributes, visibility and the module's name."""

    name = "drop attributes"

    def sites(self, module: Module) -> list[Site]:
        return [
            Site(op, name=name)
            for op in ops_with_attributes(module)
            for name in _droppable(module, op)
        ]


def _droppable(module: Module, op: int) -> list[str]:
    syntax = module.syntax(op)
    names = [
        entry.name
        for entry in syntax.attributes
        if not is_op_set_attribute(entry.name) or entry.value == "{}"
    ]
    if is_function(module, op):  # it needs them, as attributes or as properties
        kind = type_entry(module, op)
        names = [name for name in names if name != "sym_name" and (not kind or name != kind.name)]
    names += [name for name in _OPTIONAL_PROPERTIES if syntax.property(name)]
    if module.t.parent[op] == NONE and syntax.property("sym_name"):
        names.append("sym_name")
    return names


class DropProperties(_DropEntries):
    """Drops properties one by one.

    The verifier decides which ones are optional; screening rejects the other candidates before they
    are run. This drops the initial value of a global, fast-math flags, names and hints.
    """

    name = "drop properties"

    def sites(self, module: Module) -> list[Site]:
        sites = [
            (Site(op, name=entry.name), entry.value)
            for op in ops_with_attributes(module)
            for entry in module.syntax(op).properties
            if entry.name not in ESSENTIAL and not _DEFAULT.fullmatch(entry.value)
        ]
        # The search tries later sites first: put those that often succeed together last.
        sites.sort(key=lambda pair: _STRUCTURAL.match(pair[1]) is None)
        return [site for site, _ in sites]

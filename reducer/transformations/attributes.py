"""Drop attributes that are optional."""

from collections.abc import Sequence

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.dialects import is_op_set_attribute, is_opaque
from reducer.transformations.base import Site

# Properties that are optional on every function or symbol; others are defined by their op.
_OPTIONAL_PROPERTIES = ("arg_attrs", "res_attrs", "sym_visibility")


class DropAttributes:
    """Drops discardable attributes, argument attributes, visibility and the module's name."""

    name = "drop attributes"
    all_at_once = True

    def sites(self, module: Module) -> list[Site]:
        return [
            Site(op, name=name)
            for op in range(len(module))
            if not module.hidden[op]
            for name in _droppable(module, op)
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        for site in sites:
            rewrite.set_entry(site.op, site.name, None)
        return rewrite.render()


def _droppable(module: Module, op: int) -> list[str]:
    if is_opaque(module.t.name[op]):
        return []
    syntax = module.syntax(op)
    names = [
        entry.name
        for entry in syntax.attributes
        if not is_op_set_attribute(entry.name) or entry.value == "{}"
    ]
    names += [name for name in _OPTIONAL_PROPERTIES if syntax.property(name)]
    if module.t.parent[op] == NONE and syntax.property("sym_name"):
        names.append("sym_name")
    return names

"""Take schedules of the transform dialect out of a program: they say how to compile it.

MLIR's runner does not know this dialect.
"""

from reducer.ir import NONE, Module, Rewrite

_DIALECT = "transform."


def has_schedules(text: str) -> bool:
    """Whether a module in MLIR's text may have such ops."""
    return f" {_DIALECT}" in text or f'"{_DIALECT}' in text


def without_schedules(generic: str) -> str:
    """A module in generic form without the ops of the transform dialect and all that is in them.

    Raises:
        GenericSyntaxError: the module cannot be parsed.
    """
    module = Module.parse(generic)
    rewrite = Rewrite(module)
    for op, name in enumerate(module.t.name):
        parent = module.t.parent[op]
        is_inside = parent != NONE and module.t.name[parent].startswith(_DIALECT)
        if name.startswith(_DIALECT) and not is_inside:
            rewrite.remove(op)
    return rewrite.render()

"""Function-like ops: a region with arguments, a function type, a terminator that returns.

Recognised by shape, not by name, so that `func.func`, `util.func` and whatever comes next are
the same thing here.
"""

from reducer.ir.module import NONE, Module
from reducer.ir.syntax import split_function_type


def signature(module: Module, op: int) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Argument and result types of a function-like op, None if the op is not one."""
    entry = module.syntax(op).property("function_type")
    return split_function_type(entry.value) if entry else None


def is_function(module: Module, op: int) -> bool:
    """Whether an op is a function with a body (its header says so; no parse needed for others)."""
    return bool(module.t.regions.get(op)) and "function_type = " in module.header(op)


def entry_block(module: Module, op: int) -> int | None:
    """The first block of an op's first region, None if it has no blocks."""
    return next(module.blocks_of(op), None)


def takes_arguments(module: Module, function: int) -> bool:
    """Whether arguments may be added: a symbol whose function type has the builtin form."""
    return module.symbol_name(function) is not None and signature(module, function) is not None


def terminator_of(module: Module, function: int) -> int | None:
    """The one returning op of a function of one block, else None."""
    blocks = list(module.blocks_of(function))
    if len(blocks) != 1:
        return None
    ops = module.t.block_ops[blocks[0]]
    return ops[-1] if ops else None


def container_of(module: Module, op: int) -> int:
    """The nearest enclosing function-like op, or NONE."""
    parent = module.t.parent[op]
    while parent != NONE and not is_function(module, parent):
        parent = module.t.parent[parent]
    return parent

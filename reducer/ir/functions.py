"""Function-like ops, their blocks, and the branches between blocks.

Functions are recognized by form, not by name, so `func.func`, `util.func` and future function ops
are treated alike.
"""

import re
from collections.abc import Mapping

from reducer.ir.lexer import BLOCK
from reducer.ir.module import NONE, Module
from reducer.ir.syntax import split_function_type


def signature(module: Module, op: int) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The argument and result types of a function-like op; None if the op is not one."""
    entry = module.syntax(op).property("function_type")
    return split_function_type(entry.value) if entry else None


def is_function(module: Module, op: int) -> bool:
    """Whether an op is a function with a body. Looks at the header only, to avoid parsing ops."""
    return bool(module.t.regions.get(op)) and "function_type = " in module.header(op)


def entry_block(module: Module, op: int) -> int | None:
    """The first block of an op's first region; None if it has no blocks."""
    return next(module.blocks_of(op), None)


def takes_arguments(module: Module, function: int) -> bool:
    """Whether arguments can be added: the op is a symbol with a builtin function type."""
    return module.symbol_name(function) is not None and signature(module, function) is not None


def terminator_of(module: Module, function: int) -> int | None:
    """The terminator of a function with a single block; None if it has several blocks."""
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


_LABEL = re.compile(rf"\s*({BLOCK})")


def block_named(module: Module, branch: int, label: str) -> int:
    """The block that a label such as `^bb3` in a branch refers to; NONE if there is none."""
    region = module.t.block_region[module.t.block[branch]]
    for block in module.t.region_blocks[region]:
        if label_of(module, block) == label:
            return block
    return NONE


def label_of(module: Module, block: int) -> str:
    """A block's label, or '' for an entry block without one."""
    end = module.t.block_label_end[block]
    match = _LABEL.match(module.text, module.t.block_start[block], end) if end != NONE else None
    return match[1] if match else ""


def end_of_block(module: Module, block: int) -> int:
    """The text offset just past a block's last op, or past its label if it has no ops."""
    ops = module.t.block_ops[block]
    if ops:
        return module.t.end[ops[-1]]
    return max(module.t.block_start[block], module.t.block_label_end[block])


def predecessors(module: Module) -> dict[int, list[int]]:
    """For each branch target, the branches to it, repeated for each edge."""
    out: dict[int, list[int]] = {}
    for op, labels in module.t.successors.items():
        for label in labels:
            out.setdefault(block_named(module, op, label), []).append(op)
    return out


def unreachable_blocks(module: Module, chosen: Mapping[int, int]) -> set[int]:
    """Blocks that become unreachable if some branches are limited to one successor.

    Args:
        chosen: maps branch ops to the number of the remaining successor, or NONE for no successor.
            Only the regions that contain these branches are examined.
    """
    t = module.t
    out: set[int] = set()
    for region in {t.block_region[t.block[op]] for op in chosen}:
        out |= set(t.region_blocks[region]) - reachable_blocks(module, region, chosen)
    return out


def reachable_blocks(
    module: Module, region: int, chosen: Mapping[int, int] | None = None
) -> set[int]:
    """The blocks of a region that control flow reaches from its entry block.

    Args:
        chosen: as for `unreachable_blocks`.
    """
    t = module.t
    chosen = chosen or {}
    blocks = t.region_blocks[region]
    labels = {label_of(module, block): block for block in blocks}
    reached, waiting = {blocks[0]}, [blocks[0]]
    while waiting:
        last = t.block_ops[waiting.pop()][-1:]
        for op in last:
            targets = t.successors.get(op, ())
            taken = targets if op not in chosen else _taken(targets, chosen[op])
            new = {labels[label] for label in taken if label in labels} - reached
            reached |= new
            waiting.extend(new)
    return reached


def _taken(targets: tuple[str, ...], number: int) -> tuple[str, ...]:
    return () if number == NONE else (targets[number],)

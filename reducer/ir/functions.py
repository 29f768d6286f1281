"""Function-like ops, their blocks, and the branches between blocks.

Functions are recognized by form, not by name, so `func.func`, `hw.module` and future function ops
are treated alike: whatever has a function type and a body, or a symbol and a body without symbols
and without anything that has a function type.
"""

import re
from collections.abc import Collection, Mapping, Sequence

from reducer.ir.function_types import FunctionType, read_function_type
from reducer.ir.lexer import BLOCK
from reducer.ir.module import NONE, Module
from reducer.ir.syntax import Entry


def type_entry(module: Module, op: int) -> Entry | None:
    """The property or attribute with an op's function type; None if it has none that is known."""
    syntax = module.syntax(op)
    if found := syntax.entry("function_type"):
        return found
    typed = (
        entry for entry in syntax.entries if entry.value.startswith("!") or entry.name == _TYPE
    )
    return next((entry for entry in typed if read_function_type(entry.value)), None)


def type_of_function(module: Module, op: int) -> FunctionType | None:
    """The type of a function-like op; None if the op is not one, or has a type of unknown form."""
    entry = type_entry(module, op)
    return read_function_type(entry.value) if entry else None


def signature(module: Module, op: int) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The argument and result types of a function-like op; None if they are unknown."""
    found = type_of_function(module, op)
    return (found.inputs, found.results) if found else None


_TYPE = "type"
"""The name of the attribute in releases of MLIR up to 14."""
_TYPED = ("function_type = ", f" {_TYPE} = (", f"{{{_TYPE} = (")
_NAMED = 'sym_name = "'


class Functions:
    """The functions of a module with a body; `around` are the ops that contain any.

    Looks at headers only, to avoid parsing ops.
    """

    def __init__(self, module: Module) -> None:
        self._module = module
        typed = {op for op in module.t.regions if self._has_type(op)}
        around = self._around(typed)
        named = {op for op in module.t.regions if op not in around and self._has_name_only(op)}
        self.all = frozenset(typed | named)
        self.around = self._around(self.all)

    @staticmethod
    def of(module: Module) -> "Functions":
        """Those of a module, found once per module."""
        return module.derived(Functions)

    def _around(self, ops: Collection[int]) -> set[int]:
        """What contains any of some ops."""
        out: set[int] = set()
        for op in ops:
            while (op := self._module.t.parent[op]) != NONE and op not in out:
                out.add(op)
        return out

    def _has_type(self, op: int) -> bool:
        return any(map(self._module.own_text(op).__contains__, _TYPED))

    def _has_name_only(self, op: int) -> bool:
        """Whether an op is a symbol with a body in which there is no other."""
        module = self._module
        if module.t.parent[op] == NONE or len(module.t.regions[op]) != 1:
            return False
        if _NAMED not in module.own_text(op):
            return False
        inside = list(module.children(op))
        return bool(inside) and not any(_NAMED in module.own_text(child) for child in inside)


def is_function(module: Module, op: int) -> bool:
    """Whether an op is a function with a body."""
    return op in Functions.of(module).all


def entry_block(module: Module, op: int) -> int | None:
    """The first block of an op's first region; None if it has no blocks."""
    return next(module.blocks_of(op), None)


def takes_arguments(module: Module, function: int) -> bool:
    """Whether arguments can be added: the op is a symbol with a function type of a known form."""
    return module.symbol_name(function) is not None and signature(module, function) is not None


def terminator_of(module: Module, function: int) -> int | None:
    """The terminator of a function with a single block; None if it has several blocks."""
    blocks = list(module.blocks_of(function))
    if len(blocks) != 1:
        return None
    ops = module.t.block_ops[blocks[0]]
    return ops[-1] if ops and may_end_block(module, ops[-1]) else None


def leaving_ops(module: Module, region: int) -> list[int]:
    """The ops at the end of blocks of a region that leave it: without successors and regions."""
    t = module.t
    lasts = [last for block in t.region_blocks[region] for last in t.block_ops[block][-1:]]
    return [last for last in lasts if last not in t.successors and last not in t.regions]


def may_end_block(module: Module, op: int) -> bool:
    """Whether an op may be a terminator: no op of its name is anywhere but at the end of a block.

    Bodies that are graphs, as in hardware dialects, need not have one. What makes values without
    branching is none either, since nothing can use them.
    """
    if module.t.num_results[op] and op not in module.t.successors:
        return False
    return module.t.name[op] not in module.derived(_names_within_blocks)


def _names_within_blocks(module: Module) -> frozenset[str]:
    t = module.t
    return frozenset(t.name[op] for ops in t.block_ops for op in ops[:-1])


def container_of(module: Module, op: int) -> int:
    """The nearest enclosing function-like op, or NONE."""
    return module.derived(_containers)[op]


def _containers(module: Module) -> list[int]:
    """The container of each op, found from the outside in: bodies may be nested thousands deep."""
    functions, out = Functions.of(module).all, list[int]()
    for parent in module.t.parent:
        out.append(parent if parent == NONE or parent in functions else out[parent])
    return out


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


def is_jump(module: Module, op: int) -> bool:
    """Whether an op only continues with one other block, and passes it all its operands."""
    t = module.t
    targets = t.successors.get(op, ())
    if len(targets) != 1 or op in t.regions or t.num_results[op]:
        return False
    target = block_named(module, op, targets[0])
    return target != NONE and len(t.operands[op]) == t.block_num_args[target]


def unreachable_blocks(module: Module, chosen: Mapping[int, Sequence[int]]) -> set[int]:
    """Blocks that become unreachable if some branches lose successors.

    Args:
        chosen: maps branch ops to the numbers of the remaining successors. Only the regions that
            contain these branches are examined.
    """
    t = module.t
    out: set[int] = set()
    for region in {t.block_region[t.block[op]] for op in chosen}:
        out |= set(t.region_blocks[region]) - reachable_blocks(module, region, chosen)
    return out


def reachable_blocks(
    module: Module, region: int, chosen: Mapping[int, Sequence[int]] | None = None
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
            taken = [targets[number] for number in chosen.get(op, range(len(targets)))]
            new = {labels[label] for label in taken if label in labels} - reached
            reached |= new
            waiting.extend(new)
    return reached

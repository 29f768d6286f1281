"""Is a module well formed? The checks that MLIR's parser makes of SSA form, on the op table."""

from reducer.ir import NONE, Module
from reducer.ir.functions import block_named, entry_block, is_function, signature, terminator_of


def problems(module: Module) -> list[str]:
    """Everything that is wrong with a module's SSA form and function types; empty if nothing."""
    out: list[str] = []
    for op in range(len(module)):
        header = module.header(op).strip()
        if NONE in module.t.operands[op]:
            out.append(f"undeclared operand: {header}")
            continue
        types = module.syntax(op)
        made = tuple(module.type_of(value) for value in module.t.operands[op])
        if types.operand_types != made:
            out.append(f"operand types {types.operand_types} but values have {made}: {header}")
        if len(types.result_types) != module.t.num_results[op]:
            out.append(f"result types do not fit: {header}")
        out.extend(
            f"use before definition: {header}"
            for v in module.t.operands[op]
            if _late(module, v, op) or _not_on_every_way(module, v, op)
        )
        out.extend(
            f"jump to {label}, which is not there: {header}"
            for label in module.t.successors.get(op, ())
            if block_named(module, op, label) == NONE
        )
        if is_function(module, op):
            out.extend(_function_problems(module, op))
    out.extend(_redefinitions(module))
    return out


def dangling(module: Module) -> set[str]:
    """The names of symbols that are referred to but not defined."""
    ops = range(len(module))
    return {name for op in ops for name in module.symbol_refs(op)} - {
        module.symbol_name(op) for op in ops
    }


def _late(module: Module, value: int, op: int) -> bool:
    producer = module.t.def_op[value]
    return producer != NONE and module.t.block[producer] == module.t.block[op] and producer >= op


def _not_on_every_way(module: Module, value: int, user: int) -> bool:
    """Whether control may get to a use in another block without passing the definition."""
    t, op = module.t, module.t.def_op[value]
    made_in = t.def_block[value] if op == NONE else t.block[op]
    if made_in == NONE:
        return False
    region = t.block_region[made_in]
    while user != NONE and t.block_region[t.block[user]] != region:
        user = t.parent[user]
    if user == NONE or t.block[user] == made_in:
        return False
    return t.block[user] in _reached(module, region, made_in)


def _reached(module: Module, region: int, closed: int) -> set[int]:
    """The blocks of a region to which there is a way that does not lead through a closed one."""
    t = module.t
    waiting = [block for block in t.region_blocks[region][:1] if block != closed]
    reached = set(waiting)
    while waiting:
        for op in t.block_ops[waiting.pop()][-1:]:
            targets = {block_named(module, op, label) for label in t.successors.get(op, ())}
            new = targets - reached - {closed, NONE}
            reached |= new
            waiting.extend(new)
    return reached


def _function_problems(module: Module, function: int) -> list[str]:
    types, block = signature(module, function), entry_block(module, function)
    if types is None or block is None:
        return []
    out: list[str] = []
    if tuple(module.block_arg_types(block)) != types[0]:
        out.append(f"arguments do not fit the type of {module.symbol_name(function)}")
    terminator = terminator_of(module, function)
    if terminator is not None and module.t.name[terminator].endswith(".return"):
        returned = tuple(module.type_of(v) for v in module.t.operands[terminator])
        if returned != types[1]:
            out.append(
                f"{module.symbol_name(function)} returns {returned}, its type says {types[1]}"
            )
    return out


def _redefinitions(module: Module) -> list[str]:
    """Names that two values share in one region."""
    seen: set[tuple[int, str]] = set()
    out: list[str] = []
    for value, token in enumerate(module.tokens):
        op = module.t.def_op[value]
        block = module.t.def_block[value] if op == NONE else module.t.block[op]
        key = (module.t.block_region[block] if block != NONE else NONE, token)
        if key in seen:
            out.append(f"{token} is defined twice")
        seen.add(key)
    return out

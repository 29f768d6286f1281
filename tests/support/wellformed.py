"""Is a module well formed? The checks that MLIR's parser makes of SSA form, on the op table."""

from reducer.ir import NONE, Module
from reducer.ir.functions import entry_block, is_function, signature, terminator_of


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
            if _late(module, v, op)
        )
        if is_function(module, op):
            out.extend(_function_problems(module, op))
    out.extend(_redefinitions(module))
    return out


def _late(module: Module, value: int, op: int) -> bool:
    producer = module.t.def_op[value]
    return producer != NONE and module.t.block[producer] == module.t.block[op] and producer >= op


def _function_problems(module: Module, function: int) -> list[str]:
    types, block = signature(module, function), entry_block(module, function)
    if types is None or block is None:
        return []
    out: list[str] = []
    if tuple(module.block_arg_types(block)) != types[0]:
        out.append(f"arguments do not fit the type of {module.symbol_name(function)}")
    terminator = terminator_of(module, function)
    if terminator is not None:
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
    for value, token in enumerate(module.t.token):
        op = module.t.def_op[value]
        block = module.t.def_block[value] if op == NONE else module.t.block[op]
        key = (module.t.block_region[block] if block != NONE else NONE, token)
        if key in seen:
            out.append(f"{token} is defined twice")
        seen.add(key)
    return out

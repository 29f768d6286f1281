"""Print a module from its op table, to check that the table is complete."""

from reducer.ir import Module
from reducer.ir.module import NONE


def printed(module: Module) -> str:
    """The module's text, rebuilt only from the table of its ops."""
    out: list[str] = []
    position = 0
    for alias in module.t.aliases:
        out.append(module.text[position : alias.end])
        position = alias.end
    for op in module.roots:
        out.append(module.text[position : module.t.start[op]])
        _print_op(module, op, out)
        position = module.t.end[op]
    out.append(module.text[position:])
    return "".join(out)


def _print_op(module: Module, root: int, out: list[str]) -> None:
    # An explicit stack: input may be nested deeper than Python's recursion limit.
    stack: list[int | str] = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            out.append(item)
            continue
        out.append(module.header(item))
        if item not in module.t.regions:
            continue
        stack.append(module.tail(item))
        pieces: list[int | str] = []
        for number, region in enumerate(module.t.regions[item]):
            if number:
                pieces.append(_separator(module, item, number))
            for block in module.t.region_blocks[region]:
                end = module.t.block_label_end[block]
                if end != NONE:
                    pieces.append(module.text[module.t.block_start[block] : end])
                pieces.extend(module.t.block_ops[block])
        stack.extend(reversed(pieces))


def _separator(module: Module, op: int, number: int) -> str:
    """The `}, {` line before an op's region `number`."""
    start = _region_end(module, module.t.regions[op][number - 1], op, number)
    return module.text[start : module.text.index("\n", start) + 1]


def _region_end(module: Module, region: int, op: int, number: int) -> int:
    blocks = module.t.region_blocks[region]
    if not blocks:
        if number == 1:
            return module.t.header_end[op]
        previous = _region_end(module, module.t.regions[op][number - 2], op, number - 1)
        return module.text.index("\n", previous) + 1
    last = blocks[-1]
    ops = module.t.block_ops[last]
    if ops:
        return module.t.end[ops[-1]]
    return module.t.block_label_end[last]

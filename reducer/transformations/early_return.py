"""Replace branches by returns."""

from collections.abc import Sequence

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.functions import (
    end_of_block,
    is_function,
    leaving_ops,
    signature,
    unreachable_blocks,
)
from reducer.transformations.base import Site
from reducer.transformations.blocks import MergeBlocks


class ReturnEarly:
    """Replaces a branch by a return that is like another one of the same region.

    Where the other returns a value that the branch cannot use, it returns another of its type. A
    function in which no return is left, only a loop without an end, gets that of its dialect.
    """

    name = "return early"
    all_at_once = False

    def sites(self, module: Module) -> list[Site]:
        return [
            Site(op)
            for op in sorted(module.t.successors)
            if op not in module.t.regions
            and not module.t.num_results[op]
            and _return_here(module, op)
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        nowhere = {site.op: list[int]() for site in sites}
        gone = unreachable_blocks(module, nowhere)
        rewrite = Rewrite(module)
        t = module.t
        for op in nowhere:
            if t.block[op] not in gone:
                rewrite.replace(t.start[op], t.end[op], _return_here(module, op))
        for block in gone:
            rewrite.replace(t.block_start[block], end_of_block(module, block), "")
        if not sites:
            return None
        return rewrite.render() if gone else _merged(rewrite.render())


def _merged(text: str) -> str:
    """The text without branches to blocks that nothing else leads to any more.

    Without them, an edit that leaves all blocks reachable would have as many ops as before, and
    that is no progress.
    """
    module, merge = Module.parse(text), MergeBlocks()
    return merge.apply(module, merge.sites(module)) or text


def _return_here(module: Module, branch: int) -> str:
    """The text of an op that leaves the region of a branch, in its place; '' if there is none."""
    returns = _returns(module, branch)
    if not returns:
        return _missing_return(module, branch)
    written = (_written_here(module, branch, last) for last in returns)
    return next((text for text in written if text), "")


def _returns(module: Module, branch: int) -> list[int]:
    """The ops that leave the region of a branch, those with the fewest operands first."""
    t = module.t
    leaving = leaving_ops(module, t.block_region[t.block[branch]])
    return sorted(leaving, key=lambda last: len(t.operands[last]))


def _written_here(module: Module, branch: int, last: int) -> str:
    """The text of a return with operands that a branch can use as well; '' if there are none."""
    t = module.t
    tokens = [_token_here(module, branch, value) for value in t.operands[last]]
    if "" in tokens:
        return ""
    header, start = module.header(last), t.start[last]
    before, after = header[: t.operands_start[last] - start], header[t.operands_end[last] - start :]
    return before + ", ".join(tokens) + after


def _missing_return(module: Module, branch: int) -> str:
    """A return by the name that dialects with functions give it; '' outside of a function."""
    function = module.t.parent[branch]
    found = signature(module, function) if is_function(module, function) else None
    if found is None:
        return ""
    types, usable = found[1], _usable(module, branch)
    values = [next((one for one in usable if module.type_of(one) == kind), NONE) for kind in types]
    if NONE in values:
        return ""
    header = module.header(branch)
    indent = header[: len(header) - len(header.lstrip())]
    name = f"{module.t.name[function].partition('.')[0]}.return"
    tokens = ", ".join(module.tokens[value] for value in values)
    return f'{indent}"{name}"({tokens}) : ({", ".join(types)}) -> ()\n'


def _token_here(module: Module, branch: int, value: int) -> str:
    """The token of a value, or of another of its type, that a branch can use; '' without one."""
    if value == NONE:
        return ""
    if _is_usable(module, branch, value):
        return module.tokens[value]
    kind = module.type_of(value)
    others = (other for other in _usable(module, branch) if module.type_of(other) == kind)
    return next((module.tokens[other] for other in others), "")


def _is_usable(module: Module, branch: int, value: int) -> bool:
    """Whether a value is sure to be computed before a branch of its region, or outside of it."""
    t = module.t
    region, block = t.block_region[t.block[branch]], _block_of(module, value)
    if t.block_region[block] != region:
        return True  # the return is in this region, and its value is not: so it is from outside
    return block in (t.block[branch], t.region_blocks[region][0])


def _usable(module: Module, branch: int) -> list[int]:
    """The values that a branch can use in place of others, the likeliest to be returned first.

    First come those that it passes on, then those of its block, the last one first, and then those
    of the first block of its region.
    """
    t = module.t
    passed = [value for value in t.operands[branch] if value != NONE]
    first = t.region_blocks[t.block_region[t.block[branch]]][0]
    return [*passed, *reversed(_values(module, t.block[branch])), *_values(module, first)]


def _values(module: Module, block: int) -> list[int]:
    """The values that a block defines, in order."""
    results = (value for op in module.t.block_ops[block] for value in module.results(op))
    return [*module.block_args(block), *results]


def _block_of(module: Module, value: int) -> int:
    t = module.t
    return t.def_block[value] if t.def_op[value] == NONE else t.block[t.def_op[value]]

"""Replace an op by its body: a loop runs once, a branch is taken."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.functions import container_of, is_function, may_end_block, takes_arguments
from reducer.transformations.base import Site
from reducer.transformations.body_ops import is_referred_to
from reducer.transformations.boundary_types import BoundaryTypes

WHOLE = "with the last op"
_DEEP = 8  # levels; more are unwrapped together


class UnwrapBodies:
    """Replaces an op that has a single-block region by the ops of that block.

    The op's results become the values that the block yields; the block's arguments become operands
    of the same type, or new arguments of the function. This is the hoisting of hierarchical delta
    debugging (Vince et al., arXiv 2104.03637), applied to SSA form.

    With the name `WHOLE`, a site also keeps the last op of the body, which is no terminator then.
    """

    name = "unwrap bodies"
    all_at_once = False

    def __init__(self, boundary: BoundaryTypes) -> None:
        self.boundary = boundary

    def sites(self, module: Module) -> list[Site]:
        return [
            Site(op, number, name)
            for op in module.t.regions
            for number, region in enumerate(module.t.regions[op])
            for name in self._ways(module, op, region)
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        # Second regions of an op are left to the next sweep, and so are nested sites, unless there
        # are so many levels of them that this would take too long. Of both readings of a last op,
        # that as a terminator is the more likely one.
        by_choice = sorted(sites, key=lambda site: (site.number, site.name == WHOLE))
        first = {site.op: site for site in reversed(by_choice)}
        is_deep = _levels(module, first) > _DEEP
        for op in module.outermost(first):  # definitions before uses
            self._unwrap(rewrite, op, first if is_deep else {op: first[op]})
        return rewrite.render()

    def _ways(self, module: Module, op: int, region: int) -> Iterator[str]:
        """The names of the sites of a region, the likeliest last: a sweep begins there."""
        blocks = module.t.region_blocks[region]
        if len(blocks) != 1 or module.hidden[op] or is_function(module, op):
            return
        function = container_of(module, op)
        if function == NONE or not takes_arguments(module, function):
            return
        replacements = _replacements(module, op, blocks[0])
        added = [module.type_of(value) for value, one in replacements.items() if one == NONE]
        if added and (
            is_referred_to(module, function) or not all(map(self.boundary.allows, added))
        ):
            return
        for name in _readings(module, blocks[0]):
            inner, terminator = _inside(module, blocks[0], name)
            if not inner or module.hidden[inner[0]]:
                continue
            if self._yielded(module, op, terminator) is not None:
                yield name

    def _yielded(self, module: Module, op: int, terminator: int) -> dict[int, int] | None:
        """Maps each used result to a yielded value of its type, in order; None if one has none."""
        left = [] if terminator == NONE else list(module.t.operands[terminator])
        left = [v for v in left if v != NONE]
        out: dict[int, int] = {}
        for result in module.results(op):
            if not module.uses[result]:
                continue
            kind = module.type_of(result)
            match = next((v for v in left if module.type_of(v) == kind), None)
            if match is None:
                return None
            left.remove(match)
            out[result] = match
        return out

    def _unwrap(self, rewrite: Rewrite, outermost: int, sites: Mapping[int, Site]) -> None:
        """Unwrap an op, and those inside it that have a site."""
        module, kept = rewrite.module, list[int]()
        waiting: list[tuple[int, bool]] = [(outermost, False)]
        while waiting:
            op, is_done = waiting.pop()
            if op not in sites:
                rewrite.rename(op)
                kept.append(op)
                continue
            (block,) = module.t.region_blocks[module.t.regions[op][sites[op].number]]
            inner, terminator = _inside(module, block, sites[op].name)
            if is_done:
                for result, value in (self._yielded(module, op, terminator) or {}).items():
                    rewrite.substitute(result, rewrite.token(value))
                continue
            for value, token in self._arguments(rewrite, op, block).items():
                rewrite.substitute(value, token)
            waiting += [(op, True), *((one, False) for one in reversed(inner))]
        rewrite.hoist(outermost, kept)

    def _arguments(self, rewrite: Rewrite, op: int, block: int) -> dict[int, str]:
        """What replaces the block's used arguments."""
        module = rewrite.module
        return {
            value: rewrite.add_argument(container_of(module, op), module.type_of(value))
            if one == NONE
            else rewrite.token(one)
            for value, one in _replacements(module, op, block).items()
        }


def _levels(module: Module, ops: Iterable[int]) -> int:
    """How deep some ops are nested in each other."""
    deepest, around = 0, list[int]()
    for op in sorted(ops):
        while around and not module.is_inside(op, around[-1]):
            around.pop()
        around.append(op)
        deepest = max(deepest, len(around))
    return deepest


def _readings(module: Module, block: int) -> tuple[str, ...]:
    """Whether the last op of a block may be something else than its terminator, and whether it may.

    Some bodies need none (`fir.do_concurrent`, which contains a loop), but some terminators have
    regions (`scf.reduce`).
    """
    last = module.t.block_ops[block][-1:]
    if last and not may_end_block(module, last[0]):
        return (WHOLE,)
    return (WHOLE, "") if last and last[0] in module.t.regions else ("",)


def _inside(module: Module, block: int, name: str) -> tuple[Sequence[int], int]:
    """The ops of a block that stay, and its terminator; NONE if it has none."""
    ops = module.t.block_ops[block]
    if name == WHOLE:
        return ops, NONE
    return ops[:-1], ops[-1] if ops else NONE


def _replacements(module: Module, op: int, block: int) -> dict[int, int]:
    """For each used argument of a block an operand of its type; NONE if none is left."""
    left = [v for v in module.t.operands[op] if v != NONE]
    out: dict[int, int] = {}
    for value in module.block_args(block):
        if not module.uses[value]:
            continue
        kind = module.type_of(value)
        out[value] = next((v for v in left if module.type_of(v) == kind), NONE)
        if out[value] != NONE:
            left.remove(out[value])
    return out

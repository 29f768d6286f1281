"""Drop results and arguments of functions without calls."""

from collections.abc import Iterator, Sequence

from reducer.ir import Module, Rewrite
from reducer.ir.functions import (
    entry_block,
    leaving_ops,
    may_end_block,
    signature,
    takes_arguments,
)
from reducer.transformations.base import Site, numbers_by_op
from reducer.transformations.body_ops import BodyOps, is_referred_to


class DropReturns:
    """Drops results of a function. The ops that compute them stay, perhaps unused."""

    name = "drop results"
    all_at_once = False

    def sites(self, module: Module) -> list[Site]:
        out: list[Site] = []
        for function in uncalled_functions(module):
            returns = _returns_of(module, function)
            count = len(module.t.operands[returns[0]]) if returns else 0
            out.extend(Site(function, number) for number in range(count))
        return out

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        for function, gone in numbers_by_op(sites).items():
            for terminator in _returns_of(module, function):
                rewrite.drop_returns(function, terminator, gone)
        return rewrite.render()


def _returns_of(module: Module, function: int) -> list[int]:
    """The ops that return the results of a function; one in each block that ends with a return."""
    types = signature(module, function)
    if types is None:
        return []
    leaving = leaving_ops(module, module.t.regions[function][0])
    return [
        op
        for op in leaving
        if len(module.t.operands[op]) == len(types[1]) and may_end_block(module, op)
    ]


class DropArguments:
    """Drops unused arguments."""

    name = "drop arguments"
    all_at_once = True

    def sites(self, module: Module) -> list[Site]:
        out: list[Site] = []
        for function in functions_without_calls(module):
            block = entry_block(module, function)
            if block is None:
                continue
            values = module.block_args(block)
            out.extend(Site(function, n) for n, v in enumerate(values) if not module.uses[v])
        return out

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        for site in sites:
            rewrite.drop_argument(site.op, site.number)
        return rewrite.render()


def functions_without_calls(module: Module) -> Iterator[int]:
    """Functions that no other function refers to; exports do not depend on the arguments."""
    body = BodyOps.of(module)
    functions = set(body.functions)
    for function in body.functions:
        users = body.users_of(function)
        if takes_arguments(module, function) and functions.isdisjoint(users):
            yield function


def uncalled_functions(module: Module) -> Iterator[int]:
    """Functions whose signature may change, because nothing refers to them."""
    body = BodyOps.of(module)
    for function in body.functions:
        if takes_arguments(module, function) and not is_referred_to(module, function):
            yield function

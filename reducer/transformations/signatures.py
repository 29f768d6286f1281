"""Drop results and arguments of functions without calls."""

from collections.abc import Iterator, Sequence

from reducer.ir import Module, Rewrite
from reducer.ir.functions import entry_block, signature, takes_arguments, terminator_of
from reducer.transformations.base import Site
from reducer.transformations.body_ops import BodyOps, is_referred_to


class DropReturns:
    """Drops results of a function. The ops that compute them stay, perhaps unused."""

    name = "drop results"
    all_at_once = False

    def sites(self, module: Module) -> list[Site]:
        out: list[Site] = []
        for function in uncalled_functions(module):
            terminator, types = terminator_of(module, function), signature(module, function)
            if terminator is None or types is None or terminator in module.t.regions:
                continue
            operands = module.t.operands[terminator]
            if len(operands) == len(types[1]):
                out.extend(Site(function, number) for number in range(len(operands)))
        return out

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        for function in {site.op for site in sites}:
            gone = {site.number for site in sites if site.op == function}
            terminator = terminator_of(module, function)
            if terminator is None:
                return None
            rewrite.drop_returns(function, terminator, gone)
        return rewrite.render()


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
        name = module.symbol_name(function)
        users = body.referenced.get(name or "", ())
        if takes_arguments(module, function) and functions.isdisjoint(users):
            yield function


def uncalled_functions(module: Module) -> Iterator[int]:
    """Functions whose signature may change, because nothing refers to them."""
    body = BodyOps.of(module)
    for function in body.functions:
        if takes_arguments(module, function) and not is_referred_to(module, function):
            yield function

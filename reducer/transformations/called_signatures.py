"""Drop arguments and results of functions together with those of all their calls."""

from collections.abc import Sequence

from reducer.ir import Module, Rewrite
from reducer.ir.functions import entry_block, terminator_of
from reducer.transformations.base import Site, numbers_by_op
from reducer.transformations.body_ops import BodyOps
from reducer.transformations.call_graph import calls, calls_of, passing_to


class DropCalledArguments:
    """Drops unused arguments of functions, and the operands that calls and launches pass."""

    name = "drop arguments of called functions"
    all_at_once = True

    def sites(self, module: Module) -> list[Site]:
        return [
            Site(function, number)
            for function in BodyOps.of(module).functions
            if passing_to(module, function)
            if (block := entry_block(module, function)) is not None
            for number, value in enumerate(module.block_args(block))
            if not module.uses[value]
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        for site in sites:
            rewrite.drop_argument(site.op, site.number)
            for op, first in passing_to(module, site.op) or ():
                rewrite.drop_operand(op, first + site.number)
        return rewrite.render()


class DropCalledResults:
    """Drops results that no caller uses. The ops that compute them stay, perhaps unused."""

    name = "drop results of called functions"
    all_at_once = True

    def sites(self, module: Module) -> list[Site]:
        return [
            Site(function, number)
            for function in _called(module)
            if (terminator := terminator_of(module, function)) is not None
            for number in range(len(module.t.operands[terminator]))
            if not _is_used(module, function, number)
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        for function, gone in numbers_by_op(sites).items():
            terminator = terminator_of(module, function)
            if terminator is None:
                return None
            rewrite.drop_returns(function, terminator, gone)
            for call in calls_of(module, function) or ():
                for number in gone:
                    rewrite.drop_result(call, number)
        return rewrite.render()


def _called(module: Module) -> list[int]:
    """Functions that are called and not referenced in any other way."""
    callees = sorted({function for _, function in calls(module)})
    return [function for function in callees if calls_of(module, function)]


def _is_used(module: Module, function: int, number: int) -> bool:
    return any(
        module.uses[module.results(call)[number]] for call in calls_of(module, function) or ()
    )

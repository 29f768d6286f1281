"""Replace calls by the bodies of the called functions."""

import re
from collections.abc import Sequence

from reducer.ir import Module, Rewrite
from reducer.ir.functions import container_of, entry_block, terminator_of
from reducer.ir.lexer import VALUE, Outside
from reducer.transformations.base import Site
from reducer.transformations.call_graph import calls, mentions

_VALUE = Outside(rf"(?P<value>{VALUE})(?P<number>#\d+)?")


class InlineCalls:
    """Inlines calls of single-block functions; a function without remaining calls is removed.

    The compiler's inliner would process a whole module at once, and only ops that implement its
    call interface.
    """

    name = "inline calls"
    all_at_once = True

    def sites(self, module: Module) -> list[Site]:
        return [
            Site(call, function)
            for call, function in calls(module)
            if terminator_of(module, function) is not None
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        inlined: dict[int, int] = {}  # function -> number of inlined calls
        callers: set[int] = set()
        for site in sorted(sites, key=lambda site: site.op):  # definitions before uses
            caller, function = container_of(module, site.op), site.number
            if caller in inlined or function in callers:
                continue  # its text is changing or being copied; left to the next sweep
            _inline(rewrite, site.op, function)
            inlined[function] = inlined.get(function, 0) + 1
            callers.add(caller)
        for function, count in inlined.items():
            if mentions(module, function) == count:
                rewrite.remove(function)
        return rewrite.render()


def _inline(rewrite: Rewrite, call: int, function: int) -> None:
    module, t = rewrite.module, rewrite.module.t
    block, terminator = entry_block(module, function), terminator_of(module, function)
    assert block is not None and terminator is not None
    names = {
        module.tokens[argument]: rewrite.token(operand)
        for argument, operand in zip(module.block_args(block), t.operands[call], strict=True)
    }

    def renamed(match: re.Match[str]) -> str:
        if match["value"] not in names:
            names[match["value"]] = rewrite.fresh()
        return names[match["value"]] + (match["number"] or "")

    body = module.text[t.start[t.block_ops[block][0]] : t.start[terminator]]
    rewrite.replace(t.start[call], t.end[call], _VALUE.sub(renamed, body))
    for result, value in zip(module.results(call), t.operands[terminator], strict=True):
        rewrite.substitute(result, _VALUE.sub(renamed, module.tokens[value]))

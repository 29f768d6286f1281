"""Replace an op by a zero or an empty tensor if its results cannot become arguments.

This applies to functions with a fixed type, because they are called or exported: the results of
their ops can be replaced locally, but arguments cannot be added.
"""

import re
from collections.abc import Sequence

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.functions import container_of, is_function, takes_arguments
from reducer.transformations.base import Site
from reducer.transformations.body_ops import is_referred_to

_INTEGER = re.compile(r"i\d+$|index$")
_FLOAT = re.compile(r"f\d+\w*$|bf16$|tf32$")
_TENSOR = re.compile(r"tensor<(?:\d+x)*[\w]+>$")
_VECTOR = re.compile(r"vector<(?:\d+x)*(\w+)>$")


class ReplaceByConstants:
    """Replaces an op by one constant or empty tensor per used result."""

    name = "replace by constants"
    all_at_once = False

    def sites(self, module: Module) -> list[Site]:
        return [Site(op) for op in range(len(module)) if _is_replaceable(module, op)]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        for site in sites:
            lines: list[str] = []
            for value in module.results(site.op):
                if module.uses[value]:
                    token = rewrite.fresh()
                    lines.append(f"{token} = {_constant(module.type_of(value))}")
                    rewrite.substitute(value, token)
            header = module.header(site.op)
            indent = header[: len(header) - len(header.lstrip())]
            text = "".join(f"{indent}{line}\n" for line in lines)
            rewrite.replace(module.t.start[site.op], module.t.end[site.op], text)
        return rewrite.render()


def _is_replaceable(module: Module, op: int) -> bool:
    block = module.t.block[op]
    if block == NONE or module.hidden[op] or module.t.block_ops[block][-1] == op:
        return False
    if not module.t.operands[op] and op not in module.t.regions:
        return False  # a constant already, or equally simple
    function = container_of(module, op)
    if function == NONE or is_function(module, op):
        return False
    if takes_arguments(module, function) and not is_referred_to(module, function):
        return False
    used = [value for value in module.results(op) if module.uses[value]]
    return bool(used) and all(_constant(module.type_of(value)) for value in used)


def _constant(kind: str) -> str | None:
    """An op in generic form that makes a value of this type; None if no such op is known."""
    if _INTEGER.match(kind):
        return f'"arith.constant"() <{{value = 0 : {kind}}}> : () -> {kind}'
    if _FLOAT.match(kind):
        return f'"arith.constant"() <{{value = 0.0 : {kind}}}> : () -> {kind}'
    if _TENSOR.match(kind):
        return f'"tensor.empty"() : () -> {kind}'
    if vector := _VECTOR.match(kind):
        zero = "0" if _INTEGER.match(vector.group(1)) else "0.0"
        return f'"arith.constant"() <{{value = dense<{zero}> : {kind}}}> : () -> {kind}'
    return None

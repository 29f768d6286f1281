"""Take what one project adds out of a program, as far as that changes nothing about its meaning."""

from oracles.profiles import RUNTIME
from reducer.ir import Module, Rewrite


def plain(generic: str) -> str:
    """The module without the ops that only return their operands.

    Raises:
        GenericSyntaxError: the module cannot be parsed.
    """
    if not any(f'"{name}"' in generic for name in RUNTIME.identities):
        return generic
    module = Module.parse(generic)
    rewrite = Rewrite(module)
    for op, name in enumerate(module.t.name):
        if name not in RUNTIME.identities:
            continue
        operands = module.t.operands[op]
        for value, operand in zip(module.results(op), operands, strict=False):
            rewrite.substitute(value, rewrite.token(operand))
        rewrite.remove(op)
    return rewrite.render()

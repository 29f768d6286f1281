"""Writes named structured ops out as `linalg.generic`, as the compiler's own pass does it.

The pass is not run on the program, since it also folds whatever it can, and a fold may be what is
wrong or may remove undefined behavior. Each different named op is put into a function of its own,
where all that it uses is an argument; the pass runs on those, and its results replace the ops.
"""

from collections.abc import Callable

from reducer.ir import NONE, Module
from reducer.miscompile.interpreter.outline import (
    Outlined,
    body_of,
    in_functions,
    outlined,
    renamed,
    spliced,
    written_out,
)

_EVALUATED = frozenset(
    f"linalg.{name}"
    for name in ("generic", "index", "yield", "fill", "transpose", "broadcast", "softmax")
)
"""Ops that the evaluator knows as they are."""

Convert = Callable[[str], str | None]
"""Runs the pass on a module; None if it fails."""

_FUNCTION = "k"
"""What the names of functions start with."""


def generalized(text: str, convert: Convert) -> str:
    """The module with its named ops written out, as far as the pass can."""
    if not _might_have_named_ops(text):
        return text
    module = Module.parse(text)
    names = module.t.name
    found = [outlined(module, op) for op in range(len(module)) if _is_named(names[op])]
    different = list({named.key: named for named in reversed(found)}.values())
    if not different:
        return text
    converted = convert(in_functions(module, different, _FUNCTION))
    if converted is None:
        return text
    bodies = _bodies(Module.parse(converted), len(different))
    generic = {named.key: body for named, body in zip(different, bodies, strict=True)}
    written = {named.op: _in_place(named, generic[named.key]) for named in found}
    return spliced(module, {op: body for op, body in written.items() if body is not None})


def _is_named(name: str) -> bool:
    return name.startswith("linalg.") and name not in _EVALUATED


def _might_have_named_ops(text: str) -> bool:
    return '"linalg.' in text


def _bodies(module: Module, count: int) -> list[str | None]:
    """For each function its single op in terms of `%a0`, `%a1`…; None if it has another form."""
    found: dict[str, str | None] = {}
    for op in module.children(module.roots[0]):
        found[module.symbol_name(op) or ""] = _body(module, op)
    return [found.get(f"{_FUNCTION}{number}") for number in range(count)]


def _body(module: Module, function: int) -> str | None:
    inner = list(module.children(function))
    if len(inner) != 2 or module.t.name[inner[0]] != "linalg.generic":
        return None
    op, last = inner
    if module.t.operands[last] != tuple(module.results(op)) or NONE in module.t.operands[op]:
        return None
    block = next(module.blocks_of(function))
    new = {module.tokens[v]: f"%a{n}" for n, v in enumerate(module.block_args(block))}
    return written_out(module, renamed(body_of(module, op), new))


def _in_place(named: Outlined, body: str | None) -> str | None:
    """The op in terms of the values of its module."""
    old = {f"%a{number}": token for number, token in enumerate(named.uses)}
    return None if body is None else renamed(body, old)

"""Takes what a pass works on out of the ops around it, and the pipeline with it.

Code generation runs on functions in modules in variants in executables; most of its passes are as
happy with the function alone. Some read what the ops around it say (the target of a variant), so
a second form keeps that: an attribute `name` of an op `a.b.c` becomes `a.b.name` of the module,
which is how a dialect writes the same thing where there is no such op.
"""

from collections.abc import Iterator

from reducer.ir import NONE, Module
from reducer.locate.pipeline import Step, nested

_ROOT = "builtin.module"
_OF_THE_SYMBOL = ("sym_name", "sym_visibility")


def lifted(module: Module, step: Step | None) -> Iterator[tuple[str, Step | None]]:
    """Smaller texts with the pipelines that fit them, the smallest kind first.

    Without a pipeline, any op around functions, and any function, may be what is wrong.
    """
    for op, depth in _liftable(module, step):
        for inherited in ((), _inherited(module, op)):
            text = _alone(module, op, inherited)
            if text is not None:
                yield text, step and _on_lifted(step, depth, module.t.name[op])


def _liftable(module: Module, step: Step | None) -> Iterator[tuple[int, int]]:
    """Ops to lift with their depth, the deepest first."""
    found: list[tuple[int, int]] = []
    for op in range(len(module)):
        names = _names(module, op)
        depth = len(names) - 1
        if depth == 0 or names == (_ROOT, "func.func"):
            continue
        if step is None:
            fits = op in module.t.regions and module.symbol_name(op) is not None
            fits = fits or names[-1] == _ROOT
        else:
            fits = step.anchors[: depth + 1] == names
        if fits and not module.hidden[op]:
            found.append((op, depth))
    return iter(sorted(found, key=lambda item: -item[1]))


def _names(module: Module, op: int) -> tuple[str, ...]:
    out: list[str] = []
    while op != NONE:
        out.append(module.t.name[op])
        op = module.t.parent[op]
    return tuple(reversed(out))


def _on_lifted(step: Step, depth: int, name: str) -> Step:
    for _ in range(depth):
        step = step.inner[0]
    return step if name == _ROOT else nested((_ROOT,), step)


def _inherited(module: Module, op: int) -> tuple[str, ...]:
    """What the ops around an op say, as attributes of a module; the innermost word counts."""
    out: dict[str, str] = {}
    parent = module.t.parent[op]
    while parent != NONE:
        family = module.t.name[parent].rpartition(".")[0]
        syntax = module.syntax(parent)
        for entry in syntax.entries:
            name = entry.name if "." in entry.name else f"{family}.{entry.name}"
            if entry.name not in _OF_THE_SYMBOL:
                out.setdefault(name, entry.value)
        parent = module.t.parent[parent]
    return tuple(f"{name} = {value}" if value else name for name, value in out.items())


def _alone(module: Module, op: int, inherited: tuple[str, ...]) -> str | None:
    """A module of the op, or of what is in it if it is a module itself."""
    attributes = list(inherited)
    inside = [op]
    if module.t.name[op] == _ROOT:
        inside = list(module.children(op))
        own = (module.text[slice(*entry.span)] for entry in module.syntax(op).attributes)
        attributes = [*own, *inherited]
    if not inside:
        return None
    head = "".join(module.text[alias.start : alias.end] for alias in module.t.aliases)
    body = "".join(module.text[module.t.start[item] : module.t.end[item]] for item in inside)
    dictionary = f" {{{', '.join(attributes)}}}" if attributes else ""
    return f'{head}"builtin.module"() ({{\n{body}}}){dictionary} : () -> ()\n'

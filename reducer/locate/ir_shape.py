"""The shape of the IR right before a failure: what the failing pass works on, without its numbers.

Two programs with one signature may still show two bugs. A compiler treats a size of 1 apart: it
drops unit dims and folds loops that run once, and then another piece of code meets the same
assertion. The IR that the failing pass receives tells: with the same ops in the same loops, it is
the same program with other numbers.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Self

from oracles.stored import conforming, parsed
from reducer.ir import NONE, Module
from reducer.ir.functions import container_of
from reducer.ir.syntax import split_array
from reducer.locate.pipeline import PipelineStep

_INTEGER = re.compile(r"index|[su]?i\d+")

Path = tuple[str, ...]
"""The names of the ops around an op, outermost first, and its own."""


@dataclass(frozen=True)
class IrShape:
    """The ops that a pass works on, each with the loops and bodies around it.

    Left out are sizes, types, names, the order, and how often an op occurs (unrolling follows the
    sizes). So are constants, what computes integers or indices, and what only inspects a size:
    some of these are folded away if a size is 1.
    """

    pass_name: str
    paths: frozenset[Path]

    def to_json(self) -> str:
        """Text that `from_json` reads back."""
        return json.dumps({"pass": self.pass_name, "paths": sorted(self.paths)})

    @classmethod
    def from_json(cls, text: str) -> Self | None:
        """The inverse; None if there is no text."""
        if not text:
            return None
        fields = parsed(text)
        return cls(str(fields["pass"]), frozenset(conforming(fields["paths"], list[Path])))


def shape_of(
    module: Module, pass_name: str = "", step: PipelineStep | None = None, op: str = ""
) -> IrShape:
    """The shape of the IR that a pass receives or, if the verifier rejected that, has produced.

    If the compiler names the failing op, that is where it is, what feeds it, and the loops and
    bodies that use it. Otherwise it is everything that the pass runs on.

    Args:
        module: the IR in module scope.
        pass_name: the failing pass.
        step: that pass, nested in the kinds of ops that it runs on; None if unknown.
        op: the name of the failing op as in a signature, in which `*` stands for any characters;
            '' if unknown.
    """
    failing = _named(module, op)
    around = _around(module, failing) if failing else _in_reach(module, step)
    kept = (number for number in around if number in failing or _matters(module, number))
    return IrShape(pass_name, frozenset(_path(module, number) for number in kept))


# ---- which ops count ---------------------------------------------------------------------------


def _named(module: Module, name: str) -> set[int]:
    """The ops of that name inside functions."""
    pattern = name.partition(" ")[0]
    return {
        op
        for op, kind in enumerate(module.t.name)
        if pattern and fnmatchcase(kind, pattern) and container_of(module, op) != NONE
    }


def _around(module: Module, ops: Iterable[int]) -> set[int]:
    """The ops, what feeds them, and the bodies that use their results."""
    users = (use for op in ops for value in module.results(op) for use, _ in module.uses[value])
    bodies = (user for user in users if user in module.t.regions)
    return _feeding(module, ops) | {op for body in bodies for op in module.subtree(body)}


def _feeding(module: Module, ops: Iterable[int]) -> set[int]:
    """The ops with everything inside them, and all transitive producers of what they use.

    A block argument is produced by the op around the block, unless that is a function.
    """
    feeding: set[int] = set()
    waiting = list(ops)
    while waiting:
        op = waiting.pop()
        if op in feeding:
            continue
        feeding.add(op)
        waiting.extend(module.subtree(op)[1:])
        for value in module.t.operands[op]:
            if value != NONE:
                maker = module.t.def_op[value]
                waiting.extend(_inputs_of_argument(module, value) if maker == NONE else (maker,))
    return feeding


def _inputs_of_argument(module: Module, value: int) -> Iterator[int]:
    """The producers of what the op around a block argument uses."""
    owner = module.def_parent(value)
    if container_of(module, owner) == NONE:
        return
    for operand in module.t.operands[owner]:
        maker = module.t.def_op[operand] if operand != NONE else NONE
        if maker != NONE:
            yield maker


def _in_reach(module: Module, step: PipelineStep | None) -> set[int]:
    """All ops that a pass runs on; all of the module if that is not known."""
    anchors = step.anchors if step else ()
    tops = [
        op
        for op, name in enumerate(module.t.name)
        if anchors[-1:] == (name,) and _names(module, op) == anchors
    ]
    return {op for top in tops or module.roots for op in module.subtree(top)}


def _matters(module: Module, op: int) -> bool:
    """Whether an op does more than to provide a constant, an integer or a size."""
    if module.hidden[op]:
        return False
    syntax = module.syntax(op)
    if op in module.t.regions or not syntax.result_types:
        return True
    if not syntax.operand_types and syntax.entry("value") is not None:
        return False
    if set(syntax.result_types) == {"index"}:
        return False
    return not all(map(_INTEGER.fullmatch, (*syntax.operand_types, *syntax.result_types)))


# ---- where they are ----------------------------------------------------------------------------


def _names(module: Module, op: int) -> Path:
    out: list[str] = []
    while op != NONE:
        out.append(module.t.name[op])
        op = module.t.parent[op]
    return tuple(reversed(out))


def _path(module: Module, op: int) -> Path:
    """The op and the ops around it, up to its function if it is in one."""
    outermost = container_of(module, op)
    out: list[str] = []
    while op != NONE:
        out.append(_described(module, op))
        if op == outermost:
            break
        op = module.t.parent[op]
    return tuple(reversed(out))


def _described(module: Module, op: int) -> str:
    """The name of an op, with the kinds of the loops that it stands for."""
    name = module.t.name[op]
    entry = module.syntax(op).entry("iterator_types") if op in module.t.regions else None
    kinds = split_array(entry.value) if entry else None
    return name if kinds is None else f"{name} [{', '.join(kinds)}]"

"""What a pass gets, as programs to compile from the start."""

import re

from reducer.ir import NONE, GenericSyntaxError, Module, Returned, Rewrite
from reducer.ir.dialects import is_grouping_op
from reducer.ir.functions import is_function, takes_arguments, terminator_of
from reducer.transformations.body_ops import is_referred_to
from reducer.transformations.boundary_types import BoundaryTypes
from reducer.transformations.unwrap import UnwrapBodies


def as_inputs(module: Module, written: Module) -> list[Module]:
    """IR from the middle of the pipeline without what only the compiler has put there.

    Ops that group others, as those of one dispatch, give way to what is in them, for the compiler
    will group it again. Modules and symbols lose attributes that say how far they have come, or
    name a device that the compiler will choose again.

    Args:
        written: the program that the IR was made of; the attributes that it has may stay.

    Returns:
        Programs, the most faithful first: one that returns whatever its loops make, so that none
        of them is fused with its user which had another user too, and one that does not. None
        where the IR is no program, or where a group cannot be undone.
    """
    try:
        ungrouped = _ungrouped(module)
        if ungrouped is None:
            return []
        plain = Module.parse(_without_marks(ungrouped, written.text))
        returning = Module.parse(_returning_all(plain))
    except GenericSyntaxError:
        return []
    return [plain] if returning.text == plain.text else [returning, plain]


def _ungrouped(module: Module) -> Module | None:
    while groups := [op for op in module.t.regions if is_grouping_op(module.t.name[op])]:
        unwrap = UnwrapBodies(BoundaryTypes.of(module))
        text = unwrap.apply(module, [s for s in unwrap.sites(module) if s.op in groups])
        if text is None or text == module.text:
            return None
        module = Module.parse(text)
    return module


def _without_marks(module: Module, written: str) -> str:
    rewrite = Rewrite(module)
    for op in (*module.roots, *(op for root in module.roots for op in module.children(root))):
        for entry in module.syntax(op).attributes:
            if not re.search(rf"(?<![\w.]){re.escape(entry.name)}(?![\w.])", written):
                rewrite.set_entry(op, entry.name, None)
        if op not in module.t.regions:  # what is private and was used by what is gone is dead
            rewrite.set_entry(op, "sym_visibility", None)
    return rewrite.render()


def _returning_all(module: Module) -> str:
    """With what ops with bodies make at the top of a function among its results."""
    rewrite = Rewrite(module)
    boundary = BoundaryTypes.of(module)
    for function in module.t.regions:
        terminator = terminator_of(module, function)
        if not is_function(module, function) or terminator is None:
            continue
        if not takes_arguments(module, function) or is_referred_to(module, function):
            continue
        returned = {
            value: Returned(module.t.token[value], module.type_of(value), number)
            for number, value in enumerate(module.t.operands[terminator])
            if value != NONE
        }
        for op in module.children(function):
            for value in module.results(op) if op in module.t.regions else ():
                if boundary.is_shaped(kind := module.type_of(value)):
                    returned.setdefault(value, Returned(module.t.token[value], kind))
        if len(returned) > len(module.t.operands[terminator]):
            rewrite.set_returns(function, terminator, list(returned.values()))
    return rewrite.render()

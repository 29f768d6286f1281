"""Turn the IR that a pass receives back into programs that compile from the start."""

import re

from reducer.ir import NONE, GenericSyntaxError, Module, Returned, Rewrite
from reducer.ir.dialects import is_grouping_op
from reducer.ir.functions import is_function, takes_arguments, terminator_of
from reducer.transformations.body_ops import is_referred_to
from reducer.transformations.boundary_types import BoundaryTypes
from reducer.transformations.unwrap import UnwrapBodies


def as_inputs(module: Module, written: Module) -> list[Module]:
    """IR from the middle of the pipeline, without what only the compiler adds.

    Ops that group others, such as those of a dispatch, are replaced by their contents, because the
    compiler will group them again. Modules and symbols lose attributes that record the progress of
    compilation or name a device that the compiler will select again.

    Args:
        written: the program that the IR was made from; attributes that occur in it may stay.

    Returns:
        Programs, the most faithful first. The first one also returns the results of all top-level
        ops with regions, so that none that had a second user is fused with its other user; the
        second one does not. Empty if the IR does not parse or a group cannot be undone.
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
        if op not in module.t.regions:  # if private, it would be dead once its users are gone
            rewrite.set_entry(op, "sym_visibility", None)
    return rewrite.render()


def _returning_all(module: Module) -> str:
    """Also return the shaped results of top-level ops with regions."""
    rewrite = Rewrite(module)
    boundary = BoundaryTypes.of(module)
    for function in module.t.regions:
        terminator = terminator_of(module, function)
        if not is_function(module, function) or terminator is None:
            continue
        if not takes_arguments(module, function) or is_referred_to(module, function):
            continue
        returned = {
            value: Returned(module.tokens[value], module.type_of(value), number)
            for number, value in enumerate(module.t.operands[terminator])
            if value != NONE
        }
        for op in module.children(function):
            for value in module.results(op) if op in module.t.regions else ():
                if boundary.is_shaped(kind := module.type_of(value)):
                    returned.setdefault(value, Returned(module.tokens[value], kind))
        if len(returned) > len(module.t.operands[terminator]):
            rewrite.set_returns(function, terminator, list(returned.values()))
    return rewrite.render()

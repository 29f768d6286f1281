"""Replace ops that only have to compute something by one `arith` op."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.dialects import is_elementwise
from reducer.ir.elements import element_of
from reducer.ir.function_types import function_type
from reducer.ir.functions import container_of, is_function, takes_arguments, terminator_of
from reducer.ir.retype import function_returning
from reducer.transformations.base import Site
from reducer.transformations.body_ops import is_referred_to
from reducer.transformations.dead import Use, newly_dead_ops

_DEPTH = 8  # how many levels of operands to search for data
_FLOAT = re.compile(r"f\d+\w*|bf16|tf32")
_INTEGER = re.compile(r"i\d+")


class ReplaceByPlainOps:
    """Computes a result by `arith.negf` or `arith.addi` from a value that the op depends on.

    The ops between that value and the result are dropped. This helps if the failure only needs
    some computation: deletion cannot get there, because it leaves nothing to compute. The source is
    the nearest value of the result's own type; if the result is only returned, any other builtin
    type works too, and the function's type changes with it.

    Each edit removes at least one op that is not elementwise, so edits cannot undo each other.
    """

    name = "replace by plain ops"
    all_at_once = False

    def sites(self, module: Module) -> list[Site]:
        return [
            Site(op)
            for op in range(len(module))
            if (plan := _replacement_for(module, op)) and _is_worth_it(module, plan)
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        plans: list[_Replacement] = []
        lost: set[Use] = set()
        kept: set[int] = set()
        dead: set[int] = set()
        for op in module.outermost(site.op for site in sites)[::-1]:  # users before producers
            plan = None if op in dead else _replacement_for(module, op)
            if plan is not None and module.t.def_op[plan.source] not in dead:
                plans.append(plan)
                lost |= _uses(module, op)
                kept |= {op, module.t.def_op[plan.source]}
                dead |= newly_dead_ops(module, lost, _around(module, op), kept)
        rewrite = Rewrite(module)
        for op in dead:
            rewrite.remove(op)
        for plan in reversed(plans):
            _replace(rewrite, plan)
        return rewrite.render() if plans else None


@dataclass(frozen=True, slots=True)
class _Replacement:
    """An op to replace, its only used result, and the value to compute the result from."""

    op: int
    result: int
    source: int


def _replacement_for(module: Module, op: int) -> _Replacement | None:
    if module.hidden[op] or is_function(module, op):
        return None
    used = [value for value in module.results(op) if module.uses[value]]
    if len(used) != 1:
        return None
    (result,) = used
    source = _source(module, op, result)
    return None if source is None else _Replacement(op, result, source)


def _source(module: Module, op: int, result: int) -> int | None:
    """The nearest value behind an op from which an `arith` op can compute its result.

    An elementwise op is only replaced if the type changes; otherwise nothing would be gained.
    """
    kind = module.type_of(result)
    found = [v for v in _behind(module, op) if v not in module.results(op)]
    kinds = {value: module.type_of(value) for value in found}
    if not _is_only_returned(module, result):
        found = [value for value in found if kinds[value] == kind]
    if is_elementwise(module.t.name[op]):
        found = [value for value in found if kinds[value] != kind]
    found.sort(key=lambda value: (kinds[value] != kind, not kinds[value].endswith(">")))
    return next((v for v in found if _plain_op(kinds[v]) and _holds_data(module, v)), None)


def _behind(module: Module, op: int) -> Iterator[int]:
    """The op's transitive operands, breadth first, up to `_DEPTH` levels.

    Values of type `index`, which only compute sizes, are not followed.
    """
    level, seen = [op], {op}
    for _ in range(_DEPTH):
        captured = dict.fromkeys(v for op in level for v in module.captured(op))
        values = [v for v in captured if module.type_of(v) != "index"]
        yield from values
        producers = dict.fromkeys(module.t.def_op[v] for v in values)
        level = [p for p in producers if p != NONE and p not in seen]
        seen.update(level)


def _holds_data(module: Module, value: int) -> bool:
    """Whether a value depends on an argument or a symbol; constants would be folded away."""
    if _is_source(module, value):
        return True
    return any(_is_source(module, v) for v in _behind(module, module.t.def_op[value]))


def _is_source(module: Module, value: int) -> bool:
    producer = module.t.def_op[value]
    return producer == NONE or bool(module.own_symbol_refs(producer))


def _is_only_returned(module: Module, value: int) -> bool:
    """Whether a value is only used by the return of a function whose type may change."""
    users = {user for user, _ in module.uses[value]}
    if len(users) != 1:
        return False
    function = function_returning(module, *users)
    if function is None or terminator_of(module, function) not in users:
        return False
    return takes_arguments(module, function) and not is_referred_to(module, function)


def _is_worth_it(module: Module, plan: _Replacement) -> bool:
    """Whether more than one op would be removed, and not only elementwise ones."""
    op = plan.op
    dead = newly_dead_ops(
        module, _uses(module, op), _around(module, op), {module.t.def_op[plan.source]}
    )
    gone = {inner for outer in (op, *dead) for inner in module.subtree(outer)}
    shown = [inner for inner in gone if not module.hidden[inner]]
    return len(shown) > 1 and not all(is_elementwise(module.t.name[inner]) for inner in shown)


def _uses(module: Module, op: int) -> set[Use]:
    """All uses of values by an op and the ops nested in it."""
    return {
        (inner, number)
        for inner in module.subtree(op)
        for number in range(len(module.t.operands[inner]))
    }


def _around(module: Module, op: int) -> int:
    function = container_of(module, op)
    return module.roots[0] if function == NONE else function


def _replace(rewrite: Rewrite, plan: _Replacement) -> None:
    module = rewrite.module
    kind, token = module.type_of(plan.source), module.tokens[plan.result]
    if module.t.num_results[plan.op] > 1:
        token = rewrite.fresh()
        rewrite.substitute(plan.result, token)
    if kind != module.type_of(plan.result):
        rewrite.set_type(plan.result, kind)
    header = module.header(plan.op)
    indent = header[: len(header) - len(header.lstrip())]
    line = f"{indent}{token} = {_plain_op(kind, rewrite.token(plan.source))}\n"
    rewrite.replace(module.t.start[plan.op], module.t.end[plan.op], line)


def _plain_op(kind: str, token: str = "") -> str:
    """An op without attributes that computes a value of this type from a value of the same type.

    Empty if there is none. No release of the compiler folds these two ops away.
    """
    if "<" in kind and not kind.startswith(("tensor<", "vector<")):
        return ""
    element = element_of(kind) or ""
    if _FLOAT.fullmatch(element):
        return f'"arith.negf"({token}) : {function_type([kind], [kind])}'
    if _INTEGER.fullmatch(element):
        return f'"arith.addi"({token}, {token}) : {function_type([kind, kind], [kind])}'
    return ""

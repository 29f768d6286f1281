"""A second program, at the sizes and element types of the input, for whoever asks to keep them.

The result has toy shapes, which compilers may treat in a way of their own. So the shapes that its
ops had in the input are put back, all at once, which takes a run or two. If that does not fail in
the same way, the last accepted program with shapes of the input only is reduced again, and every
candidate must have such shapes only. What comes of it is verified like the result, and lies in its
folder.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from reducer.asking import Budget, while_affordable
from reducer.driver.stage import Stage
from reducer.driver.stages import finishing, shrinking
from reducer.driver.state import Context
from reducer.identity.program import Milestone
from reducer.ir import NONE, Module
from reducer.ir.elements import ElementTypes
from reducer.ir.shapes import Shaped, parse_shaped
from reducer.ir.sizes import SizeSystem
from reducer.search.candidate import Candidate
from reducer.search.conditions import ConditionName, Refusal, Run
from reducer.transformations.sizes import Sizes
from reducer.units import plural

SIZES, TYPES = "sizes", "types"
LEVEL = "own-shapes"
"""The name of the second program in records."""

_ORIGIN = "put the input's shapes back"


@dataclass(frozen=True)
class OwnShapes:
    """All shapes of a candidate, or their element types, are among those of the input.

    Each is None if it may change.
    """

    dims: frozenset[tuple[int | None, ...]] | None
    elements: frozenset[str] | None
    name: ClassVar = ConditionName.OWN_SHAPES

    @staticmethod
    def of(modules: Iterable[Module], keeps: frozenset[str]) -> "OwnShapes":
        found = [shape for module in modules for shape in _shapes(module)]
        return OwnShapes(
            frozenset(shape.dims for shape in found) if SIZES in keeps else None,
            frozenset(shape.element for shape in found) if TYPES in keeps else None,
        )

    def check(self, candidate: Candidate[Any], run: Run | None) -> Refusal | None:
        module = candidate.document
        return None if not isinstance(module, Module) or self.admits(module) else Refusal(self.name)

    def admits(self, module: Module) -> bool:
        """Whether a module has no other shapes."""
        return all(
            (self.dims is None or not shape.dims or shape.dims in self.dims)
            and (self.elements is None or shape.element in self.elements)
            for shape in _shapes(module)
        )


def _shapes(module: Module) -> Iterator[Shaped]:
    kinds = {module.type_of(value) for value in range(len(module.tokens))}
    return (shape for kind in kinds if (shape := parse_shaped(kind)) is not None)


def keep_shapes(context: Context) -> bool:
    """Make the second program, and record it.

    Raises:
        Stopped: the user interrupted the run.
    """
    program, keeps = context.program, context.settings.keeps
    assert program.original is not None
    condition = OwnShapes.of((program.original, *program.lower), keeps)
    what = " and ".join(sorted(keeps))
    if condition.admits(program.module):
        context.note(f"the result already has the {what} of the input")
        return False
    costs = context.judging.full.costs
    before = costs.calls
    with while_affordable():
        found = _put_back(context, condition) or _reduced_anew(context, condition)
        if found is None:
            context.note(f"no small program with the {what} of the input fails the same way")
            return False
        record = finishing.finish_beside(found[1], LEVEL)
        made = f"{found[0]} ({plural(costs.calls - before, 'run')})"
        context.found.printed.levels += (replace(record, made=made),)
    return False


def _put_back(context: Context, condition: OwnShapes) -> tuple[str, Context] | None:
    """The result with the shapes that its ops had in the input, if that fails in the same way."""
    module, keeps = context.program.module, context.settings.keeps
    texts = _with_own_sizes(context, module) if SIZES in keeps else [module.text]
    if TYPES in keeps:
        texts = [_with_own_elements(context, Module.parse(text)) for text in texts]
    documents = [Module.parse(text) for text in dict.fromkeys(texts) if text != module.text]
    candidates = [Candidate(one, _ORIGIN) for one in documents if condition.admits(one)]
    second = _beside(context, context.milestone(), condition)
    hit = second.judging.full.first_interesting(candidates)
    if hit is None:
        return None
    second.accept(hit[1])
    return "the result with the shapes of the input put back", second


def _reduced_anew(context: Context, condition: OwnShapes) -> tuple[str, Context] | None:
    """The last program with shapes of the input only, reduced as far as these allow."""
    steps = context.program.milestones
    step = next((one for one in reversed(steps) if condition.admits(one.document)), None)
    if step is None:
        return None
    second = _beside(context, step, condition)
    second.best.accept(step.document, "")
    shrinking.polish_with(lambda *_: False).carry_out(second)
    second.confirm()
    return "what is left with shapes of the input only", second


def _beside(context: Context, step: Milestone, condition: OwnShapes) -> Context:
    """A context in which stages work on an earlier program instead of the result."""
    budget = Budget(context.settings.max_calls)
    asked = step.asked.under(condition).with_(budget=budget)
    return context.beside(step, asked, context.settings.folder.own_shapes, LEVEL)


def _with_own_sizes(context: Context, module: Module) -> list[str]:
    """The module with the sizes of the input."""
    system = SizeSystem(module)
    values: dict[int, int | None] = {}
    for variable in system.free:
        votes = Counter(
            own.dims[dim.number]
            for dim in variable.dims
            for own in _own_shapes(context, module, dim.value)
            if dim.number < len(own.dims)
        )
        if votes:
            values[variable.number] = votes.most_common(1)[0][0]
    changed = {v.number: values[v.number] for v in system.free if v.number in values}
    changed = {number: size for number, size in changed.items() if size != _size(system, number)}
    return Sizes(system).texts(changed) if changed else [module.text]


def _size(system: SizeSystem, number: int) -> int | None:
    return next(one.size for one in system.variables if one.number == number)


def _with_own_elements(context: Context, module: Module) -> str:
    """The module with the element types of the input."""
    types = ElementTypes(module)
    values: dict[int, str] = {}
    for number, (element, members) in enumerate(types.classes):
        votes = Counter(
            own.element for value in members for own in _own_shapes(context, module, value)
        )
        if votes and (most := votes.most_common(1)[0][0]) != element:
            values[number] = most
    return types.text(values) if values else module.text


def _own_shapes(context: Context, module: Module, value: int) -> Iterator[Shaped]:
    """The shapes of the same rank that a value has in the input, where ops produce and use it."""
    original, origins = context.program.original, context.program.origins()
    assert original is not None
    now = parse_shaped(module.type_of(value))
    for get, op in _places(module, value):
        if (own := origins.get(op)) is None:
            continue
        found = get(original, own)
        shape = parse_shaped(original.type_of(found)) if found not in (None, NONE) else None
        if shape is not None and now is not None and len(shape.dims) == len(now.dims):
            yield shape


Place = tuple[Callable[[Module, int], int | None], int]


def _places(module: Module, value: int) -> Iterator[Place]:
    """The ops that produce and use a value, each with how to find it among those of another op."""
    maker = module.t.def_op[value]
    if maker != NONE:
        yield _among(lambda one, op: list(one.results(op)), module, maker, value), maker
    for op, _ in module.uses[value]:
        yield _among(lambda one, op: list(one.t.operands[op]), module, op, value), op


def _among(
    listed: Callable[[Module, int], list[int]], module: Module, op: int, value: int
) -> Callable[[Module, int], int | None]:
    now = listed(module, op)
    number = now.index(value) if value in now else -1

    def same(original: Module, own: int) -> int | None:
        found = listed(original, own)
        return found[number] if number >= 0 and len(found) == len(now) else None

    return same


def _is_asked(context: Context) -> bool:
    program = context.program
    return (
        bool(context.settings.keeps)
        and isinstance(program.document, Module)
        and (program.original is not None and context.found.printed.is_verified)
    )


KEEP_SHAPES = Stage("keep the shapes of the input", _is_asked, keep_shapes)

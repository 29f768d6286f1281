"""Decide between a degenerate result and the least larger program that is not degenerate.

A size of 0 or 1, an output that is also an input, an unused result: the message may be the same
while the bug is another one. If no other target, level or release compiles the program, nothing
from outside can tell. Then the IR tells that the failing pass receives: of another shape, the
degenerate program goes another way through the compiler, and the larger one is kept. If there is no
larger program of ordinary shapes that fails, the reduction is repeated without small ones.
"""

from collections.abc import Sequence

from oracles import CompilerOracle
from oracles.signature.stage import INPUT
from reducer.driver.auditing import compiles_nowhere
from reducer.driver.ordinary_shapes import keep_ordinary_shapes
from reducer.driver.records.figures import DegenerateChoice
from reducer.driver.stage import Stage
from reducer.driver.stages.levels import tool_within
from reducer.driver.stages.shrinking import polish_module
from reducer.driver.state import Context
from reducer.identity.conditions import NotMoreDegenerate
from reducer.ir import GenericSyntaxError, Module
from reducer.locate.failing_pass import Proposal, ir_before_failure
from reducer.locate.ir_shape import IrShape, shape_of
from reducer.locate.opt_tool import ToolBudgetExhausted
from reducer.search.candidate import Candidate
from reducer.search.conditions import ConditionName
from reducer.transformations.degenerate import Counts, DegenerateParts, Feature, MadeFrom, Part

ORIGIN = "keep what is not degenerate"
"""The origin of the larger program in the history."""

_MAX_PROGRAMS = 10  # larger programs to try


def is_degenerate(context: Context) -> bool:
    """Whether the best has degenerate parts that the input does not have. Runs nothing.

    False if no IR before the failure can decide about it: if the parser or verifier rejects the
    program itself, if it is text, if the failure is intermittent, or if it takes a limit to end it.
    Also false once it is decided that the best is larger than necessary.
    """
    if not _has_ir_before_failure(context):
        return False
    parts = _parts(context)
    return bool(parts.found) or parts.has_lost_ranks


def decide_degenerate(context: Context) -> bool:
    """Keep the best, or replace it by a larger program that is less degenerate.

    The larger program is the smallest change: a size of 2, an output of its own, an unused result
    returned. It replaces the best if it has the same failure, but its failing pass receives IR of
    another shape. Then it is polished again, without becoming more degenerate. `Found.degenerate`
    says what was decided. Most often this takes 3 runs without those of polishing, at most 14, and
    none if the best is not degenerate. If shapes are small and no larger program fails, see
    `keep_ordinary_shapes`.

    Returns:
        Whether the larger program is now the best.

    Raises:
        Stopped: see `Evaluator.run`.
    """
    if not is_degenerate(context):
        return False
    parts = _parts(context)
    made = _less_degenerate(context, parts) if parts.found else None
    if made is not None and _is_replaced(context, *made):
        return True
    if made is None and parts.found:
        context.found.degenerate = _choice(parts.found, kept=True, same_ir=None)
    alone = _only_small(parts, made[0] if made else ())
    if not alone:
        return False
    compared = context.found.degenerate
    context.found.degenerate = DegenerateChoice(alone, kept=True)  # if the runs are spent
    replaced = keep_ordinary_shapes(context)
    context.found.degenerate = DegenerateChoice(alone, kept=False) if replaced else compared
    return replaced


def _only_small(parts: DegenerateParts, without: Sequence[Part]) -> tuple[str, ...]:
    """What is small about shapes, as far as no larger program without it is known to fail."""
    sizes = {part for part in parts.found if part.feature is Feature.SIZE}
    alone = [Feature.SIZE] if sizes - set(without) else []
    return tuple([*alone, Feature.RANK] if parts.has_lost_ranks else alone)


def _is_replaced(context: Context, without: Sequence[Part], larger: Module) -> bool:
    """Make a larger program the best if the failing pass receives IR of another shape."""
    here, there = _shape(context, context.program.module), _shape(context, larger)
    if here is None or there is None or here == there:
        same = None if here is None or there is None else True
        context.found.degenerate = _choice(without, kept=True, same_ir=same, shape=here)
        return False
    context.found.degenerate = _choice(without, kept=False, same_ir=False, shape=there)
    context.accept(Candidate(larger, ORIGIN))
    context.judging.full = context.judging.full.under(NotMoreDegenerate.than(Counts.of(larger)))
    polish_module(context)
    return True


def _has_ir_before_failure(context: Context) -> bool:
    target, query = context.judging.first.signature, context.judging.full.query
    return (
        context.settings.compares_degenerate
        and not context.judging.has(ConditionName.ORDINARY)  # it is decided only once
        and isinstance(context.program.document, Module)
        and context.program.original is not None
        and context.conversions.opt is not None
        and isinstance(query.oracle, CompilerOracle)
        and query.test is None
        and target.stage != INPUT
        and not target.kind.traits.costly
    )


def _parts(context: Context) -> DegenerateParts:
    assert context.program.original is not None
    origin = MadeFrom(context.program.original, context.program.origins())
    return DegenerateParts(context.program.module, origin, context.program.module_boundary)


# ---- the larger program ------------------------------------------------------------------------


def _less_degenerate(
    context: Context, parts: DegenerateParts
) -> tuple[Sequence[Part], Module] | None:
    """A program with the same failure and fewer degenerate parts, and the parts that it lacks.

    Without all of them, if that fails; otherwise without as many as can go one after another.
    """
    programs = parts.without(parts.found)
    larger = _failing(context, programs)
    if larger is not None:
        return parts.found, larger
    gone: list[Part] = []
    left = _MAX_PROGRAMS - len(programs)
    for part in parts.found if len(parts.found) > 1 else ():
        programs = parts.without([*gone, part])[: max(left, 0)]
        left -= len(programs)
        found = _failing(context, programs)
        if found is not None:
            gone, larger = [*gone, part], found
    return None if larger is None else (gone, larger)


def _failing(context: Context, modules: Sequence[Module]) -> Module | None:
    """The first module with the target failure."""
    candidates = [Candidate(module, ORIGIN) for module in modules]
    hit = context.judging.full.first_interesting(candidates, context.program.document)
    return None if hit is None else hit[1].document


# ---- the IR before the failure -----------------------------------------------------------------


def _shape(context: Context, module: Module) -> IrShape | None:
    """The shape of the IR before the failure of a module; None if unknown. Kept in the journal."""
    evaluator, opt = context.judging.full, context.conversions.opt
    oracle = evaluator.oracle
    target = context.judging.first.signature
    assert isinstance(oracle, CompilerOracle) and opt is not None

    def find() -> str:
        tool = tool_within(evaluator, opt)
        try:
            found = ir_before_failure(oracle.command, oracle.executable, module.text, target, tool)
        except ToolBudgetExhausted:
            found = None
        evaluator.costs.add_probes(tool.calls, tool.compiler_seconds, module.op_count)
        evaluator.check()  # running out of budget does not mean that there is no such IR
        shape = found and _shape_of(context, found)
        return shape.to_json() if shape else ""

    known = context.conversions.cached(f"shape before failure {oracle.key}", module.text, find)
    return IrShape.from_json(known) if known else None


def _shape_of(context: Context, found: Proposal) -> IrShape | None:
    try:
        module: Module | None = Module.parse(found.text)
    except GenericSyntaxError:
        module = context.conversions.module(found.text)
    if module is None:
        return None
    return shape_of(module, found.name, found.step, context.judging.first.signature.op)


def _choice(
    parts: Sequence[Part], *, kept: bool, same_ir: bool | None, shape: IrShape | None = None
) -> DegenerateChoice:
    features = tuple(dict.fromkeys(str(part.feature) for part in parts))
    return DegenerateChoice(features, kept, same_ir, shape.pass_name if shape else "")


def _may_be_another_bug(context: Context) -> bool:
    return compiles_nowhere(context) and is_degenerate(context)


COMPARE = Stage("compare with a larger program", _may_be_another_bug, decide_degenerate)

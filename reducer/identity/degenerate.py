"""Decide between a degenerate result and a larger program that is not degenerate.

A size of 0 or 1, an output that is also an input, an unused result: the message may be the same
while the bug is another one. If no other target, level or release compiles the program, nothing
from outside can tell. Then the IR tells that the failing pass receives: of another shape, the
degenerate program goes another way through the compiler, and the larger one is kept.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

from oracles.base import capabilities_of
from reducer.asking import Stopped
from reducer.conversions import Conversions, tool_within
from reducer.identity.conditions import NotMoreDegenerate, a_pass_decides
from reducer.identity.program import Judging, Program
from reducer.ir import GenericSyntaxError, Module
from reducer.locate.failing_pass import FailingPass, FailingPassSearch
from reducer.locate.ir_shape import IrShape, shape_of
from reducer.search.candidate import Candidate
from reducer.search.conditions import ConditionName
from reducer.storage.json_values import JsonValues
from reducer.transformations.degenerate import (
    Counts,
    DegenerateParts,
    MadeFrom,
    Part,
)

ORIGIN = "keep what is not degenerate"
"""The origin of the larger program in the history."""

_MAX_PROGRAMS = 10  # larger programs to try


@dataclass(frozen=True)
class DegenerateChoice:
    """The choice between a degenerate program and a larger one with the same signature.

    `features` say in words what is degenerate; `kept` whether the result has it. `same_ir` says
    whether the pass `pass_name` receives IR of the same shape either way; it is None if that is not
    known, or if the larger program does not fail in the same way.
    """

    features: tuple[str, ...]
    kept: bool
    same_ir: bool | None = None
    pass_name: str = ""

    @property
    def text(self) -> str:
        """The choice and its reason in one sentence."""
        which = self.pass_name or "the failing pass"
        features = _listed(self.features)
        if not self.kept:
            return (
                f"A smaller program, with {features}, fails with the same message. It was not kept "
                f"because {which} then receives other ops or loops."
            )
        if self.same_ir:
            return (
                f"The result has {features} where the input has none; in a larger program, closer "
                f"to the input, {which} receives the same ops and loops."
            )
        return (
            f"The result has {features} where the input has none, and may show another bug: there "
            "is no larger program to compare it with."
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "features": list(self.features),
            "kept": self.kept,
            "same_ir": self.same_ir,
            "pass": self.pass_name,
            "text": self.text,
        }

    @classmethod
    def from_json(cls, data: object) -> Self | None:
        return JsonValues(data).read(cls, pass_name="pass")


def _listed(words: Sequence[str]) -> str:
    """a, b and c"""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def is_degenerate(program: Program, judging: Judging, conversions: Conversions) -> bool:
    """Whether the best has degenerate parts that the input does not have. Runs nothing.

    False if no pass decides, or once it is decided that the best is larger than necessary.
    """
    undecided = not judging.has(ConditionName.ORDINARY) and conversions.opt is not None
    if not undecided or not a_pass_decides(program, judging):
        return False
    return bool(_parts(program).found)


@dataclass
class DegenerateComparison:
    """Compares a degenerate result with larger programs.

    Attributes:
        accept: makes a candidate the best.
        polish: makes the best minimal again.
        choice: what was decided, also if the runs are spent before it is certain.
    """

    program: Program
    judging: Judging
    conversions: Conversions
    accept: Callable[[Candidate[Module]], None]
    polish: Callable[[], object]
    choice: DegenerateChoice | None

    def decide(self) -> bool:
        """Keep the best, or replace it by a larger program that is less degenerate.

        The larger program is the smallest change: a size of 2, an output of its own, an unused
        result returned. It replaces the best if it has the same failure, but its failing pass
        receives IR of another shape. Then it is polished again, without becoming more degenerate.
        Most often this takes 3 runs without those of polishing, at most 14, and none if the best is
        not degenerate.

        Returns:
            Whether the larger program is now the best.

        Raises:
            Stopped: see `Judge.run`.
        """
        if not is_degenerate(self.program, self.judging, self.conversions):
            return False
        parts = _parts(self.program)
        made = self._less_degenerate(parts)
        if made is not None:
            return self._is_replaced(*made)
        self.choice = _choice(parts.found, kept=True, same_ir=None)
        return False

    def _is_replaced(self, without: Sequence[Part], larger: Module) -> bool:
        """Make a larger program the best if the failing pass receives IR of another shape."""
        here, there = self._shape(self.program.module), self._shape(larger)
        if here is None or there is None or here == there:
            same = None if here is None or there is None else True
            self.choice = _choice(without, kept=True, same_ir=same, shape=here)
            return False
        self.choice = _choice(without, kept=False, same_ir=False, shape=there)
        self.accept(Candidate(larger, ORIGIN))
        self.judging.full = self.judging.full.under(NotMoreDegenerate.than(Counts.of(larger)))
        self.polish()
        return True

    # ---- the larger program --------------------------------------------------------------------

    def _less_degenerate(self, parts: DegenerateParts) -> tuple[Sequence[Part], Module] | None:
        """A program with the same failure and fewer degenerate parts, and the parts that it lacks.

        Without all of them, if that fails; otherwise without as many as can go one after another.
        """
        programs = parts.without(parts.found)
        larger = self._failing(programs)
        if larger is not None:
            return parts.found, larger
        gone: list[Part] = []
        left = _MAX_PROGRAMS - len(programs)
        for part in parts.found if len(parts.found) > 1 else ():
            programs = parts.without([*gone, part])[: max(left, 0)]
            left -= len(programs)
            found = self._failing(programs)
            if found is not None:
                gone, larger = [*gone, part], found
        return None if larger is None else (gone, larger)

    def _failing(self, modules: Sequence[Module]) -> Module | None:
        """The first module with the target failure."""
        candidates = [Candidate(module, ORIGIN) for module in modules]
        hit = self.judging.full.first_interesting(candidates, self.program.document)
        return None if hit is None else hit[1].document

    # ---- the IR before the failure -------------------------------------------------------------

    def _shape(self, module: Module) -> IrShape | None:
        """The shape of the IR before the failure; None if unknown. Kept in the journal."""
        judge, opt = self.judging.full, self.conversions.opt
        compiler = capabilities_of(judge.oracle).failures
        target = self.judging.first.signature
        assert compiler is not None and opt is not None

        def find() -> str:
            tool = tool_within(judge, opt)
            try:
                found = FailingPassSearch(compiler, module.text, target, tool).ir_before()
            except Stopped:
                found = None
            judge.costs.add_probes(tool.cost, module.op_count)
            judge.check()  # running out of budget does not mean that there is no such IR
            shape = found and self._shape_of(found)
            return shape.to_json() if shape else ""

        form = f"shape before failure {compiler.key}"
        return self.conversions.cached(form, module.text, find, IrShape.from_json)

    def _shape_of(self, found: FailingPass) -> IrShape | None:
        try:
            module: Module | None = Module.parse(found.text)
        except GenericSyntaxError:
            module = self.conversions.module(found.text)
        if module is None:
            return None
        return shape_of(module, found.name, found.step, self.judging.first.signature.op)


def _parts(program: Program) -> DegenerateParts:
    assert program.original is not None
    origin = MadeFrom(program.original, program.origins())
    return DegenerateParts(program.module, origin, program.module_boundary)


def _choice(
    parts: Sequence[Part], *, kept: bool, same_ir: bool | None, shape: IrShape | None = None
) -> DegenerateChoice:
    features = tuple(dict.fromkeys(str(part.feature) for part in parts))
    return DegenerateChoice(features, kept, same_ir, shape.pass_name if shape else "")

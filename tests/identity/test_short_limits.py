"""Hangs in a known pass: candidates run under short limits, and results are confirmed in full.

The compiler is simulated, so that a hang takes no time; `tests/corpus/test_kinds.py` has a real
one.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path

import pytest

from oracles import Command, Kind, Limits, Outcome, Signature
from oracles.signature.outcome import pass_stage
from reducer.conversions import Conversions
from reducer.driver.best import Best
from reducer.driver.settings import Settings
from reducer.driver.stages import finishing, shrinking
from reducer.driver.state import Context
from reducer.identity.program import Judging, Program
from reducer.identity.short_limits import Hang, ShortLimits, named_late, sample_hang
from reducer.ir import Module
from reducer.search.judge import Judge
from reducer.storage.journal import Journal
from reducer.transformations import BodyOps
from tests.driver.test_table import chain
from tests.support.predicate import PredicateOracle
from tests.support.stages import search

FULL = 60.0
GIB = 1 << 30


@dataclass(frozen=True)
class Phase:
    """A stretch of a compilation: how much of the resource is used at its end, and its passes."""

    until: float
    passes: tuple[str, ...]


Phases = Callable[[str], Sequence[Phase]]


class SimulatedCompiler(PredicateOracle):
    """Goes through the phases of a text, and reaches a limit in one of them unless it ends before.

    The unit is a second, or a byte for a `kind` that exhausts memory.
    """

    def __init__(self, phases: Phases, kind: Kind = Kind.TIMEOUT, full: float = FULL) -> None:
        super().__init__(lambda text: False)
        self.phases, self.kind = phases, kind
        self.limits = Limits(seconds=full) if kind is Kind.TIMEOUT else Limits(memory=int(full))
        self.amounts: list[float] = []

    def run(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        assert isinstance(text, str) and limits is not None
        limit = limits.seconds if self.kind is Kind.TIMEOUT else limits.memory
        assert limit is not None
        self.amounts.append(limit)
        for phase in self.phases(text):
            if limit < phase.until:
                stage = pass_stage(phase.passes[0]) if phase.passes else ""
                return Outcome(self.kind, Signature(self.kind, stage=stage), passes=phase.passes)
        return Outcome(Kind.SUCCESS, Signature(Kind.SUCCESS))

    def wants(self, outcome: Outcome) -> bool:
        return outcome.kind is self.kind


def hanging(text: str, *, slow: str = "", takes: float = 0.0) -> list[Phase]:
    """Reaches its pass after a twentieth of a second per op, and hangs there on op 7."""
    reached = 0.05 * text.count('"t.op')
    until = inf if '"t.op7"' in text else takes if slow and slow in text else 0.0
    return [Phase(reached, ("Parser",)), Phase(until, ("Fuse", "Outer"))]


def context_of(oracle: SimulatedCompiler, folder: Path, length: int = 40) -> Context:
    text = chain(length)
    settings = Settings(
        input=folder / "in.mlir",
        text=text,
        output=folder / "out.mlir",
        journal=folder / "journal",
        keep_flags=True,
        comments=False,
    )
    module = Module.parse(text)
    journal = Journal.open(settings.journal, identity={})
    first = oracle.run(text, limits=oracle.limits)
    full = Judge(oracle, journal, target=first.signature)
    short = ShortLimits.of(sample_hang(full, module, first), oracle.limits)
    notes: list[str] = []
    program = Program(module, text)
    return Context(
        settings=settings,
        program=program,
        judging=Judging(first, full, short),
        best=Best(settings.output, journal, program),
        conversions=Conversions(None, journal, notes.append),
        journal=journal,
        show=lambda phase: None,
        note=notes.append,
    )


def names_left(context: Context) -> list[str]:
    best = context.program.confirmed
    assert isinstance(best, Module)
    return [best.t.name[op] for op in BodyOps.of(best).ops]


def test_candidates_run_under_a_fraction_of_the_limit(tmp_path: Path) -> None:
    oracle = SimulatedCompiler(hanging)
    context = context_of(oracle, tmp_path)
    oracle.amounts.clear()
    search(context)
    assert names_left(context) == ["t.op7"] and not context.program.is_provisional
    full = [amount for amount in oracle.amounts if amount == FULL]
    short = [amount for amount in oracle.amounts if amount < FULL]
    assert len(full) <= 5, "the input, and what has halved"
    assert len(short) > 5 * len(full) and max(short) <= FULL / 4
    context.judging.full.close()


def test_the_limit_follows_the_best(tmp_path: Path) -> None:
    context = context_of(SimulatedCompiler(hanging), tmp_path, 100)
    assert (
        context.judging.short is not None
        and context.judging.short.limits.current.seconds == FULL / 4
    )
    search(context)
    assert context.judging.short.limits.current.seconds == 1.5
    context.judging.full.close()


def test_the_result_is_verified_under_the_full_limit(tmp_path: Path) -> None:
    oracle = SimulatedCompiler(hanging)
    context = context_of(oracle, tmp_path)
    context.found.printed.readable = chain(8)
    oracle.amounts.clear()
    finishing.verify(context)
    assert context.found.printed.is_verified and oracle.amounts == [FULL]
    context.judging.full.close()


@pytest.mark.parametrize("takes", [9.0, 30.0])
def test_what_is_slow_in_the_pass_that_hangs_is_no_hang(tmp_path: Path, takes: float) -> None:
    """Two ops together hang; op 3 alone is slow, longer than the first short limits."""

    def phases(text: str) -> list[Phase]:
        if '"t.op3"' not in text:
            return [Phase(0.1, ("Parser",))]
        return hanging(text, slow='"t.op3"', takes=takes)

    context = context_of(SimulatedCompiler(phases), tmp_path)
    search(context)
    assert {"t.op3", "t.op7"} <= set(names_left(context))
    left = [milestone.document.text for milestone in context.program.milestones]
    assert all('"t.op3"' in text and '"t.op7"' in text for text in left), "what was undone is gone"
    context.judging.full.close()


class SimulatedCommand(SimulatedCompiler):
    """Hangs if the command has the flag `--hang`; is slow in the same pass without it."""

    def __init__(self, command: Command) -> None:
        self._command = command
        self.key = " ".join(command.argv)
        until = inf if "--hang" in command.argv else 10.0
        phases = [Phase(0.4, ("Parser",)), Phase(until, ("Fuse",))]
        super().__init__(lambda text: phases if "t.op" in text else [])

    @property
    def command(self) -> Command:
        return self._command

    def with_command(self, command: Command) -> "SimulatedCommand":
        return SimulatedCommand(command)


def test_a_flag_without_which_the_command_is_only_slow_stays(tmp_path: Path) -> None:
    oracle = SimulatedCommand(Command.parse(["tool", "--idle", "--hang", "{}"]))
    context = context_of(oracle, tmp_path)
    assert context.judging.short is not None and context.judging.short.limits.current.seconds == 1.5
    shrinking.drop_flags(context)
    assert context.judging.oracle.command == Command.parse(["tool", "--hang", "{}"])
    assert context.judging.full.limits.seconds == FULL and not context.judging.full.query.label
    context.judging.full.close()


def test_growth_is_cut_long_before_the_limit(tmp_path: Path) -> None:
    def phases(text: str) -> list[Phase]:
        until = inf if '"t.op7"' in text else 0
        return [Phase(100 << 20, ("Parser",)), Phase(until, ("Unroll",))]

    oracle = SimulatedCompiler(phases, Kind.MEMORY, 64 * GIB)
    context = context_of(oracle, tmp_path)
    oracle.amounts.clear()
    search(context)
    assert names_left(context) == ["t.op7"]
    assert sum(amount == 64 * GIB for amount in oracle.amounts) <= 5
    assert max(amount for amount in oracle.amounts if amount < 64 * GIB) < GIB
    context.judging.full.close()


def sampled(phases: Sequence[Phase], kind: Kind = Kind.TIMEOUT, full: float = FULL) -> Hang:
    oracle = SimulatedCompiler(lambda text: phases, kind, full)
    module = Module.parse(chain(3))
    judge = Judge(oracle, _Memory())
    first = oracle.run(module.text, limits=oracle.limits)
    hang = sample_hang(judge, module, first)
    judge.close()
    return hang


class _Memory:
    def get(self, digest: str) -> Outcome | None:
        return None

    def put(self, digest: str, outcome: Outcome, ops: int) -> None: ...


def test_a_pass_that_comes_and_goes_is_not_what_hangs() -> None:
    """A fixed point that is never reached runs the same two passes again and again."""
    phases = [
        Phase(0.4, ("Parser",)),
        Phase(0.9, ("CSE", "FixedPoint")),
        Phase(1.9, ("Fold", "FixedPoint")),
        Phase(inf, ("CSE", "FixedPoint")),
    ]
    hang = sampled(phases)
    assert (hang.target.stage, hang.reached) == ("pipeline FixedPoint", 0.5)
    phases[1:3] = [Phase(0.9, ("CSE",)), Phase(1.9, ("Fold",))]
    assert sampled(phases) == Hang(Signature(Kind.TIMEOUT)), "nothing in common"


MOVING = [Phase(2.0**n, (f"Pass{n}", "Outer")) for n in range(-1, 9)]
IN_NONE = [Phase(2.0**n, (f"Pass{n}",)) for n in range(-1, 9)]
LATE = [Phase(7.0, ("Parser",)), Phase(inf, ("Fuse", "Outer"))]


@pytest.mark.parametrize(
    ("phases", "named", "depends"),
    [(LATE, "Fuse", False), (MOVING, "Outer", True), (IN_NONE, "", True)],
)
def test_one_hang_has_one_name_at_every_limit(
    phases: Sequence[Phase], named: str, depends: bool
) -> None:
    """Else it is said that the name depends on the limit, in which no pass that has ended is."""
    stage = pass_stage(named) if named else ""
    for seconds in (20.0, 30.0, 45.0):
        compiler = SimulatedCompiler(lambda text: phases, full=seconds)
        first = compiler.run("", limits=compiler.limits)
        late = named_late(first, compiler.limits, partial(compiler.run, ""))
        assert late.signature == Signature(Kind.TIMEOUT, stage=stage)
        assert any("depends on the limit" in said for said in late.remarks) is depends
        assert compiler.amounts == [seconds, seconds / 2], "two runs"
        assert sampled(phases, full=seconds).target == late.signature, "as in a reduction"


def test_a_hang_without_a_pass_is_run_once() -> None:
    compiler = SimulatedCompiler(lambda text: [Phase(inf, ())])
    first = compiler.run("", limits=compiler.limits)
    assert named_late(first, compiler.limits, partial(compiler.run, "")) is first


def test_a_pass_reached_late_gets_a_quarter_of_the_full_limit() -> None:
    late = sampled([Phase(7.0, ("Parser",)), Phase(inf, ("Fuse",))])
    assert late.reached == 8.0
    short = ShortLimits.of(late, Limits(FULL))
    assert short is not None and short.are_short and short.limits.current == Limits(FULL / 4)
    assert short.raised() is None, "a hang is told from a slow run by four times the limit"


def test_memory_that_grows_from_half_of_a_low_limit_on_grows_in_a_known_pass() -> None:
    """A compiler takes 100 MB before its first pass; of time, such a sample would be too dear."""
    phases = [Phase(300 << 20, ("Parser",)), Phase(inf, ("Unroll",))]
    grown = sampled(phases, Kind.MEMORY, 500 << 20)
    assert grown.target == Signature(Kind.MEMORY, stage="pipeline Unroll")
    short = ShortLimits.of(grown, Limits(memory=500 << 20))
    assert short is not None and not short.are_short
    assert sampled([Phase(40.0, ("Parser",)), phases[1]]) == Hang(Signature(Kind.TIMEOUT))


def test_a_best_that_reaches_the_pass_sooner_gets_short_limits(tmp_path: Path) -> None:
    oracle = SimulatedCompiler(hanging)
    context = context_of(oracle, tmp_path, 310)
    assert context.judging.short is not None and not context.judging.is_short, (
        "it takes 15.5 s to reach the pass"
    )
    search(context)
    assert names_left(context) == ["t.op7"]
    assert context.judging.is_short and context.judging.short.limits.current.seconds == 1.5
    context.judging.full.close()


def test_a_compilation_that_is_slow_everywhere_hangs_in_no_pass() -> None:
    passes = [Phase(2.0**n, (f"Pass{n}",)) for n in range(-1, 9)]
    assert sampled(passes) == Hang(Signature(Kind.TIMEOUT))


def test_a_hang_without_a_stack_has_no_short_limits() -> None:
    hang = sampled([Phase(inf, ())])
    assert hang == Hang(Signature(Kind.TIMEOUT)) and ShortLimits.of(hang, Limits(FULL)) is None

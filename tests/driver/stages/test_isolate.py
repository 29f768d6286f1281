"""From a crash in code generation to the dispatch and back to the op, with a real compiler."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.plant import plant
from oracles import Command, CompilerOracle, Kind, Limits, Outcome, Signature
from oracles.profiles.iree import DISPATCHES
from reducer.conversions import Conversions, OptPrinter, key_of
from reducer.driver.stages.early_stop import taking_notes
from reducer.driver.stages.locating import _bisected, dispatches_note, failing_dispatch
from reducer.identity.short_limits import sample_hang
from reducer.ir import Module
from reducer.locate import ops_at
from reducer.locate.dispatch_as_input import dispatch_as_input
from reducer.search.conditions import SameFailure
from reducer.search.judge import Judge
from reducer.search.state import SearchState
from reducer.search.windows import grow_set
from reducer.storage.journal import Journal
from reducer.toolchain import Toolchain
from reducer.transformations import BoundaryTypes
from tests.conftest import WHEELS
from tests.support.corpus import Case, Run
from tests.support.predicate import FAILURE, Memory, PredicateOracle

pytestmark = pytest.mark.iree

CRASH = "complex-dot2-hip-segv"
RUNAWAY = "create-mask-runaway"
EARLIER = "matmul-k0-sigfpe"
FUSED = "st_toy_llama"
FUSED_OPS = Path(__file__).with_name("fused.mlir")


class Isolation:
    """A case planted in a few layers, run once."""

    def __init__(
        self,
        case: Case,
        run: Run,
        toolchain: Toolchain,
        journal: Journal,
        flags: str = "",
        limits: Limits | None = None,
        trigger: str | None = None,
    ) -> None:
        self.text = plant(trigger or case.input_text(), 4)
        command = Command.parse(["iree-compile", *run.flags, *flags.split()])
        oracle = CompilerOracle(command, toolchain.compile, limits=limits or Limits(120.0))
        normaliser = OptPrinter(toolchain.opt, Limits(60.0))
        self.conversions = Conversions(normaliser, journal, print)
        judge = Judge(oracle, journal)
        module = self.conversions.module(self.text)
        assert module is not None
        self.module = module
        first = judge.run(self.text, module.op_count)
        costly = first.kind.traits.costly  # one sample may name a pass of another dispatch
        target = sample_hang(judge, module, first).target if costly else first.signature
        self.judge = judge.under(SameFailure(target))


@pytest.fixture
def isolation(
    corpus: Callable[[str], Case], iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> Callable[..., Isolation]:
    def make(
        name: str,
        flags: str = "",
        limits: Limits | None = None,
        trigger: str | None = None,
    ) -> Isolation:
        journal = Journal.open(tmp_path / "journal", identity={})
        case = corpus(name)
        run = case.on(case.runs[0], WHEELS)
        assert run is not None
        return Isolation(case, run, iree_toolchain(run.wheel), journal, flags, limits, trigger)

    return make


def test_a_crash_without_a_location_is_followed_to_its_op(
    isolation: Callable[..., Isolation],
) -> None:
    work = isolation(CRASH)
    ops, before = work.module.op_count, work.judge.costs.calls
    dispatch = failing_dispatch(work.judge, work.conversions, work.text, ops)
    assert dispatch is not None
    assert dispatch.name.startswith("host_dispatch_")
    dump_and_bisection = 1 + 4  # of nine dispatches
    assert work.judge.costs.calls - before <= dump_and_bisection
    located = work.conversions.locations(work.text, work.module)
    assert located
    seeds = ops_at(dispatch.places, located, work.module)
    assert [work.module.t.name[op] for op in seeds] == ["stablehlo.dot_general"]
    state = SearchState(work.module, Module.parse, work.judge, lambda candidate: None)
    assert grow_set(state, BoundaryTypes.of(work.module), seeds)
    assert state.document.op_count == 3

    calls = work.judge.costs.calls
    again = failing_dispatch(work.judge, work.conversions, work.text, ops)
    assert again == dispatch
    assert work.judge.costs.calls == calls
    work.judge.close()


def test_dispatches_that_the_first_run_noted_cost_no_run(
    corpus: Callable[[str], Case], iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    case = corpus(CRASH)
    run = case.on(case.runs[0], WHEELS)
    assert run is not None
    text = plant(case.input_text(), 4)
    command = Command.parse(["iree-compile", *run.flags])
    oracle = CompilerOracle(command, iree_toolchain(run.wheel).compile, limits=Limits(120.0))
    assert oracle.dispatches is not None
    with Journal.open(tmp_path / "journal", identity={}) as journal:
        conversions, judge = Conversions(None, journal, print), Judge(oracle, journal)
        note = dispatches_note(oracle.dispatches, conversions, text)
        noted = judge.run_once(text, 100, run=taking_notes(oracle, [note]))
        assert noted.signature == oracle.run(text).signature
        judge = judge.under(SameFailure(noted.signature))
        dispatch = failing_dispatch(judge, conversions, text, 100)
        assert dispatch is not None and dispatch.places
        bisection = 4  # of nine dispatches
        assert judge.costs.calls <= 1 + bisection
        judge.close()


def test_dispatches_of_a_run_that_was_ended_are_noted_if_all_are_there(tmp_path: Path) -> None:
    """Otherwise, the last one may be missing, or not whole."""
    (tmp_path / "module_a.mlir").write_text("hal.executable private @a {\n")
    with Journal.open(tmp_path / "journal", identity={}) as journal:
        conversions = Conversions(None, journal, print)
        for kind, is_past, noted in (
            (Kind.TIMEOUT, False, False),
            (Kind.CANCELLED, True, False),
            (Kind.TIMEOUT, True, True),
            (Kind.CRASH, False, True),
        ):
            text = f"{kind} {is_past}"
            note = dispatches_note(DISPATCHES, conversions, text, lambda past=is_past: past)
            note.read(tmp_path, Outcome(kind, Signature(kind)))
            assert (journal.get_text(key_of("dispatches", text)) is not None) == noted


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limits", "kind"),
    [(Limits(3.0), Kind.TIMEOUT), (Limits(120.0, memory=500 << 20), Kind.MEMORY)],
    ids=lambda value: str(value) if isinstance(value, Kind) else "",
)
def test_a_dispatch_that_runs_away_is_followed_to_its_op(
    isolation: Callable[..., Isolation], limits: Limits, kind: Kind
) -> None:
    """Nothing is printed, and only one of the dispatches exceeds its limit."""
    work = isolation(RUNAWAY, limits=limits)
    assert work.judge.target is not None and work.judge.target.kind is kind
    before = work.judge.costs.calls
    dispatch = failing_dispatch(work.judge, work.conversions, work.text, work.module.op_count)
    assert dispatch is not None
    assert work.judge.costs.calls - before > 3
    located = work.conversions.locations(work.text, work.module)
    seeds = ops_at(dispatch.places, located, work.module)
    reductions = [op for op in seeds if "100x?x4" in work.module.own_text(op)]
    assert reductions and len(seeds) < work.module.op_count / 4
    state = SearchState(work.module, Module.parse, work.judge, lambda candidate: None)
    assert grow_set(state, BoundaryTypes.of(work.module), seeds)
    assert state.document.op_count < 10
    work.judge.close()


def test_a_dispatch_of_many_ops_becomes_a_program(isolation: Callable[..., Isolation]) -> None:
    """None of the ops of the input can go, but it takes only some of what they become."""
    work = isolation(FUSED, trigger=FUSED_OPS.read_text())
    dispatch = failing_dispatch(work.judge, work.conversions, work.text, 0)
    assert dispatch is not None
    oracle = work.judge.oracle
    assert isinstance(oracle, CompilerOracle) and oracle.dispatches is not None
    module = work.conversions.module(dispatch.text)
    assert module is not None
    programs = dispatch_as_input(module, oracle.dispatches)
    (program,) = (one for one in programs if work.judge.fails(one))
    assert program.op_count < work.module.op_count / 4
    names = set(program.t.name)
    assert names >= {"iree_linalg_ext.gather", "iree_linalg_ext.attention", "util.assume.int"}
    assert not any(name.startswith(("hal.", "torch.")) for name in names)
    work.judge.close()


def test_the_dispatches_with_the_rarest_ops_are_compiled_first() -> None:
    dispatches = [f"module {{\n  t.a @d{n}\n  t.b\n}}\n" for n in range(14)]
    dispatches.append("module {\n  t.a @d14\n  t.odd\n}\n")
    oracle = PredicateOracle(lambda text: "t.odd" in text)
    judge = Judge(oracle, Memory(), target=FAILURE)
    assert _bisected(judge, dispatches) == dispatches[-1]
    judge.close()
    compiled = [text.count("module") for text in oracle.texts]
    assert sum(compiled) <= len(dispatches)
    assert compiled[0] == len(dispatches) // 3


@pytest.mark.parametrize(
    ("printed", "is_told"),
    [
        ("error: failed to run translation of source executable to target executable", True),
        ('note: see current operation: \n"hal.executable.variant"() <{', True),
        (
            "mlir::iree_compiler::IREE::HAL::TranslateTargetExecutableVariantsPass::runOnOperation",
            True,
        ),
        ("mlir::iree_compiler::DispatchCreation::CollapseDimensionsPass::runOnOperation", False),
        ("error: failed to legalize operation 'torch.operator'", False),
    ],
)
def test_what_is_printed_tells_of_a_dispatch(printed: str, is_told: bool) -> None:
    assert bool(re.search(DISPATCHES.mentioned, printed)) == is_told


def test_a_failure_before_there_are_dispatches_costs_one_run(
    isolation: Callable[..., Isolation],
) -> None:
    work = isolation(EARLIER)
    calls = work.judge.costs.calls
    ops = work.module.op_count
    assert failing_dispatch(work.judge, work.conversions, work.text, ops) is None
    assert work.judge.costs.calls == calls + 1
    work.judge.close()


def test_a_command_that_chooses_its_phases_is_left_alone(
    isolation: Callable[..., Isolation],
) -> None:
    work = isolation(CRASH, "--compile-to=executable-targets")
    calls = work.judge.costs.calls
    ops = work.module.op_count
    assert failing_dispatch(work.judge, work.conversions, work.text, ops) is None
    assert work.judge.costs.calls == calls
    work.judge.close()

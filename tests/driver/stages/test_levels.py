"""A reduction that goes down to other dialects, and the program it leaves above."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.plant import plant
from oracles import Command, CompilerOracle, Limits
from reducer.driver.stages import input_level_program, shrinking
from reducer.driver.state import Context
from reducer.identity.program import InputLevel
from reducer.ir import Module
from reducer.search.candidate import Candidate
from reducer.toolchain import Toolchain
from tests.conftest import NEWEST_TESTED
from tests.driver.test_table import chain, context_of
from tests.support.predicate import PASSED, PredicateOracle
from tests.support.sides import function
from tests.support.stages import finish

BELOW = Module.parse(function('"u.bad"() : () -> ()\n"func.return"() : () -> ()'))
LENGTH = 150


def fails(text: str) -> bool:
    return '"t.op7"' in text or '"u.bad"' in text


def below(
    tmp_path: Path, *, cut: bool, seeds: tuple[int, ...] = (), provisional: bool = False
) -> Context:
    """A reduction that continues with another program, made of the input or of a part of it."""
    context, _ = context_of(PredicateOracle(fails), tmp_path, LENGTH)
    context.program.original = context.program.module
    if cut:
        context.accept(Candidate(Module.parse(chain(LENGTH - 10)), "half"))
    above = InputLevel(context.milestone(), "its dispatch", seeds)
    context.best.accept(BELOW, "below", provisional=provisional)
    context.go_down(above)
    return context


def test_the_program_above_is_shrunk_printed_and_verified(tmp_path: Path) -> None:
    context = below(tmp_path, cut=True)
    assert input_level_program.reduce_input_level(context)
    assert context.program.document is BELOW
    finish(context)
    (level,) = context.found.printed.levels
    assert level.verified and level.level == "input"
    assert level.output_path == context.settings.folder.input_level
    text = level.output_path.read_text()
    assert '"t.op7"' in text and '"u.bad"' not in text
    assert level.output.ops < LENGTH - 10
    assert '"u.bad"' in context.settings.output.read_text()
    assert str(level.output_path) in level.command
    context.judging.full.close()


def test_a_program_above_that_cannot_be_confirmed_is_left_as_it_is(tmp_path: Path) -> None:
    context = below(tmp_path, cut=True)
    oracle = context.judging.oracle
    oracle.confirm = lambda *_, **__: PASSED  # type: ignore[method-assign]
    finish(context)
    (level,) = context.found.printed.levels
    assert not level.verified
    assert '"t.op7"' in level.output_path.read_text()
    context.judging.full.close()


def test_the_ops_that_became_what_fails_are_taken_from_the_input(tmp_path: Path) -> None:
    module = Module.parse(chain(LENGTH))
    context = below(tmp_path, cut=False, seeds=(module.t.name.index("t.op9"),))
    assert input_level_program.reduce_input_level(context)
    assert context.program.input_level is not None
    assert context.program.input_level.program.document.op_count < LENGTH / 5
    context.judging.full.close()


def test_if_nothing_smaller_fails_the_program_above_is_the_input(tmp_path: Path) -> None:
    context = below(tmp_path, cut=False)
    assert not input_level_program.reduce_input_level(context)
    finish(context)
    (level,) = context.found.printed.levels
    assert level.output_path == context.settings.input and level.verified
    assert not context.settings.folder.input_level.exists()
    context.judging.full.close()


@pytest.mark.iree
def test_ops_that_are_needed_together_become_their_dispatch(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    toolchain = iree_toolchain(NEWEST_TESTED)
    text = plant(Path(__file__).with_name("fused.mlir").read_text(), 4)
    words = ["iree-compile", "--iree-hal-target-device=hip", "--iree-rocm-target=gfx942"]
    oracle = CompilerOracle(Command.parse(words), toolchain.compile, limits=Limits(120.0))
    context, _ = context_of(oracle, tmp_path, text=text, opt=toolchain.opt)
    before = context.judging.full.costs.calls
    assert shrinking.go_down(context)
    assert context.judging.full.costs.calls - before <= 10
    assert context.program.document.op_count <= 20
    assert "torch." not in context.program.document.text
    assert (
        context.program.input_level is not None
        and context.program.input_level.program.document.text.count("torch.") > 20
    )
    context.judging.full.close()


@pytest.mark.parametrize("cut", [True, False])
def test_who_comes_up_again_leaves_nothing_behind(tmp_path: Path, cut: bool) -> None:
    context = below(tmp_path, cut=cut, provisional=True)
    assert context.program.document is BELOW and context.program.input_level is not None
    context.best.roll_back()
    assert context.program.document is context.program.milestones[-1].document
    assert context.program.input_level is None and context.program.boundary is not None
    finish(context)
    assert context.found.printed.levels == ()
    context.judging.full.close()

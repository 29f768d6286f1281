"""Stopping the compiler at the failing phase, with the phases of a real compiler."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Limits
from reducer.driver.stages.early_stop import (
    find_phase_number,
    phase_note,
    taking_notes,
)
from reducer.ir import PlainText
from reducer.search.conditions import SameFailure
from reducer.search.judge import Judge
from reducer.toolchain import Toolchain
from tests.driver.test_table import ShortenedOracle
from tests.support.corpus import Case
from tests.support.predicate import FAILURE, Memory


@pytest.mark.iree
@pytest.mark.parametrize(
    ("name", "phase"),
    [
        ("cat-zero-width", "input"),
        ("matmul-k0-sigfpe", "flow"),
        ("seed-21014-topk-bufferize-40", "executable-targets"),
        ("softmax-f16-odd5-cannot-select", None),
    ],
)
def test_the_earliest_phase_that_shows_the_failure(
    name: str,
    phase: str | None,
    corpus: Callable[[str], Case],
    iree_toolchain: Callable[..., Toolchain],
) -> None:
    case = corpus(name)
    command = Command.parse(["iree-compile", *case.runs[0].flags])
    oracle = CompilerOracle(command, iree_toolchain().compile, limits=Limits(60.0))
    document = PlainText(case.input_text())
    judge = Judge(oracle, Memory())
    target = judge.run(document.text, document.op_count).signature
    judge = judge.under(SameFailure(target))
    calls = judge.costs.calls
    number = find_phase_number(judge, document)
    short = next(iter(oracle.shortened()[number:]), None)
    judge.close()
    assert judge.costs.calls - calls == (1 if phase is None else 2)
    if phase is None:
        assert short is None
    else:
        assert isinstance(short, CompilerOracle)
        assert f"--compile-to={phase}" in short.command.flags
        assert short.key != oracle.key


@pytest.mark.iree
def test_without_the_compilers_word_the_phases_are_bisected(
    corpus: Callable[[str], Case], iree_toolchain: Callable[..., Toolchain]
) -> None:
    case = corpus("matmul-k0-sigfpe")
    command = Command.parse(["iree-compile", *case.runs[0].flags])
    oracle = CompilerOracle(command, iree_toolchain().compile, limits=Limits(60.0))
    document = PlainText(case.input_text())
    judge = Judge(oracle, Memory())
    target = judge.run(document.text, document.op_count).signature
    judge = judge.under(SameFailure(target))
    calls = judge.costs.calls
    for told in ("-1", "2"):
        memoize = partial(lambda told, *asked: asked[3](told), told)
        short = oracle.shortened()[find_phase_number(judge, document, memoize)]
        assert "--compile-to=flow" in short.command.flags
    assert 3 <= judge.costs.calls - calls <= 8
    judge.close()


@pytest.mark.parametrize(("likely", "runs"), [(0, 1), (1, 0)])
def test_the_phase_of_a_larger_program_is_asked_first(likely: int, runs: int) -> None:
    oracle = ShortenedOracle("op", shortened_name="op")
    judge = Judge(oracle, Memory(), target=FAILURE)
    assert find_phase_number(judge, PlainText("op"), likely=likely) == likely
    assert judge.costs.calls == runs
    assert oracle.texts == []
    judge.close()


@pytest.mark.iree
def test_a_run_notes_the_phase_in_which_it_fails(
    corpus: Callable[[str], Case], iree_toolchain: Callable[..., Toolchain]
) -> None:
    case = corpus("matmul-k0-sigfpe")
    command = Command.parse(["iree-compile", *case.runs[0].flags])
    oracle = CompilerOracle(command, iree_toolchain().compile, limits=Limits(60.0))
    assert oracle.phases is not None
    noted: list[int] = []
    run = taking_notes(oracle, [phase_note(oracle.phases, noted.append)])
    text = case.input_text()
    judge = Judge(oracle, Memory())
    outcome = judge.run_once(text, 1, run=run)
    assert judge.known(text) == outcome
    assert outcome.signature == oracle.run(text).signature
    assert [oracle.phases.names[number] for number in noted] == ["flow"]
    judge.close()


@pytest.mark.iree
def test_commands_that_choose_their_phase_are_left_alone() -> None:
    chosen = Command.parse(["iree-compile", "--compile-from=flow"])
    other = Command.parse(["mlir-opt", "--cse"])
    for command, program in ((chosen, "iree-compile"), (other, "mlir-opt")):
        assert CompilerOracle(command, Path(f"/bin/{program}")).shortened() == []

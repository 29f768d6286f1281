"""Stopping the compiler at the failing phase, by a real compiler's phases."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Kind, Limits, Outcome, Signature
from oracles.base import outcome_digest
from reducer.ir import PlainText
from reducer.search.evaluator import Evaluator
from reducer.session.early_stop import TimeLimit, find_shortest
from reducer.toolchain import Toolchain
from tests.support.corpus import Case
from tests.support.predicate import Memory, PredicateOracle


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
    evaluator = Evaluator(oracle, Memory())
    evaluator.target = evaluator.run(document.text, document.op_count).signature
    calls = evaluator.costs.calls
    short = find_shortest(evaluator, document)
    evaluator.close()
    assert evaluator.costs.calls - calls == (1 if phase is None else 2)
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
    evaluator = Evaluator(oracle, Memory())
    evaluator.target = evaluator.run(document.text, document.op_count).signature
    calls = evaluator.costs.calls
    for told in ("-1", "2"):
        short = find_shortest(evaluator, document, lambda purpose, text, make, told=told: told)
        assert isinstance(short, CompilerOracle)
        assert "--compile-to=flow" in short.command.flags
    assert 3 <= evaluator.costs.calls - calls <= 8
    evaluator.close()


@pytest.mark.iree
def test_commands_that_choose_their_phase_are_left_alone() -> None:
    chosen = Command.parse(["iree-compile", "--compile-from=flow"])
    other = Command.parse(["mlir-opt", "--cse"])
    for command, program in ((chosen, "iree-compile"), (other, "mlir-opt")):
        assert CompilerOracle(command, Path(f"/bin/{program}")).shortened() == []


FIRST = Outcome(Kind.CRASH, Signature(Kind.CRASH), seconds=100.0, cpu_seconds=150.0)


@pytest.fixture
def evaluator() -> Evaluator:
    return Evaluator(PredicateOracle(lambda text: True), Memory())


def accept(limit: TimeLimit, evaluator: Evaluator, text: str, seconds: float, cpu: float) -> None:
    outcome = replace(FIRST, seconds=seconds, cpu_seconds=cpu)
    evaluator.cache.put(outcome_digest(text), outcome, 1)
    limit.adapt(PlainText(text))


def limits(evaluator: Evaluator) -> tuple[float | None, float | None]:
    return evaluator.limits.seconds, evaluator.limits.cpu


def test_a_candidate_may_take_a_multiple_of_what_the_best_took(evaluator: Evaluator) -> None:
    limit = TimeLimit(evaluator, Limits(memory=1 << 30), FIRST)
    assert limits(evaluator) == (400.0, 600.0)
    accept(limit, evaluator, "smaller", 20.0, 25.0)
    assert limits(evaluator) == (80.0, 100.0)
    assert evaluator.limits.memory == 1 << 30


def test_it_never_grows_and_is_never_tiny(evaluator: Evaluator) -> None:
    limit = TimeLimit(evaluator, Limits(), FIRST)
    accept(limit, evaluator, "quick", 0.1, 0.1)
    assert limits(evaluator) == (30.0, 30.0)
    accept(limit, evaluator, "odd", 25.0, 25.0)
    assert limits(evaluator) == (30.0, 30.0)


def test_the_limit_of_the_user_is_the_longest(evaluator: Evaluator) -> None:
    limit = TimeLimit(evaluator, Limits(seconds=200.0), FIRST)
    assert limits(evaluator) == (200.0, 600.0)
    accept(limit, evaluator, "smaller", 10.0, 10.0)
    assert limits(evaluator) == (40.0, 40.0)


def test_where_the_failure_is_a_hang_the_limit_defines_it(evaluator: Evaluator) -> None:
    hang = Outcome(Kind.TIMEOUT, Signature(Kind.TIMEOUT), seconds=60.0)
    limit = TimeLimit(evaluator, Limits(seconds=60.0), hang)
    accept(limit, evaluator, "smaller", 1.0, 1.0)
    assert limits(evaluator) == (60.0, None)


def test_what_only_a_shorter_command_has_seen_says_nothing(evaluator: Evaluator) -> None:
    limit = TimeLimit(evaluator, Limits(), FIRST)
    limit.adapt(PlainText("never run by the full command"))
    assert limits(evaluator) == (400.0, 600.0)

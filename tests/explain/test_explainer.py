"""The boundary of a failure, found with a scripted oracle on IR that a real tool reads."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from oracles import Command, CompilerOracle, Limits
from reducer.errors import BadInput, NotInteresting
from reducer.explain.changes import Mutation, ProgramFeature
from reducer.explain.explainer import Explainer, Fact, _effect
from reducer.search.candidate import Verdict
from reducer.search.inquiry import Reply
from reducer.search.plan import Answer
from reducer.toolchain import Toolchain
from tests.support.corpus import Case
from tests.support.predicate import FAILED, FAILURE, PredicateOracle

pytestmark = pytest.mark.iree

PROGRAM = """\
// a comment
func.func @main(%arg0: tensor<20x3xf16>) -> tensor<20x3xf16> {
  %0 = math.exp %arg0 {hint} : tensor<20x3xf16>
  return %0 : tensor<20x3xf16>
}
"""

Explain = Callable[..., dict[tuple[str, str], Fact]]


@pytest.fixture
def explain(iree_toolchain: Callable[..., Toolchain]) -> Explain:
    """The facts about a program that fails as the predicate says, by kind and present value."""

    def run(fails: Callable[[str], bool], text: str = PROGRAM) -> dict[tuple[str, str], Fact]:
        oracle = PredicateOracle(fails)
        explaining = Explainer(text, oracle, iree_toolchain().opt, lambda phase: None, jobs=2)
        return {(fact.kind, fact.now): fact for fact in explaining.run().facts}

    return run


def sizes_of(text: str) -> list[int]:
    """The static dims of the first tensor type."""
    match = re.search(r"tensor<((?:\d+x)+)", text)
    return [int(size) for size in match[1].rstrip("x").split("x")] if match else [0]


def test_each_thing_that_is_left(explain: Explain) -> None:
    facts = explain(lambda text: "math.exp" in text and sizes_of(text)[0] > 6)
    op, twenty = facts["op", ""], facts["size", "20"]
    assert (op.subject, op.line, op.verdict) == ("math.exp", 3, Verdict.NOT_INTERESTING)
    assert (twenty.change, twenty.still) == ("6", ("7",)), "the boundary, found by bisection"
    assert twenty.verdict is Verdict.NOT_INTERESTING
    assert facts["size", "3"].verdict is Verdict.SAME, "this size does not matter"
    assert facts["size", "3"].still == ("2", "4", "1", "6", "16", "64")
    assert facts["element type", "f16"].verdict is Verdict.SAME


def test_parts_near_the_failing_op_come_first_and_others_are_left_out(
    iree_toolchain: Callable[..., Toolchain],
) -> None:
    body = "".join(f"  %{n} = math.sin %arg1 : tensor<f32>\n" for n in range(5))
    text = (
        "func.func @main(%arg0: tensor<20x3xf16>, %arg1: tensor<f32>) -> tensor<20x3xf16> {\n"
        f"{body}  %r = math.exp %arg0 : tensor<20x3xf16>\n  return %r : tensor<20x3xf16>\n}}\n"
    )
    failed = replace(FAILED, signature=replace(FAILURE, op="math.exp"))
    oracle = PredicateOracle(lambda text: "math.exp" in text, failure=failed)
    shown: list[str] = []
    explaining = Explainer(text, oracle, iree_toolchain().opt, shown.append, most=4)
    explanation = explaining.run()
    assert len(explanation.facts) == 4 and explanation.left_out > 4
    assert not any("math.sin" in fact.subject for fact in explanation.facts)
    assert any(phase.startswith("change 4 parts, one at a time: 4 to 40 runs, ") for phase in shown)


def test_the_nearest_change_comes_first(explain: Explain) -> None:
    facts = explain(lambda text: "x3xf16" in text)
    assert (facts["size", "3"].change, facts["size", "3"].still) == ("2", ())
    assert facts["element type", "f16"].change == "bf16"


def test_what_does_not_fail_or_cannot_be_read_is_refused(explain: Explain) -> None:
    with pytest.raises(NotInteresting, match="does not fail"):
        explain(lambda text: False)
    with pytest.raises(NotInteresting, match="generic form"):
        explain(lambda text: "a comment" in text)
    with pytest.raises(BadInput, match="cannot parse"):
        explain(lambda text: True, "no such language")


def test_flags_and_a_real_compiler(
    iree_toolchain: Callable[..., Toolchain], corpus: Callable[[str], Case]
) -> None:
    case = corpus("batch-matmul-20548")
    command = Command.parse(["iree-compile", *case.runs[0].flags])
    toolchain = iree_toolchain()
    oracle = CompilerOracle(command, toolchain.compile, limits=Limits(60.0))
    explaining = Explainer(case.input_text(), oracle, toolchain.opt, lambda phase: None)
    explanation = explaining.run()
    flags = [fact for fact in explanation.facts if fact.kind == "flag"]
    assert [flag.subject for flag in flags] == list(case.runs[0].flags)
    assert all(flag.verdict is Verdict.SAME for flag in flags), "the verifier needs no target"
    (matmul,) = [fact for fact in explanation.facts if fact.subject == "linalg.batch_matmul"]
    assert matmul.verdict is not Verdict.SAME
    assert explanation.cost.calls <= 60


def effect(feature: ProgramFeature, verdict_on: Callable[[str], Verdict]) -> Fact:
    """What is found of a feature if there are these verdicts on texts."""
    questions = _effect(feature, None)
    try:
        (text,) = next(questions)
        while True:
            verdict = verdict_on(text)
            taken = text if verdict is Verdict.SAME else None
            (text,) = questions.send(Reply(taken, [Answer(verdict)] * (taken is None)))
    except StopIteration as ended:
        fact: Fact = ended.value
        return fact


def test_of_several_invalid_changes_the_nearest_is_reported() -> None:
    changes = tuple(Mutation(label, (label,)) for label in ("near", "far"))
    feature = ProgramFeature("size", "x", "1", changes)
    fact = effect(feature, lambda text: Verdict.INVALID)
    assert (fact.change, fact.verdict) == ("near", Verdict.INVALID)


def test_a_value_with_which_it_compiles_says_more_than_another_failure(explain: Explain) -> None:
    """No size of 0 is tried: an op on nothing is folded away."""

    def fails(text: str) -> bool:
        assert "x0x" not in text and "<0x" not in text
        return "math.exp" in text and sizes_of(text)[1] != 64

    assert explain(fails)["size", "3"].change == "64"


def test_of_changes_with_another_failure_and_without_one_the_latter_is_told() -> None:
    verdicts = {"2": Verdict.OTHER_FAILURE, "3": Verdict.SAME, "16": Verdict.NOT_INTERESTING}

    def verdict_on(text: str) -> Verdict:
        return verdicts.get(text, Verdict.OTHER_FAILURE)

    changes = tuple(Mutation(label, (label,)) for label in verdicts)
    feature = ProgramFeature(
        "size", "dim 0", "1", changes, at=lambda size: Mutation(str(size), (str(size),))
    )
    fact = effect(feature, verdict_on)
    assert (fact.change, fact.verdict) == ("16", Verdict.NOT_INTERESTING)
    feature = ProgramFeature("size", "dim 0", "1", changes[:2])
    assert effect(feature, verdict_on).verdict is Verdict.OTHER_FAILURE

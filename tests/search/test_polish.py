"""Polishing: alternating transformations and tunings, and the last transformations."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from reducer.ir import Module, PlainText
from reducer.search.candidate import Candidate
from reducer.search.conditions import Refused
from reducer.search.judge import Judge
from reducer.search.plan import Effect, Plan, Proposal
from reducer.search.polish import Polishing, reduce_to_fixpoint
from reducer.search.state import SearchState
from reducer.transformations import (
    BoundaryTypes,
    Site,
    standard_transformations,
    standard_tunings,
    text_transformations,
)
from reducer.transformations.attributes import DropAttributes
from reducer.transformations.delete_ops import DeleteOps
from reducer.transformations.sizes import ShrinkSizes
from tests.support.predicate import FAILURE, Memory, PredicateOracle
from tests.support.searching import polish, state_of
from tests.support.sides import body_of, function

TEXT = function(
    """
    %0 = "t.constant"() <{value = 5 : i64}> : () -> !t.int
    %1 = "t.load"() <{global = @g}> : () -> tensor<8xf32>
    %2 = "t.from_builtin"(%1) : (tensor<8xf32>) -> !t.tensor<[8],f32>
    %3 = "t.convert"(%2, %0) : (!t.tensor<[8],f32>, !t.int) -> !t.tensor<[8],f16>
    "func.return"(%3) : (!t.tensor<[8],f16>) -> ()
    """,
    results="!t.tensor<[8],f16>",
)


def computes(text: str) -> bool:
    """Whether a returned value was computed from the global, beyond a cast of its type."""
    module = Module.parse(text)
    loaded: set[int] = set()
    computed: set[int] = set()
    for op, name in enumerate(module.t.name):
        operands, results = set(module.t.operands[op]), module.results(op)
        if name == "func.return":
            return bool(operands & computed)
        if "g" in module.own_symbol_refs(op):
            loaded.update(results)
        if operands & computed or (operands & loaded and name in ("t.convert", "t.neg")):
            computed.update(results)
        elif operands & loaded:
            loaded.update(results)
    return False


class Negate:
    """Stands for a transformation that is tried when all else has failed."""

    name = "negate"
    all_at_once = False

    def sites(self, module: Module) -> list[Site]:
        return [Site(op) for op, name in enumerate(module.t.name) if name == "t.convert"]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        return module.text.replace("t.convert", "t.neg")


def polished(*, last: bool) -> tuple[str, list[str]]:
    """The result, and every text that was tried."""
    oracle = PredicateOracle(computes)
    state = state_of(Module.parse(TEXT), oracle)
    polish(
        state,
        standard_transformations(BoundaryTypes.of(state.document)),
        standard_tunings(),
        lambda phase: None,
        [Negate()] if last else (),
    )
    return state.document.text, oracle.texts


def test_last_transformations_run_after_everything_else() -> None:
    before, _ = polished(last=False)
    after, texts = polished(last=True)
    assert "t.convert" in before
    assert "t.neg" in after
    first = next(text for text in texts if "t.neg" in text)
    assert "<8xf32>" not in first, "sizes had to be down by then"


def test_a_failing_last_transformation_costs_one_run_per_site() -> None:
    oracle = PredicateOracle(lambda text: computes(text) and "t.convert" in text)
    state = state_of(Module.parse(TEXT), oracle)
    polish(state, [], [], lambda phase: None, [Negate()])
    assert state.document.text == TEXT
    assert state.judge.costs.calls == 1


@pytest.mark.parametrize("fails", [False, True])
def test_workers_that_are_ahead_come_to_every_round(*, fails: bool) -> None:
    """A round is repeated if it has made progress, and in the end the result is at hand."""
    state = state_of(Module.parse(TEXT), PredicateOracle(lambda text: fails))
    names: list[str] = []
    drop = DeleteOps(BoundaryTypes.of(state.document))
    shown: list[str] = []
    plan: Plan[Module] | None = Polishing(state, [drop], [ShrinkSizes()], shown.append).plan(
        state.document
    )
    while plan is not None:
        if isinstance(plan, Effect):
            names.append(plan.name)
        proposals = [made for made in plan.candidates() if isinstance(made, Proposal)]
        if fails and proposals:
            plan = plan.if_accepted(proposals[0].place, proposals[0].candidate, [])
        else:
            plan = plan.if_refused([])
    polish(state, [drop], [ShrinkSizes()], shown.append)
    assert [name for name in names if name in (drop.name, "shrink sizes")] == shown
    assert names[-1] == "end"


@dataclass(frozen=True)
class End(Plan[Module]):
    """A plan that asks nothing."""

    name: str
    document: Any = None


class Foretelling(Judge):
    """Keeps what is asked and, by how much was asked before, what a plan says will be."""

    def __init__(self, fails: Callable[[str], bool]) -> None:
        super().__init__(PredicateOracle(fails), Memory(), target=FAILURE)
        self._fails = fails
        self.asked: list[str] = []
        self.foretold: dict[int, list[str]] = {}

    def first_interesting(
        self,
        candidates: Iterable[Candidate[Any] | Refused],
        *args: Any,
        plan: Plan[Any] | None = None,
        **options: Any,
    ) -> tuple[int, Candidate[Any]] | None:
        self.foretold.setdefault(len(self.asked), list(self._questions(plan)))
        return super().first_interesting(self._noted(candidates), *args, plan=plan, **options)

    def _noted(
        self, candidates: Iterable[Candidate[Any] | Refused]
    ) -> Iterator[Candidate[Any] | Refused]:
        for candidate in candidates:
            if isinstance(candidate, Candidate):
                self.asked.append(candidate.text)
            yield candidate

    def _questions(self, plan: Plan[Any] | None) -> Iterator[str]:
        """What a plan asks if each answer is the right one, and the name of its end."""
        for _ in range(100):
            if plan is None or isinstance(plan, End):
                break
            for proposal in plan.candidates():
                if isinstance(proposal, Refused):
                    continue
                yield proposal.candidate.text
                if self._fails(proposal.candidate.text):
                    plan = plan.if_accepted(proposal.place, proposal.candidate, [])
                    break
            else:
                plan = plan.if_refused([])
        yield plan.name if isinstance(plan, End) else "no end"


@dataclass(frozen=True)
class Ops:
    """A tuning with one parameter: a number of ops, 2 or 1."""

    text: str = ""
    name = "make fewer"

    def of(self, module: Module) -> "Ops":
        return Ops(module.text)

    @property
    def values(self) -> dict[int, int]:
        return {0: 2 if "n = 2" in self.text else 1}

    def simpler(self, number: int, value: int) -> list[int]:
        return [1] if value > 1 else []

    def next_down(self, value: int) -> None: ...

    def between(self, simple: int, value: int) -> None: ...

    def around(self, number: int, values: Mapping[int, int]) -> str:
        return ""

    def texts(self, values: Mapping[int, int]) -> list[str]:
        fewer = re.sub(r' *"t.second".*\n', "", self.text).replace("n = 2", "n = 1")
        return [fewer if values[0] == 1 else self.text]


TWO = """"t.first"() {n = 2} : () -> ()
"t.second"() : () -> ()
"t.op"() : () -> ()
"func.return"() : () -> ()"""


@pytest.mark.parametrize("needs", ["n = 2.*t.second", "(n = 2.*t.second|n = 1).*t.op"])
def test_workers_that_are_ahead_know_all_that_follows(needs: str) -> None:
    """Once edits have failed: after simpler values, only those near them are tried at first."""

    def fails(text: str) -> bool:
        return re.search(needs, text, re.DOTALL) is not None

    judge, end = Foretelling(fails), End("end")
    module = Module.parse(function(TWO))
    state = SearchState(module, Module.parse, judge, lambda candidate: None)
    deletes, drops = DeleteOps(BoundaryTypes.of(module)), DropAttributes()
    polish(state, [deletes], [Ops()], lambda name: None, [drops], ending=lambda document: end)
    judge.close()
    asked = judge.asked
    swept = next(number for number, text in enumerate(asked) if "n = 1" in text)
    told = {number: found for number, found in judge.foretold.items() if number >= swept}
    assert swept in told and len(asked) - 1 in told
    for number, found in told.items():
        assert list(dict.fromkeys(found)) == [*dict.fromkeys(asked[number:]), "end"]


def test_what_could_do_nothing_waits_until_an_op_is_gone() -> None:
    """An attribute that goes changes the surroundings of an op, which still cannot be deleted."""
    text = TEXT.replace('"t.convert"(%2, %0)', '"t.convert"(%2, %0) {note}')
    state = state_of(Module.parse(text), PredicateOracle(computes))
    phases: list[str] = []
    drop = DeleteOps(BoundaryTypes.of(state.document))
    polish(state, [drop, DropAttributes()], [ShrinkSizes()], phases.append)
    swept = phases[: phases.index("shrink sizes")]
    assert swept[:2] == ["delete ops", "drop attributes"]
    assert swept.count("delete ops") == 1
    assert "delete ops" in phases[len(swept) :]


def test_deferred_values_are_tried_in_the_end() -> None:
    """The first size can only be lowered without the op, which needs the second size lowered.

    And only once it is can the flag go.
    """
    text = function(
        """\
"t.use"(%a) : (tensor<3xf32>) -> ()
"t.other"(%b) : (tensor<7xf32>) -> ()
"t.op"() : () -> ()
"t.flag"() : () -> ()
"func.return"() : () -> ()""",
        arguments="%a: tensor<3xf32>, %b: tensor<7xf32>",
    )

    def fails(text: str) -> bool:
        first, second = (
            re.search(rf'"{name}"\(%\w+\) : \(tensor<(\d+)x', text) for name in ("t.use", "t.other")
        )
        if first is None or second is None:
            return False
        has_op, m, n = '"t.op"' in text, int(first.group(1)), int(second.group(1))
        return (m == 3 or not has_op) and (has_op or n == 2) and (m == 2 or '"t.flag"' in text)

    state = state_of(Module.parse(text), PredicateOracle(fails))
    polish(state, [DeleteOps(BoundaryTypes.of(state.document))], [ShrinkSizes()], lambda name: None)
    after = body_of(state.document.text)
    assert (
        after
        == """\
^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
"t.use"(%a) : (tensor<2xf32>) -> ()
"t.other"(%b) : (tensor<2xf32>) -> ()
"func.return"() : () -> ()"""
    )


def test_all_values_become_simple_before_ops_are_deleted_again() -> None:
    state = state_of(Module.parse(TEXT), PredicateOracle(computes))
    phases: list[str] = []
    tunings = standard_tunings()
    polish(state, [DeleteOps(BoundaryTypes.of(state.document))], tunings, phases.append)
    names = [tuning.name for tuning in tunings]
    begin = phases.index(names[0])
    assert phases[begin : begin + len(names)] == names


def test_after_turning_back_all_values_are_tried_again() -> None:
    """Sizes of 2 show another bug. The one that is looked for takes a multiple of 16."""
    text = function(
        """\
"t.use"(%a) : (tensor<128xf32>) -> ()
"func.return"() : () -> ()""",
        arguments="%a: tensor<128xf32>",
    )

    def size_of(text: str) -> int:
        found = re.search(r"\(tensor<(\d+)xf32>\) -> \(\)\n", text)
        return int(found.group(1)) if found else 0

    judge = Judge(PredicateOracle(lambda text: size_of(text) > 0), Memory(), target=FAILURE)
    strict = Judge(
        PredicateOracle(lambda text: size_of(text) > 0 and size_of(text) % 16 == 0),
        Memory(),
        target=FAILURE,
    )
    original = Module.parse(text)
    state = SearchState(original, Module.parse, judge, lambda candidate: None)
    audited: list[int] = []

    def audit() -> bool:
        audited.append(size_of(state.document.text))
        if audited[-1] == 2:
            state.turn_back(original, strict)
        return audited[-1] == 2

    polish(state, [], [ShrinkSizes()], lambda name: None, audit=audit)
    judge.close()
    strict.close()
    assert audited == [128, 2, 16]
    assert size_of(state.document.text) == 16


def test_after_turning_back_sweeps_come_before_values() -> None:
    """With the attribute that is back, each run for a value would be of a larger program."""
    original = Module.parse(TEXT.replace('"t.convert"(%2, %0)', '"t.convert"(%2, %0) {note}'))
    state = state_of(original, PredicateOracle(computes))
    phases: list[str] = []
    audited: list[bool] = []

    def audit() -> bool:
        audited.append("note" in state.document.text)
        if len(audited) == 1:
            state.turn_back(original, state.judge)
        return len(audited) == 1

    polish(state, [DropAttributes()], [ShrinkSizes()], phases.append, audit=audit)
    assert audited[:2] == [False, False]
    assert phases[: phases.index("shrink sizes")].count("drop attributes") == 2


def test_what_is_another_bug_before_it_has_simple_values_is_not_simplified() -> None:
    text = function(
        """\
"t.guard"() : () -> ()
"t.use"(%a) : (tensor<128xf32>) -> ()
"func.return"() : () -> ()""",
        arguments="%a: tensor<128xf32>",
    )
    bug, other = (
        PredicateOracle(lambda text, names=names: all(name in text for name in names))
        for names in (("t.guard", "t.use"), ("t.use",))
    )
    judge, strict = (Judge(one, Memory(), target=FAILURE) for one in (other, bug))
    original = Module.parse(text)
    state = SearchState(original, Module.parse, judge, lambda candidate: None)

    def audit() -> bool:
        is_other = "t.guard" not in state.document.text
        if is_other:
            state.turn_back(original, strict)
        return is_other

    deletes = DeleteOps(BoundaryTypes.of(original))
    polish(state, [deletes], [ShrinkSizes()], lambda name: None, audit=audit)
    judge.close()
    strict.close()
    assert "t.guard" in state.document.text and "tensor<2xf32>" in state.document.text
    assert not any("tensor<2xf32>" in text for text in other.texts)


def test_values_that_become_variable_are_lowered() -> None:
    """128 is computed by an op, and not variable until 5 x 128 = 640 in a constant becomes 128."""
    text = function(
        """\
%0 = "t.constant"() <{value = 640 : i64}> : () -> i64
%1 = "t.outer"(%a) : (!torch.vtensor<[5,3],f32>) -> !torch.vtensor<[5,128],f32>
%2 = "t.view"(%1, %0) : (!torch.vtensor<[5,128],f32>, i64) -> !torch.vtensor<[640],f32>
"func.return"() : () -> ()""",
        arguments="%a: !torch.vtensor<[5,3],f32>",
    )
    state = state_of(Module.parse(text), PredicateOracle(lambda text: True))
    polish(state, [], [ShrinkSizes()], lambda name: None)
    assert (
        body_of(state.document.text)
        == """\
^bb0(%a: !torch.vtensor<[1,1],f32>):
%0 = "t.constant"() <{value = 1 : i64}> : () -> i64
%1 = "t.outer"(%a) : (!torch.vtensor<[1,1],f32>) -> !torch.vtensor<[1,1],f32>
%2 = "t.view"(%1, %0) : (!torch.vtensor<[1,1],f32>, i64) -> !torch.vtensor<[1],f32>
"func.return"() : () -> ()"""
    )


def test_a_checkpoint_comes_before_the_next_transformation_is_shown() -> None:
    """It may end the search; what is shown has no say in that."""

    class Enough(Exception):
        pass

    shown: list[str] = []
    shown_when_accepted: list[int] = []

    def checkpoint() -> None:
        if shown_when_accepted:
            raise Enough

    judge = Judge(PredicateOracle(computes), Memory(), target=FAILURE)
    state = SearchState(
        Module.parse(TEXT),
        Module.parse,
        judge,
        on_accept=lambda candidate: shown_when_accepted.append(len(shown)),
        checkpoint=checkpoint,
    )
    transformations = standard_transformations(BoundaryTypes.of(state.document))
    with pytest.raises(Enough):
        polish(state, transformations, standard_tunings(), shown.append)
    judge.close()
    assert shown[: len(transformations)] == [found.name for found in transformations]
    assert set(shown_when_accepted) == {len(shown)}


LEVELS = 600
NESTED = (
    '"test.r"() ({\n' * LEVELS
    + '%1 = "bad.op"(%arg0) : (i32) -> i32\n%2 = "keep.op"(%1) : (i32) -> i32\n'
    + "}) : () -> ()\n" * LEVELS
    + '"func.return"() : () -> ()'
)


def fails_deep_inside(text: str) -> bool:
    return '"bad.op"' in text and '"keep.op"' in text


def test_many_levels_of_bodies_take_few_candidates() -> None:
    """Only few ops are anywhere but around what fails."""
    module = Module.parse(function(NESTED, arguments="%arg0: i32"))
    oracle = PredicateOracle(fails_deep_inside)
    state = SearchState(
        module, Module.parse, Judge(oracle, Memory(), target=FAILURE), lambda candidate: None
    )
    reduce_to_fixpoint(state, standard_transformations(BoundaryTypes.of(module)), lambda name: None)
    assert not {"test.r"} & set(state.document.t.name)
    assert len(oracle.texts) < 50


def test_many_levels_of_brackets_take_few_candidates() -> None:
    text = PlainText(NESTED.replace('"func.return"() : () -> ()', "return"))
    assert text.levels == LEVELS
    oracle = PredicateOracle(fails_deep_inside)
    state = SearchState(
        text, PlainText, Judge(oracle, Memory(), target=FAILURE), lambda candidate: None
    )
    reduce_to_fixpoint(state, text_transformations(is_deep=True), lambda name: None)
    assert "test.r" not in state.document.text
    assert len(oracle.texts) < 50

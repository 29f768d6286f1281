"""All stages of the search: the result and its cost, for any number of workers."""

import random
from dataclasses import replace

import pytest

from oracles import Kind, Outcome, Signature
from reducer.asking import Budget
from reducer.ir import Module, PlainText
from reducer.search.candidate import Candidate, Verdict
from reducer.search.conditions import ConditionName, Refusal, Run
from reducer.search.judge import Judge, Stopped
from reducer.search.plan import Certain, Plan
from reducer.search.polish import reduce_to_fixpoint
from reducer.search.query import Observers
from reducer.search.state import SearchState
from reducer.search.windows import CarvingPlan, grow_around, grow_set, halve, halving, take_apart
from reducer.transformations import BodyOps, BoundaryTypes, standard_transformations
from tests.support.predicate import FAILED, FAILURE, Memory, PredicateOracle
from tests.support.searching import state_of
from tests.support.sides import function
from tests.support.wellformed import problems

TENSOR = "tensor<4xf32>"


def chain(length: int) -> Module:
    """A function of `length` ops named t.op0, t.op1…, each using the one before."""
    ops = [f'%{i + 1} = "t.op{i}"(%{i}) : ({TENSOR}) -> {TENSOR}' for i in range(length)]
    body = "\n".join(ops).replace("(%0)", "(%arg0)")
    body += f'\n"func.return"(%{length}) : ({TENSOR}) -> ()'
    return Module.parse(function(body, arguments=f"%arg0: {TENSOR}", results=TENSOR))


def needs(*numbers: int) -> PredicateOracle:
    """An oracle that fails if all of these ops are present."""
    return PredicateOracle(lambda text: all(f'"t.op{n}"' in text for n in numbers))


def search(module: Module, oracle: PredicateOracle, jobs: int = 1) -> SearchState[Module]:
    judge = Judge(oracle, Memory(), jobs=jobs, target=FAILURE)
    state = SearchState(module, Module.parse, judge, lambda candidate: None)
    boundary = BoundaryTypes.of(module)
    try:
        halve(state, boundary)
        reduce_to_fixpoint(state, standard_transformations(boundary), lambda name: None)
    finally:
        judge.close()
    return state


def op_names(module: Module) -> list[str]:
    return [module.t.name[body_op] for body_op in BodyOps.of(module).ops]


def test_a_local_failure_costs_about_two_full_runs() -> None:
    module, oracle = chain(4096), needs(1700, 1701)
    found = search(module, oracle)
    assert op_names(found.document) == ["t.op1700", "t.op1701"]
    costs = found.judge.costs
    assert costs.calls <= 60
    assert costs.candidate_ops / module.op_count <= 3


def test_scattered_ops_are_found() -> None:
    oracle = needs(3, 250, 470)
    found = search(chain(500), oracle)
    assert op_names(found.document) == ["t.op3", "t.op250", "t.op470"]
    assert found.judge.costs.calls <= 120


def test_workers_that_are_ahead_know_what_follows_halving() -> None:
    module, after = chain(400), Certain(chain(1), lambda of: [])
    state = state_of(module, PredicateOracle(lambda text: False))
    tried: list[str] = []
    plan: Plan[Module] | None = halving(state, BoundaryTypes.of(module), module, lambda of: after)
    while plan is not None and plan is not after:
        if isinstance(plan, CarvingPlan):
            tried.append(plan.variant)
        plan = plan.if_refused([])
    assert plan is after
    assert tried == ["fed False, last False", "fed True, last True"]


def test_a_half_is_tried_with_what_it_loads_at_the_top() -> None:
    """A weight is loaded at the top, and used far below; no half has both."""
    count = 400
    lines = [f'%w{i} = "t.load{i}"() : () -> {TENSOR}' for i in range(count // 4)]
    lines += [
        f'%{i} = "t.op{i}"(%{i - 1 if i else "arg0"}) : ({TENSOR}) -> {TENSOR}'
        for i in range(count - count // 4)
    ]
    lines.append(f'%use = "t.use"(%w7) : ({TENSOR}) -> {TENSOR}')
    lines.append(f'"func.return"(%use) : ({TENSOR}) -> ()')
    module = Module.parse(function("\n".join(lines), arguments=f"%arg0: {TENSOR}", results=TENSOR))
    oracle = PredicateOracle(lambda text: '"t.load7"' in text and '"t.use"(%w7)' in text)
    state = state_of(module, oracle)
    assert halve(state, BoundaryTypes.of(module))
    assert state.document.op_count < count / 3
    assert state.judge.costs.calls <= 12


def test_a_small_function_is_halved_by_the_results_that_no_op_uses() -> None:
    """It was put together of a few chains, one of which fails as a whole."""
    lines = [
        f'%c{i}x{j} = "t.op{i}x{j}"({f"%c{i}x{j - 1}" if j else "%arg0"}) : ({TENSOR}) -> {TENSOR}'
        for j in range(4)
        for i in range(8)
    ]
    lines.append(f'"func.return"(%c0x3) : ({TENSOR}) -> ()')
    module = Module.parse(function("\n".join(lines), arguments=f"%arg0: {TENSOR}", results=TENSOR))
    chain_of_5 = [f"t.op5x{j}" for j in range(4)]
    state = state_of(module, PredicateOracle(lambda text: all(n in text for n in chain_of_5)))
    assert halve(state, BoundaryTypes.of(module))
    assert [name for name in op_names(state.document) if "op5" in name] == chain_of_5
    assert state.document.op_count <= 10
    assert state.judge.costs.calls <= 5


def test_ops_of_a_dispatch_are_taken_apart() -> None:
    """Every other op of a chain is in one of two programs."""
    for needed in (4, 5):
        module = chain(100)
        state = state_of(module, needs(needed))
        seeds = [
            op for op, name in enumerate(module.t.name) if name in {f"t.op{n}" for n in range(8)}
        ]
        assert take_apart(state, BoundaryTypes.of(module), seeds)
        assert op_names(state.document) == [f"t.op{n}" for n in range(needed % 2, 8, 2)]
        assert state.judge.costs.calls == 1 + needed % 2


def test_unconnected_ops_in_between_are_deleted_in_a_few_calls() -> None:
    """Two interleaved chains of ops that share a constant."""
    lines = ['%c = "t.constant"() : () -> i32']
    for i in range(200):
        for side in "ab":
            operand = f"%{side}{i - 1}" if i else f"%arg{'ab'.index(side)}"
            lines.append(f'%{side}{i} = "t.{side}{i}"({operand}, %c) : ({TENSOR}, i32) -> {TENSOR}')
    lines.append(f'"func.return"(%a199, %b199) : ({TENSOR}, {TENSOR}) -> ()')
    module = Module.parse(
        function(
            "\n".join(lines),
            arguments=f"%arg0: {TENSOR}, %arg1: {TENSOR}",
            results=f"{TENSOR}, {TENSOR}",
        )
    )
    oracle = PredicateOracle(lambda text: all(f'"t.a{n}"' in text for n in (60, 100, 140)))
    found = search(module, oracle)
    assert op_names(found.document) == ["t.a60", "t.a100", "t.a140"]
    assert found.judge.costs.calls <= 60
    assert found.judge.costs.candidate_ops / module.op_count <= 8


def test_growing_around_the_right_op_takes_one_call() -> None:
    module, oracle = chain(4096), needs(2000)
    state = state_of(module, oracle)
    culprit = module.t.name.index("t.op2000")
    assert grow_around(state, BoundaryTypes.of(module), [culprit])
    assert op_names(state.document) == ["t.op2000"]
    assert state.judge.costs.calls == 1


def test_ops_that_belong_together_take_along_what_lies_between_and_is_said_of_them() -> None:
    """The failure needs a bound that something without results puts on a size."""
    ops = [f'%{i + 1} = "t.op{i}"(%{i}) : (tensor<?xf32>) -> tensor<?xf32>' for i in range(60)]
    ops.insert(31, '"t.bound"(%31) {most = 7 : index} : (tensor<?xf32>) -> ()')
    ops.insert(40, '"t.write"(%31, %38) : (tensor<?xf32>, tensor<?xf32>) -> ()')
    body = "\n".join([*ops, '"func.return"(%60) : (tensor<?xf32>) -> ()']).replace("(%0)", "(%a)")
    text = function(body, arguments="%a: tensor<?xf32>", results="tensor<?xf32>")
    module = Module.parse(text)
    needed = [f'"t.op{n}"' for n in range(28, 34)] + ['"t.bound"']
    oracle = PredicateOracle(lambda text: all(name in text for name in needed))
    state = state_of(module, oracle)
    ends = [module.t.name.index("t.op28"), module.t.name.index("t.op33")]
    assert grow_set(state, BoundaryTypes.of(module), ends)
    assert state.judge.costs.calls == 1
    assert '"t.write"' not in state.document.text


def test_a_wrong_hint_costs_little_and_changes_nothing() -> None:
    module, oracle = chain(4096), needs(2000)
    state = state_of(module, oracle)
    assert not grow_around(state, BoundaryTypes.of(module), [5])
    assert state.document is module
    assert state.judge.costs.candidate_ops < module.op_count / 4


@pytest.mark.parametrize("seed", range(2))
def test_any_number_of_workers_gives_the_same_result(seed: int) -> None:
    rng = random.Random(seed)
    numbers = rng.sample(range(120), 3)
    oracle = needs(*numbers)
    oracle.delay = lambda text: (hash(text) % 7) / 2000
    texts = {search(chain(120), oracle, jobs).document.text for jobs in (1, 2, 5)}
    assert len(texts) == 1
    assert problems(Module.parse(texts.pop())) == []


def test_the_result_is_one_minimal() -> None:
    oracle = needs(7, 30)
    found = search(chain(40), oracle).document
    for transformation in standard_transformations(BoundaryTypes.of(found)):
        for site in transformation.sites(found):
            text = transformation.apply(found, [site])
            assert text is None or not oracle.fails(text) or len(text) >= len(found.text)


def test_nothing_is_run_twice() -> None:
    oracle = needs(3, 90)
    search(chain(200), oracle)
    assert len(oracle.texts) == len(set(oracle.texts))


def test_a_budget_stops_the_search_with_the_best_so_far() -> None:
    module, oracle = chain(1000), needs(123)
    judge = Judge(oracle, Memory(), budget=Budget(calls=6), target=FAILURE)
    state = SearchState(module, Module.parse, judge, lambda candidate: None)
    with pytest.raises(Stopped, match="budget"):
        halve(state, BoundaryTypes.of(module))
    assert oracle.fails(state.document.text)
    assert state.document.op_count < module.op_count
    assert len(oracle.texts) == 6
    judge.close()


def test_a_helper_is_found_without_its_callers() -> None:
    kind = f"function_type = () -> {TENSOR}"
    helpers = [
        f"""\
  "func.func"() <{{{kind}, sym_name = "h{n}", sym_visibility = "private"}}> ({{
    %0 = "t.make"() : () -> {TENSOR}
    %1 = "t.op{n}"(%0) : ({TENSOR}) -> {TENSOR}
    "func.return"(%1) : ({TENSOR}) -> ()
  }}) : () -> ()
"""
        for n in range(40)
    ]
    calls = "".join(
        f'    %{n} = "t.call"() {{callee = @h{n}}} : () -> {TENSOR}\n' for n in range(40)
    )
    main = f"""\
  "func.func"() <{{function_type = () -> (), sym_name = "main"}}> ({{
{calls}    "func.return"() : () -> ()
  }}) : () -> ()
"""
    module = Module.parse(f'"builtin.module"() ({{\n{main}{"".join(helpers)}}}) : () -> ()\n')
    oracle = PredicateOracle(lambda text: '"t.op29"' in text and _is_alive(text, "h29"))
    found = search(module, oracle)
    assert op_names(found.document) == ["t.op29"]
    assert found.judge.costs.calls <= 30
    assert found.judge.costs.candidate_ops / module.op_count <= 5


def _is_alive(text: str, name: str) -> bool:
    """Whether a compiler would compile a function: it is public or referenced."""
    definition = next(line for line in text.splitlines() if f'sym_name = "{name}"' in line)
    return "private" not in definition or f"@{name}}}" in text


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_other_failures_are_reported_in_order_up_to_the_accepted_candidate(jobs: int) -> None:
    def outcome(text: str) -> Outcome:
        name = next(name for name in ("differs", "fails", "passes") if name in text)
        kinds = {"differs": Kind.CRASH, "fails": Kind.SCRIPT, "passes": Kind.SUCCESS}
        signature = FAILURE if name == "fails" else Signature(kinds[name])
        return Outcome(kinds[name], signature, 1)

    oracle = PredicateOracle(lambda text: True)
    oracle.run = lambda text, **_: outcome(text)  # type: ignore[method-assign, assignment]
    on_rejected: list[str] = []
    judge = Judge(
        oracle,
        Memory(),
        jobs=jobs,
        target=FAILURE,
        observers=Observers(on_other_failure=lambda slip: on_rejected.append(slip.text)),
    )
    names = ["differs 1", "passes 2", "differs 3", "fails 4", "differs 5", "differs 6"]
    candidates = [Candidate(PlainText(name), "test") for name in names]
    assert judge.first_interesting(candidates) == (3, candidates[3])
    assert on_rejected == ["differs 1", "differs 3"]
    judge.close()


def test_runs_under_another_oracle_are_not_reported_or_reused() -> None:
    other = Signature(Kind.CRASH)
    asked = PredicateOracle(lambda text: text == "here")
    below = PredicateOracle(lambda text: True)
    below.key = "below"
    below.run = lambda text, **_: Outcome(Kind.CRASH, other, 1)  # type: ignore[method-assign, assignment]
    on_rejected: list[str] = []
    judge = Judge(
        asked,
        Memory(),
        target=FAILURE,
        observers=Observers(
            on_other_failure=lambda slip: on_rejected.append(slip.text),
            on_judged=lambda candidate, judgment: on_rejected.append(candidate.text),
        ),
    )
    candidate = Candidate(PlainText("here"), "test")
    # With this target, it is another failure.
    assert judge.aside(below, FAILURE).first_interesting([candidate]) is None
    assert judge.aside(below, other).first_interesting([candidate]) == (0, candidate)
    assert on_rejected == []
    assert judge.target == FAILURE
    assert judge.first_interesting([candidate]) == (0, candidate)
    assert (on_rejected, asked.texts) == (["here"], ["here"])
    judge.close()


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_on_rejected_may_end_the_search(jobs: int) -> None:
    oracle = PredicateOracle(lambda text: text == "fails")
    judge = Judge(oracle, Memory(), jobs=jobs, target=FAILURE)
    candidates = [Candidate(PlainText(name), "test") for name in ("one", "two", "three", "fails")]
    on_rejected: list[tuple[int, Verdict]] = []

    def hear(position: int, verdict: Verdict, outcome: Outcome) -> bool:
        on_rejected.append((position, verdict))
        return position == 1

    assert judge.first_interesting(candidates, on_rejected=hear) is None
    assert on_rejected == [(0, Verdict.NOT_INTERESTING), (1, Verdict.NOT_INTERESTING)]
    judge.close()


class Second:
    """A second condition, which makes a second op necessary."""

    name = ConditionName.OTHER_BUILDS

    def __init__(self) -> None:
        self.asked: list[str] = []

    def check(self, candidate: Candidate[Module], run: Run | None) -> Refusal | None:
        self.asked.append(candidate.text)
        return None if '"t.op5"' in candidate.text else Refusal(self.name)


def test_a_cancelled_run_meets_no_further_condition() -> None:
    cancelled = replace(FAILED, kind=Kind.CANCELLED, signature=Signature(Kind.CANCELLED))
    oracle, second = PredicateOracle(lambda text: True, failure=cancelled), Second()
    judge = Judge(oracle, Memory(), conditions=[second], target=FAILURE)
    judgment = judge.judged("anything", 1)
    judge.close()
    assert (judgment.verdict, judgment.refusal) == (Verdict.CANCELLED, None)
    assert not second.asked


def test_a_candidate_that_a_second_condition_refuses_is_not_interesting() -> None:
    """It only sees candidates with the target failure."""
    module, oracle, second = chain(20), needs(12), Second()
    judge = Judge(oracle, Memory(), conditions=[second], target=FAILURE)
    state = SearchState(module, Module.parse, judge, lambda candidate: None)
    reduce_to_fixpoint(state, standard_transformations(BoundaryTypes.of(module)), lambda name: None)
    judge.close()
    assert op_names(state.document) == ["t.op5", "t.op12"]
    assert all('"t.op12"' in text for text in second.asked)

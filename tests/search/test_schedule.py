"""Failed edits are only retried if something near them has changed, and once in the end."""

from collections.abc import Callable, Sequence

import pytest

from reducer.ir import Module
from reducer.search.polish import reduce_to_fixpoint
from reducer.search.schedule import Schedule, edit_of
from reducer.search.sweep import SweepPlan, sweep
from reducer.search.walk import walk
from reducer.transformations import BoundaryTypes, Site, Transformation, standard_transformations
from reducer.transformations.delete_ops import DeleteOps
from reducer.transformations.nested_items import DropNestedEntries, DropNestedParameters
from tests.support.predicate import PredicateOracle
from tests.support.searching import state_of
from tests.support.sides import function
from tests.support.transforming import TRANSFORMATIONS

TENSOR = "tensor<4xf32>"


def separate(*names: str) -> Module:
    """A function of independent ops."""
    body = "\n".join(f'"t.{name}"() : () -> ()' for name in names)
    return Module.parse(function(body + '\n"func.return"() : () -> ()'))


def chain(*names: str) -> Module:
    """A function of ops, each of which uses the previous one."""
    ops = [f'%{n + 1} = "t.{name}"(%{n}) : ({TENSOR}) -> {TENSOR}' for n, name in enumerate(names)]
    body = "\n".join(ops).replace("(%0)", "(%arg0)")
    body += f'\n"func.return"(%{len(names)}) : ({TENSOR}) -> ()'
    return Module.parse(function(body, arguments=f"%arg0: {TENSOR}", results=TENSOR))


def deletions(module: Module) -> DeleteOps:
    return DeleteOps(BoundaryTypes.of(module))


def site_of(module: Module, name: str) -> Site:
    return Site(module.t.name.index(f"t.{name}"))


def test_an_edit_is_the_same_whatever_happens_elsewhere() -> None:
    before, after = separate("a", "b", "c"), separate("a", "c")
    drop = deletions(before)
    assert edit_of(drop, before, [site_of(before, "c")]) == edit_of(
        drop, after, [site_of(after, "c")]
    )


def test_an_edit_differs_when_a_producer_or_a_user_changes() -> None:
    module = chain("a", "b", "c")
    drop = deletions(module)
    edit = edit_of(drop, module, [site_of(module, "b")])
    for text in (
        module.text.replace("t.a", "t.other"),
        module.text.replace("t.c", "t.other"),
        module.text.replace('"t.b"(%1)', '"t.b"(%1) {x}'),
    ):
        other = Module.parse(text)
        assert edit_of(drop, other, [site_of(other, "b")]) != edit


def test_only_the_numbered_result_of_a_function_counts() -> None:
    body = '%0 = "t.a"() : () -> i32\n%1 = "t.b"() : () -> i32\n"func.return"(%0, %1)'
    two = Module.parse(function(f"{body} : (i32, i32) -> ()", results="i32, i32"))
    one = Module.parse(function(body.replace("%0, %1", "%1") + " : (i32) -> ()", results="i32"))
    drop = TRANSFORMATIONS["drop results"]
    [_, second] = drop.sites(two)
    [only] = drop.sites(one)
    assert edit_of(drop, two, [second]) == edit_of(drop, one, [only])


@pytest.mark.parametrize("make", [DropNestedParameters, DropNestedEntries])
def test_a_place_outside_the_ops_is_remembered_by_what_is_there(
    make: Callable[[], Transformation[Module]],
) -> None:
    """There may be more definitions of aliases than ops, and they are no ops."""
    aliases = [f"#m{n} = #t.m<a = {n}, d = {{x = {n}}}>" for n in range(9)]
    uses = ", ".join(f"b{n} = #m{n}" for n in range(9))
    text = "\n".join((*aliases, f'"t.a"() {{{uses}}} : () -> ()', '"t.b"() : () -> ()', ""))
    module = Module.parse(text)
    transformation, sites = make(), make().sites(module)
    edits = [edit_of(transformation, module, [site]) for site in sites]
    assert len(set(edits)) == len(sites) >= 9
    elsewhere = Module.parse(
        text.replace("t.b", "t.c").replace("#m1 = ", "#other = #t.n<>\n#m1 = ")
    )
    assert [edit_of(transformation, elsewhere, [s]) for s in make().sites(elsewhere)] == edits
    state = state_of(module, PredicateOracle(lambda text: False))
    assert not sweep(state, transformation)


def test_the_best_gain_per_candidate_comes_first() -> None:
    first, second, third = transformations = standard_transformations(BoundaryTypes.of(chain("a")))[
        :3
    ]
    schedule = Schedule()
    assert schedule.order(transformations) == transformations
    schedule.learn(third.name, [], 10)
    schedule.learn(second.name, [("x", frozenset())] * 9, 50)
    assert schedule.order(transformations) == [third, second, first]


def test_a_sweep_defers_failed_edits() -> None:
    module = separate("a", "b", "c", "d")
    oracle = PredicateOracle(lambda text: all(f't.{name}"' in text for name in "abd"))
    state, schedule, runs = state_of(module, oracle), Schedule(), list[int]()
    ends: list[tuple[bool, bool]] = []

    def then(document: Module, progress: bool, deferred: bool) -> None:
        ends.append((progress, deferred))
        runs.append(len(oracle.texts))

    for again in (False, False, True):
        drop = deletions(module)
        walk(SweepPlan.whole(state, state.document, drop, schedule, again=again, then=then), state)
    assert ends == [(True, False), (False, True), (False, False)]
    assert runs[0] == runs[1] < runs[2]


def test_a_failed_edit_that_works_later_is_found_in_the_end() -> None:
    def fails(text: str) -> bool:
        """`a` must stay as long as `b` is there, though they are independent."""
        return '"t.c"' in text and ('"t.a"' in text or '"t.b"' not in text)

    class DeleteFirst(_Only):
        name = "delete a"

        def sites(self, module: Module) -> list[Site]:
            return [s for s in self.inner.sites(module) if module.t.name[s.op] == "t.a"]

    class DeleteSecond(_Only):
        name = "delete b"

        def sites(self, module: Module) -> list[Site]:
            return [s for s in self.inner.sites(module) if module.t.name[s.op] == "t.b"]

    module = separate("a", "b", "c")
    state = state_of(module, PredicateOracle(fails))
    inner = deletions(module)
    transformations: list[Transformation[Module]] = [DeleteFirst(inner), DeleteSecond(inner)]
    reduce_to_fixpoint(state, transformations, lambda name: None)
    assert [name for name in state.document.t.name if name.startswith("t.")] == ["t.c"]


class _Only:
    """A transformation restricted to some of its sites."""

    all_at_once = False

    def __init__(self, inner: DeleteOps) -> None:
        self.inner = inner

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        return self.inner.apply(module, sites)


def test_the_empty_module_is_not_offered() -> None:
    module = separate("a")
    oracle = PredicateOracle(lambda text: True)
    state = state_of(module, oracle)
    reduce_to_fixpoint(state, standard_transformations(BoundaryTypes.of(module)), lambda name: None)
    assert state.document.op_count == 2  # the function and its return


def test_workers_that_are_ahead_know_an_edit_again_after_others() -> None:
    """Its outcome was seen in a program with other types and attributes."""
    before = chain("a", "b", "c")
    after = Module.parse(before.text.replace("4xf32", "2xf32"))
    for make in (deletions, lambda module: TRANSFORMATIONS["drop results"]):
        edits = []
        for module in (before, after):
            state = state_of(module, PredicateOracle(lambda text: False))
            plan = SweepPlan.whole(state, module, make(module), Schedule(), fine=True)
            edits.append([proposal.edit for proposal in plan.candidates()])
            state.judge.close()
        assert edits[0] == edits[1] and edits[0]

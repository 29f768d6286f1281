"""The search finds a 1-minimal program in few runs, the same one with any number of workers.

Workers that are ahead run what will probably be asked next and change nothing else. An edit that
failed is tried again if something near it has changed, and once in the end.

This file: whatever a failure needs, the steps, the questions and what refused the others do not
depend on the workers.
"""

from hypothesis import given, settings
from hypothesis import strategies as st

from reducer.asking import Budget
from reducer.ir import Module
from reducer.search.conditions import Refused
from reducer.search.judge import Judge, Stopped
from reducer.search.query import Observers
from reducer.search.state import SearchState
from reducer.search.windows import halve
from reducer.transformations import (
    BoundaryTypes,
    last_transformations,
    standard_transformations,
    standard_tunings,
)
from tests.support.predicate import FAILURE, Memory, PredicateOracle
from tests.support.searching import polish

OPS = 20


def program() -> str:
    """A chain of ops with different names, each of which also uses a constant."""
    lines = ['    %c = "test.constant"() <{value = 7 : i32}> : () -> i32']
    lines += [
        f'    %{n} = "test.op{n}"(%{n - 1 if n else "a"}, %c) : (tensor<16xf32>, i32)'
        " -> tensor<16xf32>"
        for n in range(OPS)
    ]
    return (
        '"builtin.module"() ({\n'
        '  "func.func"() <{function_type = (tensor<16xf32>) -> tensor<16xf32>,'
        ' sym_name = "main"}> ({\n'
        "  ^bb0(%a: tensor<16xf32>):\n" + "\n".join(lines) + "\n"
        f'    "func.return"(%{OPS - 1}) : (tensor<16xf32>) -> ()\n'
        "  }) : () -> ()\n"
        "}) : () -> ()\n"
    )


Alternatives = list[set[int]]


def reduced(
    needed: Alternatives, ranked: bool, calls: int | None, jobs: int
) -> tuple[list[str], list[str], list[Refused]]:
    """The accepted texts, what was asked: the outcomes stored, in order, and what was refused."""

    def fails(text: str) -> bool:
        found = any(all(f'"test.op{n}"' in text for n in numbers) for numbers in needed)
        return found and (not ranked or "16x" in text)

    oracle, memory, steps = PredicateOracle(fails), Memory(), list[str]()
    refused: list[Refused] = []
    judge = Judge(
        oracle,
        memory,
        jobs=jobs,
        budget=Budget(calls),
        target=FAILURE,
        observers=Observers(on_refused=refused.append),
    )
    module = Module.parse(program())
    boundary = BoundaryTypes.of(module)
    state = SearchState(
        module, Module.parse, judge, lambda found: steps.append(found.document.text)
    )
    try:
        halve(state, boundary)
        transformations, last = standard_transformations(boundary), last_transformations()
        polish(state, transformations, standard_tunings(), lambda _: None, last)
    except Stopped as stopped:
        steps.append(stopped.reason)
    finally:
        judge.close()
    return steps, list(memory.outcomes), refused


@settings(max_examples=8, deadline=None)
@given(
    needed=st.lists(
        st.sets(st.integers(0, OPS - 1), min_size=1, max_size=4), min_size=1, max_size=2
    ),
    ranked=st.booleans(),
    calls=st.none() | st.integers(1, 60),
)
def test_steps_and_questions_do_not_depend_on_the_workers(
    needed: Alternatives, ranked: bool, calls: int | None
) -> None:
    alone = reduced(needed, ranked, calls, 1)
    for jobs in (4, 16):
        assert reduced(needed, ranked, calls, jobs) == alone

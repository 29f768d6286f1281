"""Every edit yields a well-formed module that differs only where it was asked to.

The other files show one edit each, as a function before and after; verifiers of real compilers
accept edits of real IR.

This file: properties of all transformations, on random modules.
"""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from reducer.ir import NONE, Module
from reducer.transformations import (
    BoundaryTypes,
    control_flow_transformations,
    last_transformations,
    standard_transformations,
)
from tests.support.modules import modules
from tests.support.printing import printed
from tests.support.wellformed import problems
from tests.transformations.blocks import modules_with_blocks
from tests.transformations.bodies import modules_with_bodies

ABI = BoundaryTypes(frozenset({"!t.box"}))
ALL = [
    *standard_transformations(ABI),
    *control_flow_transformations(),
    *last_transformations(),
]


@settings(max_examples=40)
@given(modules() | modules_with_bodies() | modules_with_blocks(), st.randoms(use_true_random=False))
def test_any_choice_of_sites_gives_a_well_formed_module(text: str, random: Random) -> None:
    """All transformations in one test: to make the modules takes longer than to change them."""
    module = Module.parse(text)
    assert problems(module) == []
    assert printed(module) == text
    for transformation in ALL:
        sites = transformation.sites(module)
        assert all(NONE <= site.op < len(module) for site in sites), transformation.name
        if not sites:
            continue
        number = random.choice((1, len(sites), random.randint(1, len(sites))))
        chosen = sorted(random.sample(range(len(sites)), number))
        after = transformation.apply(module, [sites[place] for place in chosen])
        assert after is None or problems(Module.parse(after)) == [], (transformation.name, chosen)


def test_names_are_unique() -> None:
    names = [t.name for t in ALL]
    assert len(names) == len(set(names))

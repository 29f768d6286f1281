"""Properties of all transformations: output is well formed, and edits are confined to sites."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reducer.ir import Module
from reducer.transformations import (
    BoundaryTypes,
    Transformation,
    control_flow_transformations,
    last_transformations,
    standard_transformations,
)
from tests.support.blocks import modules_with_blocks
from tests.support.bodies import modules_with_bodies
from tests.support.modules import modules
from tests.support.printing import printed
from tests.support.wellformed import problems

ABI = BoundaryTypes(frozenset({"!t.box"}))
ALL = [
    *standard_transformations(ABI),
    *control_flow_transformations(),
    *last_transformations(),
]


@pytest.mark.parametrize("transformation", ALL, ids=lambda t: t.name)
@settings(max_examples=25, deadline=None)
@given(modules() | modules_with_bodies() | modules_with_blocks(), st.data())
def test_any_choice_of_sites_gives_a_well_formed_module(
    transformation: Transformation[Module], text: str, data: st.DataObject
) -> None:
    module = Module.parse(text)
    sites = transformation.sites(module)
    chosen = data.draw(st.lists(st.sampled_from(sites), unique=True)) if sites else []
    if not chosen:
        return
    after = transformation.apply(module, sorted(chosen, key=sites.index))
    assert after is None or problems(Module.parse(after)) == []


@settings(max_examples=100, deadline=None)
@given(modules() | modules_with_bodies() | modules_with_blocks())
def test_what_the_transformations_are_given_is_well_formed(text: str) -> None:
    module = Module.parse(text)
    assert problems(module) == []
    assert printed(module) == text


def test_names_are_unique() -> None:
    names = [t.name for t in ALL]
    assert len(names) == len(set(names))

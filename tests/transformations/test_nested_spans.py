"""Edits inside attributes take time in proportion to the module and to the edits."""

from collections.abc import Iterator

import pytest

from reducer.ir import Module
from reducer.transformations import Transformation
from reducer.transformations.base import Site
from reducer.transformations.dictionaries import DropNestedEntries
from reducer.transformations.nested_parameters import DropNestedParameters
from tests.support.sides import function


class ReadSites(list[Site]):
    """Sites that count how often they are read."""

    times = 0

    def __iter__(self) -> Iterator[Site]:
        self.times += 1
        return super().__iter__()


@pytest.mark.parametrize(
    ("transformation", "after"),
    [
        (DropNestedParameters(), '"t.op"() {a = #t.a, b = {x = 1, y = {z}}}'),
        (DropNestedEntries(), '"t.op"() {a = #t.a<m = 1, n = 2>, b = {}}'),
    ],
)
def test_sites_are_not_read_for_each_op(transformation: Transformation[Module], after: str) -> None:
    ops = 100
    op = '"t.op"() {a = #t.a<m = 1, n = 2>, b = {x = 1, y = {z}}} : () -> ()\n'
    module = Module.parse(function(op * ops))
    sites = ReadSites(transformation.sites(module))
    text = transformation.apply(module, sites)
    assert text is not None
    assert text.count(after) == ops
    assert sites.times <= 2

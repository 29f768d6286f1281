"""Dropping results, constraints and terms of affine maps and sets."""

from reducer.ir import Module
from reducer.transformations.map_terms import SimplifyMaps
from tests.support.sides import apply_to, function


def simplified(attribute: str) -> list[str]:
    text = function(f'"t.op"() <{{a = {attribute}}}> : () -> ()\n"func.return"() : () -> ()')
    sites = SimplifyMaps().sites(Module.parse(text))
    texts = [apply_to(SimplifyMaps(), text, number) for number in range(len(sites))]
    return [text.partition("<{a = ")[2].partition("}>")[0] for text in texts]


def test_a_map() -> None:
    assert simplified("affine_map<(d0)[s0] -> (d0 - (s0 + 2) * 8 + 4, s0)>") == [
        "affine_map<(d0)[s0] -> (-(s0 + 2) * 8 + 4, s0)>",
        "affine_map<(d0)[s0] -> (d0 + 4, s0)>",
        "affine_map<(d0)[s0] -> (d0 - (s0 + 2) * 8, s0)>",
        "affine_map<(d0)[s0] -> (s0)>",
        "affine_map<(d0)[s0] -> (d0 - (s0 + 2) * 8 + 4)>",
    ]


def test_a_set() -> None:
    assert simplified("affine_set<(d0) : (-d0 + 9 >= 0, d0 == 0)>") == [
        "affine_set<(d0) : (9 >= 0, d0 == 0)>",
        "affine_set<(d0) : (-d0 >= 0, d0 == 0)>",
        "affine_set<(d0) : (d0 == 0)>",
        "affine_set<(d0) : (-d0 + 9 >= 0)>",
    ]


def test_not_an_indexing_map() -> None:
    assert simplified("affine_map<(d0, d1, d2) -> (d0, d2)>") == []


def test_one_edit_for_each_map() -> None:
    text = function(
        '"t.op"() <{a = affine_map<() -> (4 + 5)>, b = affine_map<() -> (6, 7)>}> : () -> ()\n'
        '"func.return"() : () -> ()'
    )
    after = apply_to(SimplifyMaps(), text)
    assert "a = affine_map<() -> (4)>, b = affine_map<() -> (6)>" in after

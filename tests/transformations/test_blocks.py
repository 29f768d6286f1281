"""Merging blocks."""

from reducer.ir import Module
from reducer.transformations.blocks import MergeBlocks
from tests.support.sides import apply_to, body_of, function

CHAIN = function(
    """
    "cf.br"(%a)[^bb1] : (i32) -> ()
    ^bb1(%0: i32):  // pred: ^bb0
    %1 = "t.one"(%0) : (i32) -> i32
    "cf.br"(%0, %1)[^bb2] : (i32, i32) -> ()
    ^bb2(%2: i32, %3: i32):  // pred: ^bb1
    %4 = "t.two"(%2, %3) : (i32, i32) -> i32
    "func.return"(%4) : (i32) -> ()
    """,
    arguments="%a: i32",
    results="i32",
)


def test_a_chain_becomes_one_block() -> None:
    assert body_of(apply_to(MergeBlocks(), CHAIN)) == (
        "^bb0(%a: i32):\n"
        '%1 = "t.one"(%a) : (i32) -> i32\n'
        '%4 = "t.two"(%a, %1) : (i32, i32) -> i32\n'
        '"func.return"(%4) : (i32) -> ()'
    )


def test_a_single_merge() -> None:
    after = body_of(apply_to(MergeBlocks(), CHAIN, 1))
    assert "^bb1(%0: i32)" in after
    assert '"t.two"(%0, %1)' in after
    assert "^bb2" not in after


def test_a_block_with_two_predecessors_stays() -> None:
    text = CHAIN.replace('"func.return"(%4) : (i32) -> ()', '"cf.br"(%4)[^bb1] : (i32) -> ()')
    sites = MergeBlocks().sites(Module.parse(text))
    assert [Module.parse(text).t.successors[site.op] for site in sites] == [("^bb2",)]


def test_a_block_that_is_not_adjacent_stays() -> None:
    text = function(
        """
        "cf.br"()[^bb2] : () -> ()
        ^bb1:  // pred: ^bb2
        "func.return"() : () -> ()
        ^bb2:  // pred: ^bb0
        "t.op"() : () -> ()
        "cf.br"()[^bb1] : () -> ()
        """
    )
    assert MergeBlocks().sites(Module.parse(text)) == []


def test_a_block_without_ops_stays() -> None:
    text = function(
        """
        "cf.br"()[^bb1] : () -> ()
        ^bb1:  // pred: ^bb0
        ^bb2(%0: i32):  // no predecessors
        "func.return"() : () -> ()
        """
    )
    assert MergeBlocks().sites(Module.parse(text)) == []


def test_jumps_are_known_by_their_shape() -> None:
    merged = body_of(apply_to(MergeBlocks(), CHAIN.replace("cf.br", "spirv.Branch")))
    assert merged == body_of(apply_to(MergeBlocks(), CHAIN))

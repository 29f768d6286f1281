"""Taking one branch."""

from reducer.ir import Module
from reducer.transformations.branches import TakeOneBranch
from tests.support.sides import apply_to, body_of, function

BRANCH = function(
    """
    "cf.cond_br"(%c, %a, %b)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (i1, i32, i32) -> ()
    ^bb1(%0: i32):  // pred: ^bb0
    %1 = "t.one"(%0) : (i32) -> i32
    "cf.br"(%1)[^bb3] : (i32) -> ()
    ^bb2(%2: i32):  // pred: ^bb0
    %3 = "t.two"(%2) : (i32) -> i32
    "cf.br"(%3)[^bb3] : (i32) -> ()
    ^bb3(%4: i32):  // 2 preds: ^bb1, ^bb2
    "func.return"(%4) : (i32) -> ()
    """,  # noqa: E501
    arguments="%c: i1, %a: i32, %b: i32",
    results="i32",
)

LOOP = function(
    """
    "cf.br"()[^bb1] : () -> ()
    ^bb1:  // 2 preds: ^bb0, ^bb2
    "llvm.cond_br"(%c)[^bb2, ^bb3] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
    ^bb2:  // pred: ^bb1
    "t.body"() : () -> ()
    "cf.br"()[^bb1] : () -> ()
    ^bb3:  // pred: ^bb1
    "func.return"() : () -> ()
    """,
    arguments="%c: i1",
)


def test_the_first_successor() -> None:
    assert body_of(apply_to(TakeOneBranch(), BRANCH, 0)) == (
        "^bb0(%c: i1, %a: i32, %b: i32):\n"
        '"cf.br"(%a)[^bb1] : (i32) -> ()\n'
        "^bb1(%0: i32):  // pred: ^bb0\n"
        '%1 = "t.one"(%0) : (i32) -> i32\n'
        '"cf.br"(%1)[^bb3] : (i32) -> ()\n'
        "^bb3(%4: i32):  // 2 preds: ^bb1, ^bb2\n"
        '"func.return"(%4) : (i32) -> ()'
    )


def test_the_second_successor() -> None:
    after = body_of(apply_to(TakeOneBranch(), BRANCH, 1))
    assert '"cf.br"(%b)[^bb2] : (i32) -> ()' in after
    assert "t.two" in after
    assert "t.one" not in after


def test_out_of_a_loop() -> None:
    after = body_of(apply_to(TakeOneBranch(), LOOP, 1))
    assert '"llvm.br"()[^bb3] : () -> ()' in after
    assert "t.body" not in after


def test_the_first_of_two_sites_at_one_branch_wins() -> None:
    both = apply_to(TakeOneBranch(), BRANCH)
    assert both == apply_to(TakeOneBranch(), BRANCH, 0)


def test_a_switch_jumps_to_a_successor_without_operands() -> None:
    text = function(
        """
        "cf.switch"(%a)[^bb1, ^bb2] <{case_values = dense<1> : tensor<1xi32>, case_operand_segments = array<i32: 0>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()
        ^bb1:  // pred: ^bb0
        "t.default"() : () -> ()
        "func.return"() : () -> ()
        ^bb2:  // pred: ^bb0
        "t.case"() : () -> ()
        "func.return"() : () -> ()
        """,  # noqa: E501
        arguments="%a: i32",
    )
    after = body_of(apply_to(TakeOneBranch(), text, 1))
    assert '"cf.br"()[^bb2] : () -> ()' in after
    assert "t.default" not in after


UNFINISHED = function(
    """
    "cf.cond_br"(%c)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
    ^bb1:  // pred: ^bb0
    ^bb2:  // pred: ^bb0
    "func.return"() : () -> ()
    """,
    arguments="%c: i1",
)
"""If the failure is about invalid IR, a block may be empty."""


def test_an_empty_block_is_removed_with_its_branch() -> None:
    assert (
        body_of(apply_to(TakeOneBranch(), UNFINISHED, 1))
        == """\
^bb0(%c: i1):
"cf.br"()[^bb2] : () -> ()
^bb2:  // pred: ^bb0
"func.return"() : () -> ()"""
    )


def test_branches_of_any_dialect_take_its_plain_jump() -> None:
    """A jump is known by its shape: one target, which takes all operands."""
    other = BRANCH.replace("cf.cond_br", "t.choose").replace("cf.br", "t.go")
    taken = body_of(apply_to(TakeOneBranch(), other, 0))
    assert taken == body_of(apply_to(TakeOneBranch(), BRANCH, 0)).replace("cf.br", "t.go")


def test_branches_stay_in_a_module_that_shows_no_jump() -> None:
    text = BRANCH.replace("cf.cond_br", "t.choose").replace('"cf.br"(%1)[^bb3]', '"t.end"(%1)')
    text = text.replace('"cf.br"(%3)[^bb3]', '"t.end"(%3)')
    assert not TakeOneBranch().sites(Module.parse(text))


def test_segment_sizes_as_releases_up_to_15_print_them() -> None:
    for sizes in ("dense<1> : vector<3xi32>", "dense<[1, 1, 1]> : vector<3xi32>"):
        old = BRANCH.replace(
            "<{operandSegmentSizes = array<i32: 1, 1, 1>}>", f"{{operand_segment_sizes = {sizes}}}"
        ).replace('"cf.', '"std.')
        assert '"std.br"(%b)[^bb2] : (i32) -> ()' in apply_to(TakeOneBranch(), old, 1)


def test_a_dialect_without_a_jump_uses_that_of_another() -> None:
    text = function(
        """
        "fir.select"(%a)[^bb1, ^bb2] : (i32) -> ()
        ^bb1:  // pred: ^bb0
        "cf.br"()[^bb2] : () -> ()
        ^bb2:  // 2 preds: ^bb0, ^bb1
        "func.return"() : () -> ()
        """,
        arguments="%a: i32",
    )
    after = body_of(apply_to(TakeOneBranch(), text, 1))
    assert after.splitlines()[1] == '"cf.br"()[^bb2] : () -> ()'

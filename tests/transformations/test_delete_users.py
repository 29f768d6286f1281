"""Deleting ops with their users, and unused ops."""

from reducer.ir import Module
from reducer.transformations.delete_users import (
    DeleteUnused,
    DeleteUnusedResults,
    DeleteWithUsers,
)
from tests.support.sides import apply_to, body_of, function

TEXT = function(
    """
    %0 = "t.loop"() ({
      %1 = "t.a"() : () -> i32
      %2 = "t.b"(%1) : (i32) -> i32
      "t.effect"(%2) : (i32) -> ()
      %3 = "t.c"() : () -> i32
      "t.yield"(%3) : (i32) -> ()
    }) : () -> i32
    "func.return"(%0) : (i32) -> ()
    """,
    results="i32",
)


def test_users_are_deleted_too() -> None:
    after = apply_to(DeleteWithUsers(), TEXT, 0)
    assert (
        body_of(after)
        == """\
%0 = "t.loop"() ({
  %3 = "t.c"() : () -> i32
  "t.yield"(%3) : (i32) -> ()
}) : () -> i32
"func.return"(%0) : (i32) -> ()"""
    )


def test_an_op_whose_value_a_terminator_needs_is_kept() -> None:
    text = function(
        """
        %0 = "t.if"() ({
          %1 = "t.a"() : () -> i32
          "t.yield"(%1) : (i32) -> ()
        }) : () -> i32
        "func.return"(%0) : (i32) -> ()
        """,
        results="i32",
    )
    module = Module.parse(text)
    inner = DeleteWithUsers().sites(module)[0]
    assert DeleteWithUsers().apply(module, [inner]) is None


def test_unused_ops() -> None:
    text = function(
        """
        %0 = "t.unused"() : () -> i32
        %1 = "t.used"() : () -> i32
        "t.effect"(%1) : (i32) -> ()
        "func.return"() : () -> ()
        """
    )
    assert body_of(apply_to(DeleteUnused(), text, 0)).startswith('%1 = "t.used"')


def test_unused_chains_are_deleted_at_once_or_one_by_one() -> None:
    text = function(
        """
        %0 = "t.a"() : () -> i32
        %1 = "t.b"(%0) : (i32) -> i32
        %2 = "t.c"(%1) : (i32) -> i32
        "func.return"(%0) : (i32) -> ()
        """,
        results="i32",
    )
    whole = body_of(apply_to(DeleteUnused(), text, 1))
    assert whole == '%0 = "t.a"() : () -> i32\n"func.return"(%0) : (i32) -> ()'
    assert "t.b" in apply_to(DeleteUnused(), text, 0)


def test_what_several_unused_ops_share_goes_with_all_of_them() -> None:
    text = function(
        """
        %0 = "t.a"() : () -> i32
        %1 = "t.b"(%0) : (i32) -> i32
        %2 = "t.c"(%0) : (i32) -> i32
        %3 = "t.d"() : () -> i32
        "func.return"() : () -> ()
        """
    )
    assert body_of(apply_to(DeleteUnused(), text)) == '"func.return"() : () -> ()'
    left = body_of(apply_to(DeleteUnused(), text, 0, 2)).splitlines()
    assert left == ['%0 = "t.a"() : () -> i32', '%2 = "t.c"(%0) : (i32) -> i32', left[-1]]


def test_bodies_outside_functions_are_reduced_too() -> None:
    text = """\
"builtin.module"() ({
  "t.pattern"() <{sym_name = "p"}> ({
    %0 = "t.a"() : () -> i32
    %1 = "t.b"(%0) : (i32) -> i32
    "t.effect"(%1) : (i32) -> ()
    "t.end"() : () -> ()
  }) : () -> ()
  %2 = "t.before"() : () -> i32
  %3 = "t.lone"(%2) : (i32) -> i32
}) : () -> ()
"""
    left = [name_of(text, site.op) for site in DeleteWithUsers().sites(Module.parse(text))]
    assert left == ["t.a", "t.b", "t.effect", "t.before", "t.lone"]
    assert "t.effect" not in apply_to(DeleteWithUsers(), text, 1)
    lone = apply_to(DeleteUnused(), text)
    assert "t.lone" not in lone
    assert "t.before" not in lone
    assert "t.end" in lone


def name_of(text: str, op: int) -> str:
    return Module.parse(text).t.name[op]


def test_ops_without_results_may_be_left_for_later() -> None:
    text = function(
        """
        %0 = "t.value"() : () -> i32
        "t.store"(%arg0) : (i32) -> ()
        "func.return"() : () -> ()
        """,
        arguments="%arg0: i32",
    )
    only_results = apply_to(DeleteUnusedResults(), text)
    assert "t.value" not in only_results and "t.store" in only_results
    assert len(DeleteUnused().sites(Module.parse(text))) == 2

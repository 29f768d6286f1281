"""Dropping the bodies of called functions."""

from reducer.transformations.empty_callees import EmptyCallees
from tests.support.sides import apply_to
from tests.transformations.test_inline_calls import CALLEE, CALLER, module

DECLARATION = """\
  "func.func"() <{sym_visibility = "private", function_type = (i32, i32) -> (i32, i32), \
sym_name = "two"}> ({
  }) : () -> ()
"""


def test_a_declaration_is_left() -> None:
    assert apply_to(EmptyCallees(), module(CALLER, CALLEE)) == module(CALLER, DECLARATION)


def test_a_public_one_becomes_private() -> None:
    public = CALLEE.replace('"two"}', '"two", sym_visibility = "public"}')
    after = apply_to(EmptyCallees(), module(CALLER, public))
    assert 'sym_name = "two", sym_visibility = "private"}' in after

"""Text that is no MLIR to us."""

from reducer.ir import PlainText

TEXT = """\
module {
  func.func @f(
    %a: i32) {
    %0 = x.y %a, "}"  // {
    return
  }
}
"""


def test_bracket_groups_span_lines() -> None:
    assert PlainText(TEXT).groups == [(0, 7), (1, 3), (2, 6)]


def test_ops_are_counted_by_their_look() -> None:
    assert PlainText(TEXT).op_count == 2
    assert PlainText("a\nb\n").op_count == 2

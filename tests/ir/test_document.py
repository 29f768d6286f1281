"""Documents that are plain text."""

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


def test_op_count_counts_lines_that_look_like_ops() -> None:
    assert PlainText(TEXT).op_count == 2
    assert PlainText("a\nb\n").op_count == 2

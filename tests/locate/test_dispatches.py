"""Reading the dispatches that IREE writes."""

from pathlib import Path

import pytest

from oracles import Diagnostic
from reducer.locate.dispatches import at_origin, dispatch_of, read_dispatches

OP = "hal.executable"
TEXT = """\
hal.executable public @f_dispatch_7 {
  builtin.module {
    func.func @f_dispatch_7_matmul() {
      %0 = tensor.empty() : tensor<3xf32> loc(callsite("a/in.mlir":4:10 at "a/in.mlir":2:3))
      %1 = t.use %0 {note = "x.mlir\\":9:9"} : tensor<3xf32> loc("in.mlir":5:1)
    } loc(fused["in.mlir":4:10, "other.mlir":1:2])
  } loc(unknown)
} loc(unknown)
"""


def test_name_and_places_of_a_dispatch() -> None:
    dispatch = dispatch_of(TEXT, OP)
    assert dispatch.name == "f_dispatch_7"
    assert dispatch.text == TEXT
    assert dispatch.places == (
        ("in.mlir", 4, 10),
        ("in.mlir", 2, 3),
        ("in.mlir", 5, 1),
        ("other.mlir", 1, 2),
    )


def test_names_may_be_quoted_or_missing() -> None:
    quoted = dispatch_of('hal.executable private @"f$async 1" {', OP)
    assert quoted.name == "f$async 1"
    bare = dispatch_of("hal.executable private @f$async_dispatch_1 {", OP)
    assert bare.name == "f$async_dispatch_1"
    assert dispatch_of("nothing", OP).name == ""


def test_dispatches_come_in_the_order_of_the_program(tmp_path: Path) -> None:
    for number in (10, 9, 100):
        (tmp_path / f"module_f_dispatch_{number}.mlir").write_text(str(number))
    (tmp_path / "notes.txt").write_text("no dispatch")
    assert read_dispatches(tmp_path) == ["9", "10", "100"]


WRITTEN = """\
builtin.module {
  %0 = t.sort %a {note = "{"} : tensor<3xf32> loc("in.mlir":4:10)
  %1 = t.generic ins(%0 : tensor<3xf32>) {
  ^bb0(%x: f32 loc("in.mlir":6:1)):
    t.yield %x : f32 loc("in.mlir":7:1)
  } -> tensor<3xf32> loc("in.mlir":5:3)
  t.if %c {
    t.yield loc("in.mlir":9:1)
  } else {
  } loc(fused["in.mlir":8:2, "in.mlir":9:1])
  t.done loc(unknown)
} loc("in.mlir":1:1)
"""


@pytest.mark.parametrize(
    ("line", "origin"),
    [
        (2, ("in.mlir", 4, 10)),
        (3, ("in.mlir", 5, 3)),
        (5, ("in.mlir", 7, 1)),
        (7, ("in.mlir", 8, 2)),
        (11, ("", 0, 0)),
        (1, ("in.mlir", 1, 1)),
        (99, ("", 0, 0)),
    ],
)
def test_an_error_in_a_dispatch_is_one_at_the_op_it_was_made_from(
    line: int, origin: tuple[str, int, int], tmp_path: Path
) -> None:
    path = tmp_path / "module_f_dispatch_0.mlir"
    path.write_text(WRITTEN)
    error = Diagnostic(str(path), line, 5, "error", "failed to bufferize op")
    (moved,) = at_origin([error], tmp_path)
    assert (moved.file, moved.line, moved.column) == origin
    assert moved.message == error.message


def test_errors_elsewhere_stay_where_they_are(tmp_path: Path) -> None:
    """Also those in a file that the compiler has not written."""
    there = [
        Diagnostic("/tmp/input.mlir", 2, 5, "error", "no"),
        Diagnostic("", 0, 0, "error", "no"),
        Diagnostic("ld", 0, 0, "error", "undefined symbol: f"),
    ]
    assert at_origin(there, tmp_path) == tuple(there)
    (lost,) = at_origin([Diagnostic(str(tmp_path / "x.mlir"), 2, 5, "error", "no")], tmp_path)
    assert lost.line == 0

"""Reading the dispatches that IREE writes."""

from pathlib import Path

from reducer.locate.dispatches import dispatch_of, read_dispatches

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

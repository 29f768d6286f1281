"""Reading diagnostics out of standard error."""

from pathlib import Path

from oracles.diagnostics import Diagnostic, parse_diagnostics

DATA = Path(__file__).parent / "data"


def test_location_operation_and_callers() -> None:
    first = parse_diagnostics((DATA / "seed-20038-attention-expand-k1.txt").read_text())[0]
    assert (first.file, first.line, first.column) == ("input.mlir", 10, 8)
    assert first.severity == "error"
    assert first.message.startswith("'vector.shape_cast' op")
    assert first.operation.startswith('%253 = "vector.shape_cast"(%251)')
    assert first.called_from == ((6, 1),)


def test_operation_with_regions_is_kept_without_the_source_line() -> None:
    stderr = (
        "in.mlir:2:8: error: 'a.b' op is wrong\n"
        "  %0 = a.b\n"
        "       ^\n"
        "in.mlir:2:8: note: see current operation: \n"
        '%0 = "a.b"() ({\n'
        "^bb0(%x: f32):\n"
        "}) : () -> f32\n"
        "  %0 = a.b\n"
        "       ^\n"
    )
    (only,) = parse_diagnostics(stderr)
    assert only.operation == '%0 = "a.b"() ({\n^bb0(%x: f32):\n}) : () -> f32'


def test_every_way_to_print_a_location() -> None:
    lines = [
        "<unknown>:0: error: a",
        "error: <unknown>:0:0: b",
        "error: c",
        'loc("x":1:2): warning: d',
        "iree-lld: error: e",
        "my model.mlir:3:4: remark: f",
    ]
    found = parse_diagnostics("\n".join(lines))
    assert [item.message for item in found] == list("abcdef")
    assert [item.file for item in found[:3]] == ["", "", ""]
    assert (found[5].file, found[5].line, found[5].column) == ("my model.mlir", 3, 4)


def test_text_of_the_module_is_no_diagnostic() -> None:
    stderr = 'a.mlir:1:1: error: x\n  %0 = "s.t"() {m = "b: error: y"} : () -> ()\n'
    assert len(parse_diagnostics(stderr)) == 1


def test_flood_is_bounded() -> None:
    assert len(parse_diagnostics("error: again\n" * 100_000)) == 200


def test_json_round_trip() -> None:
    diagnostic = Diagnostic("f.mlir", 1, 2, "error", "m", "op", ((3, 4), (5, 6)))
    assert Diagnostic.from_json(diagnostic.to_json()) == diagnostic

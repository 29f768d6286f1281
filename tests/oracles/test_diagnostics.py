"""Many diagnostics, and where they are; what is read in them is in `texts`."""

from pathlib import Path

from oracles.signature.diagnostics import (
    MAX_DIAGNOSTICS,
    Diagnostic,
    parse_diagnostics,
)
from oracles.stored import fields_of

DATA = Path(__file__).parent / "data"


def test_location_operation_and_callers() -> None:
    first = parse_diagnostics((DATA / "seed-20038-attention-expand-k1.txt").read_text())[0]
    assert (first.file, first.line, first.column) == ("input.mlir", 10, 8)
    assert first.severity == "error"
    assert first.message.startswith("'vector.shape_cast' op")
    assert first.operation.startswith('%253 = "vector.shape_cast"(%251)')
    assert first.called_from == ((6, 1),)


def test_flood_is_bounded() -> None:
    assert len(parse_diagnostics("error: again\n" * 100_000)) == 200


def test_json_round_trip() -> None:
    diagnostic = Diagnostic("f.mlir", 1, 2, "error", "m", "op", ((3, 4), (5, 6)))
    assert fields_of(diagnostic.to_json(), Diagnostic) == diagnostic


def test_warnings_leave_room_for_an_error() -> None:
    """A large model may have a warning for each of its ops before the error."""
    warning = "a.mlir:1:1: warning: w{0}\na.mlir:1:1: note: n{0}\n"
    warnings = "".join(warning.format(number) for number in range(MAX_DIAGNOSTICS + 10))
    error = "a.mlir:4:3: error: 'a.b' op is bad\n"
    error += 'a.mlir:4:3: note: see current operation: %2 = "a.b"() : () -> i32\n'
    found = parse_diagnostics(warnings + error)
    assert len(found) == MAX_DIAGNOSTICS + 1
    assert found[-2].notes == (f"n{MAX_DIAGNOSTICS - 1}",)
    assert found[-1].message == "'a.b' op is bad"
    assert found[-1].operation.startswith("%2 =")

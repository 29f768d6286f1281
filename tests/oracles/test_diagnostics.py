"""Reading linker messages about symbols."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from oracles.run.run_process import End, ProcessResult
from oracles.signature.classify import classify
from oracles.signature.derive import Level, derive
from oracles.signature.diagnostics import (
    MAX_DIAGNOSTICS,
    Diagnostic,
    operation_of,
    parse_diagnostics,
    primary_error,
    symbol_error,
)
from oracles.signature.kind import Kind
from oracles.signature.outcome import Signature
from oracles.stored import fields_of


def test_a_name_with_a_signature_stays_whole() -> None:
    line = "ld.lld: error: undefined symbol: a::b<int>(char const*, int)"
    assert symbol_error(line) == "undefined symbol: a::b<int>(char const*, int)"


@pytest.mark.parametrize(
    "line",
    [
        "in.mlir:1:1: error: reference to undefined symbol 'f'",
        "in.mlir:1:1: error: 'func.call' op 'f' does not reference a valid function",
        "error: use of undeclared SSA value name",
        '  "x.undefined"() : () -> ()',
    ],
)
def test_what_a_verifier_says_is_none_of_it(line: str) -> None:
    assert symbol_error(line) is None


def signature(stderr: str, level: Level = Level.NORMAL) -> Signature:
    class Nobody:
        """May not be asked: a linker's words need no further run."""

    result = ProcessResult(End.EXITED, 1, 0.0, 0.0, 0, "", stderr)
    return derive(classify(result), level, Nobody())  # type: ignore[arg-type]


def linking(*symbols: str) -> str:
    """IREE's output if these symbols are missing."""
    lines = [
        f"iree-lld: error: undefined symbol: {symbol}\n>>> referenced by -:1" for symbol in symbols
    ]
    return "\n".join([
        *lines,
        "Linking failed; escaped command line returned exit code 256:",
        "in.mlir:3:8: error: failed to link executable and generate target dylib (check above)",
        "in.mlir:3:8: error: failed to serialize executables",
    ])  # fmt: skip


def test_two_missing_symbols_are_two_bugs() -> None:
    one, other = signature(linking("fmaxf")), signature(linking("fminf"))
    assert one.bucket != other.bucket
    assert one.kind is Kind.OTHER_ERROR
    assert one.text == "other-error: undefined symbol: fmaxf (pipeline)"
    assert signature(linking("fmaxf"), Level.LOOSE) == signature(linking("fminf"), Level.LOOSE)


def test_their_order_does_not_matter() -> None:
    assert signature(linking("a", "b")) == signature(linking("b", "a")) == signature(linking("a"))


MAKER = '%1 = "d.make"(%0) : (i32) -> f32'
USER = '"d.use"(%0, %1) : (i32, f32) -> ()'


@pytest.mark.parametrize(
    ("operations", "named"),
    [
        ((USER, MAKER), "d.make"),
        ((MAKER, USER), "d.make"),
        (('"d.use"(%2) : (f64) -> ()', MAKER, USER), "d.use"),
        (('"d.last"(%2) : (f64) -> ()', '%2 = "d.both"(%1) : (f32) -> f64', MAKER), "d.make"),
        (('%1:2 = "d.pair"(%1#1) : (f32) -> (f32, f32)',), "d.pair"),  # in the body of a graph
        ((USER, MAKER.replace("f32", "f64")), "d.use"),  # %1 of another function
        ((USER, "something else"), "d.use"),
    ],
)
def test_an_op_that_takes_a_value_of_a_failed_op_only_follows(
    operations: Sequence[str], named: str
) -> None:
    stderr = "".join(
        f"in.mlir:{line}:1: error: failed to distribute\n"
        f"in.mlir:{line}:1: note: see current operation: {operation}\n"
        for line, operation in enumerate(operations, 1)
    )
    error = primary_error(parse_diagnostics(stderr))
    assert error is not None and operation_of(error) == named


def test_what_failed_before_the_linker_comes_first() -> None:
    stderr = "in.mlir:1:1: error: 'a.b' op is bad\n" + linking("f")
    primary = primary_error(parse_diagnostics(stderr))
    assert primary is not None and primary.message == "'a.b' op is bad"


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


def test_text_of_the_module_is_no_diagnostic() -> None:
    stderr = 'a.mlir:1:1: error: x\n  %0 = "s.t"() {m = "b: error: y"} : () -> ()\n'
    assert len(parse_diagnostics(stderr)) == 1


def test_flood_is_bounded() -> None:
    assert len(parse_diagnostics("error: again\n" * 100_000)) == 200


def test_json_round_trip() -> None:
    diagnostic = Diagnostic("f.mlir", 1, 2, "error", "m", "op", ((3, 4), (5, 6)))
    assert fields_of(diagnostic.to_json(), Diagnostic) == diagnostic


@pytest.mark.parametrize(
    ("place", "where"),
    [
        ("unknown", ("", 0, 0)),
        ('"jit(f)/add"', ("", 0, 0)),
        ('"jit(f)/add"("a.mlir":3:14)', ("a.mlir", 3, 14)),
        ('callsite("g"("a.mlir":3:14) at "b.mlir":5:6)', ("a.mlir", 3, 14)),
        ('fused<"x">["a.mlir":3:14, unknown]', ("a.mlir", 3, 14)),
    ],
)
def test_any_location_in_bindings_for_python(place: str, where: tuple[str, int, int]) -> None:
    error = f"error: {place}: 'hw.module' op no: f\n note: {place}: see current operation: x.y\n"
    [found] = parse_diagnostics(error)
    assert found.message == "'hw.module' op no: f"
    assert (found.file, found.line, found.column) == where
    assert found.operation == "x.y"
    assert classify(ProcessResult(End.EXITED, 1, 0, 0, 0, "", error)).kind is Kind.VERIFIER


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


def test_a_message_that_ends_in_a_colon_goes_on_below() -> None:
    snippet = "  %0 = a.b\n       ^\n"
    for error, message in (
        ("no rule:\n  ranks differ\n", "no rule: ranks differ"),
        (f"no rule:\n{snippet}a.mlir:1:1: note: ranks differ\n", "no rule: ranks differ"),
        (f"no rule:\n{snippet}", "no rule:"),
        (f"no rule\n{snippet}a.mlir:1:1: note: ranks differ\n", "no rule"),
    ):
        [found] = parse_diagnostics(f"a.mlir:1:1: error: {error}")
        assert found.message == message


def test_notes_name_the_ops_of_an_error_that_does_not() -> None:
    """So does IREE, of any input that is not in a dialect it takes."""
    error = (
        "a.mlir:1:1: error: one or more illegal operations were found\n"
        'a.mlir:1:1: note: see current operation: "builtin.module"() ({\n}) : () -> ()\n'
        "a.mlir:3:1: note: failed to legalize operation 'b.op'\n"
        "a.mlir:2:1: note: failed to legalize operation 'a.op'\n"
    )
    [found] = parse_diagnostics(error)
    assert operation_of(found) == "a.op"
    [found] = parse_diagnostics(error.replace("one or", "'c.op' op one or"))
    assert operation_of(found) == "c.op"
    [found] = parse_diagnostics(error.replace("builtin.module", "d.op"))
    assert operation_of(found) == "d.op"


CAST = (
    "a.mlir:1:1: error: failed to legalize unresolved source materialization from ('{t}') to "
    "('index') that remained live after conversion\n"
    'a.mlir:1:1: note: see current operation: %1 = "builtin.unrealized_conversion_cast"(%0) : '
    "({t}) -> index\n"
    "a.mlir:2:1: note: see existing live user here: {user}\n"
)


def test_a_type_that_is_left_is_known_by_the_op_that_uses_it() -> None:
    def of(user: str, values: str = "i64") -> str:
        (found,) = parse_diagnostics(CAST.format(user=user, t=values))
        return operation_of(found)

    one = of("%2 = a.use %1 : index")
    assert one == 'builtin.unrealized_conversion_cast "integer to index in a.use"'
    assert one == of('%7:2 = "a.use"(%3, %1) : (i32, index) -> (i1, i1)', "i32")
    assert one != of('"b.use"(%1) : (index) -> ()')
    (found,) = parse_diagnostics(CAST.replace("(%0)", "(%arg0)").format(user="a.use %0", t="i64"))
    assert operation_of(found) == 'builtin.unrealized_conversion_cast "integer to index"'
    (found,) = parse_diagnostics(CAST.replace("source", "target").format(user="a.use %0", t="i64"))
    assert operation_of(found) == 'builtin.unrealized_conversion_cast "integer to index"'
    casts = "%2 = builtin.unrealized_conversion_cast %1 : index to i8", "return %1 : index"
    assert {of(user) for user in casts} == {'builtin.unrealized_conversion_cast "integer to index"'}
    (found,) = parse_diagnostics(
        "a.mlir:1:1: error: failed to materialize conversion for block argument #0 that remained "
        "live after conversion\na.mlir:1:1: note: see existing live user here: a.use %1 : index\n"
    )
    assert operation_of(found) == "a.use"

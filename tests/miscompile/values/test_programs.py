"""Reading a program's functions."""

from pathlib import Path

import pytest

from reducer.miscompile.values.programs import Function, ValueType, exported_functions, read_results


def test_functions_are_read_from_the_program(tmp_path: Path) -> None:
    program = tmp_path / "a.vmfb"
    program.write_bytes(
        b"\0\1iree.abi.declaration\0sync func @main(%input0: tensor<?x2xf32>, %input1: index) -> "
        b"(%output0: tensor<f32>, %output1: !hal.fence)\0\xff"
        b"sync func @a.b$c() -> ()\0async func @main$async(%input0: !hal.fence) -> ()\0"
    )
    assert exported_functions(program) == [
        Function("a.b$c", (), ()),
        Function(
            "main",
            (ValueType("f32", (None, 2)), ValueType("index", None)),
            (ValueType("f32", ()), None),
        ),
    ]


@pytest.mark.parametrize(
    ("spelled", "meant"),
    [
        ("tensor<0x3xbf16>", ValueType("bf16", (0, 3))),
        ("tensor<2xf8E4M3FN>", ValueType("f8E4M3FN", (2,))),
        ("tensor<4xf32> {iree.abi.output = 0 : index}", ValueType("f32", (4,))),
        ("ui8", ValueType("ui8", None)),
        ("tensor<2x?xcomplex<f32>>", ValueType("cf64", (2, None))),
        ("!hal.buffer_view", None),
    ],
)
def test_types(spelled: str, meant: ValueType | None) -> None:
    assert ValueType.parse(spelled) == meant


def test_a_type_takes_what_fits_its_dynamic_dimensions() -> None:
    declared = ValueType("f32", (2, None))
    assert declared.takes(ValueType("f32", (2, 7)))
    assert not declared.takes(ValueType("f32", (3, 7)))
    assert not declared.takes(ValueType("f64", (2, 7)))
    assert not declared.takes(ValueType("f32", None))


PRINTED = """\
EXEC @f
result[0]: hal.buffer_view
2x2xf32=[1 -INF][NAN 2.5E-03]
result[1]: hal.buffer_view
f16=7
result[2]: i64=9007199254740993
result[3]: hal.buffer_view
0x2xi8=
result[4]: hal.buffer_view
2xi1=01 00
result[5]: vm.list
"""


def test_results() -> None:
    matrix, scalar_tensor, number, nothing, truths, unknown = read_results(PRINTED)
    assert matrix.type == ValueType("f32", (2, 2))
    assert matrix.elements is not None
    assert matrix.words == ["1", "-inf", "nan", "0.0025"]
    assert scalar_tensor.type == ValueType("f16", ()) and tuple(scalar_tensor.elements) == (7,)
    assert tuple(number.elements) == (9007199254740993,)  # exact, as no float is
    assert tuple(nothing.elements) == ()
    assert tuple(truths.elements) == (1, 0)
    assert unknown.elements is None


def test_no_results() -> None:
    assert read_results("EXEC @f\n") == []

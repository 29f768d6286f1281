"""Shapes: parsed from types and printed again, and the cost of types."""

import pytest

from reducer.ir.shapes import parse_shaped, type_cost


@pytest.mark.parametrize(
    ("kind", "dims", "element"),
    [
        ("tensor<2x?x4xf32>", (2, None, 4), "f32"),
        ("tensor<f32>", (), "f32"),
        ("tensor<4xcomplex<f32>>", (4,), "complex<f32>"),
        ("tensor<4x2xf32, #enc<[1, 2]>>", (4, 2), "f32"),
        ("tensor<4x!quant.uniform<i8:f32, 0.1>>", (4,), "!quant.uniform<i8:f32, 0.1>"),
        ("memref<4x?xi8, strided<[?, 1], offset: ?>, #hal.space>", (4, None), "i8"),
        ("vector<4x1xf16>", (4, 1), "f16"),
        ("!torch.vtensor<[?,256],f32>", (None, 256), "f32"),
        ("!torch.vtensor<[],si64>", (), "si64"),
        ("!torch.list<vtensor<[2],f32>>", (2,), "f32"),
        ("!flow.dispatch.tensor<readonly:tensor<2x3xf32>>", (2, 3), "f32"),
    ],
)
def test_one_shape(kind: str, dims: tuple[int | None, ...], element: str) -> None:
    shaped = parse_shaped(kind)
    assert shaped is not None
    assert (shaped.dims, shaped.element, shaped.text) == (dims, element, kind)


def test_other_sizes_and_elements() -> None:
    shaped = parse_shaped("!flow.dispatch.tensor<readonly:tensor<2x?xf16>>")
    assert shaped is not None
    changed = shaped.with_dims((7,)).with_element("i8")
    assert changed.text == "!flow.dispatch.tensor<readonly:tensor<7xi8>>"


@pytest.mark.parametrize(
    "kind",
    [
        "f32",
        "tensor<*xf32>",
        "vector<[4]xf32>",
        "!torch.vtensor",
        "tuple<tensor<2xf32>, tensor<3xf32>>",
    ],
)
def test_no_shape_or_no_single_one(kind: str) -> None:
    assert parse_shaped(kind) is None


@pytest.mark.parametrize(
    ("simpler", "than"),
    [
        ("tensor<255xf32>", "tensor<256xf32>"),
        ("tensor<4096xf32>", "tensor<?xf32>"),
        ("tensor<4xf32>", "tensor<4x1xf32>"),
        ("tensor<4xf32>", "tensor<4xf16>"),
        ("tensor<4xi32>", "tensor<4xi8>"),
        ("!torch.vtensor<[2],complex<f32>>", "!torch.vtensor<[2],complex<f64>>"),
        ("(f32, i64) -> i1", "(f32, ui8) -> i1"),
    ],
)
def test_simpler_types_cost_less(simpler: str, than: str) -> None:
    assert type_cost(simpler) < type_cost(than)


def test_names_that_look_like_types_cost_nothing() -> None:
    assert type_cost('"t.f16"(%f16, %i8) {name = @bf16, f64.x} : () -> ()') == (0, 0)

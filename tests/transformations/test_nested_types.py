"""Types inside other types become a type inside them."""

import pytest

from reducer.ir import Module
from reducer.transformations.nested_types import UnwrapNestedTypes
from tests.support.sides import apply_to, function


def _text(kind: str) -> str:
    return function(
        f"""
        %0 = "t.a"(%arg0) {{s = "!d.ref<!d.box<i1>>"}} : ({kind}) -> f32
        "func.return"() : () -> ()
        """,
        arguments=f"%arg0: {kind}",
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("!d.ref<!d.array<4x?xf32>>", ["!d.ref<f32>"]),
        ("!d.ptr<!d.struct<(f32 [0], i32 [4])>, In>", ["!d.ptr<f32, In>", "!d.ptr<i32, In>"]),
        ("!d.ref<!d.heap<!d.array<4 x i8, stride=4>>>", [
            "!d.ref<!d.array<4 x i8, stride=4>>",
            "!d.ref<!d.heap<i8>>",
        ]),
        ("memref<4x!d.box<!d.char>>", ["memref<4x!d.char>"]),
        ("!d.fn<(!d.box<vector<4xf32>>) -> f32>", ["!d.fn<(vector<4xf32>) -> f32>"]),
        ("!d.array<4xf32>", []),  # the outermost type is what the op requires
        ("!d.ref<!d.none>", []),
        ("!d.ref<!d.array<4>>", []),
    ],
)  # fmt: skip
def test_one_at_a_time(before: str, after: list[str]) -> None:
    text = _text(before)
    numbers = range(len(UnwrapNestedTypes().sites(Module.parse(text))))
    found = [apply_to(UnwrapNestedTypes(), text, number) for number in numbers]
    assert found == [_text(kind) for kind in after]


def test_all_at_once() -> None:
    after = apply_to(UnwrapNestedTypes(), _text("!d.ref<!d.heap<!d.array<4xi8>>, !d.box<f32>>"))
    assert "} : (!d.ref<!d.array<4xi8>, f32>)" in after

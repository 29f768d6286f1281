"""Windows of StableHLO, compared with sums that are spelled out element by element."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reducer.miscompile.interpreter.attributes import integers
from reducer.miscompile.interpreter.errors import UndefinedBehavior
from reducer.miscompile.interpreter.interpreter import Interpreter
from reducer.miscompile.interpreter.program import EvaluatedProgram
from reducer.miscompile.interpreter.values import Array

pytestmark = pytest.mark.iree

_CONVOLUTION = """
"builtin.module"() ({{
  "func.func"() <{{function_type = ({left}, {right}) -> {result}, sym_name = "f"}}> ({{
  ^bb0(%a: {left}, %k: {right}):
    %r = "stablehlo.convolution"(%a, %k) <{{
      dimension_numbers = #stablehlo.conv<[f, 0, b, 1]x[o, 1, 0, i]->[b, 0, 1, f]>,
      batch_group_count = {batches} : i64, feature_group_count = {features} : i64,
      lhs_dilation = array<i64: {inner}>, rhs_dilation = array<i64: {gaps}>,
      padding = dense<{padding}> : tensor<2x2xi64>, window_strides = array<i64: {strides}>,
      window_reversal = array<i1: {turned}>}}> : ({left}, {right}) -> {result}
    "func.return"(%r) : ({result}) -> ()
  }}) : () -> ()
}}) : () -> ()
"""


@dataclass(frozen=True)
class Layout:
    """How a convolution of two dimensions moves its kernel."""

    features: int
    batches: int
    strides: tuple[int, int]
    low: tuple[int, int]
    high: tuple[int, int]
    inner: tuple[int, int]
    gaps: tuple[int, int]
    turned: tuple[bool, bool]

    def result(self, shape: Sequence[int], kernel: Sequence[int]) -> tuple[int, ...]:
        """The sizes of the windows' dimensions."""
        parts = zip(
            shape, kernel, self.strides, self.low, self.high, self.inner, self.gaps, strict=True
        )
        return tuple(
            (a + (n - 1) * inner + 1 + b - ((k - 1) * gap + 1)) // step + 1
            for n, k, step, a, b, inner, gap in parts
        )


_PAIRS = st.tuples(st.integers(1, 2), st.integers(1, 2))
_EDGES = st.tuples(st.integers(-1, 2), st.integers(-1, 2))
_LAYOUTS = st.builds(
    Layout, st.integers(1, 2), st.just(1), _PAIRS, _EDGES, _EDGES, _PAIRS, _PAIRS,
    st.tuples(st.booleans(), st.booleans()),
) | st.builds(
    Layout, st.just(1), st.just(2), _PAIRS, _EDGES, _EDGES, _PAIRS, _PAIRS,
    st.tuples(st.booleans(), st.booleans()),
)  # fmt: skip


@given(_LAYOUTS, st.integers(0, 3))
def test_convolutions(layout: Layout, seed: int) -> None:
    source = np.random.default_rng(seed)
    images = source.integers(-3, 4, (2, 4, 5, 4)).astype(np.float32)
    kernel = source.integers(-3, 4, (2, 3, 4 // layout.features, 2)).astype(np.float32)
    expected = _convolved(images, kernel, layout)
    if expected is None:
        return
    left, right = images.transpose(3, 1, 0, 2), kernel.transpose(3, 1, 0, 2)
    found = _evaluated(left, right, expected.shape, layout)
    np.testing.assert_array_equal(found, expected)


def _convolved(images: Any, kernel: Any, layout: Layout) -> Any:
    """Element by element; None if there is no window."""
    sizes = layout.result(images.shape[1:3], kernel.shape[:2])
    if min(sizes) < 1:
        return None
    batch, outputs = images.shape[0] // layout.batches, kernel.shape[3]
    out = np.zeros((batch, *sizes, outputs), np.float32)
    for image, feature in product(range(batch), range(outputs)):
        first = feature // (outputs // layout.features) * kernel.shape[2]
        shown = images[image + feature // (outputs // layout.batches) * batch]
        for window, inside in product(np.ndindex(*sizes), np.ndindex(*kernel.shape[:2])):
            place = _place(window, inside, layout, shown.shape[:2])
            if place is not None:
                turned = (
                    size - 1 - at if turns else at
                    for at, size, turns in zip(inside, kernel.shape, layout.turned, strict=False)
                )
                seen = shown[place][first : first + kernel.shape[2]]
                out[(image, *window, feature)] += seen @ kernel[tuple(turned)][:, feature]
    return out


def _place(
    window: Sequence[int], inside: Sequence[int], layout: Layout, shape: Sequence[int]
) -> tuple[int, ...] | None:
    """The element that a point in a window sees; None if it is padding."""
    found = []
    for axis, size in enumerate(shape):
        at = window[axis] * layout.strides[axis] + inside[axis] * layout.gaps[axis]
        number, rest = divmod(at - layout.low[axis], layout.inner[axis])
        if rest or not 0 <= number < size:
            return None
        found.append(number)
    return tuple(found)


def _evaluated(left: Any, right: Any, shape: Sequence[int], layout: Layout) -> Any:
    types = [f"tensor<{'x'.join(map(str, one))}xf32>" for one in (left.shape, right.shape, shape)]
    text = _CONVOLUTION.format(
        left=types[0],
        right=types[1],
        result=types[2],
        features=layout.features,
        batches=layout.batches,
        inner=", ".join(map(str, layout.inner)),
        gaps=", ".join(map(str, layout.gaps)),
        strides=", ".join(map(str, layout.strides)),
        padding=[list(pair) for pair in zip(layout.low, layout.high, strict=True)],
        turned=", ".join(str(one).lower() for one in layout.turned),
    )
    (found,) = Interpreter(EvaluatedProgram.load(text)).call("f", [Array(left), Array(right)])
    return found.data


def test_one_number_stands_for_all_padding() -> None:
    assert integers("dense<0> : tensor<2x2xi64>") == [0, 0, 0, 0]
    assert integers("dense<3> : tensor<3xindex>") == [3, 3, 3]


_REDUCED = """\
"builtin.module"() ({{
  "func.func"() <{{sym_name = "f",
      function_type = (tensor<6x{e}>, tensor<{e}>, tensor<{e}>) -> tensor<{n}{e}>}}> ({{
  ^bb0(%x: tensor<6x{e}>, %z: tensor<{e}>, %k: tensor<{e}>):
    %w = "stablehlo.{op}"(%x, %z) <{{{how}}}> ({{
    ^bb0(%p: tensor<{e}>, %q: tensor<{e}>):
{body}
    }}) : (tensor<6x{e}>, tensor<{e}>) -> tensor<{n}{e}>
    "func.return"(%w) : (tensor<{n}{e}>) -> ()
  }}) : () -> ()
}}) : () -> ()
"""
_HOW = {
    "reduce": ("dimensions = array<i64: 0>", ""),
    "reduce_window": ("window_dimensions = array<i64: 2>", "5x"),
}
_NUMBERS = {
    "f32": np.array([3, -1.5, 8, 2, 0.25, -7], np.float32),
    "i32": np.array([3, -2, 8, 2, 5, -7], np.int32),
}


@pytest.mark.parametrize("op", sorted(_HOW))
@pytest.mark.parametrize("element", ["f32", "i32"])
@pytest.mark.parametrize(
    ("body", "initial", "why"),
    [
        (["add %p %q"], 0, ""),
        (["maximum %p %q"], 0, ""),  # the initial value may come in more than once
        (["add %q %p", "multiply %0 %k"], 0, ""),  # %k is one
        (["multiply %p %q", "add %p %q", "add %0 %1"], 0, ""),
        (["subtract %p %q"], 0, "neutral"),
        (["subtract %q %p"], 0, "neutral"),
        (["divide %p %q"], 1, "neutral"),
        (["power %p %q"], 1, "neutral"),
        (["add %p %q", "add %0 %0"], 0, "neutral"),
        (["multiply %p %q", "add %0 %k"], 1, "neutral"),
        (["minimum %p %q", "subtract %0 %k"], 9, "neutral"),
        (["add %p %p"], 0, "neutral"),
        (["add %k %k"], 1, "neutral"),  # a value from outside
        (["add %p %q", "add %k %k"], 1, "neutral"),
        (["add %p %q", "add %0 %k"], 0, "neutral"),
        (["multiply %p %k"], 0, "neutral"),  # the first
        (["multiply %q %k"], 0, "neutral"),  # the last
        (["multiply %p %q", "multiply %0 %k"], 3, "neutral"),
        (["multiply %p %q", "multiply %0 %0", "add %p %q", "add %1 %2"], 0, "associative"),
    ],
)
def test_the_body_of_a_reduction_is_a_monoid(
    op: str, element: str, body: list[str], initial: int, why: str
) -> None:
    how, count = _HOW[op]
    kind = f"tensor<{element}>"
    lines = [
        f'%{number} = "stablehlo.{name}"({left}, {right}) : ({kind}, {kind}) -> {kind}'
        for number, (name, left, right) in enumerate(map(str.split, body))
    ]
    lines.append(f'"stablehlo.return"(%{len(body) - 1}) : ({kind}) -> ()')
    text = _REDUCED.format(e=element, n=count, op=op, how=how, body="\n".join(lines))
    numbers = _NUMBERS[element]
    given = [Array(numbers), *(Array(numbers.dtype.type(one)) for one in (initial, 1))]
    interpreter = Interpreter(EvaluatedProgram.load(text))
    if why:
        with pytest.raises(UndefinedBehavior, match=why):
            interpreter.call("f", given)
    else:
        interpreter.call("f", given)


def test_whether_a_body_is_a_monoid_does_not_depend_on_the_elements() -> None:
    how = "window_dimensions = array<i64: 6>, padding = dense<[[5, 5]]> : tensor<1x2xi64>"
    unused = '"stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>'
    body = f'%0 = {unused}\n"stablehlo.return"(%k) : (tensor<f32>) -> ()'
    text = _REDUCED.format(e="f32", n="11x", op="reduce_window", how=how, body=body)
    given = Array(np.ones(6, np.float32)), *[Array(np.float32(1))] * 2
    with pytest.raises(UndefinedBehavior, match="neutral"):
        Interpreter(EvaluatedProgram.load(text)).call("f", given)

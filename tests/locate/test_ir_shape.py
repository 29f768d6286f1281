"""The shape of the IR right before a failure."""

from collections.abc import Callable

import pytest

from oracles import Command, CompilerOracle, Limits
from reducer.ir import Module
from reducer.locate.failing_pass import FailingPassSearch
from reducer.locate.ir_shape import IrShape, shape_of
from reducer.locate.opt_tool import OptTool
from reducer.locate.pipeline import parse_pipeline
from reducer.toolchain import Toolchain
from tests.support.corpus import Case
from tests.support.sides import function


def shape(body: str, op: str = "") -> set[str]:
    """The paths as text, without the function and its end."""
    text = function(f'{body}\n"func.return"() : () -> ()')
    paths = (" > ".join(path) for path in shape_of(Module.parse(text), op=op).paths)
    inside = (path.partition("func.func > ")[2] for path in paths)
    return set(inside) - {"", "func.return"}


def loop(body: str) -> str:
    return f'"scf.for"() ({{\n{body}\n}}) : () -> ()'


def work(size: int) -> str:
    return f'%0 = "t.make"() : () -> tensor<{size}xf32>\n"t.use"(%0) : (tensor<{size}xf32>) -> ()'


def test_sizes_and_repeats_do_not_count() -> None:
    again = '"t.use"(%0) : (tensor<1xf32>) -> ()'
    assert shape(work(1)) == shape(work(2)) == shape(f"{work(1)}\n{again}") == {"t.make", "t.use"}


def test_loops_and_kinds_of_loops_count() -> None:
    assert shape(loop(work(1))) == {"scf.for", "scf.for > t.make", "scf.for > t.use"}
    kinds = ('["parallel"]', '["reduction"]')
    bodies = (
        f'"t.g"() <{{iterator_types = {kind}}}> ({{\n"t.end"() : () -> ()\n}}) : () -> ()'
        for kind in kinds
    )
    assert [sorted(shape(body)) for body in bodies] == [
        [f"t.g {kind}", f"t.g {kind} > t.end"] for kind in kinds
    ]


def test_constants_and_computing_sizes_do_not_count() -> None:
    more = """
    %1 = "t.constant"() <{value = dense<0> : tensor<2xi32>}> : () -> tensor<2xi32>
    %2 = "t.one"() <{value = 1 : index}> : () -> index
    %3 = "t.rest"(%2, %2) : (index, index) -> i32
    %4 = "t.dim"(%0, %2) : (tensor<2xf32>, index) -> index
    """
    assert shape(work(2) + more) == shape(work(2))


FED = """
%0 = "t.make"() : () -> tensor<2xf32>
%1 = "t.other"() : () -> tensor<2xf32>
"scf.for"(%0) ({
^bb0(%i: index, %c: tensor<2xf32>):
  %2 = "t.bad"(%c) : (tensor<2xf32>) -> tensor<2xf32>
  "t.store"(%2) : (tensor<2xf32>) -> ()
  "t.nest"(%2) ({
    "t.deep"() : () -> ()
  }) : (tensor<2xf32>) -> ()
}) : (tensor<2xf32>) -> ()
"""


@pytest.mark.parametrize("op", ["t.bad", "t.b*", 't.bad "quoted"'])
def test_around_a_failing_op_is_what_feeds_it_and_the_bodies_that_use_it(op: str) -> None:
    around = {"scf.for > t.bad", "t.make", "scf.for > t.nest", "scf.for > t.nest > t.deep"}
    assert shape(FED, op) == around


def test_an_op_that_does_not_exist_yet_says_nothing() -> None:
    assert shape(FED, "t.later") == shape(FED) > shape(FED, "t.bad")


def test_a_pass_works_on_ops_of_a_kind() -> None:
    text = function('"t.a"() : () -> ()\n"func.return"() : () -> ()')
    outside = text.replace('"func.func"', '"t.config"() : () -> ()\n  "func.func"', 1)
    module = Module.parse(outside)
    step = parse_pipeline("builtin.module(func.func(cse))")
    on_functions = shape_of(module, "cse", step)
    assert on_functions == shape_of(Module.parse(text), "cse", step)
    on_all = shape_of(module, "cse", parse_pipeline("builtin.module(cse)"))
    assert on_all.paths > on_functions.paths
    assert on_all.pass_name == on_functions.pass_name == "cse"


def test_stored_and_read_back() -> None:
    before = IrShape("cse", frozenset({("func.func",), ("func.func", "t.a")}))
    assert IrShape.from_json(before.to_json()) == before


# ---- with a real compiler ----------------------------------------------------------------------


@pytest.fixture
def real_shape(
    iree_toolchain: Callable[..., Toolchain],
) -> Callable[[str, tuple[str, ...]], IrShape]:
    """The shape before the failure of a program under IREE 3.13.0, found in one run."""

    def run(text: str, flags: tuple[str, ...]) -> IrShape:
        toolchain = iree_toolchain("3.13.0")
        limits = Limits(60.0)
        oracle = CompilerOracle(Command.parse(["iree-compile", *flags]), toolchain.compile)
        target = oracle.run(text, limits=limits).signature
        tool = OptTool(toolchain.opt, limits=limits, calls=5, seconds=300.0)
        found = FailingPassSearch(oracle, text, target, tool).ir_before()
        assert found is not None and tool.cost.calls == 1
        return shape_of(Module.parse(found.text), found.name, found.step, target.op)

    return run


HIP = ("--iree-hal-target-device=hip", "--iree-rocm-target=gfx942")


def product(batch: int, rows: int) -> str:
    """A product of mixed f8 types, which does not become a valid `vector.contract`."""
    a, b = f"tensor<{batch}x{rows}x2xf8E5M2FNUZ>", f"tensor<{batch}x2x2xf8E4M3FNUZ>"
    c = f"tensor<{batch}x{rows}x2xf32>"
    return f"""
    func.func @main(%a: {a}, %b: {b}, %c: {c}) -> {c} {{
      %0 = linalg.batch_matmul ins(%a, %b : {a}, {b}) outs(%c : {c}) -> {c}
      return %0 : {c}
    }}
    """


@pytest.mark.iree
def test_a_batch_of_one_loses_its_loop_and_a_single_row_loses_nothing(
    real_shape: Callable[[str, tuple[str, ...]], IrShape],
) -> None:
    ordinary = real_shape(product(2, 2), HIP)
    assert ordinary.pass_name == "iree-codegen-generic-vectorization"
    assert real_shape(product(2, 1), HIP) == ordinary
    assert real_shape(product(1, 2), HIP) != ordinary


@pytest.mark.iree
def test_a_crash_names_no_op(
    real_shape: Callable[[str, tuple[str, ...]], IrShape], corpus: Callable[[str], Case]
) -> None:
    text = corpus("matmul-k0-sigfpe").input_text()
    fours = real_shape(text, ())
    assert fours.pass_name == "iree-flow-annotate-dispatches"
    assert real_shape(text.replace("4x", "1x").replace("x4x", "x1x"), ()) == fours

"""Dropping arguments and results from functions along with their calls."""

from reducer.ir import Module
from tests.support.sides import TIED, apply_to
from tests.transformations.test_inline_calls import module

CALLER = """\
  "func.func"() <{function_type = (i32, f32) -> f32, sym_name = "main"}> ({
  ^bb0(%arg0: i32, %arg1: f32):
    %0:2 = "func.call"(%arg0, %arg1) <{callee = @g}> : (i32, f32) -> (i32, f32)
    "func.return"(%0#1) : (f32) -> ()
  }) : () -> ()
"""
CALLEE = """\
  "func.func"() <{function_type = (i32, f32) -> (i32, f32), sym_name = "g"}> ({
  ^bb0(%arg0: i32, %arg1: f32):
    %0 = "t.one"() : () -> i32
    "func.return"(%0, %arg1) : (i32, f32) -> ()
  }) : () -> ()
"""


def test_an_unused_argument() -> None:
    after = apply_to(TIED["drop arguments"], module(CALLER, CALLEE))
    assert '"func.call"(%arg1) <{callee = @g}> : (f32) -> (i32, f32)' in after
    assert '<{function_type = (f32) -> (i32, f32), sym_name = "g"}' in after


def test_an_unused_result() -> None:
    after = apply_to(TIED["drop results"], module(CALLER, CALLEE), 1)
    assert '%s0 = "func.call"(%arg0, %arg1) <{callee = @g}> : (i32, f32) -> f32' in after
    assert '"func.return"(%s0) : (f32) -> ()' in after
    assert '<{function_type = (i32, f32) -> f32, sym_name = "g"}' in after


def test_a_function_that_is_also_passed_on_keeps_its_type() -> None:
    use = '  "t.export"() {f = @g} : () -> ()\n'
    text = Module.parse(module(CALLER, CALLEE, use))
    for transformation in (TIED["drop arguments"], TIED["drop results"]):
        assert all("main" in text.own_text(site.op) for site in transformation.sites(text))


LAUNCH = """\
  "func.func"() <{function_type = (index, i32, f32) -> (), sym_name = "main"}> ({
  ^bb0(%arg0: index, %arg1: i32, %arg2: f32):
    "gpu.launch_func"(%arg0, %arg1, %arg2) {kernel = @k::@g} : (index, i32, f32) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
"""
KERNEL = """\
  "gpu.module"() <{sym_name = "k"}> ({
    "gpu.func"() <{function_type = (i32, f32) -> ()}> ({
    ^bb0(%arg0: i32, %arg1: f32):
      "t.use"(%arg1) : (f32) -> ()
      "gpu.return"() : () -> ()
    }) {sym_name = "g"} : () -> ()
  }) : () -> ()
"""


def test_an_unused_argument_of_a_kernel_goes_with_the_operand_of_its_launch() -> None:
    """The first operand says how many threads there are, and is no argument."""
    after = apply_to(TIED["drop arguments"], module(LAUNCH, KERNEL))
    assert '"gpu.launch_func"(%arg0, %arg2) {kernel = @k::@g} : (index, f32) -> ()' in after
    assert '"gpu.func"() <{function_type = (f32) -> ()}>' in after

"""Rewrites: modules before and after."""

from reducer.ir import Module, Returned, Rewrite
from reducer.ir.functions import entry_block, terminator_of
from tests.support.sides import function

BEFORE = """\
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (0)>
"builtin.module"() ({
  "func.func"() <{arg_attrs = [{t.a}, {}], function_type = (i32, f32) -> i32, sym_name = "f"}> ({
  ^bb0(%arg0: i32, %arg1: f32):
    %0 = "t.a"(%arg0) {m = #map} : (i32) -> i32
    %1 = "t.b"(%0, %arg1) {m = #map1} : (i32, f32) -> i32
    "func.return"(%1) : (i32) -> ()
  }) : () -> ()
}) : () -> ()
"""


def test_a_producer_becomes_an_argument_and_its_aliases_are_pruned() -> None:
    module = Module.parse(BEFORE)
    rewrite = Rewrite(module)
    rewrite.remove(2)
    rewrite.substitute(module.results(2)[0], rewrite.add_argument(1, "i32"))
    rewrite.drop_argument(1, 0)
    assert (
        rewrite.render()
        == """\
#map1 = affine_map<(d0) -> (0)>
"builtin.module"() ({
  "func.func"() <{function_type = (f32, i32) -> i32, sym_name = "f"}> ({
  ^bb0(%arg1: f32, %s0: i32):
    %1 = "t.b"(%s0, %arg1) {m = #map1} : (i32, f32) -> i32
    "func.return"(%1) : (i32) -> ()
  }) : () -> ()
}) : () -> ()
"""
    )


def test_a_function_returns_something_else() -> None:
    module = Module.parse(BEFORE)
    terminator = terminator_of(module, 1)
    assert terminator is not None
    rewrite = Rewrite(module)
    rewrite.remove(3)
    rewrite.set_returns(1, terminator, [Returned("%0", "i32"), Returned("%arg1", "f32")])
    after = Module.parse(rewrite.render())
    assert '"func.return"(%0, %arg1) : (i32, f32) -> ()' in after.text
    assert "function_type = (i32, f32) -> (i32, f32)" in after.text


def test_dropping_the_last_argument_drops_the_label() -> None:
    text = BEFORE.replace('"t.a"(%arg0) {m = #map} : (i32)', '"t.a"() {m = #map} : ()')
    text = text.replace('"t.b"(%0, %arg1) {m = #map1} : (i32, f32)', '"t.b"(%0) : (i32)')
    module = Module.parse(text)
    rewrite = Rewrite(module)
    rewrite.drop_argument(1, 0)
    rewrite.drop_argument(1, 1)
    after = Module.parse(rewrite.render())
    assert "^bb0" not in after.text
    block = entry_block(after, 1)
    assert block is not None
    assert not after.block_args(block)


def test_dropping_all_entries_drops_the_dictionary() -> None:
    module = Module.parse(BEFORE)
    rewrite = Rewrite(module)
    rewrite.set_entry(2, "m", None)
    assert '"t.a"(%arg0) : (i32) -> i32' in rewrite.render()


def test_a_fresh_name_is_new() -> None:
    module = Module.parse(BEFORE.replace("%0", "%s7"))
    assert Rewrite(module).fresh() == "%s8"


def test_unused_resources_are_pruned() -> None:
    text = """\
%0 = "t.a"() {v = dense_resource<kept> : tensor<1xi8>} : () -> i32
%1 = "t.b"() {v = dense_resource<gone> : tensor<1xi8>} : () -> i32

{-#
  dialect_resources: {
    builtin: {
      gone: "0x0400000001",
      kept: "0x0400000002"
    }
  }
#-}
"""
    rewrite = Rewrite(Module.parse(text))
    rewrite.remove(1)
    after = rewrite.render()
    assert 'kept: "0x0400000002"\n' in after
    assert "gone" not in after
    rewrite.remove(0)
    assert "{-#" not in rewrite.render()


def test_set_type_changes_every_mention_of_the_type() -> None:
    module = Module.parse(BEFORE)
    rewrite = Rewrite(module)
    rewrite.set_type(module.block_args(module.t.def_block[0])[0], "i8")
    rewrite.set_type(module.results(3)[0], "tensor<2xi8>")
    assert (
        rewrite.render()
        == """\
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (0)>
"builtin.module"() ({
  "func.func"() <{arg_attrs = [{t.a}, {}], function_type = (i8, f32) -> tensor<2xi8>, sym_name = "f"}> ({
  ^bb0(%arg0: i8, %arg1: f32):
    %0 = "t.a"(%arg0) {m = #map} : (i8) -> i32
    %1 = "t.b"(%0, %arg1) {m = #map1} : (i32, f32) -> tensor<2xi8>
    "func.return"(%1) : (tensor<2xi8>) -> ()
  }) : () -> ()
}) : () -> ()
"""  # noqa: E501
    )


def test_dropping_an_operand_updates_the_segment_sizes() -> None:
    module = Module.parse(
        """\
"builtin.module"() ({
  %0 = "t.a"() : () -> i32
  %1 = "t.a"() : () -> f32
  "t.b"(%0, %1, %0) <{operandSegmentSizes = array<i32: 1, 0, 2>}> : (i32, f32, i32) -> ()
}) : () -> ()
"""
    )
    rewrite = Rewrite(module)
    rewrite.drop_operand(3, 1)
    assert (
        '"t.b"(%0, %0) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (i32, i32) -> ()'
        in rewrite.render()
    )


def test_aliases_that_a_kept_alias_names_stay() -> None:
    text = function(
        '"t.a"() {x = #outer} : () -> ()\n"t.b"() {x = #other} : () -> ()',
        head="#inner = #t.in<1>\n#other = #t.in<2>\n#outer = #t.out<#inner>",
    )
    module = Module.parse(text)
    rewrite = Rewrite(module)
    rewrite.remove(module.t.name.index("t.b"))
    aliases = [line for line in rewrite.render().splitlines() if line.startswith("#")]
    assert aliases == ["#inner = #t.in<1>", "#outer = #t.out<#inner>"]


def test_dense_segment_sizes_lose_an_operand() -> None:
    text = (
        '"builtin.module"() ({\n'
        '  "func"() ({\n  ^bb0(%a: i32, %b: i32):\n'
        '    "t.op"(%a, %b) {operand_segment_sizes = dense<1> : vector<2xi32>} : (i32, i32) -> ()\n'
        '    "t.return"() : () -> ()\n'
        '  }) {sym_name = "f", type = (i32, i32) -> ()} : () -> ()\n'
        "}) : () -> ()\n"
    )
    rewrite = Rewrite(Module.parse(text))
    rewrite.drop_operand(2, 1)
    assert "dense<[1, 0]> : vector<2xi32>} : (i32) -> ()" in rewrite.render()


def test_a_function_type_by_its_old_name_loses_an_argument() -> None:
    text = (
        '"module"() ({\n'
        '  "func"() ({\n  ^bb0(%a: i32, %b: i64):\n    "t.return"() : () -> ()\n'
        '  }) {sym_name = "f", type = (i32, i64) -> ()} : () -> ()\n'
        "}) : () -> ()\n"
    )
    module = Module.parse(text)
    assert module.op_count == 2
    rewrite = Rewrite(module)
    rewrite.drop_argument(1, 0)
    assert "type = (i64) -> ()" in rewrite.render()

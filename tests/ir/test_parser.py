"""The parser: from text to op table."""

import pytest

from reducer.ir import GenericSyntaxError, Module
from tests.support.printing import printed

SORT = """\
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<8xf32>) -> tensor<8xf32>, sym_name = "f"}> ({
  ^bb0(%arg0: tensor<8xf32>):
    %0:2 = "t.sort"(%arg0, %arg0) <{dimension = 0 : i64}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = "t.less"(%arg1, %arg2) : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "t.return"(%1) : (tensor<i1>) -> ()
    }) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    "func.return"(%0#1) : (tensor<8xf32>) -> ()
  }) : () -> ()
}) : () -> ()
"""


def test_ops_nest_and_values_are_bound() -> None:
    module = Module.parse(SORT)
    names = ["builtin.module", "func.func", "t.sort", "t.less", "t.return", "func.return"]
    assert module.t.name == names
    assert [module.t.parent[op] for op in range(6)] == [-1, 0, 1, 2, 2, 1]
    returned = module.t.operands[5][0]
    assert module.tokens[returned] == "%0#1"
    assert module.t.def_op[returned] == 2
    assert module.uses[module.t.operands[3][0]] == [(3, 0)]


def test_ops_that_were_read_before_are_read_alike() -> None:
    """Headers are remembered; what follows them, and what they are inside, may differ."""
    first = Module.parse(SORT)
    moved = Module.parse(f"// a comment\n{SORT}")
    assert (moved.t.name, moved.t.operands) == (first.t.name, first.t.operands)
    assert [moved.header(op) for op in range(6)] == [first.header(op) for op in range(6)]
    assert [moved.type_of(value) for value in moved.results(2)] == ["tensor<8xf32>"] * 2
    assert moved.syntax(2).entry("dimension") is not None
    span = moved.syntax(2).properties_span
    assert span is not None and moved.text[slice(*span)] == "<{dimension = 0 : i64}>"


def test_printing_a_parsed_module_changes_nothing() -> None:
    assert printed(Module.parse(SORT)) == SORT


def test_regions_are_separated() -> None:
    text = """\
"t.if"() ({
  "t.yield"() : () -> ()
}, {
^bb0(%arg0: i32):
  "t.br"(%arg0)[^bb1] : (i32) -> ()
^bb1:  // pred: ^bb0
  "t.yield"() : () -> ()
}) : () -> ()
"""
    module = Module.parse(text)
    assert len(module.t.regions[0]) == 2
    assert [len(module.t.region_blocks[r]) for r in module.t.regions[0]] == [1, 2]
    assert module.t.successors[2] == ("^bb1",)
    assert printed(module) == text


def test_names_reused_in_an_isolated_region_are_other_values() -> None:
    text = """\
"builtin.module"() ({
  %0 = "t.make"() : () -> i32
  "t.isolated"() ({
    "t.use"(%0) : (i32) -> ()
    %0 = "t.make"() : () -> i32
  }) : () -> ()
  "t.use"(%0) : (i32) -> ()
}) : () -> ()
"""
    module = Module.parse(text)
    inner, outer = module.t.operands[3][0], module.t.operands[5][0]
    assert module.t.def_op[inner] == 4, "a forward reference binds inside its own region"
    assert module.t.def_op[outer] == 1


def test_an_undeclared_value_is_marked_but_accepted() -> None:
    module = Module.parse('"t.use"(%9) : (i32) -> ()\n')
    assert module.t.operands[0] == (-1,)


def test_attributes_broken_over_lines_belong_to_one_op() -> None:
    text = '"t.a"() {x = #t.y<\n  1,\n  2>} : () -> ()\n"t.b"() : () -> ()\n'
    assert Module.parse(text).t.name == ["t.a", "t.b"]


@pytest.mark.parametrize(
    "text", ["", "func.func @f() {\n}\n", '"t.a"() ({\n', "}) : () -> ()\n", "\x00\x01"]
)
def test_other_text_is_rejected(text: str) -> None:
    with pytest.raises(GenericSyntaxError):
        Module.parse(text)


def test_bodies_that_the_pretty_form_hides_do_not_count() -> None:
    text = """\
"builtin.module"() ({
  %0 = "linalg.fill"() ({
  ^bb0(%arg0: f32):
    "linalg.yield"(%arg0) : (f32) -> ()
  }) : () -> tensor<4xf32>
}) : () -> ()
"""
    assert Module.parse(text).op_count == 1


@pytest.mark.parametrize("label", ["^bb0(arg0):", "^bb0(%):", "^bb0(:"])
def test_a_label_whose_arguments_have_no_names_is_an_error(label: str) -> None:
    text = SORT.replace("^bb0(%arg0: tensor<8xf32>):", label)
    with pytest.raises(GenericSyntaxError, match="line 3: expected a block label"):
        Module.parse(text)


def test_an_op_that_its_printer_has_broken_is_one_op() -> None:
    text = SORT.replace("<{dimension = 0 : i64}>", "<{a = [{\n}, {\nb = 1}]}>")
    broken = text.replace('"t.less"(%arg1, %arg2)', '"t.less"(%arg1, %arg2) <{a = [\n  1]}>')
    module = Module.parse(broken)
    less = module.t.name.index("t.less")
    assert module.header(less).strip() == (
        '%1 = "t.less"(%arg1, %arg2) <{a = [\n  1]}> : (tensor<f32>, tensor<f32>) -> tensor<i1>'
    )
    assert len(module) == 6 and printed(module) == broken

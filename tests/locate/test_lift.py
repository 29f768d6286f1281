"""Taking a function out of the ops around it, and the pipeline with it."""

from reducer.ir import Module
from reducer.locate.lift import lifted
from reducer.locate.pipeline import parse_pipeline

EXECUTABLE = """\
#where = #gpu.target<"x">
"builtin.module"() ({
  "hal.executable"() <{sym_name = "e", sym_visibility = "private"}> ({
    "hal.executable.variant"() <{sym_name = "v", target = #where}> ({
      "builtin.module"() ({
        "func.func"() <{function_type = () -> (), sym_name = "f"}> ({
          "func.return"() : () -> ()
        }) : () -> ()
      }) {inner} : () -> ()
    }) : () -> ()
  }) : () -> ()
}) {outer = 1 : i32} : () -> ()
"""
PIPELINE = "builtin.module(hal.executable(hal.executable.variant(builtin.module(func.func(cse)))))"


def test_the_deepest_op_comes_first_and_the_pipeline_follows() -> None:
    found = list(lifted(Module.parse(EXECUTABLE), parse_pipeline(PIPELINE)))
    pipelines = [step.text for _, step in found if step]
    assert pipelines[:4] == ["builtin.module(func.func(cse))"] * 4
    assert "builtin.module(hal.executable.variant(builtin.module(func.func(cse))))" in pipelines
    first = found[0][0]
    assert "hal" not in first
    assert '"func.return"' in first
    assert Module.parse(first).op_count == 2


def test_a_second_form_keeps_what_the_ops_around_say() -> None:
    found = list(lifted(Module.parse(EXECUTABLE), parse_pipeline(PIPELINE)))
    last = found[1][0].splitlines()[-1]
    assert "hal.executable.target = #where" in last
    assert "builtin.outer = 1 : i32" in last
    assert "sym_name" not in last


def test_a_function_at_the_top_stays_where_it_is() -> None:
    text = """\
"builtin.module"() ({
  "func.func"() <{function_type = () -> (), sym_name = "f"}> ({
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""
    step = parse_pipeline("builtin.module(func.func(cse))")
    assert not list(lifted(Module.parse(text), step))

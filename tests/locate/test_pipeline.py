"""Pass pipelines as text and as trees."""

import pytest

from reducer.ir import Module
from reducer.locate.pipeline import extracted, nested, parse_pipeline

WHOLE = "builtin.module(func.func(cse,canonicalize{max-iterations=2 filter={a b}}),symbol-dce)"


def test_a_pipeline_survives_reading_and_printing() -> None:
    assert parse_pipeline(WHOLE).text == WHOLE


def test_passes_know_their_options_and_anchors() -> None:
    step = parse_pipeline(
        "builtin.module(func.func(canonicalize{max-iterations=2  top-down=true}))"
    )
    assert step.anchors == ("builtin.module", "func.func")
    (only,) = step.passes
    assert only.name == "canonicalize"
    assert only.options == ("max-iterations=2", "top-down=true")
    assert nested(step.anchors, only) == step


def test_smaller_pipelines_have_one_thing_less() -> None:
    assert [less.text for less in parse_pipeline("m(a{x=1 y},b)").smaller()] == [
        "m(b)",
        "m(a{x=1 y})",
        "m(a{y},b)",
        "m(a{x=1},b)",
    ]
    assert parse_pipeline(WHOLE).bare().text == (
        "builtin.module(func.func(cse,canonicalize),symbol-dce)"
    )


@pytest.mark.parametrize("text", ["", "m(", "m(a", "m(a))", "a,b", "m(,a)", "m(a{x)"])
def test_what_is_no_pipeline_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="pipeline"):
        parse_pipeline(text)


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
    found = list(extracted(Module.parse(EXECUTABLE), parse_pipeline(PIPELINE)))
    pipelines = [step.text for _, step in found if step]
    assert pipelines[:4] == ["builtin.module(func.func(cse))"] * 4
    assert "builtin.module(hal.executable.variant(builtin.module(func.func(cse))))" in pipelines
    first = found[0][0]
    assert "hal" not in first
    assert '"func.return"' in first
    assert Module.parse(first).op_count == 2


def test_a_second_form_keeps_what_the_ops_around_say() -> None:
    found = list(extracted(Module.parse(EXECUTABLE), parse_pipeline(PIPELINE)))
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
    assert not list(extracted(Module.parse(text), step))

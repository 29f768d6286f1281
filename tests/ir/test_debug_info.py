"""Source locations in printed IR: before and after."""

import pytest

from reducer.ir import Module, Rewrite
from reducer.ir.debug_info import (
    aliases_first,
    location_span,
    with_op_locations,
    without_op_locations,
    without_own_locations,
)

LOCATED = """\
#loc = loc(unknown)
#map = affine_map<(d0) -> (d0)>
"builtin.module"() ({
  "func.func"() <{function_type = (f32) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: f32 loc("a)b"), %arg1: f32 loc(#loc1)):  // 2 preds
    %0 = "t.a"(%arg0) {l = #loc3, s = " loc(x)"} : (f32) -> f32 loc(#loc2)
    "t.b"(%0) {m = #map} : (f32) -> () loc(callsite(#loc3 at "x"("y")))
    "func.return"() : () -> () loc(#loc4)
  }) : () -> () loc(#loc)
}) : () -> () loc(#loc)
#loc1 = loc("input.mlir":3:1)
#loc2 = loc("layer"(#loc1))
#loc3 = loc("other")
#loc4 = loc("input.mlir":4:5 to :17)
"""
PLAIN = """\
"builtin.module"() ({
  "func.func"() <{function_type = (f32) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: f32, %arg1: f32):  // 2 preds
    %0 = "t.a"(%arg0) {l = #loc3, s = " loc(x)"} : (f32) -> f32
    "t.b"(%0) {m = #map} : (f32) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""
MAP = "#map = affine_map<(d0) -> (d0)>\n"


@pytest.mark.parametrize(
    ("line", "location"),
    [
        ('"t.a"() : () -> () loc("b")\n', ' loc("b")'),
        ("  }) : () -> () loc(callsite(#loc3 at fused<(1)>[#loc4]))", None),
        ('"t.a"() {s = " loc(b)"} : () -> ()', None),
        ('"t.a"() {l = loc("b")} : () -> (i1)', None),
        ('"t.a"() {s = "\\" loc("} : () -> () loc("x)\\"")', ' loc("x)\\"")'),
        ("", None),
    ],
)
def test_the_location_at_the_end_of_a_line(line: str, location: str | None) -> None:
    span = location_span(line)
    if "callsite" in line:
        location = line[line.index(" loc") :]
    assert (None if span is None else line[slice(*span)]) == location


def test_generic_form_without_locations() -> None:
    without = without_op_locations(LOCATED)
    assert "".join(without.splitlines(keepends=True)[2:10]) == PLAIN
    assert without_op_locations(PLAIN) == PLAIN


def test_generic_form_to_edit_has_no_location_of_its_own_file_or_of_an_argument() -> None:
    edited = with_op_locations(LOCATED, "input.mlir")
    head, lines = edited.split('"builtin.module"')
    assert [line.split(" = ")[0] for line in head.splitlines()] == [
        *("#loc", "#map", "#loc1", "#loc2", "#loc3", "#loc4")
    ]
    assert "^bb0(%arg0: f32, %arg1: f32):" in lines
    assert ": (f32) -> f32 loc(#loc2)\n" in lines
    assert '"func.return"() : () -> ()\n' in lines
    assert Module.parse(edited).op_count == 4


def test_pretty_form_keeps_what_another_file_or_a_name_says() -> None:
    pretty = (
        'func.func @f(%a: f32 loc("input.mlir":1:2), %b: f32 loc("b")) {\n'
        '  t.a loc("input.mlir":2:3)\n  t.b loc("other.mlir":2:3)\n  return loc(#loc1)\n'
        '} loc(#loc2)\n#loc1 = loc("input.mlir":1:1)\n#loc2 = loc("input.mlir"(#loc1))\n'
    )
    assert without_own_locations(pretty, "input.mlir") == (
        '#loc1 = loc("input.mlir":1:1)\n#loc2 = loc("input.mlir"(#loc1))\n'
        'func.func @f(%a: f32, %b: f32 loc("b")) {\n'
        '  t.a\n  t.b loc("other.mlir":2:3)\n  return\n'
        "} loc(#loc2)\n"
    )


def test_aliases_that_are_first_already_stay() -> None:
    text = f"{MAP}module {{\n}}\n"
    assert aliases_first(text) is text
    assert aliases_first(f"module {{\n}}\n{MAP}") == text


def test_an_edit_keeps_what_is_between_aliases_in_front_and_behind() -> None:
    """A program of a user that is in generic form is edited as it is."""
    text = (
        LOCATED
        + '\n{-#\n  dialect_resources: {\n    builtin: {\n      r: "0x01"\n    }\n  }\n#-}\n'
    )
    module = Module.parse(text)
    rewrite = Rewrite(module)
    rewrite.remove(module.t.name.index("t.b"))
    after = rewrite.render()
    assert after is not None
    assert after == (
        LOCATED.replace(MAP, "").replace(
            '    "t.b"(%0) {m = #map} : (f32) -> () loc(callsite(#loc3 at "x"("y")))\n', ""
        )
        + "\n"
    )


def test_an_edit_drops_aliases_behind_that_nothing_uses_any_longer() -> None:
    text = '"t.m"() ({\n  "t.a"() : () -> () loc(#loc1)\n  "t.b"() : () -> () loc(#loc)\n'
    module = Module.parse(f'{text}}}) : () -> ()\n#loc = loc("a")\n#loc1 = loc("b")\n')
    rewrite = Rewrite(module)
    rewrite.remove(module.t.name.index("t.a"))
    after = rewrite.render()
    assert after is not None
    assert after.partition("}) : () -> ()\n")[2] == '#loc = loc("a")\n'

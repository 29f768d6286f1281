"""Inlined aliases and shortened value names: before and after."""

from collections import Counter

import pytest

from reducer.ir import pretty
from reducer.ir.pretty import inline_aliases, shorten_value_names, unwrap

MAP = "affine_map<(d0) -> (d0)>"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"#map = {MAP}\n t.op {{m = [#map, 1]}}\n", f" t.op {{m = [{MAP}, 1]}}\n"),
        (f"#map = {MAP}\n#map1 = #t.of<#map>\n t.op #map1\n", f" t.op #t.of<{MAP}>\n"),
        ("!t = !u.v\n t.op : !t, !t\n", " t.op : !u.v, !u.v\n"),
        ('#loc1 = loc("a")\n t.op loc(#loc1)\n', ' t.op loc("a")\n'),
        (
            '#loc = loc("a")\n#loc1 = loc("b"(#loc))\n t.op loc(#loc1)\n',
            '#loc = loc("a")\n t.op loc("b"(#loc))\n',
        ),
    ],
    ids=["used once", "one in another", "short", "a location", "a location in another"],
)
def test_an_alias_that_saves_nothing_is_inlined(before: str, after: str) -> None:
    assert inline_aliases(before) == after


def test_aliases_that_mention_each_other_are_inlined_one_in_another() -> None:
    """Each is a part of the next one, as calls are of the calls in which they are inlined."""
    before = '#a = "x"\n#b = t<#a>\n#c = u<#b>\n#d = v<#c>\n t.op #d\n'
    assert inline_aliases(before) == ' t.op v<u<t<"x">>>\n'


def test_text_with_a_location_for_each_op_is_read_a_few_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Reading it again for each of them took minutes for 5,000 ops."""
    names = [f"#loc{number}" for number in range(500)]
    before = "".join(f'{name} = loc("{name[1:]}")\n' for name in names)
    before += "".join(f" t.op loc({name})\n" for name in names)
    read: list[int] = []
    mentions = pretty._mentions

    def counted(text: str) -> Counter[str]:
        read.append(len(text))
        return mentions(text)

    monkeypatch.setattr(pretty, "_mentions", counted)
    after = inline_aliases(before)
    assert after == "".join(f' t.op loc("{name[1:]}")\n' for name in names)
    assert sum(read) < 3 * len(before)


def test_useful_aliases_stay_and_are_renumbered() -> None:
    before = f"#map = {MAP}\n#map1 = affine_map<() -> ()>\n a #map\n b #map1, #map1, #map1\n"
    after = f"#map = affine_map<() -> ()>\n a {MAP}\n b #map, #map, #map\n"
    assert inline_aliases(before) == after


def test_only_whole_names_outside_strings_and_comments_are_inlined() -> None:
    before = '#a = 1 : i8\n t.op #a {s = "#a", n = #a.b, o = #a1} // #a\n'
    assert inline_aliases(before) == ' t.op 1 : i8 {s = "#a", n = #a.b, o = #a1} // #a\n'


def test_text_without_aliases_is_unchanged() -> None:
    assert inline_aliases("module {\n}\n") == "module {\n}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "func.func @f(%arg0: i32) -> i32 {\n  %c1_i32 = arith.constant 1 : i32\n"
            "  %0 = arith.addi %arg0, %c1_i32 : i32\n  return %0 : i32\n}\n",
            "func.func @f(%a: i32) -> i32 {\n  %0 = arith.constant 1 : i32\n"
            "  %1 = arith.addi %a, %0 : i32\n  return %1 : i32\n}\n",
        ),
        (
            "  %values, %indices = t.sort %arg0\n  return %indices\n",
            "  %0, %1 = t.sort %a\n  return %1\n",
        ),
        (
            "  %pair:2, %2 = t.op %arg0#1\n  t.use %pair#0, %2\n",
            "  %0:2, %1 = t.op %a#1\n  t.use %0#0, %1\n",
        ),
        (
            "  %r = scf.for %arg1 = %c0 to %c1 iter_args(%arg2 = %x) -> (f32) {\n",
            "  %0 = scf.for %a = %b to %c iter_args(%d = %e) -> (f32) {\n",
        ),
        ("^bb0(%in: f32, %out: f32):\n", "^bb0(%a: f32, %b: f32):\n"),
    ],
    ids=["arguments and results", "several", "packs", "loop", "block"],
)
def test_before_and_after(before: str, after: str) -> None:
    assert shorten_value_names(before) == after


def test_strings_and_comments_are_left_alone() -> None:
    before = '  %res = t.op "%res \\" %res" // %res\n'
    assert shorten_value_names(before) == '  %0 = t.op "%res \\" %res" // %res\n'


def test_a_name_in_two_functions_stays_one_name_and_two_names_stay_two() -> None:
    before = "f(%arg0) {\n  %x = a %arg0\n}\ng(%arg0, %b) {\n  %0 = a %arg0, %b\n}\n"
    after = "f(%a) {\n  %0 = a %a\n}\ng(%a, %b) {\n  %1 = a %a, %b\n}\n"
    assert shorten_value_names(before) == after


def test_more_than_the_alphabet() -> None:
    before = ", ".join(f"%arg{n}" for n in range(60))
    names = shorten_value_names(before).split(", ")
    assert (names[25], names[26], names[52]) == ("%z", "%a0", "%a1")
    assert len(set(names)) == 60


PRETTY = """\
module {
  func.func @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
}
"""


def test_a_plain_wrapper_goes_and_aliases_stay() -> None:
    text = "#map = affine_map<(d0) -> (d0)>\n" + PRETTY
    assert unwrap(text) == (
        "#map = affine_map<(d0) -> (d0)>\n"
        "func.func @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  return %arg0 : tensor<4xf32>\n"
        "}\n"
    )


def test_a_module_with_a_name_or_attributes_keeps_its_wrapper() -> None:
    assert unwrap(PRETTY.replace("module {", "module @m {")) is None
    assert unwrap(PRETTY.replace("module {", "module attributes {a} {")) is None

"""Aliases: before and after."""

import pytest

from reducer.ir.aliases import inline_aliases

MAP = "affine_map<(d0) -> (d0)>"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"#map = {MAP}\n t.op {{m = [#map, 1]}}\n", f" t.op {{m = [{MAP}, 1]}}\n"),
        (f"#map = {MAP}\n#map1 = #t.of<#map>\n t.op #map1\n", f" t.op #t.of<{MAP}>\n"),
        ("!t = !u.v\n t.op : !t, !t\n", " t.op : !u.v, !u.v\n"),
    ],
    ids=["used once", "one in another", "short"],
)
def test_what_is_no_longer_without_its_name_is_written_out(before: str, after: str) -> None:
    assert inline_aliases(before) == after


def test_what_a_name_makes_shorter_keeps_it_and_numbers_have_no_gaps() -> None:
    before = f"#map = {MAP}\n#map1 = affine_map<() -> ()>\n a #map\n b #map1, #map1, #map1\n"
    after = f"#map = affine_map<() -> ()>\n a {MAP}\n b #map, #map, #map\n"
    assert inline_aliases(before) == after


def test_only_whole_names_outside_strings_and_comments_are_aliases() -> None:
    before = '#a = 1 : i8\n t.op #a {s = "#a", n = #a.b, o = #a1} // #a\n'
    assert inline_aliases(before) == ' t.op 1 : i8 {s = "#a", n = #a.b, o = #a1} // #a\n'


def test_text_without_aliases_stays() -> None:
    assert inline_aliases("module {\n}\n") == "module {\n}\n"

"""Values: how a use of each is written, and where the uses are."""

from reducer.ir import Module

BRANCHES = """\
"builtin.module"() ({
  "t.func"() <{sym_name = "f"}> ({
  ^bb0(%a: i32, %b.1: tensor<2xi32>):
    %x, %0:2, %y = "t.four"(%a, %a) : (i32, i32) -> (i32, i32, i32, i32)
    "t.br"(%0#1, %y)[^bb1] : (i32, i32) -> ()
  ^bb1(%c: i32, %d: i32):
    "t.return"(%a) : (i32) -> ()
  }) : () -> ()
}) : () -> ()
"""


def test_tokens_are_what_a_use_is_written_as() -> None:
    tokens = Module.parse(BRANCHES).tokens
    assert len(tokens) == 8
    assert list(tokens) == ["%a", "%b.1", "%x", "%0#0", "%0#1", "%y", "%c", "%d"]
    assert (tokens[5], tokens[1], tokens[3]) == ("%y", "%b.1", "%0#0")


def test_uses_are_in_text_order() -> None:
    module = Module.parse(BRANCHES)
    uses = {token: module.uses[value] for value, token in enumerate(module.tokens)}
    four, branch, end = (module.t.name.index(name) for name in ("t.four", "t.br", "t.return"))
    assert uses["%a"] == [(four, 0), (four, 1), (end, 0)]
    assert uses["%0#1"] == [(branch, 0)]
    assert uses["%y"] == [(branch, 1)]
    assert not uses["%x"] and not uses["%d"]

"""What ops are required by constants and attributes."""

from reducer.ir import Module
from reducer.transformations.degenerate import MadeFrom
from reducer.transformations.required_constants import RequiredConstants, with_required_constants

BEFORE = """\
"builtin.module"() ({
  "t.func"() ({
  ^bb0(%a: i4, %b: i32):
    %0 = "t.constant"() <{value = 16 : i32}> : () -> i32
    %1 = "t.shuffle"(%a, %b, %0) {t.mode = 1 : i32} : (i4, i32, i32) -> i4
    "t.return"(%1, %0) : (i4, i32) -> ()
  }) {sym_name = "f", t.size = 16 : i32} : () -> ()
}) : () -> ()
"""
AFTER = """\
"builtin.module"() ({
  "t.func"() ({
  ^bb0(%a: i32):
    %1 = "t.shuffle"(%a, %a, %a) : (i32, i32, i32) -> i32
    "t.return"() : () -> ()
  }) {sym_name = "g"} : () -> ()
}) : () -> ()
"""
AGAIN = """\
"builtin.module"() ({
  "t.func"() ({
  ^bb0(%a: i32):
    %s0 = "t.constant"() <{value = 16 : i32}> : () -> i32
    %1 = "t.shuffle"(%a, %a, %s0) {t.mode = 1 : i32} : (i32, i32, i32) -> i32
    "t.return"() : () -> ()
  }) {t.size = 16 : i32, sym_name = "g"} : () -> ()
}) : () -> ()
"""


def again(after: str) -> str | None:
    before, module = Module.parse(BEFORE), Module.parse(after)
    ops = {op: before.t.name.index(name) for op, name in enumerate(module.t.name)}
    return with_required_constants(module, MadeFrom(before, ops))


def test_what_ops_have_lost_they_are_told_again() -> None:
    found = again(AFTER)
    assert found is not None
    assert [line.split() for line in found.splitlines()] == [
        line.split() for line in AGAIN.splitlines()
    ]


def test_a_constant_is_put_as_far_outside_as_it_was() -> None:
    """What fails for a value from outside of a body would not fail any more."""

    def inside(text: str) -> str:
        op = next(line for line in text.splitlines() if "t.shuffle" in line)
        return text.replace(op, f'"t.if"() ({{\n{op}\n"t.end"() : () -> ()\n}}) : () -> ()')

    before, after = (Module.parse(inside(text)) for text in (BEFORE, AFTER))
    ops = {op: before.t.name.index(name) for op, name in enumerate(after.t.name)}
    found = with_required_constants(after, MadeFrom(before, ops))
    assert found is not None
    assert found.index("t.constant") < found.index("t.if") < found.index("t.shuffle")


def test_a_constant_with_another_value_is_lost() -> None:
    found = again(AGAIN.replace("value = 16", "value = 1"))
    assert found is not None and "value = 16" in found


def test_a_list_with_other_numbers_is_no_loss() -> None:
    """It may have changed with the types."""
    other = AGAIN.replace("t.mode = 1 : i32", "t.mode = 0 : i32, t.sizes = [4 : si64]")
    before = BEFORE.replace("t.mode = 1 : i32", "t.mode = 0 : i32, t.sizes = [9 : si64]")
    module = Module.parse(other)
    original = Module.parse(before)
    ops = {op: original.t.name.index(name) for op, name in enumerate(module.t.name)}
    assert with_required_constants(module, MadeFrom(original, ops)) is None
    assert RequiredConstants.of(original).admits(module)


def test_what_has_lost_nothing_stays() -> None:
    assert again(AGAIN) is None


def test_a_constant_of_another_type_is_no_loss() -> None:
    other = AGAIN.replace("16 : i32}> : () -> i32", "16 : i8}> : () -> i8")
    assert again(other.replace("(i32, i32, i32)", "(i32, i32, i8)")) is None


def test_only_programs_that_tell_as_much_are_admitted() -> None:
    required = RequiredConstants.of(Module.parse(BEFORE))
    assert required.admits(Module.parse(BEFORE))
    assert required.admits(Module.parse(AGAIN)), "what is returned does not count"
    assert not required.admits(Module.parse(AFTER))
    assert not required.admits(Module.parse(AGAIN.replace(" {t.mode = 1 : i32}", "")))
    assert not required.admits(Module.parse(AGAIN.replace("%s0)", "%a)")))


def test_neither_a_type_nor_what_an_alias_stands_for_is_put_back() -> None:
    typed = "function_type = (i4, i32) -> (), t.map = #map, t.size = 16"
    definition = "#map = affine_map<(d0) -> (d0)>\n"
    before = definition + BEFORE.replace("t.size = 16", typed)
    after = AGAIN.replace("t.size = 16", "function_type = (i32) -> (), t.size = 16")
    module, original = Module.parse(after), Module.parse(before)
    ops = {op: original.t.name.index(name) for op, name in enumerate(module.t.name)}
    assert with_required_constants(module, MadeFrom(original, ops)) is None
    used = definition + after.replace("t.mode = 1", "t.mode = 1 : i32, t.map = #map, t.other = 1")
    found = with_required_constants(Module.parse(used), MadeFrom(original, ops))
    assert found is not None and found.count("t.map = #map") == 2, "defined alike"

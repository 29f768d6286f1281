"""Short names for symbols: before and after."""

from reducer.ir import Module
from reducer.transformations.rename_symbols import RenameSymbols


def renamed(*lines: str) -> list[str]:
    text = "\n".join(['"builtin.module"() ({', *lines, "}) : () -> ()", ""])
    module = Module.parse(text)
    renaming = RenameSymbols()
    after = renaming.apply(module, renaming.sites(module)) or text
    Module.parse(after)
    return after.splitlines()[1:-1]


def function(name: str, *body: str, private: bool = False) -> list[str]:
    hidden = ', sym_visibility = "private"' if private else ""
    head = f'  "func.func"() <{{function_type = () -> (), sym_name = "{name}"{hidden}}}> ({{'
    return [head, *body, '    "func.return"() : () -> ()', "  }) : () -> ()"]


CALL = '    "func.call"() <{{callee = @{}}}> : () -> ()'


def test_the_entry_is_main_and_what_it_calls_is_f() -> None:
    before = [
        *function("decode$async", CALL.format("layer_7_helper")),
        *function("layer_7_helper", private=True),
    ]
    after = [*function("main", CALL.format("f")), *function("f", private=True)]
    assert renamed(*before) == after


def test_names_in_quotes_and_nested_references() -> None:
    before = [
        '  "t.global"() <{sym_name = "a weight"}> : () -> ()',
        '  "t.use"() {w = @"a weight", x = @decode::@"a weight", s = "@decode"} : () -> ()',
        *function("decode"),
    ]
    after = [
        '  "t.global"() <{sym_name = "g0"}> : () -> ()',
        '  "t.use"() {w = @g0, x = @main::@g0, s = "@decode"} : () -> ()',
        *function("main"),
    ]
    assert renamed(*before) == after


def test_names_of_missing_symbols_are_not_reused() -> None:
    before = [*function("first", CALL.format("main"), CALL.format("f"))]
    after = [*function("g", CALL.format("main"), CALL.format("f"))]
    assert renamed(*before) == after


def test_no_two_names_become_one() -> None:
    before = [*function("g"), *function("main"), *function("f", private=True)]
    names = {line.split('sym_name = "')[1][:4] for line in renamed(*before) if "sym_name" in line}
    assert len(names) == 3


def test_short_names_stay() -> None:
    before = ['  "t.thing"() <{sym_name = "x"}> : () -> ()', *function("main")]
    assert renamed(*before) == before

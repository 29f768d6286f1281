"""Symbols that nothing refers to."""

from reducer.ir import Module
from reducer.transformations.symbols import DropSymbols

TEXT = """\
"builtin.module"() ({
  "t.global"() <{sym_name = "used"}> : () -> ()
  "t.global"() <{sym_name = "unused"}> : () -> ()
  "func.func"() <{function_type = () -> (), sym_name = "f"}> ({
    "t.load"() {from = @used} : () -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""


def test_only_what_is_free() -> None:
    module = Module.parse(TEXT)
    sites = DropSymbols().sites(module)
    assert [module.symbol_name(site.op) for site in sites] == ["unused", "f"]
    after = DropSymbols().apply(module, sites[:1])
    assert after == TEXT.replace('  "t.global"() <{sym_name = "unused"}> : () -> ()\n', "")

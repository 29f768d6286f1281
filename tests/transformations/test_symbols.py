"""Dropping unreferenced symbols."""

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


def test_only_unreferenced_symbols() -> None:
    module = Module.parse(TEXT)
    sites = DropSymbols().sites(module)
    assert [module.symbol_name(site.op) for site in sites] == ["unused", "f"]
    after = DropSymbols().apply(module, sites[:1])
    assert after == TEXT.replace('  "t.global"() <{sym_name = "unused"}> : () -> ()\n', "")


def test_a_symbol_without_references_becomes_public() -> None:
    text = """\
"builtin.module"() ({
  "func.func"() <{function_type = () -> (), sym_name = "main"}> ({
    "t.call"() {callee = @helper} : () -> ()
    "func.return"() : () -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> (), sym_name = "helper", sym_visibility = "private"}> ({
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""
    module = Module.parse(text)
    after = DropSymbols().apply(module, DropSymbols().sites(module))
    assert after is not None
    assert "main" not in after and "private" not in after

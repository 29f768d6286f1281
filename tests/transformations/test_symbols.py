"""Dropping unreferenced symbols."""

import time

from reducer.ir import Module
from reducer.transformations.body_ops import BodyOps
from reducer.transformations.symbols import DropSymbols
from tests.support.sides import function

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


def test_a_nested_reference_is_to_what_is_in_the_symbol_before_it() -> None:
    """Outlined kernels have the name of one of the modules that they are in."""
    kernel = """({
      "gpu.func"() <{function_type = () -> (), sym_name = "main"}> ({
        "gpu.return"() : () -> ()
      }) : () -> ()
    }) : () -> ()"""
    text = f"""\
"builtin.module"() ({{
  "func.func"() <{{function_type = () -> (), sym_name = "f"}}> ({{
    "gpu.launch_func"() {{kernel = @other::@main}} : () -> ()
    "func.return"() : () -> ()
  }}) : () -> ()
  "gpu.module"() <{{sym_name = "main"}}> {kernel}
  "gpu.module"() <{{sym_name = "other"}}> {kernel}
}}) : () -> ()
"""
    module = Module.parse(text)
    free = [site.op for site in DropSymbols().sites(module)]
    ops = [op for op in range(len(module)) if module.t.name[op] in ("gpu.module", "gpu.func")]
    assert [op in free for op in ops] == [True, True, False, False]


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


def test_many_symbols_of_one_name_take_no_long_time() -> None:
    """Compilers give the variants in all executables the name of the target."""
    count = 5000
    inside = "".join(
        f"""\
  "hal.executable"() <{{sym_name = "e{n}"}}> ({{
    "hal.executable.variant"() <{{sym_name = "v"}}> ({{
    }}) : () -> ()
  }}) : () -> ()
"""
        for n in range(count)
    )
    calls = "".join(f'    "t.call"() {{f = @e{n}::@v}} : () -> ()\n' for n in range(count))
    text = function(f'{calls}"func.return"() : () -> ()')
    module = Module.parse(text.replace('  "func.func"', f'{inside}  "func.func"', 1))
    body = BodyOps.of(module)
    variants = [op for op in range(len(module)) if module.t.name[op] == "hal.executable.variant"]
    assert body.users_of(variants[0])
    started = time.process_time()
    assert all(len(body.users_of(op)) == 1 for op in variants)
    assert time.process_time() - started < 1

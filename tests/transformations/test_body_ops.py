"""The body ops of a module are collected once, and freed with the module."""

import gc
import time
import weakref

from reducer.ir import Module
from reducer.transformations import BodyOps
from tests.support.sides import function

TEXT = function('"t.a"() : () -> ()\n"func.return"() : () -> ()')


def test_body_ops_are_collected_once_per_module() -> None:
    module = Module.parse(TEXT)
    assert BodyOps.of(module) is BodyOps.of(module)
    assert BodyOps.of(module) is not BodyOps.of(Module.parse(TEXT))


def test_an_unreferenced_module_is_freed() -> None:
    module = Module.parse(TEXT)
    assert [module.t.name[unit] for unit in BodyOps.of(module).ops] == ["t.a"]
    gone = weakref.ref(module)
    del module
    gc.collect()
    assert gone() is None


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

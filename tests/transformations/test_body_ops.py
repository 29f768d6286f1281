"""The body ops of a module are collected once, and freed with the module."""

import gc
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

"""Deleting ops with stubs: lost values become arguments, orphaned ones are returned."""

from reducer.ir import Module
from reducer.transformations import BodyOps, BoundaryTypes, Site, carve
from reducer.transformations.delete_ops import DeleteOps
from tests.support.sides import function

ABI = BoundaryTypes(frozenset({"!t.box"}))


def test_values_that_may_not_cross_the_boundary_keep_their_producer() -> None:
    text = function(
        """
        %0 = "t.int"() : () -> !t.int
        %1 = "t.list"(%0) : (!t.int) -> !t.list<int>
        %2 = "t.view"(%arg0, %1) : (!t.box<[4]>, !t.list<int>) -> !t.box<[4]>
        "func.return"(%2) : (!t.box<[4]>) -> ()
        """,
        arguments="%arg0: !t.box<[4]>",
        results="!t.box<[4]>",
    )
    assert DeleteOps(ABI).apply(Module.parse(text), [Site(2), Site(3)]) is None


def test_the_type_of_an_exported_function_stays() -> None:
    text = """\
"builtin.module"() ({
  "t.executable"() <{sym_name = "exe"}> ({
    "t.export"() <{function_ref = @entry, sym_name = "export"}> : () -> ()
    "builtin.module"() ({
      "func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "entry"}> ({
      ^bb0(%arg0: tensor<4xf32>):
        %0 = "t.a"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
        "t.store"(%0) : (tensor<4xf32>) -> ()
        "func.return"() : () -> ()
      }) : () -> ()
    }) : () -> ()
  }) : () -> ()
  "t.executable"() <{sym_name = "other"}> ({
    "func.func"() <{function_type = () -> (), sym_name = "f"}> ({
      "func.return"() : () -> ()
    }) : () -> ()
  }) : () -> ()
}) : () -> ()
"""
    module = Module.parse(text)
    body = BodyOps.of(module)
    assert DeleteOps(ABI).apply(module, [Site(body.ops[0])]) is None
    store = carve(body, body.ops[1:], ABI)
    assert '"t.a"' in store, "what a fixed function needs stays"
    assert "t.export" in store
    assert "other" not in store

"""Replacing results with other values of equal type."""

from textwrap import dedent

from reducer.ir import Module
from reducer.transformations import BoundaryTypes
from reducer.transformations.forward import ForwardOperand
from tests.support.sides import apply_to, body_of, function

ABI = BoundaryTypes(frozenset())


CHAIN = function(
    """
    %0 = "t.make"(%arg0) : (f32) -> f32
    %1 = "t.neg"(%0) : (f32) -> f32
    %2 = "t.exp"(%1) : (f32) -> f32
    "func.return"(%2) : (f32) -> ()
    """,
    arguments="%arg0: f32",
    results="f32",
)


def test_an_operand_of_equal_type_replaces_the_result() -> None:
    # Both at once: the chain is followed to its start.
    assert body_of(apply_to(ForwardOperand(ABI), CHAIN, 0, 1)) == dedent("""\
        ^bb0(%arg0: f32):
        %0 = "t.make"(%arg0) : (f32) -> f32
        "func.return"(%0) : (f32) -> ()""")


def test_arguments_only_replace_values_that_cannot_become_arguments() -> None:
    def names(text: str) -> list[str]:
        module = Module.parse(text)
        return [module.t.name[site.op] for site in ForwardOperand(ABI).sites(module)]

    assert "t.make" not in names(CHAIN)
    called = CHAIN.replace(
        "  }) : () -> ()\n}) :", '  }) : () -> ()\n  "t.use"() {callee = @f} : () -> ()\n}) :'
    )
    assert "t.make" in names(called)


def test_the_body_of_an_op_yields_its_argument() -> None:
    text = function(
        """
        %0 = "linalg.generic"() ({
        ^bb0(%arg0: f32, %arg1: f32):
        %1 = "t.index"() : () -> f32
        %2 = "t.add"(%arg0, %1) : (f32, f32) -> f32
        "linalg.yield"(%2) : (f32) -> ()
        }) : () -> tensor<4xf32>
        "func.return"(%0) : (tensor<4xf32>) -> ()
        """,
        results="tensor<4xf32>",
    )
    module = Module.parse(text)
    names = [module.t.name[site.op] for site in ForwardOperand(ABI).sites(module)]
    assert names == ["t.index", "t.index", "t.add", "t.add", "t.add"]
    after = apply_to(ForwardOperand(ABI), text, 2)
    assert '"linalg.yield"(%arg0) : (f32) -> ()' in after


def test_types_must_match() -> None:
    text = function(
        """
        %0 = "t.cast"(%arg0) : (f32) -> i32
        "func.return"(%0) : (i32) -> ()
        """,
        arguments="%arg0: f32",
        results="i32",
    )
    assert ForwardOperand(ABI).sites(Module.parse(text)) == []


def test_configuration_is_replaced_by_any_earlier_value() -> None:
    text = function(
        """
        %0 = "t.one"() : () -> !t.int
        %1 = "t.size"(%arg0) : (tensor<?xf32>) -> !t.int
        "t.use"(%1) : (!t.int) -> ()
        "func.return"() : () -> ()
        """,
        arguments="%arg0: tensor<?xf32>",
    )
    assert '"t.use"(%0)' in body_of(apply_to(ForwardOperand(ABI), text))


def test_a_removed_value_cannot_be_a_replacement() -> None:
    text = function(
        """
        %0 = "t.a"() : () -> i32
        %1:2 = "t.b"() : () -> (i32, i32)
        %2 = "t.c"() : () -> i32
        "t.use"(%1#1, %2) : (i32, i32) -> ()
        "func.return"() : () -> ()
        """
    )
    module = Module.parse(text)
    transformation = ForwardOperand(ABI)
    nearest = {module.t.name[site.op]: site for site in reversed(transformation.sites(module))}
    # So the op whose result it would have replaced stays.
    after = transformation.apply(module, [nearest["t.b"], nearest["t.c"]])
    assert after is not None
    assert "t.b" not in after and "t.c" in after

"""What an op stands for is said by its own attributes."""

from oracles.signature.printed_ir import carried_name

INNER = '  %0 = "torch.operator"(%arg0) <{name = "onnx.Foo"}> : (i1) -> i1\n'


def test_what_is_inside_stands_for_itself() -> None:
    function = f'"func.func"() <{{sym_name = "f"}}> ({{\n^bb0(%arg0: i1):\n{INNER}}}) : () -> ()'
    assert carried_name("func.func", function) == ""
    assert carried_name("func.func", function.partition("})")[0]) == "", "the end is cut off"


def test_attributes_may_be_behind_the_regions() -> None:
    operator = f'"torch.operator"() ({{\n{INNER}}}) {{name = "onnx.If"}} : () -> i1'
    assert carried_name("torch.operator", operator) == "onnx.If"

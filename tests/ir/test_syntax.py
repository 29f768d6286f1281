"""Types and attributes of single ops, parsed by tree-sitter."""

from reducer.ir import Module
from reducer.ir.syntax import split_array, split_function_type

OP = (
    '%0:2 = "t.op"(%1, %2) <{name = "a, b", sizes = array<i64: 1, 2>}> ({\n'
    '  "t.yield"() : () -> ()\n'
    "}) {unit, map = affine_map<(d0) -> (d0)>} "
    ": (!torch.vtensor<[?,40],f32>, tensor<?x4xf16>) -> (i32, (i32) -> f32)\n"
)


def test_types_properties_and_attributes() -> None:
    syntax = Module.parse(OP).syntax(0)
    assert syntax.operand_types == ("!torch.vtensor<[?,40],f32>", "tensor<?x4xf16>")
    assert syntax.result_types == ("i32", "(i32) -> f32")
    assert [(e.name, e.value) for e in syntax.properties] == [
        ("name", '"a, b"'),
        ("sizes", "array<i64: 1, 2>"),
    ]
    assert [e.name for e in syntax.attributes] == ["unit", "map"]


def test_spans_point_into_the_module() -> None:
    module = Module.parse(OP)
    for entry in (*module.syntax(0).properties, *module.syntax(0).attributes):
        assert module.text[slice(*entry.span)].startswith(entry.name)
        assert module.text[slice(*entry.value_span)] == entry.value


def test_spans_count_characters_not_bytes() -> None:
    module = Module.parse('"t.op"() {name = "größe", size = 4 : i64} : () -> ()\n')
    size = module.syntax(0).attributes[1]
    assert module.text[slice(*size.span)] == "size = 4 : i64"


def test_any_bytes_may_be_in_strings() -> None:
    text = b'"t.op"() {name = "caf\xe9", size = 4 : i64} : () -> ()\n'.decode(
        errors="surrogateescape"
    )
    module = Module.parse(text)
    size = module.syntax(0).attributes[1]
    assert module.text[slice(*size.span)] == "size = 4 : i64"


def test_function_types_and_arrays_are_split() -> None:
    assert split_function_type("(i32, tensor<4xf32>) -> ()") == (("i32", "tensor<4xf32>"), ())
    assert split_function_type("!llvm.func<void ()>") is None
    assert split_array("[{a = 1 : i32}, {}]") == ["{a = 1 : i32}", "{}"]
    assert split_array('"no array"') is None


def test_types_of_hundreds_of_values_are_as_those_of_a_few() -> None:
    kinds = tuple(f"tensor<{size}x4xf32, #layout>" for size in range(100))
    maps = ("memref<4xf32, affine_map<(d0) -> (d0)>>", "tuple<f32, i1>")
    many = f"({', '.join(kinds)}) -> ({', '.join(kinds)})"
    mixed = f"({', '.join(kinds)}) -> ({', '.join(maps)})"
    for types, results in ((many, kinds), (mixed, maps)):
        module = Module.parse(f'"t.op"() <{{f = {types}, "größe" = 4 : i64}}> : {types}\n')
        ascii_only = Module.parse(module.text.replace("größe", "size"))
        for syntax in (module.syntax(0), ascii_only.syntax(0)):
            assert (syntax.operand_types, syntax.result_types) == (kinds, results)
            assert [entry.value for entry in syntax.properties] == [types, "4 : i64"]
        assert split_function_type(types) == (kinds, results)

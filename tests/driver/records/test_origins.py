from reducer.driver.records.origins import Origins
from reducer.ir import Module

INPUT = """\
"builtin.module"() ({
  "func.func"() <{function_type = (f32) -> f32, sym_name = "f"}> ({
  ^bb0(%arg0: f32):
    %0 = "t.a"(%arg0) : (f32) -> f32
    %1 = "t.b"(%0) : (f32) -> f32
    %2 = "t.b"(%1) : (f32) -> f32
    "t.store"(%2) : (f32) -> ()
    "func.return"(%2) : (f32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> (), sym_name = "g"}> ({
    %0 = "t.a"() : () -> f32
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""


def names(origins: Origins, before: Module, after: Module) -> dict[str, str]:
    """Each op's line, trimmed, mapped to that of the op it came from."""
    return {
        after.header(op).strip().partition(" : ")[0]: before.header(old).strip().partition(" : ")[0]
        for op, old in origins.known.items()
        if "sym_name" not in after.header(op) and "builtin.module" not in after.header(op)
    }


def follow(*texts: str, renumbered: bool = False) -> dict[str, str]:
    before = Module.parse(INPUT)
    origins = Origins(before)
    after = before
    for text in texts:
        after = Module.parse(text)
        origins.follow(after, renumbered=renumbered)
    return names(origins, before, after)


def function(*lines: str, name: str = "f") -> str:
    body = "".join(f"    {line}\n" for line in lines)
    return (
        f'"builtin.module"() ({{\n  "func.func"() <{{function_type = (f32) -> (), '
        f'sym_name = "{name}"}}> ({{\n  ^bb0(%arg0: f32):\n{body}'
        '    "func.return"() : () -> ()\n  }) : () -> ()\n}) : () -> ()\n'
    )


def test_names_of_values_tell() -> None:
    text = function('%2 = "t.b"(%arg0) : (f32) -> f32')
    assert follow(text)['%2 = "t.b"(%arg0)'] == '%2 = "t.b"(%1)'


def test_the_same_name_in_another_function_is_another_op() -> None:
    text = function('%0 = "t.a"() : () -> f32', name="g")
    assert follow(text)['%0 = "t.a"()'] == '%0 = "t.a"()'


def test_what_went_to_another_function_is_found() -> None:
    text = function('%2 = "t.b"(%arg0) : (f32) -> f32', name="g")
    assert follow(text)['%2 = "t.b"(%arg0)'] == '%2 = "t.b"(%1)'


def test_new_names_are_known_by_their_operands() -> None:
    text = function('%0 = "t.a"(%arg0) : (f32) -> f32', '%s0 = "t.b"(%0) : (f32) -> f32')
    assert follow(text)['%s0 = "t.b"(%0)'] == '%1 = "t.b"(%0)'


def test_what_was_made_has_no_origin() -> None:
    text = function('%s0 = "t.made"() : () -> f32', '"t.store"(%s0) : (f32) -> ()')
    assert follow(text) == {'"func.return"()': '"func.return"(%2)'}


def test_what_the_compiler_printed_anew_is_aligned() -> None:
    first = function('%1 = "t.b"(%arg0) : (f32) -> f32', '"t.store"(%1) : (f32) -> ()')
    second = function('%0 = "t.b"(%arg0) : (f32) -> f32', '"t.store"(%0) : (f32) -> ()')
    before = Module.parse(INPUT)
    origins = Origins(before)
    origins.follow(Module.parse(first))
    origins.follow(Module.parse(second), renumbered=True)
    assert names(origins, before, Module.parse(second))['%0 = "t.b"(%arg0)'] == '%1 = "t.b"(%0)'


def test_falling_back_to_what_was_printed_anew() -> None:
    """By name alone, `t.b` would match no op of the input."""
    before = Module.parse(INPUT)
    after = Module.parse(
        function('%0 = "t.b"(%arg0) : (f32) -> f32', '"t.store"(%0) : (f32) -> ()')
    )
    origins = Origins(before)
    origins.follow(after, renumbered=True)
    known = origins.known
    origins.follow(Module.parse(function()))
    origins.restart(after)
    assert origins.known == known
    assert names(origins, before, after)['%0 = "t.b"(%arg0)'] == '%2 = "t.b"(%1)'


def test_starting_again_from_what_was_there_before() -> None:
    before = Module.parse(INPUT)
    origins = Origins(before)
    origins.follow(Module.parse(function()))
    after = Module.parse(function('%1 = "t.b"(%arg0) : (f32) -> f32'))
    origins.restart(after)
    assert names(origins, before, after)['%1 = "t.b"(%arg0)'] == '%1 = "t.b"(%0)'


def test_an_op_that_lost_a_dim_has_another_name() -> None:
    def product(name: str) -> Module:
        return Module.parse(INPUT.replace('"t.b"(%0)', f'"{name}"(%0)'))

    origins = Origins(product("linalg.batch_matmul"))
    reduced = product("linalg.matvec")
    origins.follow(reduced)
    (op,) = (op for op, name in enumerate(reduced.t.name) if name == "linalg.matvec")
    assert origins.known[op] == op
    origins.follow(product("linalg.fill"))
    assert op not in origins.known

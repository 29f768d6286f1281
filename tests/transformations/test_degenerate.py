"""What is degenerate in a program, compared with the one that it was made from."""

from typing import Any

import pytest

from reducer.driver.records.origins import Origins
from reducer.ir import Module
from reducer.transformations import BoundaryTypes
from reducer.transformations.degenerate import Counts, DegenerateParts, Feature, MadeFrom
from tests.support.sides import body_of, function
from tests.support.wellformed import problems


def program(
    rows: int | str, columns: int, *, output: str = "%arg1", returns: bool = True, op: str = "t.add"
) -> str:
    """One op in destination-passing style on `rows` x `columns`."""
    kind = f"tensor<{rows}x{columns}xf32>"
    segments = "<{operandSegmentSizes = array<i32: 1, 1>}>"
    end = f'"func.return"(%0) : ({kind}) -> ()' if returns else '"func.return"() : () -> ()'
    body = f'%0 = "{op}"(%arg0, {output}) {segments} : ({kind}, {kind}) -> {kind}\n{end}'
    arguments = ", ".join(f"{name}: {kind}" for name in dict.fromkeys(("%arg0", output)))
    return function(body, arguments=arguments, results=kind if returns else "")


ORIGINAL = program(4, 8)


def parts(before: str, after: str) -> DegenerateParts:
    original, module = Module.parse(before), Module.parse(after)
    origins = Origins(original)
    origins.follow(module)
    return DegenerateParts(module, MadeFrom(original, origins.known), BoundaryTypes.of(original))


def features(before: str, after: str) -> list[str]:
    return [part.feature.name for part in parts(before, after).found]


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (program(2, 8), []),
        (program(1, 8), ["SIZE"]),
        (program(0, 8), ["SIZE"]),
        (program(1, 1), ["SIZE", "SIZE"]),
        (program(4, 8, output="%arg0"), ["OUTPUT"]),
        (program(4, 8, returns=False), ["UNUSED"]),
        (program(1, 2, output="%arg0", returns=False), ["SIZE", "OUTPUT", "UNUSED"]),
    ],
)
def test_what_is_degenerate(after: str, expected: list[str]) -> None:
    assert features(ORIGINAL, after) == expected


@pytest.mark.parametrize(
    "changes", [{"rows": 1}, {"rows": 0}, {"output": "%arg0"}, {"returns": False}]
)
def test_what_the_original_has_as_well_is_not(changes: dict[str, Any]) -> None:
    before = program(**{"rows": 4, "columns": 8, **changes})
    after = program(**{"rows": 4, "columns": 2, **changes})
    assert features(before, after) == []


def test_a_dynamic_size_was_larger() -> None:
    assert features(program("?", 8), program(1, 8)) == ["SIZE"]


def test_a_size_is_compared_in_its_place() -> None:
    assert features(program(4, 1), program(1, 1)) == ["SIZE"]


def test_an_op_of_another_origin_is_compared_with_the_whole_original() -> None:
    after = program(1, 8, op="t.new", returns=False)
    assert features(program(4, 8), after) == ["SIZE"]
    assert features(program(4, 1), after) == []


def test_an_op_that_lost_a_dim_keeps_its_origin() -> None:
    """The columns of the second operand were 1 before, but the reduction over 4,097 was not."""

    def product(name: str, *kinds: str) -> str:
        a, b, c = (f"tensor<{kind}xf32>" for kind in kinds)
        body = f"""
        %0 = "{name}"(%arg0, %arg1, %arg2) : ({a}, {b}, {c}) -> {c}
        "func.return"(%0) : ({c}) -> ()
        """
        return function(body, arguments=f"%arg0: {a}, %arg1: {b}, %arg2: {c}", results=c)

    before = product("linalg.matmul", "17x4097", "4097x1", "17x1")
    assert features(before, product("linalg.matvec", "2x1", "1", "2")) == ["SIZE"]
    assert features(before, product("linalg.matvec", "2x2", "2", "2")) == []


def test_a_program_without_any_of_it() -> None:
    found = parts(ORIGINAL, program(1, 2, output="%arg0", returns=False))
    (module,) = found.without(found.found)
    assert problems(module) == []
    kind = "tensor<2x2xf32>"
    (token,) = {word for word in module.text.split() if word.startswith("%s")} & {"%s0:"}
    assert body_of(module.text) == (
        f"^bb0(%arg0: {kind}, {token} {kind}):\n"
        f'%0 = "t.add"(%arg0, {token[:-1]}) <{{operandSegmentSizes = array<i32: 1, 1>}}> : '
        f"({kind}, {kind}) -> {kind}\n"
        f'"func.return"(%0) : ({kind}) -> ()'
    )
    assert parts(ORIGINAL, module.text).found == ()


def test_a_program_without_some_of_it() -> None:
    found = parts(ORIGINAL, program(1, 1, output="%arg0"))
    _, second, output = found.found
    (module,) = found.without([second])
    assert "tensor<1x2xf32>" in module.text
    (module,) = found.without([output])
    assert "tensor<1x1xf32>" in module.text
    assert [part.feature for part in parts(ORIGINAL, module.text).found] == [Feature.SIZE] * 2


def test_one_constant_may_be_a_size_in_one_place_and_something_else_in_another() -> None:
    def top(count: int, number: int) -> str:
        given, taken = "!torch.vtensor<[4,8],f32>", f"!torch.vtensor<[4,{count}],f32>"
        body = f"""
        %0 = "torch.constant.int"() <{{value = {number} : i64}}> : () -> !torch.int
        %1 = "t.top"(%arg0, %0, %0) : ({given}, !torch.int, !torch.int) -> {taken}
        "func.return"(%1) : ({taken}) -> ()
        """
        return function(body, arguments=f"%arg0: {given}", results=taken)

    found = parts(top(3, 3), top(1, 1))
    both, first, second, neither = found.without(found.found)
    for module in (both, first, second, neither):
        assert "[4,2]" in module.text
        assert problems(module) == []
    assert both.text.count("value = 2") == 1
    assert "(%arg0, %s0, %0)" in first.text
    assert "(%arg0, %0, %s0)" in second.text
    for module in (first, second):
        assert "%s0 = " in module.text
        assert (module.text.count("value = 1"), module.text.count("value = 2")) == (1, 1)
    assert "value = 2" not in neither.text


def test_counts_admit_what_is_no_more_degenerate() -> None:
    floor = Counts.of(Module.parse(program(2, 1)))
    assert floor == Counts(sizes=3, outputs=0, unused=0)
    assert floor.admits(Module.parse(program(2, 1)))
    assert floor.admits(Module.parse(program(2, 2)))
    assert not floor.admits(Module.parse(program(1, 1)))
    assert not floor.admits(Module.parse(program(2, 2, output="%arg0")))
    assert not floor.admits(Module.parse(program(2, 2, returns=False)))

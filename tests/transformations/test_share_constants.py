"""One constant that serves for two."""

import pytest

from reducer.ir import Module
from reducer.transformations.share_constants import ShareConstants
from tests.support.sides import apply_to, body_of, function


def test_what_a_constant_is_used_with_gets_the_type_of_the_other() -> None:
    text = function(
        """
        %0 = "t.constant"() <{value = true}> : () -> i1
        %1 = "t.constant"() <{value = 1 : i32}> : () -> i32
        %2 = "t.add"(%a, %1) : (i32, i32) -> i32
        "t.use"(%0, %2) : (i1, i32) -> ()
        "func.return"() : () -> ()
        """,
        arguments="%a: i32",
    )
    module = Module.parse(text)
    site = ShareConstants().sites(module)[1]
    after = ShareConstants().apply(module, [site])
    assert after is not None
    assert '"t.add"(%a, %0) : (i1, i1) -> i1' in after
    assert after.count("t.constant") == 1
    assert "%a: i1" in after


@pytest.mark.parametrize(
    ("first", "second", "pairs"),
    [
        ("7 : i32", "5 : i32", 2),
        ("7 : i32", "1 : i32", 1),  # 7 becomes 1 by itself
        ("1 : index", "0 : index", 0),
        ("1 : i32", "1.5 : f32", 0),
        ("1 : i32", "7 : i64", 2),
        ("1 : index", "7 : i64", 0),
    ],
)
def test_which_constants_may_serve_for_which(first: str, second: str, pairs: int) -> None:
    one, other = (value.rpartition(" : ")[2] for value in (first, second))
    text = function(
        f"""
        %0 = "t.constant"() <{{value = {first}}}> : () -> {one}
        %1 = "t.constant"() <{{value = {second}}}> : () -> {other}
        "t.use"(%0, %1) : ({one}, {other}) -> ()
        "func.return"() : () -> ()
        """
    )
    assert len(ShareConstants().sites(Module.parse(text))) == pairs
    if pairs:
        assert body_of(apply_to(ShareConstants(), text)).count("t.constant") == 1

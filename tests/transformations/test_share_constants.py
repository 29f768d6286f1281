"""One constant that serves for two."""

import pytest

from reducer.ir import Module
from reducer.transformations.share_constants import ShareConstants
from tests.support.sides import apply_to, body_of, function


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

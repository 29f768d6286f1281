"""Merging equal constants."""

from reducer.transformations.constants import MergeConstants
from tests.support.sides import apply_to, body_of, function


def test_later_equal_constants_are_replaced_by_the_first() -> None:
    text = function(
        """
        %0 = "t.true"() : () -> i1
        %1 = "t.one"() : () -> i1
        %2 = "t.true"() : () -> i1
        "t.use"(%0, %1, %2) : (i1, i1, i1) -> ()
        "func.return"() : () -> ()
        """
    )
    after = body_of(apply_to(MergeConstants(), text))
    assert after.count("t.true") == 1
    assert '"t.use"(%0, %1, %0)' in after

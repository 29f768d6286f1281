"""Templates of any text; which words they keep is in `texts`."""

from hypothesis import given
from hypothesis import strategies as st

from oracles.signature.templates import (
    template_of,
)


@given(st.text(max_size=200))
def test_any_text_gives_a_bounded_line(text: str) -> None:
    """Messages contain parts of the input, so they can contain any text."""
    template = template_of(text)
    assert len(template) <= 300
    assert "\n" not in template


@given(st.text(alphabet="<>(){}[]'\"#!%@x1 .->", max_size=80))
def test_unbalanced_brackets_do_no_harm(text: str) -> None:
    assert len(template_of(text)) <= 300

"""Pass pipelines as text and as trees."""

import pytest

from reducer.locate.pipeline import nested, parse_pipeline

WHOLE = "builtin.module(func.func(cse,canonicalize{max-iterations=2 filter={a b}}),symbol-dce)"


def test_a_pipeline_survives_reading_and_printing() -> None:
    assert parse_pipeline(WHOLE).text == WHOLE


def test_passes_know_their_options_and_anchors() -> None:
    step = parse_pipeline(
        "builtin.module(func.func(canonicalize{max-iterations=2  top-down=true}))"
    )
    assert step.anchors == ("builtin.module", "func.func")
    (only,) = step.passes
    assert only.name == "canonicalize"
    assert only.options == ("max-iterations=2", "top-down=true")
    assert nested(step.anchors, only) == step


def test_smaller_pipelines_have_one_thing_less() -> None:
    assert [less.text for less in parse_pipeline("m(a{x=1 y},b)").smaller()] == [
        "m(b)",
        "m(a{x=1 y})",
        "m(a{y},b)",
        "m(a{x=1},b)",
    ]
    assert parse_pipeline(WHOLE).bare().text == (
        "builtin.module(func.func(cse,canonicalize),symbol-dce)"
    )


@pytest.mark.parametrize("text", ["", "m(", "m(a", "m(a))", "a,b", "m(,a)", "m(a{x)"])
def test_what_is_no_pipeline_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="pipeline"):
        parse_pipeline(text)

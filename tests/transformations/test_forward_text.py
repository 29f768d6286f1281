"""Lines that define a value go, and another value takes its place."""

import pytest

from reducer.ir import PlainText
from reducer.transformations.forward_text import ForwardLines

CHAIN = """\
hw.module @M(in %a : i8, in %b : i8, out o : i8) {
  %0 = comb.add %a, %b : i8
  %1 = comb.mul %0, %0 : i8
  %01:2 = pair %1
  hw.output %1, %01#0, %10 : i8
}
hw.module @N(in %a : i8) {
  use %0
}
"""


def forwarded(text: str, *numbers: int) -> str | None:
    module = PlainText(text)
    sites = ForwardLines().sites(module)
    return ForwardLines().apply(module, [sites[number] for number in numbers])


def test_each_of_the_first_and_last_operands_is_a_site() -> None:
    sites = ForwardLines().sites(PlainText(CHAIN))
    assert [(site.op, site.number) for site in sites] == [(1, 0), (1, 1), (2, 0), (3, 0)]
    many = PlainText("%r = op %a, %b, %c, %a\n%s = scf.if %r {\n}\n")
    assert len(ForwardLines().sites(many)) == 2, "not of a line that opens a body"


@pytest.mark.parametrize(
    ("sites", "body"),
    [
        ([1], "  %1 = comb.mul %b, %b : i8\n  %01:2 = pair %1\n  hw.output %1, %01#0, %10 : i8\n"),
        ([2], "  %0 = comb.add %a, %b : i8\n  %01:2 = pair %0\n  hw.output %0, %01#0, %10 : i8\n"),
        ([0, 1, 2, 3], "  hw.output %a, %a, %10 : i8\n"),
    ],
)
def test_uses_in_the_same_body_follow(sites: list[int], body: str) -> None:
    after = forwarded(CHAIN, *sites)
    assert after is not None
    head, _, rest = after.partition("\n")
    assert rest == f"{body}}}\n" + CHAIN[CHAIN.index("hw.module @N") :]
    assert head == CHAIN.partition("\n")[0]

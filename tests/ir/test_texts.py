"""What is made of modules: `texts/*.txt` has texts and what comes of them."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reducer.ir import Module
from reducer.ir.pretty import inline_aliases, shorten_value_names, unwrap
from reducer.ir.sizes import DROPPED, SizeSystem
from tests.support.sides import body_of, function
from tests.support.texts import answered, paragraphs
from tests.support.wellformed import problems

FILES = sorted((Path(__file__).parent / "texts").glob("*.txt"))


@pytest.mark.parametrize("paragraph", [each for file in FILES for each in paragraphs(file)])
def test_what_comes_of_a_text(paragraph: str) -> None:
    assert answered(paragraph, QUESTIONS) == paragraph


def _system(text: str) -> SizeSystem:
    """That of a function whose block with arguments, if it has any, is the text."""
    head, _, body = text.partition(":\n") if text.startswith("^bb0(") else ("", "", text)
    returned = re.search(r'^"func\.return"\(.*?\) : \((.*)\) -> \(\)$', body, re.M)
    results = returned[1] if returned else ""
    return SizeSystem(
        Module.parse(function(body, arguments=head[len("^bb0(") : -1], results=results))
    )


def _with_sizes(text: str, sizes: str) -> str:
    """The function after giving these variables new sizes, such as `0=2 1=dropped`."""
    given = (each.split("=") for each in sizes.split())
    after = _system(text).text(
        {int(number): DROPPED if size == "dropped" else int(size) for number, size in given}
    )
    if after is None:
        return "none"
    assert problems(Module.parse(after)) == []
    return body_of(after)


def _variables(text: str) -> Iterator[str]:
    """The size of each variable, and its dims by value name."""
    system = _system(text)
    for variable in system.variables:
        size = "?" if variable.size is None else variable.size
        dims = " ".join(f"{system.module.tokens[d.value]}.{d.number}" for d in variable.dims)
        yield f"{size}: {dims}{'' if variable in system.free else ', follows others'}"


QUESTIONS: dict[str, Callable[..., str | list[str]]] = {
    "inlined": inline_aliases,
    "short names": shorten_value_names,
    "unwrapped": lambda text: unwrap(text) or "none",
    "sizes": _with_sizes,
    "ties": lambda text: list(_variables(text)),
}

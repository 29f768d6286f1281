"""Helpers for before/after tests of transformations."""

import re
from textwrap import dedent

from reducer.ir import Module
from reducer.transformations import Site, Transformation
from tests.support.wellformed import problems


def function(body: str, *, arguments: str = "", results: str = "", head: str = "") -> str:
    """A module of one function `f` with this body, in generic form."""
    inputs = ", ".join(part.split(": ", 1)[1] for part in arguments.split(", %") if part)
    outputs = results if results and ", " not in results else f"({results})"
    lines = [
        *dedent(head).splitlines(),
        '"builtin.module"() ({',
        f'  "func.func"() <{{function_type = ({inputs}) -> {outputs}, sym_name = "f"}}> ({{',
        *([f"  ^bb0({arguments}):"] if arguments else []),
        *(f"    {line}" for line in dedent(body).strip().splitlines()),
        "  }) : () -> ()",
        "}) : () -> ()",
    ]
    return "\n".join(lines) + "\n"


def body_of(text: str) -> str:
    """The lines inside the first function of a module, flush left."""
    lines = Module.parse(text).text.splitlines()
    first = next(i for i, line in enumerate(lines) if "function_type" in line)
    last = next(i for i in range(first, len(lines)) if lines[i].startswith("  })"))
    return "\n".join(re.sub("^ {2,4}", "", line) for line in lines[first + 1 : last])


def apply_to(transformation: Transformation[Module], text: str, *numbers: int) -> str:
    """Apply a transformation at the sites with these numbers (default: all)."""
    module = Module.parse(text)
    sites = transformation.sites(module)
    chosen: list[Site] = [sites[n] for n in numbers] if numbers else sites
    after = transformation.apply(module, chosen)
    assert after is not None
    assert problems(Module.parse(after)) == []
    return after

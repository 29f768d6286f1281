"""The compiler under test as a helper: its own clean-up passes propose smaller modules."""

from collections.abc import Callable, Sequence

from reducer.ir import Module
from reducer.transformations import Site

_PIPELINES = (
    "builtin.module(inline,symbol-dce)",
    "builtin.module(canonicalize,cse,symbol-dce)",
)


class CompilerPasses:
    """Runs one pipeline of upstream MLIR passes on the whole module.

    Args:
        run: pipeline and text to text in generic form, or None if the tool does not manage it.
    """

    name = "run clean-up passes"
    all_at_once = False

    def __init__(self, run: Callable[[str, str], str | None]) -> None:
        self._run = run

    def sites(self, module: Module) -> list[Site]:
        return [Site(0, number) for number in range(len(_PIPELINES))]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        text: str | None = module.text
        for site in sites:
            text = self._run(_PIPELINES[site.number], text) if text else None
        return text

"""The compiler under test as a helper: its own passes propose smaller modules."""

from collections.abc import Callable, Sequence

from reducer.ir import Module
from reducer.transformations import Site

# Each pipeline, and what must be in a module for it to have something to do. A pass that the tool
# does not know makes no candidate.
_PIPELINES = (
    ("inline,symbol-dce", ""),
    ("canonicalize,cse,symbol-dce", ""),
    ("linalg-inline-scalar-operands", '"linalg.generic"'),
    ("linalg-fuse-elementwise-ops,canonicalize,cse", '"linalg.generic"'),
    ("linalg-specialize-generic-ops", '"linalg.generic"'),  # a body becomes the name of an op
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
        return [
            Site(0, number, passes)
            for number, (passes, needs) in enumerate(_PIPELINES)
            if needs in module.text
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        text: str | None = module.text
        for site in sites:
            text = self._run(f"builtin.module({site.name})", text) if text else None
        return text

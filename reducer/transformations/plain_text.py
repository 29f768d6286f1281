"""Cut text that cannot be parsed as MLIR: bracketed groups, then lines."""

from collections.abc import Sequence

from reducer.ir import PlainText, runs_of
from reducer.transformations.base import Site


class DeleteGroups:
    """Deletes the lines from an opening bracket to the matching closing one."""

    name = "delete bracket groups"
    all_at_once = False

    def sites(self, module: PlainText) -> list[Site]:
        return [Site(first, end) for first, end in module.groups]

    def apply(self, module: PlainText, sites: Sequence[Site]) -> str | None:
        return module.without(runs_of((site.op, site.number) for site in sites))


class DeleteLines:
    """Deletes single lines."""

    name = "delete lines"
    all_at_once = False

    def sites(self, module: PlainText) -> list[Site]:
        return [Site(number) for number in range(len(module.lines))]

    def apply(self, module: PlainText, sites: Sequence[Site]) -> str | None:
        gone = runs_of((site.op, site.op + 1) for site in sites)
        # A fragment with unbalanced brackets would fail for that reason alone, and is hard to read.
        if module.is_balanced and not module.is_balanced_without(gone):
            return None
        return module.without(gone)

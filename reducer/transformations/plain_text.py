"""Cut text that cannot be parsed as MLIR: bracketed groups, brackets, then lines."""

from collections.abc import Sequence
from itertools import accumulate

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


class UnwrapGroups:
    """Deletes the lines of two brackets and leaves what is between them, as for a nested module.

    What defines a value stays, or its uses would fail for that reason alone.
    """

    name = "unwrap bracket groups"
    all_at_once = False

    def sites(self, module: PlainText) -> list[Site]:
        return [
            Site(first, end)
            for first, end in module.groups
            if end - first > 2 and "%" not in module.lines[first] + module.lines[end - 1]
        ]

    def apply(self, module: PlainText, sites: Sequence[Site]) -> str | None:
        ends = {place for site in sites for place in (site.op, site.number - 1)}
        gone = runs_of((number, number + 1) for number in ends)
        if module.is_balanced and not module.is_balanced_without(gone):
            return None
        lines, less = module.lines, [0] * (len(module.lines) + 1)  # indentation, from each line on
        for site in sites:
            deeper = _indentation(lines[site.op + 1]) - _indentation(lines[site.op])
            less[site.op + 1] += max(0, deeper)
            less[site.number - 1] -= max(0, deeper)
        return "".join(
            line[min(gone, _indentation(line)) :]
            for number, (line, gone) in enumerate(zip(lines, accumulate(less), strict=False))
            if number not in ends
        )


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


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))

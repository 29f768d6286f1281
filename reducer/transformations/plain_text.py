"""Cutting text that is no MLIR to us: bracket groups, then lines."""

from collections.abc import Sequence

from reducer.ir import PlainText
from reducer.transformations.base import Site


class DeleteGroups:
    """Deletes runs of lines from an opening bracket to its closing one."""

    name = "delete bracket groups"
    all_at_once = False

    def sites(self, module: PlainText) -> list[Site]:
        return [Site(first, end) for first, end in module.groups]

    def apply(self, module: PlainText, sites: Sequence[Site]) -> str | None:
        gone = {number for site in sites for number in range(site.op, site.number)}
        return "".join(line for number, line in enumerate(module.lines) if number not in gone)


class DeleteLines:
    """Deletes lines."""

    name = "delete lines"
    all_at_once = False

    def sites(self, module: PlainText) -> list[Site]:
        return [Site(number) for number in range(len(module.lines))]

    def apply(self, module: PlainText, sites: Sequence[Site]) -> str | None:
        gone = {site.op for site in sites}
        text = "".join(line for number, line in enumerate(module.lines) if number not in gone)
        # A fragment that opens what it never closes fails for that alone, and reads badly.
        return text if PlainText(text).is_balanced or not module.is_balanced else None

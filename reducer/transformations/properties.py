"""Reset the properties of ops to their defaults, if they have one."""

import re
from collections.abc import Sequence

from reducer.ir import Module, Rewrite
from reducer.ir.dialects import is_opaque
from reducer.ir.retype import RESULT_SEGMENT_SIZES, SEGMENT_SIZES
from reducer.transformations.base import Site

ESSENTIAL = frozenset(
    {"function_type", "sym_name", "callee", "value", *SEGMENT_SIZES, *RESULT_SEGMENT_SIZES}
)
"""Properties that define the structure of a program; other edits change them as needed."""
_STRUCTURAL = re.compile(r"\[|array<|affine_|@|[a-z]+<|!")  # lists, symbols, types: often required
_DEFAULT = re.compile(r"#[\w.]+<none>|false")


class DropProperties:
    """Drops properties one by one.

    The verifier decides which ones are optional; screening rejects the other candidates before they
    are run. This drops the initial value of a global, fast-math flags, names and hints.
    """

    name = "drop properties"
    all_at_once = True

    def sites(self, module: Module) -> list[Site]:
        found = [
            (Site(op, name=entry.name), entry.value)
            for op in range(len(module))
            if not module.hidden[op] and not is_opaque(module.t.name[op])
            if "<{" in module.own_text(op)
            for entry in module.syntax(op).properties
            if entry.name not in ESSENTIAL and not _DEFAULT.fullmatch(entry.value)
        ]
        # The search tries later sites first: put those that often succeed together last.
        found.sort(key=lambda pair: _STRUCTURAL.match(pair[1]) is None)
        return [site for site, _ in found]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        for site in sites:
            rewrite.set_entry(site.op, site.name, None)
        return rewrite.render()

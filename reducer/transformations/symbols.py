"""Drop functions, globals and other module-level symbols."""

from collections.abc import Iterator, Sequence

from reducer.ir import Module, Rewrite
from reducer.transformations.base import Site
from reducer.transformations.body_ops import BodyOps


class DropSymbols:
    """Drops whole functions, globals and executables without references."""

    name = "drop symbols"
    all_at_once = True

    def sites(self, module: Module) -> list[Site]:
        body = BodyOps.of(module)
        return [Site(op) for op in sorted(body.outside) if _is_free(body, op)]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        for site in sites:
            rewrite.remove(site.op)
        for op in _orphans(BodyOps.of(module), rewrite.removed):
            rewrite.set_entry(op, "sym_visibility", None)
        return rewrite.render()


def _orphans(body: BodyOps, removed: set[int]) -> Iterator[int]:
    """Functions and executables that lose their last reference; if private, they would be dead."""
    for op in (*body.functions, *body.enclosing):
        users = [user for user in body.users_of(op) if not body.module.is_inside(user, op)]
        if op not in removed and users and removed.issuperset(users):
            yield op


def _is_free(body: BodyOps, op: int) -> bool:
    return all(body.module.is_inside(user, op) for user in body.users_of(op))

"""Show the rewrite at fault: the pattern, its op, and what it removes and adds."""

from reducer.locate.rewrite import BlamedRewrite
from reducer.units import cut

_WIDTH = 120
_LONGEST = 40  # lines


def rewrite_facts(rewrite: BlamedRewrite | None) -> list[tuple[str, str]]:
    """The rewrite at fault, the op that it was applied to, and what is known of all inputs."""
    if rewrite is None:
        return []
    why = "" if rewrite.how == rewrite.text else f"; {rewrite.how}"
    facts = [
        ("rewrite", f"{rewrite.text}{why}"),
        ("applied to", cut(rewrite.op, _WIDTH)),
        ("all inputs", rewrite.proof),
    ]
    return [fact for fact in facts if fact[1]]


def rewrite_lines(rewrite: BlamedRewrite | None) -> list[str]:
    """What the rewrite removes and adds, if that is short."""
    told = rewrite.difference if rewrite else []
    if not told or len(told) > _LONGEST:
        return []
    return ["", "what the rewrite does:", *(f"  {cut(line, _WIDTH)}" for line in told)]

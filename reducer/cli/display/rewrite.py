"""Show the rewrite at fault: the pattern, its op, and what it removes and adds."""

from reducer.locate.blamed import BlamedRewrite
from reducer.units import cut

_WIDTH = 120
_LONGEST = 40  # lines


def rewrite_facts(rewrite: BlamedRewrite | None) -> list[tuple[str, str]]:
    """The rewrite at fault, the op that it was applied to, and what it does."""
    if rewrite is None:
        return []
    facts = [
        ("rewrite", rewrite.blame.text),
        ("applied to", cut(rewrite.applied_to, _WIDTH)),
        ("effect", rewrite.sentence or rewrite.proof),
    ]
    return [fact for fact in facts if fact[1]]


def rewrite_brief(rewrite: BlamedRewrite | None, file: str) -> list[tuple[str, str]]:
    """What is blamed in one line: what it does if that is sure, and to which line of a file."""
    if rewrite is None:
        return []
    told = rewrite.sentence if rewrite.sure and rewrite.sentence else rewrite.text
    op = f" ({file}:{rewrite.line})" if rewrite.line else ""
    return [("rewrite", f"{cut(told, 2 * _WIDTH)}{op}")]


def rewrite_lines(rewrite: BlamedRewrite | None) -> list[str]:
    """What the rewrite removes and adds, if that is short."""
    told = rewrite.difference if rewrite else []
    if not told or len(told) > _LONGEST:
        return []
    return ["", "what the rewrite changes:", *(f"  {cut(line, _WIDTH)}" for line in told)]

"""All that the reducer knows about particular dialects.

Everything else is read from the generic form. Keep this file short: a fact belongs here only if
it cannot be inferred from the text of a module.
"""

import re
from functools import cache

from reducer.ir.union_find import UnionFind

STRUCTURED = "linalg."
"""How the names of structured ops begin. In generic form, they have a body that their pretty form
omits and their parser regenerates.
"""

# These are the structured ops that do print their region.
_WITH_VISIBLE_BODY = frozenset(
    f"{STRUCTURED}{name}" for name in ("generic", "map", "reduce", "pack", "unpack", "winograd")
)


def has_hidden_body(name: str) -> bool:
    """Whether an op's region is implied by its name and omitted in the pretty form."""
    return name.startswith(STRUCTURED) and name not in _WITH_VISIBLE_BODY


# Ops that stand for an arbitrary op named by an attribute. The verifier does not know the
# constraints of that op, so an edit that violates them may fail exactly like the original.
@cache
def _opaque() -> frozenset[str]:
    # Imported late: the evaluator reads IR in thousands of short processes, without any oracle.
    from oracles.signature.printed_ir import CARRIED_NAMES

    return frozenset(CARRIED_NAMES) | {"llvm.inline_asm"}


_OP_SET = re.compile(r"op_?set", re.I)


def is_opaque(name: str) -> bool:
    """Whether an op stands for another op that the compiler's verifier does not know."""
    return name in _opaque()


def is_op_set_attribute(attribute: str) -> bool:
    """Whether a function attribute defines the meaning of opaque op names, as an op set does."""
    return _OP_SET.search(attribute) is not None


# Ops with which IREE's compiler groups other ops. Input programs do not contain them. They are
# listed here rather than in the compiler's profile because a module does not tell which compiler
# printed it, and no other dialect has ops with these names.
_GROUPS = frozenset({"flow.dispatch.region"})


def is_grouping_op(name: str) -> bool:
    """Whether an op only groups the ops in its body."""
    return name in _GROUPS


# The rank-reduced variants of named ops, by which of their operands lose a dim. The name fixes the
# meaning of each dim, so a dim can only be dropped together with the name.
_RANK_REDUCED = {
    ("linalg.batch_matmul", (True, True, True)): "linalg.matmul",
    ("linalg.batch_matvec", (True, True, True)): "linalg.matvec",
    ("linalg.batch_vecmat", (True, True, True)): "linalg.vecmat",
    ("linalg.batch_mmt4d", (True, True, True)): "linalg.mmt4d",
    ("linalg.batch_reduce_matmul", (True, True, False)): "linalg.matmul",
    ("linalg.matmul", (True, False, True)): "linalg.vecmat",
    ("linalg.matmul", (False, True, True)): "linalg.matvec",
    ("linalg.matvec", (True, False, True)): "linalg.dot",
    ("linalg.vecmat", (False, True, True)): "linalg.dot",
    ("torch.aten.bmm", (True, True)): "torch.aten.mm",
    ("torch.aten.mm", (False, True)): "torch.aten.mv",
}
WITH_OPTIONAL_MAPS = frozenset({"linalg.matmul", "linalg.batch_matmul"})
"""Named ops with an optional `indexing_maps` attribute that overrides the default maps."""


def rank_reduced_name(name: str, losing: tuple[bool, ...]) -> str | None:
    """The name of the op to use after the operands marked in `losing` lose a dim, if any."""
    return _RANK_REDUCED.get((name, losing))


def rank_family(name: str) -> str:
    """A name that is the same for all rank-reduced variants of an op, and for no other op."""
    return _families().get(name, name)


@cache
def _families() -> dict[str, str]:
    families: UnionFind[str] = UnionFind()
    for (before, _), after in _RANK_REDUCED.items():
        families.union(before, after)
    return {name: families[name] for name in list(families)}


MODULE_OPS = ("builtin.module", "module")
"""The op that contains everything, and its name up to LLVM 13."""

# The plain jump of a dialect, for each of its branches that choose. A module need not contain one.
_JUMPS = {
    "cf.cond_br": "cf.br",
    "cf.switch": "cf.br",
    "llvm.cond_br": "llvm.br",
    "llvm.switch": "llvm.br",
    "spirv.BranchConditional": "spirv.Branch",
    "spv.BranchConditional": "spv.Branch",  # up to LLVM 15
    "std.cond_br": "std.br",  # up to LLVM 14
    "std.switch": "std.br",
}


def plain_jump(branch: str) -> str | None:
    """The op that jumps to one target, for a branch that chooses among several, if it is known."""
    return _JUMPS.get(branch)


_ORDINARY = re.compile(r"\.(?:constant(?:\.[\w.]+)?|return|yield|func|module|none|empty)$|^func\.")


def is_ordinary(name: str) -> bool:
    """Whether an op occurs in almost every program: constants, functions, terminators."""
    return bool(_ORDINARY.search(name))

"""The little that the reducer must know about particular dialects.

Everything else is read from the generic form. Keep this file short: a fact belongs here only if
the text of a module cannot tell it.
"""

import re

# Structured ops of the linalg dialect carry a body in generic form which their pretty form leaves
# out and their parser makes anew. These are the ones that do show their region.
_LINALG_WITH_VISIBLE_BODY = frozenset(
    f"linalg.{name}" for name in ("generic", "map", "reduce", "pack", "unpack", "winograd")
)


def has_hidden_body(name: str) -> bool:
    """Whether an op's region is implied by its name and not shown in the pretty form."""
    return name.startswith("linalg.") and name not in _LINALG_WITH_VISIBLE_BODY


# Ops that stand for any other, which an attribute of theirs names. No verifier knows what that one
# needs, and without it the compiler may say the same of it as of nonsense.
_OPAQUE = frozenset(
    {
        "torch.operator",
        "stablehlo.custom_call",
        "mhlo.custom_call",
        "tosa.custom",
        "llvm.inline_asm",
    }
)
_OP_SET = re.compile(r"op_?set", re.I)


def is_opaque(name: str) -> bool:
    """Whether an op stands for one that the compiler's verifier does not know."""
    return name in _OPAQUE


def is_op_set_attribute(attribute: str) -> bool:
    """Whether an attribute of a function says what the names of opaque ops in it mean."""
    return _OP_SET.search(attribute) is not None


def is_elementwise(name: str) -> bool:
    """Whether an op does plain arithmetic, on numbers and element by element on tensors alike."""
    return name.startswith(("arith.", "math."))


# Ops in which IREE's compiler puts what belongs together. No program that it is given has them. A
# fact about a dialect stands here, and not in the compiler's profile: a module does not tell which
# compiler printed it, and no other dialect has ops of these names.
_GROUPS = frozenset({"flow.dispatch.region"})


def is_grouping_op(name: str) -> bool:
    """Whether an op only says that the ops in it belong together."""
    return name in _GROUPS


# What a named op is called with a rank less, by which of its operands lose a dim. Their names say
# what their dims are, so that a dim cannot go while the name stays.
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
"""Named ops whose indexing maps may be written, and differ from what the name says."""


def rank_reduced_name(name: str, losing: tuple[bool, ...]) -> str | None:
    """The name of an op after these of its operands lose a dim; None if there is no such op."""
    return _RANK_REDUCED.get((name, losing))

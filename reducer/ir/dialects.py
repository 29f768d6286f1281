"""The little that the reducer must know about particular dialects.

Everything else is read from the generic form. Keep this file short: a fact belongs here only if
the text of a module cannot tell it.
"""

# Structured ops of the linalg dialect carry a body in generic form which their pretty form leaves
# out and their parser makes anew. These are the ones that do show their region.
_LINALG_WITH_VISIBLE_BODY = frozenset(
    f"linalg.{name}" for name in ("generic", "map", "reduce", "pack", "unpack", "winograd")
)


def hides_its_body(name: str) -> bool:
    """Whether an op's region is implied by its name and not shown in the pretty form."""
    return name.startswith("linalg.") and name not in _LINALG_WITH_VISIBLE_BODY

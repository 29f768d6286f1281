"""Whether the compiler was replaced while a reduction ran, as by a build in the same folder.

Then some verdicts are those of another compiler than the first run of the input.
"""

from copy import copy
from functools import cached_property

from oracles import Oracle

REPLACED = (
    "the compiler, or a file that the command names, was replaced during the reduction, so the "
    "input and the result were not judged by the same one; run it again"
)


def is_replaced(oracle: Oracle) -> bool:
    """Whether the files that an oracle had read when it began are others now."""
    if oracle.command is not None:
        return oracle.with_command(oracle.command).key != oracle.key
    if not isinstance(getattr(type(oracle), "key", None), cached_property):
        return False
    fresh = copy(oracle)
    vars(fresh).pop("key", None)  # what was read at the start
    return fresh.key != oracle.key

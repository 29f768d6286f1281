"""A message as written, without what changes from one run to the next."""

import re

from oracles.normalise import fold_addresses, fold_locations, without_printed_operation

EXACT_KEPT = 1000
"""A longer message no longer helps."""

_SSA = re.compile(r"%(?!llvm\.)[\w$.#:-]*[\w$#]")


def exact_of(message: str) -> str:
    """Names, types and numbers stay; SSA names, addresses, locations and paths go.

    >>> exact_of("'a.b' op operand %3 of type tensor<4x?xf32> at /tmp/x.mlir:3:4, got 12")
    "'a.b' op operand % of type tensor<4x?xf32> at <path>, got 12"
    """
    text = message.strip().split("\n", 1)[0]
    text = fold_locations(fold_addresses(without_printed_operation(text)))
    text = re.sub(r"(?<=[ (,])!\d+\b", "!", _SSA.sub("%", text))  # metadata is numbered too
    return re.sub(r"\s+", " ", text).strip()[:EXACT_KEPT]

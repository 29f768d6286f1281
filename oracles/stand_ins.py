"""Ops that stand for another op or function, which a string attribute names.

The compiler's verifier knows nothing about what such an op means, and two of them with different
names have as little in common as any two ops. So the name is part of the op's identity.

A cast that a conversion inserts stands for whatever was not converted; only its types tell what
that is.
"""

import re
from collections.abc import Mapping

from oracles.printed_types import kinds_of

CARRIED_NAMES: Mapping[str, str] = {
    "torch.operator": "name",
    "stablehlo.custom_call": "call_target_name",
    "mhlo.custom_call": "call_target_name",
    "tosa.custom": "operator_name",
}
"""The attribute that names what an op stands for, by the name of the op."""

_ATTRIBUTE = re.compile(r'[{,] ?(?P<key>[a-z_]\w*) = "(?P<value>(?:[^"\\\n]|\\.)+)"')
_CAST = "builtin.unrealized_conversion_cast"
_CAST_TYPES = re.compile(r" : \((?P<inputs>.*)\) -> (?P<outputs>.+)$")
_OP_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")


def carried_name(name: str, operation: str) -> str:
    """What an op stands for, or ''. `operation` is the op in generic form.

    An op that is not in `CARRIED_NAMES` stands for another one if its attribute `name` is the name
    of an op.

    >>> carried_name("a.call", '%0 = "a.call"() <{name = "onnx.If"}> : () -> i1')
    'onnx.If'
    >>> carried_name("tosa.custom", '"tosa.custom"() <{operator_name = "f"}> : () -> ()')
    'f'
    >>> carried_name(_CAST, f'%1 = "{_CAST}"(%0) : (vector<2xi32>) -> i64')
    'vector to integer'
    """
    if name == _CAST:
        types = _CAST_TYPES.search(operation)
        return f"{kinds_of(types['inputs'])} to {kinds_of(types['outputs'])}" if types else ""
    key = CARRIED_NAMES.get(name, "name")
    for match in _ATTRIBUTE.finditer(_without_regions(operation)):
        if match["key"] == key and (name in CARRIED_NAMES or _OP_NAME.fullmatch(match["value"])):
            return match["value"]
    return ""


def _without_regions(operation: str) -> str:
    """The op without the contents of its regions, whose ops have names of their own.

    The end of the text may be missing.
    """
    head, opened, rest = operation.partition("({\n")
    end = rest.rfind("\n})") if opened else -1
    return head if end < 0 else head + rest[end:]

"""Types that may cross a function boundary, so that a lost value can become an argument."""

import re
from collections.abc import Iterator

from reducer.ir import Module
from reducer.ir.functions import is_function, signature

_BUILTIN = re.compile(r"(?:tensor|memref|vector|complex)<|(?:[su]?i\d+|index|bf16|tf32|f\d+\w*)$")
_SHAPED = re.compile(r"(?:tensor|memref|vector)<")
_DIALECT_TYPE = re.compile(r"![\w$.-]+")


class BoundaryTypes:
    """Types allowed as arguments: builtin types, and dialect types in the input's signatures.

    Only the compiler's front end decides whether `!torch.int` or `!hal.buffer_view` may be an
    argument. The input shows it: a dialect type that its own functions take or return is allowed.

    With `returns`, functions return what they compute in vain, so that it is no dead code.
    """

    def __init__(self, dialect_types: frozenset[str], *, returns: bool = True) -> None:
        self.dialect_types = dialect_types
        self.returns = returns

    @staticmethod
    def of(module: Module) -> "BoundaryTypes":
        """The boundary types of a module, from the signatures of its functions."""
        return BoundaryTypes(frozenset(m for t in _boundary_types(module) if (m := _mnemonic(t))))

    def allows(self, kind: str) -> bool:
        if _BUILTIN.match(kind):
            return True
        mnemonic = _mnemonic(kind)
        return mnemonic is not None and mnemonic in self.dialect_types

    def is_shaped(self, kind: str) -> bool:
        """Whether values of this type are data (tensors) rather than scalars that configure ops."""
        return bool(_SHAPED.match(kind)) or (kind.startswith("!") and self.allows(kind))


def _boundary_types(module: Module) -> Iterator[str]:
    for op in range(len(module)):
        if is_function(module, op) and (types := signature(module, op)):
            yield from types[0]
            yield from types[1]


def _mnemonic(kind: str) -> str | None:
    match = _DIALECT_TYPE.match(kind)
    return match.group(0) if match else None

"""The ops that a minimal program is about, and whether another program has them.

Constants feed them, terminators return what they make, functions hold them: none of these is what
the program is about. What they have in common is seen in the text of any dialect: an op of one's
own takes something and is not the last of its block.
"""

import re
from collections.abc import Collection

from oracles.normalise import failing_operation
from reducer.ir import NONE, Module

_IN_NAMES = rb"[\w$.-]"


def own_ops(module: Module) -> frozenset[str]:
    """The kinds of op in a module, but for constants, terminators and what only holds others.

    An op that stands for another by name (`torch.operator "onnx.If"`) is told with that name.
    """
    return frozenset(
        _kind(module, op)
        for op in range(len(module))
        if module.t.operands[op] and not module.hidden[op] and not _ends_a_block(module, op)
    )


def all_ops(module: Module) -> frozenset[str]:
    """Every kind of op in a module, told in the same way."""
    return frozenset(_kind(module, op) for op in range(len(module)))


def has_all(data: bytes, ops: Collection[str]) -> bool:
    """Whether each of these kinds of op may occur in a program, text or bytecode.

    Nothing is parsed, so a comment counts too; but what is said to be missing is.
    """
    return all(_has(data, op.encode(errors="surrogateescape")) for op in ops)


def _kind(module: Module, op: int) -> str:
    return failing_operation("", module.header(op)) or module.t.name[op]


def _ends_a_block(module: Module, op: int) -> bool:
    block = module.t.block[op]
    last = block != NONE and module.t.block_ops[block][-1] == op
    return last and not module.t.num_results[op]


def _has(data: bytes, op: bytes) -> bool:
    """A name may lack its dialect: in bytecode, and inside of ops that make theirs the default."""
    name, _, carried = op.partition(b" ")
    dialect, _, rest = name.partition(b".")
    if dialect not in data or carried.strip(b'"') not in data:
        return False
    word = rb"(?:%s\.)?%s" % (re.escape(dialect), re.escape(rest)) if rest else re.escape(name)
    return re.search(rb"(?<!%s)%s(?!%s)" % (_IN_NAMES, word, _IN_NAMES), data) is not None

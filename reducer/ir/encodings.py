"""Encodings of types that map the dims of a shape, such as those of sparse tensors."""

import re
from collections.abc import Sequence

from reducer.ir.affine import resolve_alias
from reducer.ir.lexer import brackets_at, split_commas
from reducer.ir.module import Module

_ALIAS = re.compile(r"#[\w.$-]+(?![\w.$<-])")
_MAP = re.compile(r"\bmap = \(([^()]*)\) -> (?=\()")
_DIM = re.compile(r"\bd(\d+)\b")


def encoding_without_dims(module: Module, text: str, gone: Sequence[int]) -> str:
    """What follows the element type of a shape that loses dims.

    A map in it loses these dims, and the levels that depend on them. Anything else is unchanged.

    Args:
        text: such as `, #csr>`; an alias is only written out if its definition changes.
    """

    def changed(match: re.Match[str]) -> str:
        definition = resolve_alias(module, match[0])
        after = _without_dims(definition, gone)
        return match[0] if after == definition else after

    after = _ALIAS.sub(changed, text)
    return _without_dims(text, gone) if after == text else after


def _without_dims(text: str, gone: Sequence[int]) -> str:
    head = _MAP.search(text)
    levels = brackets_at(text, head.end()) if head is not None else None
    if head is None or levels is None:
        return text
    dims = [n for n in range(len(split_commas(head[1]))) if n not in gone]
    numbers = {old: new for new, old in enumerate(dims)}
    kept = [
        _DIM.sub(lambda match: f"d{numbers[int(match[1])]}", level)
        for level in split_commas(text[levels.start + 1 : levels.end])
        if all(int(n) in numbers for n in _DIM.findall(level))
    ]
    names = ", ".join(f"d{number}" for number in range(len(dims)))
    return f"{text[: head.start()]}map = ({names}) -> ({', '.join(kept)}{text[levels.end :]}"

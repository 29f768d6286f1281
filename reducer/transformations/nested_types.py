"""Replace types of dialects inside other types by a type inside them."""

import re
from collections.abc import Iterator, Sequence

from reducer.ir import Module
from reducer.ir.lexer import Outside, brackets_at, split_commas
from reducer.ir.rewrite import edited
from reducer.transformations.base import Site

_NAME = r"![\w$.]+"
_HEAD = Outside(rf"(?:{_NAME}|\b(?:tensor|memref|vector|tuple))<")
_MAY_NEST = re.compile(r"<\(?!|x ?!|<[^<>()\n]*, !")  # most modules have no such type
_DIMS = re.compile(r"\A(?:(?:\d+|\?) ?x ?)*")
_SIMPLE = re.compile(rf"(?:[su]?i\d+|bf16|tf32|f\d+\w*|index|{_NAME})(?![\w.$<])")
_WITH_PARTS = re.compile(rf"(?:{_NAME}|tensor|memref|vector|tuple|complex)<")


class UnwrapNestedTypes:
    """Replaces a nested type wherever it occurs, since values pass their types on to other ops.

    `!fir.ref<!fir.array<4xf32>>` becomes `!fir.ref<f32>`. The outermost type stays: it is what the
    ops require.
    """

    name = "unwrap nested types"
    all_at_once = False

    def sites(self, module: Module) -> list[Site]:
        kinds = dict.fromkeys(module.text[a:b] for a, b in _nested(module.text))
        return [Site(0, number, kind) for kind in kinds for number in range(len(_parts(kind)))]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        simpler = {site.name: _parts(site.name)[site.number] for site in reversed(sites)}
        found = (((a, b), module.text[a:b]) for a, b in _nested(module.text))
        return edited(module, [(*span, simpler[kind]) for span, kind in found if kind in simpler])


def _nested(text: str) -> Iterator[tuple[int, int]]:
    """The spans of types with parts inside other types, in text order."""
    if not _MAY_NEST.search(text):
        return
    outermost_end = 0
    for head, kind in _HEAD.with_brackets(text):
        if head.start() >= outermost_end:
            outermost_end = kind.end
        elif head[0].startswith("!"):
            yield head.start(), kind.end + 1


def _parts(kind: str) -> list[str]:
    """The types directly inside a type: `!d.pair<4xf32, (i32 [0])>` has f32 and i32."""
    waiting, found = [kind[kind.index("<") + 1 : -1]], []
    for item in (part for inside in waiting for part in split_commas(inside)):
        if item.startswith("(") and item.endswith(")"):
            waiting.append(item[1:-1])
        elif part := _type_at_start(_DIMS.sub("", item)):
            found.append(part)
    return list(dict.fromkeys(found))


def _type_at_start(text: str) -> str | None:
    if simple := _SIMPLE.match(text):
        return simple[0]
    head = _WITH_PARTS.match(text)
    kind = brackets_at(text, head.end() - 1) if head else None
    return text[: kind.end + 1] if kind else None

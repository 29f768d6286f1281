"""Replace constant data by splats, or simplify single elements where that fails."""

import re
from collections.abc import Iterator, Sequence

from reducer.ir import Module, Rewrite
from reducer.ir.lexer import STRING
from reducer.ir.syntax import Span
from reducer.transformations.base import Site, numbers_by_op

_DATA = re.compile(rf'dense<(?:"0x[0-9A-Fa-f]*"|\[[^<>]*\])>|dense_resource<(?:{STRING}|[^<>"]*)>')
_TYPE = re.compile(
    r"(?:(?: : )?(?:tensor|vector|memref)<(?:[\d?]+x)*)([a-z]\w*|complex<[a-z]\w*>)[,>]"
)
_CHOICES = 2
_MANY = 64  # elements; a longer list is too much to look at one by one
_NUMBER = re.compile(r"(?<![\w.])-?(?:0x[0-9A-Fa-f]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)")
_SIMPLE = re.compile(r"-?[01](?:\.0*)?(?:[eE]\+?0+)?")


class _SimplifyLiterals:
    def sites(self, module: Module) -> list[Site]:
        return [
            Site(op, number * _CHOICES + choice)
            for op in range(len(module))
            for number, _ in enumerate(self._literals(module, op))
            for choice in range(_CHOICES)
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        for op, chosen in numbers_by_op(sites).items():
            for number, (span, choices) in enumerate(self._literals(module, op)):
                for choice in reversed(range(_CHOICES)):
                    if number * _CHOICES + choice in chosen:
                        rewrite.replace(*span, choices[choice])
                        break
        return rewrite.render()

    def _literals(self, module: Module, op: int) -> Iterator[tuple[Span, Sequence[str]]]:
        """The spans of literals and what could be there instead, the last to be tried first."""
        raise NotImplementedError


class SplatConstants(_SimplifyLiterals):
    """Replaces lists, blobs and resources by zeros or, if that fails, by ones.

    This works anywhere in an attribute, of any dialect.
    """

    name = "make constants splats"
    all_at_once = True

    def _literals(self, module: Module, op: int) -> Iterator[tuple[Span, Sequence[str]]]:
        for span, element in _data(module, op):
            yield span, [f"dense<{_number(element, digit)}>" for digit in "10"]


class SimplifyData(_SimplifyLiterals):
    """Makes elements of `dense<[…]>` one or, if that fails, zero. Works in any attribute."""

    name = "simplify data"
    all_at_once = False

    def _literals(self, module: Module, op: int) -> Iterator[tuple[Span, Sequence[str]]]:
        for (start, end), element in _data(module, op):
            found = list(_NUMBER.finditer(module.text, start, end))
            if not module.text.startswith("dense<[", start) or len(found) > _MANY:
                continue
            choices = ["0", "1"] if _is_integer(element) else ["0.0", "1.0"]
            yield from ((m.span(), choices) for m in found if not _SIMPLE.fullmatch(m[0]))


def _is_integer(element: str) -> bool:
    return re.fullmatch(r"[su]?i\d+|index", element) is not None


def _data(module: Module, op: int) -> Iterator[tuple[Span, str]]:
    """The spans of constant data in an op's attributes, with their element types."""
    for start, end in _own_spans(module, op):
        if "dense" not in module.text[start:end]:
            continue
        for match in _DATA.finditer(module.text, start, end):
            kind = _TYPE.match(module.text, match.end())
            if kind:
                yield (match.start(), match.end()), kind.group(1)


def _own_spans(module: Module, op: int) -> Iterator[Span]:
    t = module.t
    yield t.start[op], t.header_end[op]
    if t.tail_start[op] >= 0:
        yield t.tail_start[op], t.end[op]


def _number(element: str, digit: str) -> str:
    """Zero or one as a literal of the element type."""
    if element.startswith("complex"):
        part = element[len("complex<") : -1]
        return f"({_number(part, digit)}, {_number(part, '0')})"
    if element == "i1":
        return "true" if digit == "1" else "false"
    return digit if _is_integer(element) else f"{digit}.0"

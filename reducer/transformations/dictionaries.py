"""Drop entries of dictionaries inside attributes, as in configurations and target descriptions."""

from collections.abc import Iterator, Sequence

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.syntax import Span
from reducer.transformations.base import Site

_CLOSING = {"{": "}", "[": "]", "(": ")", "<": ">"}


class DropNestedEntries:
    """Drops an entry of a dictionary that is part of an attribute's value, at any depth."""

    name = "drop nested entries"
    all_at_once = True

    def sites(self, module: Module) -> list[Site]:
        return [
            Site(alias, number)
            for alias, start, end in _places(module)
            for number in range(
                sum(len(entries) for _, entries in _dictionaries(module, start, end))
            )
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        edits: list[tuple[int, int, str]] = []
        for place, start, end in _places(module):
            gone = {site.number for site in sites if site.op == place}
            number = 0
            for (left, right), entries in _dictionaries(module, start, end):
                kept = [e for n, e in enumerate(entries, number) if n not in gone]
                number += len(entries)
                if len(kept) < len(entries):
                    texts = (module.text[first:last] for first, last in kept)
                    edits.append((left, right, ", ".join(texts)))
        return _with_edits(module, edits)


def _places(module: Module) -> Iterator[tuple[int, int, int]]:
    """Texts of attributes: definitions of aliases (as NONE, NONE - 1…) and entries of ops."""
    for number, alias in enumerate(module.t.aliases):
        yield NONE - number, alias.start, alias.end
    for op in range(len(module)):
        if module.own_text(op).count("{") > 1 and not module.hidden[op]:
            syntax = module.syntax(op)
            spans = [e.value_span for e in (*syntax.properties, *syntax.attributes)]
            if spans:
                yield op, min(s for s, _ in spans), max(e for _, e in spans)


def _dictionaries(module: Module, start: int, end: int) -> list[tuple[Span, list[Span]]]:
    """The inside of each `{…}` in a span of text, and its entries."""
    out: list[tuple[Span, list[Span]]] = []
    opened: list[tuple[str, int, list[int]]] = []  # closing bracket, inside, commas
    quoted = False
    for at in range(start, end):
        char = module.text[at]
        if char == '"' and module.text[at - 1] != "\\":
            quoted = not quoted
        elif quoted or (char == ">" and module.text[at - 1] == "-"):
            continue
        elif char in _CLOSING:
            opened.append((_CLOSING[char], at + 1, []))
        elif opened and char == ",":
            opened[-1][2].append(at)
        elif opened and char == opened[-1][0]:
            _, inside, commas = opened.pop()
            if char == "}" and module.text[inside:at].strip():
                starts = [inside, *(comma + 2 for comma in commas)]
                out.append(((inside, at), list(zip(starts, [*commas, at], strict=True))))
    return out


def _with_edits(module: Module, edits: list[tuple[int, int, str]]) -> str | None:
    """The text with spans replaced, of which the widest win; what is unused then goes."""
    text, left = module.text, len(module.text)
    for start, end, new in sorted(edits, key=lambda edit: (-edit[1], edit[0])):
        if end <= left:
            text = text[:start] + new + text[end:]
            left = start
    return Rewrite(Module.parse(text)).render() if edits else None

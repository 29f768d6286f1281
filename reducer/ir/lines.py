"""What the lines of a module in generic form tell without parsing it.

Most candidates are only run, which takes no more than the number of ops and what they are called.
Finding these takes a fraction of the time that parsing takes.
"""

import re

from reducer.ir.dialects import STRUCTURED, has_hidden_body

CONTINUES = (",", "[", "<", "(", "{")
"""How a line ends if the printer has broken it, or if it opens a region."""

_RESULTS = r'[ \t]*+(?:(%[^"=\n]*+)= )?+'
_HEADER = rf'{_RESULTS}"([^"\n]*+)"\('
_FIRST_OP, _OTHER_OP = re.compile(_HEADER), re.compile(rf"\n{_HEADER}")  # faster than `^` with re.M
_OP = re.compile(rf"\n{_HEADER}([^()\"\n]*)\)[^\n]*+(?=(\n[ \t]*+[}}^])?)")
_STRUCTURED_OP = re.compile(rf'\n{_RESULTS}"({re.escape(STRUCTURED)}[^"\n]*+)"\([^\n]*+')
_END_OF_REGION = re.compile(r"\n[ \t]*+\}(\)?)")


def op_count_of(text: str) -> int | None:
    """`Module.op_count` of a text; None if its lines do not tell."""
    visible = _without_hidden_bodies(text)
    if visible is None:
        return None
    first = _FIRST_OP.match(visible)
    others = _OTHER_OP.findall(visible)
    outermost = first[2] if first else others[0][1] if others else ""
    if outermost != "builtin.module":
        return None
    return len(others) - (first is None)


def op_names_of(text: str) -> list[str]:
    """What the ops are known by, also after edits elsewhere: their names and first results.

    Without a result, an op is known by its operands, unless it has a region or ends its block.
    """
    names = []
    for found in _OP.finditer(_without_hidden_bodies(text) or text):
        results, name, operands, is_last = found.groups()
        if results:
            names.append(f"{name} {results.partition(':')[0].partition(',')[0].rstrip()}")
        elif not is_last and not found[0].endswith("({"):
            names.append(f"{name} {operands}")
    return names


def _without_hidden_bodies(text: str) -> str | None:
    """The text without the bodies that the pretty form omits; None if they cannot be told."""
    kept, start, position = [], 0, 0
    while found := _STRUCTURED_OP.search(text, position):
        position = found.end()
        if not has_hidden_body(found[2]):
            continue
        header = found[0].rstrip()
        if header.endswith("({"):
            end = _END_OF_REGION.search(text, position)
            if end is None or not end[1] or "({\n" in text[position : end.end()]:
                return None
            kept.append(text[start:position])
            start = position = end.start()
        elif header.endswith(CONTINUES):
            return None
    return "".join([*kept, text[start:]])

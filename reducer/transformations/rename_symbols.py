"""Give symbols short names: `@main` for the entry point, `@f`, `@g`… for other functions."""

import re
from collections.abc import Iterator, Sequence
from itertools import count

from reducer.ir import NONE, Module
from reducer.ir.functions import is_function
from reducer.ir.lexer import INSIDE_STRING, NAME, Outside
from reducer.transformations.base import Site

_FUNCTIONS = "fghk"
_PLAIN = re.compile(r"[A-Za-z_][\w$.-]*")
# A definition or a reference.
_MENTION = Outside(
    rf'(?P<defines>\bsym_name = )"(?P<defined>{INSIDE_STRING})"'
    rf'|@(?:"(?P<quoted>{INSIDE_STRING})"|(?P<bare>{NAME}))'
)


class RenameSymbols:
    """Renames symbols and all references to them.

    A name is renamed everywhere in the same way, whatever symbol table it belongs to, and different
    names stay different, so all references resolve as before. This is not part of the search,
    because names do not make a program smaller; a reduction runs it at the end.
    """

    name = "rename symbols"
    all_at_once = True

    def sites(self, module: Module) -> list[Site]:
        return [Site(op, name=new) for op, new in _new_names(module).values()]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        chosen = {module.symbol_name(site.op) or "": site.name for site in sites}
        text = _MENTION.sub(lambda mention: _renamed(mention, chosen), module.text)
        return text if text != module.text else None


def _renamed(mention: re.Match[str], names: dict[str, str]) -> str:
    if mention["defines"]:
        new = names.get(mention["defined"])
        return mention[0] if new is None else f'{mention["defines"]}"{new}"'
    old = mention["quoted"] or mention["bare"]
    return f"@{names[old]}" if old in names else mention[0]


def _new_names(module: Module) -> dict[str, tuple[int, str]]:
    """Maps old names to the defining op and the new name. Names that stay are left out."""
    definers: dict[str, int] = {}
    for op in range(len(module)):
        name = module.symbol_name(op)
        if name and name not in definers:
            definers[name] = op
    taken = _mentioned(module) - definers.keys()  # undefined symbols keep their names
    out: dict[str, tuple[int, str]] = {}
    for old, op in definers.items():
        new = next(name for name in _ideas(module, op, taken) if name not in taken)
        if new != "main" and len(old) <= len(new) and _PLAIN.fullmatch(old) and old not in taken:
            new = old
        taken.add(new)
        if new != old:
            out[old] = (op, new)
    return out


def _mentioned(module: Module) -> set[str]:
    found = (match["quoted"] or match["bare"] for match in _MENTION.finditer(module.text))
    return {name for name in found if name}


def _ideas(module: Module, op: int, taken: set[str]) -> Iterator[str]:
    """An endless sequence of names for an op's symbol, best first."""
    if is_function(module, op):
        if _is_entry(module, op):
            yield "main"
        yield from _FUNCTIONS
        stem = "f"
    else:
        stem = "g" if "global" in module.t.name[op] else module.t.name[op].rsplit(".", 1)[-1]
    if stem != "g" and stem not in taken:
        yield stem
    for number in count():
        yield f"{stem}{number}"


def _is_entry(module: Module, op: int) -> bool:
    """Whether a function is public and at the top level of the program."""
    visibility = module.syntax(op).property("sym_visibility")
    hidden = visibility is not None and "private" in visibility.value
    parent = module.t.parent[op]
    at_top = parent == NONE or module.t.parent[parent] == NONE
    return at_top and not hidden and is_function(module, op)

"""Drop unreferenced attribute aliases, type aliases and resource blobs."""

import re
from collections.abc import Container, Iterable
from typing import TYPE_CHECKING

from reducer.ir.lexer import ALIAS, INSIDE_STRING, NAME

if TYPE_CHECKING:
    from reducer.ir.module import Alias, Module

_ALIAS_USE = re.compile(ALIAS)
_RESOURCE_USE = re.compile(rf'dense_resource<(?:"({INSIDE_STRING})"|([^>"]+))>')
_RESOURCE_ENTRY = re.compile(rf'^\s+(?:"({INSIDE_STRING})"|({NAME})): "0x[0-9A-Fa-f]*",?$')


def prune_unreferenced(module: "Module", text: str) -> str:
    """The text, a rendered edit of `module`, without unused alias definitions and blobs."""
    head = [alias for alias in module.t.aliases if alias.start < module.t.start[0]]
    last = module.t.aliases[len(head) :]  # those of locations are printed behind the ops
    body, behind = text[head[-1].end if head else 0 :], ""
    if module.t.resources is not None:
        at = body.rindex("{-#")
        body, behind = body[:at], _prune_resources(body[:at], body[at:])
    if last:
        definitions = module.text[last[0].start : last[-1].end]
        at = body.rindex(definitions)  # no edit reaches there
        body, behind = body[:at], body[at + len(definitions) :] + behind
    if not module.t.aliases:
        return body + behind
    kept = _used_aliases(module, body)
    return _definitions(module, head, kept) + body + _definitions(module, last, kept) + behind


def _definitions(module: "Module", aliases: Iterable["Alias"], kept: Container[str]) -> str:
    return "".join(module.text[a.start : a.end] for a in aliases if a.name in kept)


def _used_aliases(module: "Module", body: str) -> set[str]:
    """Aliases used in the body, directly or through the definitions of other aliases."""
    definitions = {a.name: module.text[a.start : a.end] for a in module.t.aliases}
    waiting = [name for name in set(_ALIAS_USE.findall(body)) if name in definitions]
    kept: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in kept:
            continue
        kept.add(name)
        waiting.extend(n for n in _ALIAS_USE.findall(definitions[name]) if n in definitions)
    return kept


def _prune_resources(body: str, section: str) -> str:
    used = {quoted or bare for quoted, bare in _RESOURCE_USE.findall(body)}
    out: list[str] = []
    entries = 0
    for line in section.split("\n"):
        match = _RESOURCE_ENTRY.match(line)
        if match:
            if (match.group(1) or match.group(2)) not in used:
                continue
            entries += 1
            out.append(line.rstrip(","))
        elif out and _RESOURCE_ENTRY.match(out[-1]) and not line.strip().startswith("}"):
            out.append(line)
        else:
            out.append(line)
    if not entries:
        return ""
    for i in range(len(out) - 1):  # restore the commas between entries
        if _RESOURCE_ENTRY.match(out[i]) and _RESOURCE_ENTRY.match(out[i + 1]):
            out[i] += ","
    return "\n".join(out)

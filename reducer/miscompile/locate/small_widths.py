"""Compare the IR before and after a rewrite on all inputs, at widths where there are few.

At each width, the compiler itself applies the pattern to the program with narrower integers, so
what is compared is the rewrite and no imitation of it.
"""

import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from oracles import Limits, run_process
from oracles.run.reaper_client import python
from reducer.conversions import OptPrinter
from reducer.ir import GenericSyntaxError, Module
from reducer.ir.elements import ElementTypes
from reducer.locate.applications import with_flags
from reducer.locate.blamed import BlamedRewrite
from reducer.locate.rewrite import RewriteSearch

_SECONDS = 20.0  # of one comparison
_GENERIC = "--mlir-print-op-generic"
_INTEGER = re.compile(r"i(\d+)")
_CONSTANT = re.compile(r"(?<=value = )(-?\d+)(?= : i([1-4])\b)")
_WIDTHS = {1: ((1,), (2,), (3,), (4,)), 2: ((1, 2), (1, 4), (2, 4), (3, 4)), 3: ((1, 2, 4),)}


def prove(search: RewriteSearch, found: BlamedRewrite, inputs: Sequence[str] = ()) -> str:
    """A counterexample to the rewrite, or at which widths there is none; '' if nobody can tell.

    Nothing is said of a width at which the pattern does not change the program. `inputs` are those
    for which the program that the pass receives is known to be wrong.
    """
    if not found.pattern or not found.before or not found.after:
        return ""
    printer = OptPrinter(search.oracle.executable, search.tool.limits)
    before, after = printer.generic(found.before), printer.generic(found.after)
    search.tool.cost.add(printer.cost.calls, printer.cost.cpu_seconds, charged=0)
    if before is None or after is None:
        return ""
    told = _compared(search, before, after, inputs)
    if told.get("found"):
        return _example(told["found"])
    if told.get("all") and told.get("tried"):
        return f"no counterexample among all {told['tried']:,} inputs"
    without: list[str] = []
    line = search.line(found, before)
    for widths, text in _narrower(before):
        made, same = (_applied(search, found, text, line, count) for count in (1, 0))
        told = _compared(search, text, made) if made and made != same else {}
        if told.get("found"):
            return f"at {widths}, {_example(told['found'])}"
        without += [widths] if told.get("tried") else []
    if not without:
        return ""
    return f"no counterexample at {', '.join(without)}; this says nothing about wider types"


def _applied(search: RewriteSearch, found: BlamedRewrite, text: str, line: int, count: int) -> str:
    """What the pass makes of a program with the pattern alone, or without any; '' if it fails."""
    command = search.alone(found, text, line=line, count=count)
    return search.made(with_flags(command, _GENERIC), text) if command else ""


def _narrower(generic: str) -> Iterator[tuple[str, str]]:
    """The program with its integers at small widths, and these widths in words."""
    try:
        types = ElementTypes(Module.parse(generic))
    except GenericSyntaxError:
        return
    wide = [(at, _INTEGER.fullmatch(kind)) for at, (kind, _) in enumerate(types.classes)]
    bits = {at: int(match[1]) for at, match in wide if match and match[1] != "1"}
    kinds = sorted(set(bits.values()))
    for widths in _WIDTHS.get(len(kinds), ()):
        small = dict(zip(kinds, widths, strict=True))
        text = types.text({at: f"i{small[width]}" for at, width in bits.items()})
        yield "/".join(f"i{width}" for width in widths), _CONSTANT.sub(_wrapped, text)


def _wrapped(match: re.Match[str]) -> str:
    """A constant that fits."""
    width, number = int(match[2]), int(match[1])
    return str((number + (1 << width - 1)) % (1 << width) - (1 << width - 1))


def _compared(
    search: RewriteSearch, before: str, after: str, inputs: Sequence[str] = ()
) -> dict[str, Any]:
    """What the interpreter says of two programs; empty if it does not end, or fails."""
    with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
        files = [Path(folder) / name for name in ("before.mlir", "after.mlir")]
        for file, text in zip(files, (before, after), strict=True):
            file.write_text(text, encoding="utf-8", errors="surrogateescape")
        words = python("-m", "reducer.miscompile.interpreter.exhaustive", *map(str, files), *inputs)
        result = run_process(words, cwd=Path(folder), limits=Limits(_SECONDS, 4 << 30))
    search.tool.cost.add(1, result.cpu_seconds, charged=0)
    try:
        told = json.loads(result.stdout)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def _example(found: list[Any]) -> str:
    name, inputs, before, after = found
    return f"@{name}({', '.join(inputs)}) gives {before} before, {after} after"

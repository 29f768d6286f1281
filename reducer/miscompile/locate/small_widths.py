"""Compare the IR before and after a rewrite on all inputs, at widths where there are few.

At each width, the compiler itself applies the pattern to the program with narrower integers, so
what is compared is the rewrite and no imitation of it.
"""

import re
from collections.abc import Iterator, Sequence

from reducer.conversions import OptPrinter
from reducer.ir import GenericSyntaxError, Module
from reducer.ir.elements import ElementTypes
from reducer.locate.applications import with_flags
from reducer.locate.blamed import BlamedRewrite
from reducer.locate.rewrite import RewriteSearch
from reducer.miscompile.interpreter.counterexample import Compared, compared

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
    if told.found:
        return str(told.found)
    if told.is_complete and told.tried:
        return f"no counterexample among all {told.tried:,} inputs"
    without: list[str] = []
    line = search.line(found, before)
    for widths, text in _narrower(before):
        made, same = (_applied(search, found, text, line, count) for count in (1, 0))
        if not made or made == same:
            continue
        told = _compared(search, text, made)
        if told.found:
            return f"at {widths}, {told.found}"
        without += [widths] if told.tried else []
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
) -> Compared:
    told = compared(before, after, inputs)
    search.tool.cost.add(1, told.result.cpu_seconds, charged=0)
    return told

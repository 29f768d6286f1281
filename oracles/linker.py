"""Reads what linkers say of symbols that nobody defines, or that two define.

LLD for ELF, COFF, Mach-O and WebAssembly, the GNU and Apple linkers, Microsoft's, and NVIDIA's
assembler each word it in their own way. The symbol is what tells one such bug from another.
"""

import re

_MENTIONS = ("ndefined", "nresolved", "referenced from:", "duplicate symbol", "multiple definition")

_UNDEFINED = re.compile(
    # ld.lld: error: undefined hidden symbol: f
    r": error: (?:\S+: )?undefined (?:hidden |protected |internal )?symbol: (?P<lld>\S.*)$"
    # x.o: in function `g': x.c:(.text+0x9): undefined reference to `f'
    r"|: undefined reference to [`'\"](?P<gnu>[^`'\"]+)['\"]"
    # Undefined symbols for architecture arm64:
    #   "_f", referenced from:
    r"|^\s+\"_?(?P<apple>[^\"]+)\", referenced from:$"
    # x.obj : error LNK2019: unresolved external symbol f referenced in function g
    r"|: error LNK\d+: unresolved external symbol (?P<microsoft>\"[^\"]*\"|\S+)"
    # ptxas fatal   : Unresolved extern function 'f'
    r"|: Unresolved extern function '(?P<nvidia>[^']+)'"
)
_DUPLICATE = re.compile(
    r": error: duplicate symbol: (?P<lld>\S.*)$"
    r"|: multiple definition of [`'\"](?P<gnu>[^`'\"]+)['\"]"
    r"|duplicate symbol '_?(?P<apple>[^']+)' in:?"
)


def symbol_error(line: str) -> str | None:
    """`undefined symbol: f` or `duplicate symbol: f` if that is what a line says.

    >>> symbol_error("ld.lld: error: undefined hidden symbol: __ocml_exp_f32")
    'undefined symbol: __ocml_exp_f32'
    >>> symbol_error("/usr/bin/ld: x.o: in function `g': (.text+0x9): undefined reference to `f'")
    'undefined symbol: f'
    """
    if not any(word in line for word in _MENTIONS):
        return None  # cheap: standard error can be megabytes of printed IR
    for pattern, words in ((_UNDEFINED, "undefined"), (_DUPLICATE, "duplicate")):
        if match := pattern.search(line):
            symbol = next(group for group in match.groups() if group is not None).strip('" ')
            return f"{words} symbol: {symbol}"
    return None

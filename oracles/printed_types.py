"""Read the types that a compiler prints."""

import re

_TYPE = re.compile(
    r"(?P<integer>[su]?i\d+\b)|(?P<float>(?:bf|tf|f)\d\w*)|(?P<other>!?[A-Za-z_][\w$.]*)"
)


def kinds_of(types: str) -> str:
    """What kinds of types these are, without parameters and repetitions.

    >>> kinds_of("memref<?x!a.b<i8>, strided<[1]>>, i64, i32"), kinds_of("!llvm.struct<(ptr)>")
    ('memref, integer', '!llvm.struct')
    """
    kinds = []
    for each in separated(types.removeprefix("(").removesuffix(")")):
        match = _TYPE.match(each)
        kind = match.lastgroup if match else None
        kinds.append(match["other"] if match and kind == "other" else kind or each)
    return ", ".join(dict.fromkeys(kinds))


def separated(types: str) -> tuple[str, ...]:
    """Types that commas separate."""
    depth, start, found = 0, 0, []
    for index, char in enumerate(types):
        if char in "<([{":
            depth += 1
        elif char in ")]}" or (char == ">" and types[index - 1] != "-"):
            depth -= 1
        elif char == "," and not depth:
            found.append(types[start:index])
            start = index + 1
    return tuple(each for part in [*found, types[start:]] if (each := part.strip()))

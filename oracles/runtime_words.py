"""Read what a runtime library (C, C++, Rust, ROCm) prints before it aborts a program."""

import re

from oracles.templates import template_of

_RUNTIME = re.compile(
    r"^(?:\*\*\* Error in `[^\n]*?': |Fatal glibc error: )?(?:"
    r"[^\n]*(?P<twice>double free)|(?P<words>(?:free|malloc|realloc|calloc|munmap_chunk"
    r"|malloc_consolidate|_int_free|_int_malloc)\(\): [a-z][^\n:(]*[a-z]"
    r"|corrupted [a-z][^\n:(]*[a-z]"
    r"|malloc\.c:\d+ [^\n]*|\*\*\* [a-z ]+ detected \*\*\*"
    r"|terminate called (?:without an active exception|recursively))"
    r"|(?:libc\+\+abi[^\n:]*: )?(?P<virtual>[Pp]ure virtual)"
    r"|(?P<device>Memory access fault by GPU)[^\n]*(?P<reason> Reason: [^\n.]*)"
    r"|:\d:\w+\.cpp[^\n]*: Queue [^\n]*[Aa]borting with error : (?P<queue>HSA_STATUS_[A-Z_]+)"
    r"|thread '[^'\n]*'(?: \(\d+\))? has (?P<stack>overflowed its stack))",
    re.M,
)


def words_of_runtime(stderr: str) -> str:
    """What a runtime library says as it aborts a program, or ''.

    Only for want of a stack: which words there are for a heap that is broken depends on chance.

    >>> words_of_runtime("free(): double free detected in tcache 2\\n")
    'double free'
    >>> words_of_runtime("munmap_chunk(): invalid pointer\\n")
    'munmap_chunk(): invalid pointer'
    """
    match = _RUNTIME.search(stderr)
    if match is None:
        return ""
    words = match["words"] or match["twice"] or match["stack"] or match["queue"] or ""
    if match["virtual"]:
        words = "pure virtual function called"
    if match["device"]:
        words = match["device"] + match["reason"]
    return template_of(words.strip("* "))

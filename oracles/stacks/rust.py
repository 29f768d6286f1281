"""Lines of the stack that Rust prints of a panic if it is asked to (`RUST_BACKTRACE=1`).

    stack backtrace:
       0: rust_begin_unwind
                 at /rustc/12ab/library/std/src/panicking.rs:652:5
       1:     0x7f0dbec72962 - <a::Builder as b::Build>::run::h0123456789abcdef

They are only taken for those of a stack below such a head, as other text looks the same.
"""

import re
from collections.abc import Iterator

_HEAD = re.compile(r"^stack backtrace:\n", re.M)
_LINE = re.compile(r" +\d+: +(?:0x[0-9a-f]+ - )?(?P<name>\S.*)$")
_PLACE = re.compile(r" +at ")
_CRATE = re.compile(r"\[[0-9a-f]{16}\]")
_SELF = re.compile(r"<(?P<type>.+?)(?: as .*)?>(?=::\w+(?:::h[0-9a-f]{16})?$)")
_CLOSURE = re.compile(r"::\{\{?closure(?:\}\}|#\d+\})")
_LIBRARY = re.compile(r"<?(?:core|std|alloc|__rustc?|rust_begin_unwind|__rust_\w+)(?=::|$)")
"""What begins a panic, and what runs `main`."""


def functions_of_rust(text: str) -> Iterator[str]:
    """The function of each line of the first such stack, innermost first, without Rust's own.

    A function of a type is named by the type, whatever the trait, and a closure by what contains
    it. The stack ends at the `main` of a program.

    >>> list(functions_of_rust("stack backtrace:\\n  0: core::panic\\n  1: <a::B as c::D>::run\\n"))
    ['a::B::run']
    """
    head = _HEAD.search(text) if "stack backtrace:" in text else None
    for line in text[head.end() :].splitlines() if head else ():
        if match := _LINE.match(line):
            name = _plain(match["name"])
            if name.endswith("::main"):
                return
            if not _LIBRARY.match(match["name"]):
                yield name
        elif not _PLACE.match(line):
            return


def _plain(name: str) -> str:
    return _SELF.sub(r"\g<type>", _CLOSURE.sub("", _CRATE.sub("", name)))

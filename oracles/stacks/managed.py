"""Lines of the stacks that Go and Java print of a panic or an exception.

    goroutine 1 [running]:
    example.com/tool/lower.(*Pass).Run(0xc000012345, {0x12, 0x34})
            /home/u/tool/lower/pass.go:12 +0x1d

    Exception in thread "main" java.lang.NullPointerException: …
            at circt.stage.Lower.run(Lower.scala:12)

They are only taken for those of a stack below such a head, as other text looks the same.
"""

import re
from collections.abc import Iterator

_GO = re.compile(r"^goroutine \d+ \[[^\]\n]*\]:\n", re.M)
_GO_LINE = re.compile(r"(?:\S*/)?(?P<name>[\w.*()\[\]]+?)\((?:[^()]*|\.\.\.)\)$")
_GO_PLACE = "\t"
_JAVA = re.compile(r'^Exception in thread "[^"\n]*" [^\n]*\n', re.M)
_JAVA_LINE = re.compile(r"\s+at (?:[\w.]+/)?(?P<name>[\w.$<>]+)\([^()]*\)$")
_LIBRARY = re.compile(r"(?:runtime\.|panic$|java\.|javax\.|jdk\.|sun\.|scala\.)")
_MAIN = re.compile(r"(?:^|\.)main$")


def functions_of_go_or_java(text: str) -> Iterator[str]:
    """The function of each line of the first such stack, innermost first, up to `main`.

    >>> list(functions_of_go_or_java("goroutine 1 [running]:\\nb.com/a.(*B).Run(0x12)\\n"))
    ['a.B.Run']
    """
    if go := _GO.search(text) if "goroutine " in text else None:
        yield from _functions(text[go.end() :], _GO_LINE)
    elif java := _JAVA.search(text) if "Exception in thread " in text else None:
        yield from _functions(text[java.end() :], _JAVA_LINE)


def _functions(text: str, line_of: re.Pattern[str]) -> Iterator[str]:
    for line in text.splitlines():
        match = line_of.match(line)
        if match is None and not line.startswith(_GO_PLACE):
            return
        name = match["name"].replace("(*", "").replace(")", "") if match else ""
        if _MAIN.search(name):
            return
        if name and not _LIBRARY.match(name):
            yield name

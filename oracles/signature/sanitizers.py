"""Read what a sanitizer (ASan, MSan, TSan, UBSan) reports about the program that it watches.

One that may go on after a report (`halt_on_error=0`, and UBSan by default) reports whatever else it
finds, on any input. If a report ends the program, it is the last one. A race never ends it, so of
races the first report counts: the others may follow from it.
"""

import re
from dataclasses import dataclass

# A leak does not end a program: it shows at the end of any run.
# A word that a path begins with is not part of what they report.
_SUMMARY = re.compile(
    r"^SUMMARY: (?P<tool>\w+Sanitizer): (?P<what>[A-Z]+\b|[a-zA-Z][a-z-]*(?: [a-z-]+(?=\s|$))*)",
    re.M,
)
_BEGIN = re.compile(
    r"^(?P<path>[^\n]*?):\d+:\d+: runtime error: (?P<message>[^\n]*)|^==\d+==ERROR: ", re.M
)
_OF_RACES = "ThreadSanitizer"
_VALUE = re.compile(r"(?P<quoted>'[^'\n]*')|\b0x[\da-f]+\b|-?\b\d[\d.]*(?:e[+-]?\d+)?\b")


@dataclass(frozen=True)
class Report:
    """One report: `words` say what is wrong, `path` in which source if only that is known.

    It is at `start` to `end` of the text.
    """

    tool: str
    words: str
    path: str
    start: int
    end: int

    @property
    def is_undefined_behavior(self) -> bool:
        """Whether it is about undefined behavior, after which a program may go on."""
        return self.tool.startswith("Undefined") and bool(self.path)


def fatal_report(text: str) -> Report | None:
    """The report in a text that tells of the end of a program, if there is one.

    >>> found = fatal_report("SUMMARY: ASanitizer: a-b /x.cpp:1\\nSUMMARY: BSanitizer: c /y.cpp\\n")
    >>> found and (found.tool, found.words)
    ('BSanitizer', 'c')
    """
    found = [*_SUMMARY.finditer(text)] if "SUMMARY: " in text else []
    if not found:
        return None
    if found[-1]["tool"] == _OF_RACES:
        found = [next(one for one in found if one["tool"] == _OF_RACES)]
    fatal = found[-1]
    start = found[-2].end() if len(found) > 1 else 0
    words, path = fatal["what"], ""
    for begin in _BEGIN.finditer(text, start, fatal.start()):
        # Undefined behavior is often without a stack. It quotes types of the compiler's source.
        if begin["path"] is None or fatal["tool"].startswith("Undefined"):
            words, path = begin["message"] or fatal["what"], begin["path"] or ""
            start = begin.start()
    return Report(fatal["tool"], words, path, start, fatal.end())


def without_values(words: str) -> str:
    """What undefined behavior is about, without the values of this run.

    >>> without_values("shift exponent 77 is too large for 64-bit type 'int32_t'")
    "shift exponent N is too large for N-bit type 'int32_t'"
    """
    return _VALUE.sub(lambda value: value["quoted"] or "N", words)

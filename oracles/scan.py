"""Looks for a pattern in a text that is still being printed."""

import re

_WINDOW = 64 << 10
"""Characters before new text in which a match that spans lines may begin."""

_DENIES = re.compile(r"\(\?<?!|\\[AZ]")

# 3.13: IR Dump After CanonicalizerPass: canonicalize{top-down=true} //----- //
# 3.4:  IR Dump After Canonicalizer (canonicalize) //----- //
_DUMP = re.compile(
    r"^// -----// IR Dump (?:After|Before) \S+?(?: Failed)?(?:: (?P<name>[\w.-]+)|"
    r"\s*\((?P<old_name>[^)\n]*)\)|\s).*$",
    re.M,
)


def decides_early(pattern: re.Pattern[str]) -> bool:
    """Whether a match is a match whatever is printed later.

    Not so for a pattern that speaks of what is *not* there, or of the whole text's ends.
    """
    return not _DENIES.search(pattern.pattern)


def dumps_of(text: str, pass_name: str) -> list[str]:
    """The parts of a compiler's output that show the IR after one pass, by its argument name."""
    heads = list(_DUMP.finditer(text))
    ends = [*(head.start() for head in heads[1:]), len(text)]
    return [
        text[head.end() : end]
        for head, end in zip(heads, ends, strict=False)
        if (head["name"] or head["old_name"]) == pass_name
    ]


class Scanner:
    """Reads complete lines of each stream as they come; `found` tells whether there was a match.

    With `pass_name`, only what is printed as the IR after that pass counts. Ends the program at
    the first match if `stops` is set.
    """

    def __init__(
        self, pattern: re.Pattern[str], *, pass_name: str | None = None, stops: bool = True
    ) -> None:
        self._pattern = pattern
        self._pass_name = pass_name
        self._stops = stops
        self.restart()

    def restart(self) -> None:
        """Forgets everything that was read."""
        self.found = False
        self._partial = {"stdout": b"", "stderr": b""}
        self._window = {"stdout": "", "stderr": ""}
        self._inside = self._pass_name is None

    def __call__(self, stream: str, chunk: bytes) -> bool:
        lines, newline, rest = (self._partial[stream] + chunk).rpartition(b"\n")
        self._partial[stream] = rest
        if newline and not self.found:
            self._read(stream, (lines + newline).decode("utf-8", "replace"))
        return self.found and self._stops

    def _read(self, stream: str, text: str) -> None:
        if self._pass_name is not None:
            text = self._of_pass(text)
        if not text:
            return
        window = self._window[stream] + text
        self.found = self._pattern.search(window) is not None
        start = max(0, len(window) - _WINDOW)
        line_start = window.rfind("\n", 0, start) + 1  # so that ^ holds where it should
        self._window[stream] = window[line_start:]

    def _of_pass(self, text: str) -> str:
        """The part of new lines that lies in dumps of the pass."""
        kept, position = [], 0
        for head in _DUMP.finditer(text):
            if self._inside:
                kept.append(text[position : head.start()])
            self._inside = (head["name"] or head["old_name"]) == self._pass_name
            position = head.end()
        if self._inside:
            kept.append(text[position:])
        return "".join(kept)

"""What a program printed, without what only a terminal understands.

Some programs color their messages whatever they print to. Between the codes, no message is found.
Other control characters come from memory that is no text, and no script or report can show them.
"""

import re

_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]"  # colors and other attributes, and moves of the cursor
    r"|\][^\x07\x1b\n]*(?:\x07|\x1b\\)"  # titles and links
    r"|[()][0-9A-B]|[=>78DEHM])"
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]+")


def plain_output(data: bytes) -> str:
    r"""The text of an output, with plain line ends.

    >>> plain_output(b"\x1b[1ma.mlir:1:1: \x1b[0;31merror: \x1b[0mno\r\n")
    'a.mlir:1:1: error: no\n'
    >>> plain_output(b"name \x00\x01 is bad")
    'name  is bad'
    """
    text = data.decode("utf-8", "replace")
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    return _CONTROLS.sub("", text.replace("\r\n", "\n"))

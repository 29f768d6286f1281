"""The IR that a compiler prints around its passes, read back from its standard error.

The prints are those of `--mlir-print-ir-before-all` and `--mlir-print-ir-after-failure`, in module
scope and generic form; their banners changed a little from release to release.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from reducer.locate.pipeline import Step, parse_pipeline

_BANNER = re.compile(
    r"^// -----// IR Dump (?P<when>Before|After) (?P<name>.+?)(?P<failed> Failed)?"
    r"(?:: (?P<argument>[^ ].*?)| \((?P<old>[\w-]+)\))?"
    r"(?: \('(?P<op>[^']+)' operation(?:: (?P<symbol>@.*?))?\))? //-+ //$",
    re.M,
)
_END = re.compile(r"^\}\)[^\n]*\n(?:\n*\{-#$.*?^#-\}\n)?", re.M | re.S)


@dataclass(frozen=True)
class Dump:
    """One print. `step` is the pass as a pipeline names it, None where that cannot be told;
    `op` is the kind of op it ran on and `symbol` that op's name without `@`, both perhaps ''.
    """

    failed: bool
    step: Step | None
    op: str
    symbol: str
    text: str


def read_dumps(stderr: str) -> Iterator[Dump]:
    """All dumps before a pass and after a failed one, in order."""
    banners = list(_BANNER.finditer(stderr))
    ends = [match.start() for match in banners[1:]] + [len(stderr)]
    for match, end in zip(banners, ends, strict=False):
        failed = bool(match["failed"])
        if failed != (match["when"] == "After"):
            continue
        symbol = (match["symbol"] or "").removeprefix("@").strip('"')
        step = _step(match["argument"] or match["old"] or "")
        text = _first_op(stderr[match.end() + 1 : end])
        yield Dump(failed, step, match["op"] or "", symbol, text)


def _step(text: str) -> Step | None:
    try:
        return parse_pipeline(text)
    except ValueError:
        return None


def _first_op(text: str) -> str:
    """The printed module with its resources: diagnostics may follow."""
    end = _END.search(text)
    return text[: end.end()] if end else ""

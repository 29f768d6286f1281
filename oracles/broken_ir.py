"""Read what LLVM's own verifiers say before they end the program.

Their last line is the same for any invalid IR (`LLVM ERROR: Broken module found, compilation
aborted!`). The rules that it breaks are the lines before, each followed by the values concerned.
"""

import re
from collections.abc import Iterable, Iterator

from oracles.diagnostics import parse_line
from oracles.templates import template_of

_BROKEN = re.compile(r"(?:^|: )(?:Broken (?:module|function) found|Found \d+ machine code errors)")
_MACHINE_CODE = re.compile(r"^\*\*\* (?P<rule>Bad machine code: .*?) \*\*\*$")
# An operand is printed behind its type, and everything with a name has a sign before it.
_VALUE = re.compile(
    r"(?<!\w)[%@!#]|^(?:i\d+|ptr|half|bfloat|float|double|fp128|label|metadata|token)\b"
)
_PLACE = "in function "
_INTRINSIC = re.compile(r"@(llvm(?:\.[a-z_][a-z_\d]*)+)")


def is_about_broken_ir(message: str) -> bool:
    """Whether the words of a fatal error only say that LLVM's verifier has rejected something.

    >>> is_about_broken_ir("Broken function found, compilation aborted!")
    True
    """
    return bool(_BROKEN.search(message))


def broken_rule(before: str) -> str:
    """The rule that LLVM IR breaks, from the text before the fatal error; '' if none is printed.

    Of several rules, the one whose template sorts first, since each function has its own.

    >>> broken_rule("Invalid bitcast\\n  %1 = bitcast float %0 to i16\\nin function f\\n")
    'Invalid bitcast'
    """
    return min(_rules(before.splitlines()), key=_template_of_rule, default=("", ""))[0]


def broken_rule_about(before: str) -> str:
    """The same, with the name of the intrinsic if the rule is one about intrinsics.

    It is printed with the values, and each intrinsic has a rule of its own.

    >>> broken_rule_about("Intrinsic has incorrect return type!\\nptr @llvm.amdgcn.wqm.f32\\n")
    'Intrinsic has incorrect return type! llvm.amdgcn.wqm.f32'
    """
    rules = _rules(before.splitlines())
    return " ".join(min(rules, key=_template_of_rule, default=("", ""))).strip()


def _template_of_rule(rule: Iterable[str]) -> str:
    return template_of(" ".join(rule))


def _rules(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Each rule, and the intrinsic that it is about or ''."""
    intrinsic = ""
    for line in reversed(lines):
        if match := _MACHINE_CODE.match(line):
            yield match["rule"], ""
        elif not line or parse_line(line) is not None:
            return
        elif line[0].isalpha() and not line.startswith(_PLACE) and not _VALUE.search(line):
            rule = line.strip()
            yield rule, (intrinsic if "ntrinsic" in rule else "")
            intrinsic = ""
        elif called := _INTRINSIC.search(line):
            intrinsic = called[1]

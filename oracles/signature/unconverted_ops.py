"""Which op keeps a constant alive that a pass could not legalize.

The last pass of a conversion expects no op of the old dialect any more and reports the first one
that is left: "failed to legalize operation 'torch.constant.int'". Nothing is wrong with that
constant. It only supplies an op of its dialect that no earlier pass has lowered, and which of
several constants comes first is chance. What names the bug is the op that they supply. The message
does not mention it, but the IR does that the compiler prints after a failed pass.

An op *supplies* others if all that it yields are values of its dialect, and it has no operands or
only puts its operands together (a list, an optional).
"""

import re
from dataclasses import dataclass

from oracles.rows import row_of
from oracles.signature.printed_ir import separated
from oracles.signature.templates import failing_operation, quoted_operation

_LEFT = row_of(
    r"^failed to legalize operation '[^']+'(?! that was )", "topk-unsorted/expert-3.13.0"
)
_FAILED_DUMP = row_of(
    r"^// -----// IR Dump After \S+ Failed[^\n]*\n(?P<ir>.*?)(?=^// -----// |\Z)",
    "topk-unsorted/expert-3.13.0",
    flags=re.M | re.S,
)
_OP = row_of(
    r'\s*(?:(?P<results>%[^=]*?) = )?"(?P<name>[\w.$-]+)"\((?P<operands>[^()"]*)\)(?P<rest>.*)$',
    "topk-unsorted/expert-3.13.0",
)
_TYPES = row_of(
    r".* : \((?P<inputs>.*)\) -> (?P<outputs>.+?)(?: loc\(.*\))?$", "topk-unsorted/expert-3.13.0"
)
_VALUE = row_of(r"%[\w$.-]+", "topk-unsorted/expert-3.13.0")
_DIALECT_TYPE = re.compile(r"![\w$]+\.(?P<name>[\w$]+)(?:<(?P<parameters>.*)>)?$")


@dataclass(frozen=True)
class _Op:
    """The first line of an op in generic form; types are empty if the op has a region."""

    name: str
    results: frozenset[str]
    operands: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @property
    def dialect(self) -> str:
        return self.name.partition(".")[0]

    @property
    def supplies(self) -> bool:
        own = bool(self.outputs) and all(each.startswith("!") for each in self.outputs)
        return own and (not self.operands or self._puts_together)

    @property
    def _puts_together(self) -> bool:
        """Whether the type of the only result is made of those of the operands."""
        whole = _DIALECT_TYPE.match(self.outputs[0]) if len(self.outputs) == 1 else None
        parts = [_DIALECT_TYPE.match(each) for each in self.inputs]
        if whole is None or not parts:
            return False
        words = re.findall(r"[\w$]+", whole["parameters"] or "")
        return all(part is not None and part["name"] in words for part in parts)


def uses_result(operation: str, other: str) -> bool:
    """Whether a printed op has a result of another one as an operand: of its name and its type.

    >>> uses_result('"d.b"(%1) : (i32) -> ()', '%1 = "d.a"() : () -> i32')
    True
    """
    op, maker = _read(operation), _read(other)
    if op is None or maker is None:
        return False
    given = zip(op.operands, op.inputs, strict=False)
    return any(name in maker.results and kind in maker.outputs for name, kind in given)


def is_unconverted(message: str, operation: str) -> bool:
    """Whether an error is about an op that is only left because of an op that it supplies.

    `operation` is the op that the compiler printed with it.

    >>> is_unconverted(
    ...     "failed to legalize operation 'd.constant'", '%0 = "d.constant"() : () -> !d.int'
    ... )
    True
    """
    op = _read(operation) if _LEFT.match(message) else None
    return op is not None and op.supplies


def user_of_unconverted(stderr: str, operation: str) -> str:
    """The first op in the IR after the failed pass that ops like `operation` supply, or ''.

    All ops of its dialect that supply others count, because which of them is reported is arbitrary.
    """
    dump = _FAILED_DUMP.search(stderr) if "Failed" in stderr else None
    left = _read(operation)
    if dump is None or left is None:
        return ""
    supplied: frozenset[str] = frozenset()
    for line in dump["ir"].splitlines():
        op = _read(line)
        if op is None:
            continue
        supplied -= op.results  # another function may use the same name
        if op.dialect != left.dialect:
            continue
        if op.supplies:
            supplied |= op.results
        elif not supplied.isdisjoint(op.operands):
            return failing_operation("", line)
    return ""


def template_about(user: str, template: str, message: str) -> str:
    """A template that names the op at fault instead of the constant that `message` is about.

    >>> template_about("d.use", "failed to legalize 'd.constant.*'", "… 'd.constant.int'")
    "failed to legalize 'd.use'"
    """
    return template.replace(f"'{quoted_operation(message)}'", f"'{user.partition(' ')[0]}'")


def _read(text: str) -> _Op | None:
    match = _OP.match(text)
    if match is None:
        return None
    types = _TYPES.match(match["rest"])
    return _Op(
        match["name"],
        frozenset(_values(match["results"] or "")),
        _values(match["operands"]),
        separated(types["inputs"]) if types else (),
        separated(types["outputs"].removeprefix("(").removesuffix(")")) if types else (),
    )


def _values(text: str) -> tuple[str, ...]:
    """The names of values; `%1:2` and `%1#0` are about the same one."""
    return tuple(_VALUE.findall(text))

"""Read what a message prints of a program: ops, their types, and LLVM's own IR.

An op may stand for another op or function, which a string attribute names. The compiler's verifier
knows nothing about what such an op means, and two of them with different names have as little in
common as any two ops, so the name is part of the op's identity. A cast that a conversion inserts
stands for whatever was not converted; only its types tell what that is.

LLVM prints types of functions, vectors, and machine code:

    unable to lower arguments: void (ptr addrspace(1), ptr addrspace(1), i32) (in function: f)
    unable to legalize instruction: %136:_(bf16) = G_FDIV %135:_, %108:_ (in function: f)

How many parameters a function has, and which registers and sizes an instruction, is up to the
program. Its opcode and its intrinsic say which part of the compiler cannot handle it.
"""

import re
from collections.abc import Mapping

from oracles.rows import pattern_of, row_of

CARRIED_NAMES: Mapping[str, str] = {
    "torch.operator": "name",
    "stablehlo.custom_call": "call_target_name",
    "mhlo.custom_call": "call_target_name",
    "tosa.custom": "operator_name",
}
"""The attribute that names what an op stands for, by the name of the op."""

_ATTRIBUTE = row_of(
    r'[{,] ?(?P<key>[a-z_]\w*) = "(?P<value>(?:[^"\\\n]|\\.)+)"',
    "custom-call-bar/customcall-3.13.0",
)
_CAST = "builtin.unrealized_conversion_cast"
_CAST_TYPES = row_of(
    r" : \((?P<inputs>.*)\) -> (?P<outputs>.+)$", "memref-boundary/memref-arg-3.13.0"
)


def carried_name(name: str, operation: str) -> str:
    """What an op stands for, or ''. `operation` is the op in generic form.

    >>> carried_name("tosa.custom", '"tosa.custom"() <{operator_name = "f"}> : () -> ()')
    'f'
    >>> carried_name(_CAST, f'%1 = "{_CAST}"(%0) : (vector<2xi32>) -> i64')
    'vector to integer'
    """
    if name == _CAST:
        types = _CAST_TYPES.search(operation)
        return f"{kinds_of(types['inputs'])} to {kinds_of(types['outputs'])}" if types else ""
    if name not in CARRIED_NAMES:
        return ""
    for match in _ATTRIBUTE.finditer(_without_regions(operation)):
        if match["key"] == CARRIED_NAMES[name]:
            return match["value"]
    return ""


def _without_regions(operation: str) -> str:
    """The op without the contents of its regions, whose ops have names of their own.

    The end of the text may be missing.
    """
    head, opened, rest = operation.partition("({\n")
    end = rest.rfind("\n})") if opened else -1
    return head if end < 0 else head + rest[end:]


_KIND = pattern_of(
    (r"(?P<integer>[su]?i\d+\b)", "mlir/translation"),
    (r"(?P<float>(?:bf|tf|f)\d\w*)", "mlir/translation"),
    (r"(?P<other>!?[A-Za-z_][\w$.]*)", "memref-boundary/memref-arg-3.13.0"),
)


def kinds_of(types: str) -> str:
    """What kinds of types these are, without parameters and repetitions.

    >>> kinds_of("memref<?x!a.b<i8>, strided<[1]>>, i64, i32"), kinds_of("!llvm.struct<(ptr)>")
    ('memref, integer', '!llvm.struct')
    """
    kinds = []
    for each in separated(types.removeprefix("(").removesuffix(")")):
        match = _KIND.match(each)
        kind = match.lastgroup if match else None
        kinds.append(match["other"] if match and kind == "other" else kind or each)
    return ", ".join(dict.fromkeys(kinds))


def separated(types: str) -> tuple[str, ...]:
    """Types that commas separate."""
    depth, start, pieces = 0, 0, []
    for index, char in enumerate(types):
        if char in "<([{":
            depth += 1
        elif char in ")]}" or (char == ">" and types[index - 1] != "-"):
            depth -= 1
        elif char == "," and not depth:
            pieces.append(types[start:index])
            start = index + 1
    return tuple(each for part in [*pieces, types[start:]] if (each := part.strip()))


_SCALAR = r"(?:void|ptr|half|bfloat|float|double|fp128|x86_fp80|i\d+|metadata|token|label|%[\w.$]+)"
_INNER = rf"(?:{_SCALAR}|<[^<>()]*>|\[[^][()]*\]|\{{[^{{}}()]*\}})"
_TYPE = rf"{_INNER}(?: addrspace\(\d+\))?\**"
_FUNCTION_TYPE = row_of(
    rf"(?<![\w.%@]){_TYPE} \((?:{_TYPE}(?:, {_TYPE})*)?(?:, )?(?:\.\.\.)?\)", "llc-r600-call/scalar"
)
_POINTER = row_of(r"(?<![\w.%@])ptr addrspace\(\d+\)", "llvm/other-pointer")
_VECTOR = row_of(r"<(?:vscale x )?\d+ x [^<>\s]+>", "llvm/other-pointer")

_REGISTER = r"%[\w.]+(?::\w+)?(?:\([^()]*\))?"
_INSTRUCTION = row_of(
    rf"(?:{_REGISTER}(?:, {_REGISTER})* = (?:[a-z]+ )*(?P<result>[A-Z][A-Z\d_]+)"
    r"|(?P<plain>G_[A-Z\d_]+))\b"
    r"(?P<operands>(?: (?!\(in function)[^\n]*?)?)(?= \(in function|$)",
    "llvm/legalize-bitreverse",
)
# `'  %5 = call <4 x float> @llvm.foo(i32 1)'`: LLVM IR, indented as in a function
_QUOTED = row_of(
    r"'  (?:%[\w.-]+ = )?(?:(?:tail|musttail|notail) )?(?P<result>[a-z]+)\b(?P<plain>)"
    r"(?P<operands>[^\n]*?)'(?= \(in function|$)",
    "llvm/not-translated",
)
_SPILLED = row_of(r"(?<=\bto spill )\S+(?= from class \w)", "llvm/spill")
"""Which register of a class is short of a place is chance."""
_INTRINSIC = row_of(r"@(llvm(?:\.[a-z_][a-z_\d]*)+)", "llvm/not-translated")


def fold_llvm_ir(text: str) -> str:
    """The message with types folded and only the opcode and the intrinsic of an instruction.

    >>> fold_llvm_ir("unable to lower arguments: void (ptr addrspace(1), i32) (in function: f)")
    'unable to lower arguments: <type> (in function: f)'
    >>> fold_llvm_ir("cannot select: %5:_(s32) = nnan G_FDIV %3:_, %4:_ (in function: f)")
    'cannot select: G_FDIV (in function: f)'
    """
    text = _SPILLED.sub("<register>", _QUOTED.sub(_opcode, _INSTRUCTION.sub(_opcode, text)))
    return _VECTOR.sub("<type>", _POINTER.sub("<type>", _FUNCTION_TYPE.sub("<type>", text)))


def _opcode(match: re.Match[str]) -> str:
    intrinsic = _INTRINSIC.search(match["operands"])
    called = f" {intrinsic[0]}" if intrinsic else ""
    return f"{match['result'] or match['plain']}{called}"

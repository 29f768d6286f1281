"""Fold what LLVM prints of its own IR in a message: types of functions, vectors, machine code.

    unable to lower arguments: void (ptr addrspace(1), ptr addrspace(1), i32) (in function: f)
    unable to legalize instruction: %136:_(bf16) = G_FDIV %135:_, %108:_ (in function: f)

How many parameters a function has, and which registers and sizes an instruction, is up to the
program. Its opcode and its intrinsic say which part of the compiler cannot handle it.
"""

import re

_SCALAR = r"(?:void|ptr|half|bfloat|float|double|fp128|x86_fp80|i\d+|metadata|token|label|%[\w.$]+)"
_INNER = rf"(?:{_SCALAR}|<[^<>()]*>|\[[^][()]*\]|\{{[^{{}}()]*\}})"
_TYPE = rf"{_INNER}(?: addrspace\(\d+\))?\**"
_FUNCTION_TYPE = re.compile(
    rf"(?<![\w.%@]){_TYPE} \((?:{_TYPE}(?:, {_TYPE})*)?(?:, )?(?:\.\.\.)?\)"
)
_POINTER = re.compile(r"(?<![\w.%@])ptr addrspace\(\d+\)")
_VECTOR = re.compile(r"<(?:vscale x )?\d+ x [^<>\s]+>")

_REGISTER = r"%[\w.]+(?::\w+)?(?:\([^()]*\))?"
_INSTRUCTION = re.compile(
    rf"(?:{_REGISTER}(?:, {_REGISTER})* = (?:[a-z]+ )*(?P<result>[A-Z][A-Z\d_]+)"
    r"|(?P<plain>G_[A-Z\d_]+))\b"
    r"(?P<operands>(?: (?!\(in function)[^\n]*?)?)(?= \(in function|$)"
)
# `'  %5 = call <4 x float> @llvm.foo(i32 1)'`: LLVM IR, indented as in a function
_QUOTED = re.compile(
    r"'  (?:%[\w.-]+ = )?(?:(?:tail|musttail|notail) )?(?P<result>[a-z]+)\b(?P<plain>)"
    r"(?P<operands>[^\n]*?)'(?= \(in function|$)"
)
_SPILLED = re.compile(r"(?<=\bto spill )\S+(?= from class \w)")
"""Which register of a class is short of a place is chance."""
_INTRINSIC = re.compile(r"@(llvm(?:\.[a-z_][a-z_\d]*)+)")


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

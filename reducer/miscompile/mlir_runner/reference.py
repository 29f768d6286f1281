"""MLIR's own tools as a reference: they lower a program to LLVM and run it, without optimizations.

They share neither code with the evaluator nor passes with the compiler under test, beyond what is
in MLIR itself. Only programs in MLIR's own dialects can be run: what one project adds is taken out
as far as that changes nothing about the meaning, and so are schedules of the transform dialect,
which say how to compile a program.

LLVM knows the functions of the C library by their names: it computes a call of a function `@ceil`
that takes and returns a float as the ceiling, whatever the program says that this function does.
And a program's own `@malloc` would be called for all memory. So such functions are renamed.
"""

import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from oracles.base import file_identity
from oracles.compilers.command import resolve_binary, verifying_tool
from oracles.profiles import RUNTIME
from oracles.run.confinement import current_confinement
from oracles.run.limits import End, Limits, ProcessResult
from oracles.run.run_process import run_process
from oracles.signature.classify import signal_code
from reducer.ir import NONE, GenericSyntaxError, Module, Rewrite
from reducer.miscompile.mlir_runner.file_call import NAME, file_call
from reducer.miscompile.mlir_runner.memory import NotInMemory, from_bytes, to_bytes, width_of
from reducer.miscompile.mlir_runner.tools import MlirTools
from reducer.miscompile.oracle.execution import (
    CANNOT,
    CallableProgram,
    ExecutionResult,
    RunContext,
    failure_of,
)
from reducer.miscompile.values.declared_functions import mentions_elements
from reducer.miscompile.values.printed_values import printed_values
from reducer.miscompile.values.programs import Function, Value, ValueType

_PASSES = (
    "convert-elementwise-to-linalg",
    "convert-tensor-to-linalg",
    "one-shot-bufferize{bufferize-function-boundaries allow-return-allocs-from-loops}",
    "func.func(convert-linalg-to-loops)",
    "convert-vector-to-scf",
    "expand-strided-metadata",
    "lower-affine",
    "convert-scf-to-cf",
    "arith-expand",
    "convert-math-to-llvm{approximate-log1p=false}",
    "convert-math-to-funcs",
    "convert-math-to-libm",
    "convert-complex-to-llvm",
    "convert-vector-to-llvm",
    "convert-to-llvm",
    "reconcile-unrealized-casts",
)
_TOSA = (
    "func.func(tosa-to-linalg-named,tosa-to-linalg)",
    "tosa-to-arith",
    "tosa-to-tensor",
    "tosa-to-scf",
)

FRONT_END = (f"--pass-pipeline=builtin.module({','.join(_TOSA)})",)
"""The flags with which `mlir-opt` lowers what can be lowered to the core dialects."""

_SOFT_FLOATS = ("convert-arith-to-apfloat", "convert-math-to-apfloat")
"""Compute in software what no machine can: floats of 8 bits."""

_UNKNOWN_ATTRIBUTES = "--allow-unregistered-dialect"
"""For what the project notes at ops and modules. Ops that are not known cannot be lowered."""

_NOTES = re.compile(r"(?<=^module) attributes \{.*\}(?= \{$)", re.M)
_TEXT = 1 << 30  # maximum number of bytes of a module


@dataclass(frozen=True)
class MlirRunner:
    """Runs modules with MLIR's own tools.

    `compiler` is the one under test: its `…-opt` tool reads what these tools cannot. `converted`
    are the element types of which it makes others: a program with such elements means something
    else to these tools. `level` is how much LLVM optimizes. `note` follows the name.
    """

    tools: MlirTools
    compiler: Path
    converted: frozenset[str] = frozenset()
    level: str = "-O0"
    note: str = ""

    @property
    def name(self) -> str:
        level = self.level if self.level != "-O0" else ""
        return " ".join(filter(None, ("mlir-runner", self.tools.version, level, self.note)))

    @cached_property
    def key(self) -> str:
        return " ".join([*map(file_identity, (self.tools.opt, self.tools.runner)), self.level])

    def build(self, text: str, folder: Path, context: RunContext) -> CallableProgram | None:
        if mentions_elements(text, self.converted):
            types = ", ".join(sorted(self.converted))
            context.reasons[self.name] = (
                f"the compiler turns its elements of type {types} into others"
            )
            return None
        place = folder / "upstream"
        place.mkdir(exist_ok=True)
        work = _ToolRuns(self.tools, place, context)
        try:
            module = work.read(text)
            if has_schedules(module):
                generic = work.run([self.tools.opt, "--mlir-print-op-generic"], module)
                module = work.read(without_schedules(generic))
            return _UpstreamProgram(module, self.tools, place, self.level, self.name)
        except (_Unreadable, GenericSyntaxError) as error:
            reason = str(error)
        opt = verifying_tool(resolve_binary(self.compiler))
        if opt is not None:
            try:
                generic = work.run([opt, "--mlir-print-op-generic"], text)
                module = work.read(plain(generic), _UNKNOWN_ATTRIBUTES)
                bare = _NOTES.sub("", module)
                return _UpstreamProgram(bare, self.tools, place, self.level, self.name)
            except (_Unreadable, GenericSyntaxError) as error:
                reason = str(error)
        context.reasons[self.name] = reason
        return None


def is_lowered(text: str, function: str) -> bool:
    """Whether a module as `mlir-opt` prints it has a function of the LLVM dialect by that name."""
    name = re.escape(function)
    return re.search(rf'^ *llvm\.func (?:\w+ )*@"?{name}"?\(', text, re.M) is not None


@dataclass(frozen=True)
class _UpstreamProgram:
    """A module as `mlir-opt` prints it.

    What it is lowered to, or why it cannot be, is kept for each function that is called.
    """

    text: str
    tools: MlirTools
    place: Path
    level: str
    name: str
    _lowered: dict[Function, "str | _Unreadable"] = field(
        default_factory=dict, compare=False, repr=False
    )

    def call(
        self, function: Function, inputs: Sequence[str], context: RunContext, *, garbage: int
    ) -> ExecutionResult:
        if current_confinement() is not None and (what := outside(self.text)):
            context.reasons[self.name] = f"it comes from a file and uses {what}"
            return ExecutionResult(failure=CANNOT)
        source, target = self.place / "inputs", self.place / "outputs"
        if None in function.inputs or None in function.results:
            return ExecutionResult(failure=CANNOT)
        work = _ToolRuns(self.tools, self.place, context)
        try:
            source.write_bytes(_arguments(function, inputs))
        except NotInMemory as error:
            return self._cannot(error, context)
        if function not in self._lowered:
            self._lowered[function] = self._lower(function, source, target, work)
        lowered = self._lowered[function]
        if isinstance(lowered, _Unreadable):
            return self._cannot(lowered, context)
        target.unlink(missing_ok=True)
        result = work.execute(lowered, garbage, self.level)
        if result.end is not End.EXITED or result.starved:
            end = End.MEMORY if result.starved else result.end
            return ExecutionResult(failure=str(end), end=end)
        if signal_code(result.exit_code) > 0:  # a program that fails ends by a signal
            context.reasons[self.name] = _first_error(result)
            return ExecutionResult(failure=CANNOT)
        if result.exit_code != 0 or not target.is_file():
            failed = failure_of(result)
            return ExecutionResult(failure=failed.status, failed=failed)
        values = _results(function.returned, target.read_bytes())
        if function.prints:
            values.append(printed_values(result.stdout, function.prints))
        return ExecutionResult(tuple(values))

    def _cannot(self, error: Exception, context: RunContext) -> ExecutionResult:
        context.reasons[self.name] = str(error)
        return ExecutionResult(failure=CANNOT)

    def _lower(
        self, function: Function, source: Path, target: Path, work: "_ToolRuns"
    ) -> "str | _Unreadable":
        """The module in the LLVM dialect, with a function that calls one with what is in a file."""
        is_own = function.name in defined_names(self.text)
        callee = replace(function, name=f"{function.name}{SUFFIX if is_own else ''}")
        lowered_already = is_lowered(self.text, function.name)
        passes = f"--pass-pipeline={lowering(self.text)}"
        try:
            caller = file_call(callee, str(source), str(target), is_lowered=lowered_already)
            module = _with(avoid_libc_names(self.text), caller)
            return work.run([self.tools.opt, _UNKNOWN_ATTRIBUTES, passes], module)
        except NotInMemory as error:
            return _Unreadable(str(error))
        except _Unreadable as error:
            return error


class _Unreadable(Exception):
    """MLIR's tools do not know what the program consists of."""


@dataclass(frozen=True)
class _ToolRuns:
    """Runs of MLIR's tools."""

    tools: MlirTools
    place: Path
    context: RunContext

    def read(self, text: str, *flags: str) -> str:
        """The module as `mlir-opt` prints it."""
        return self.run([self.tools.opt, *flags], text)

    def run(self, words: Sequence[str | Path], text: str) -> str:
        """What a tool makes of a module.

        Raises:
            _Unreadable: it fails.
        """
        source = self.place / "source.mlir"
        source.write_text(text, encoding="utf-8", errors="surrogateescape")
        limits = Limits(self.context.limits.seconds, self.context.limits.memory, _TEXT)
        result = run_process(
            [*map(str, words), str(source)],
            cwd=self.place,
            limits=limits,
            cancel=self.context.cancel,
        )
        self.context.add(result)
        if result.end is not End.EXITED or result.exit_code != 0:
            raise _Unreadable(_first_error(result))
        return result.stdout

    def execute(self, lowered: str, garbage: int, level: str) -> ProcessResult:
        """Run the function `NAME` of a module in the LLVM dialect."""
        program = self.place / "program.mlir"
        program.write_text(lowered, encoding="utf-8", errors="surrogateescape")
        libraries = ",".join(map(str, self.tools.libraries))
        words = [str(self.tools.runner), str(program), "-e", NAME, "--entry-point-result=void"]
        words += [level, *([f"--shared-libs={libraries}"] if libraries else [])]
        result = run_process(
            words,
            cwd=self.place,
            limits=self.context.limits,
            cancel=self.context.cancel,
            env={**os.environ, "MALLOC_PERTURB_": str(garbage)},
        )
        self.context.add(result)
        return result


def _first_error(result: ProcessResult) -> str:
    if result.end is not End.EXITED:
        return str(result.end)
    lines = (line.partition("error: ")[2] for line in result.stderr.splitlines())
    return next(filter(None, lines), f"exit code {result.exit_code}")


def _with(module: str, function: str) -> str:
    """A module as printed by `mlir-opt`, with another function at its end."""
    at = module.rindex("\n}") + 1
    return f"{module[:at]}{function}\n{module[at:]}"


def lowering(text: str) -> str:
    """The pipeline that makes a module one that can run."""
    passes = [*(_TOSA if "tosa." in text else ()), *_PASSES]
    if "vector.m" in text:
        at = passes.index("convert-vector-to-scf")
        passes[at:at] = ["func.func(lower-vector-mask,lower-vector-multi-reduction)"]
    if "f8E" in text:
        at = passes.index("arith-expand")
        passes[at:at] = _SOFT_FLOATS
    return f"builtin.module({','.join(passes)})"


def _arguments(function: Function, inputs: Sequence[str]) -> bytes:
    """The arguments in the format of `file_call`."""
    types = [one for one in function.inputs if one is not None]
    if len(types) != len(inputs):
        raise NotInMemory(f"{len(inputs)} arguments instead of {len(types)}")
    pieces = []
    for type_, word in zip(types, inputs, strict=True):
        passed, equals, values = word.partition("=")
        if not equals:
            pieces.append(to_bytes(type_.element, word, 1))
            continue
        sizes = [int(size) for size in passed.split("x")[:-1]]
        for size, declared in zip(sizes, type_.shape or (), strict=True):
            pieces.append(b"" if declared is not None else size.to_bytes(8, "little"))
        pieces.append(to_bytes(type_.element, values, _product(sizes)))
    return b"".join(pieces)


def _results(types: Sequence[ValueType], data: bytes) -> list[Value]:
    """The results in the format of `file_call`."""
    values, at = [], 0
    for type_ in types:
        rank = len(type_.shape or ())
        sizes = [int.from_bytes(data[at + 8 * n : at + 8 * n + 8], "little") for n in range(rank)]
        begin = at + 8 * rank
        at = begin + _product(sizes) * width_of(type_.element)
        shape = None if type_.shape is None else tuple(sizes)
        elements = from_bytes(type_.element, data[begin:at])
        values.append(Value(ValueType(type_.element, shape), elements))
    return values


def _product(sizes: Sequence[int]) -> int:
    product = 1
    for size in sizes:
        product *= size
    return product


SUFFIX = ".own"
"""What is appended to a name; no name in C has a period."""

_FUNCTION = re.compile(r'^ *(?:llvm|func)\.func [^\n@"]*@([\w$.-]+)\(.*?(\{?)$', re.M)
_NAME = re.compile(r'"(?:[^"\\]|\\.)*"|@([\w$.-]+)')


def defined_names(text: str) -> frozenset[str]:
    """The names of the functions that a module, as `mlir-opt` prints it, has the bodies of."""
    found = _FUNCTION.findall(text)
    declared = {name for name, body in found if not body}
    return frozenset(name for name, body in found if body) - declared


_UNSEEN = re.compile(
    r"\b(?:inline_asm|module_asm|call_indirect|coro\.)|llvm\.(?:call|invoke)(?= [^@\n]*%)"
)
"""Machine code, and what calls a function by its address, which may be that of any."""
_DECLARATION = re.compile(r"^ *(?:llvm|func)\.func [^@\n]*@(.*?)\(.*(?<!\{)$", re.M)
_MATH = {f"{name}{end}" for name in dir(math) if name[0] != "_" for end in ("", "f", "l")}
_SUPPORT = re.compile(
    r"print[A-Z]\w*|memrefCopy|rtclock|(?:aligned_)?[mc]?alloc|free|mem(?:cpy|move|set|cmp)"
)
"""Functions of MLIR's support library, and those for memory."""


def outside(text: str) -> str:
    """What a module, as `mlir-opt` prints it, uses that could do anything; '' if nothing.

    >>> outside("llvm.func @system(!llvm.ptr) -> i32"), outside("llvm.func @expf(f32) -> f32")
    ('@system, which it does not define', '')
    """
    if found := _UNSEEN.search(text):
        return f"{found[0]}, which may run anything"
    for name in _DECLARATION.findall(text):
        if name not in _MATH and not _SUPPORT.fullmatch(name):
            return f"@{name}, which it does not define"
    return ""


def avoid_libc_names(text: str) -> str:
    """A module as `mlir-opt` prints it, with `SUFFIX` behind the names of functions with a body.

    >>> avoid_libc_names('func.func @sin(%0: f32) {\\n  call @cos() : () -> ()\\n  call @sin(%0)')
    'func.func @sin.own(%0: f32) {\\n  call @cos() : () -> ()\\n  call @sin.own(%0)'
    """
    names = defined_names(text)

    def renamed(match: re.Match[str]) -> str:
        return f"{match[0]}{SUFFIX}" if match[1] in names else match[0]

    return _NAME.sub(renamed, text)


def plain(generic: str) -> str:
    """The module without the ops that only return their operands.

    Raises:
        GenericSyntaxError: the module cannot be parsed.
    """
    if not any(f'"{name}"' in generic for name in RUNTIME.identities):
        return generic
    module = Module.parse(generic)
    rewrite = Rewrite(module)
    for op, name in enumerate(module.t.name):
        if name not in RUNTIME.identities:
            continue
        operands = module.t.operands[op]
        for value, operand in zip(module.results(op), operands, strict=False):
            rewrite.substitute(value, rewrite.token(operand))
        rewrite.remove(op)
    return rewrite.render()


_DIALECT = "transform."


def has_schedules(text: str) -> bool:
    """Whether a module in MLIR's text may have such ops."""
    return f" {_DIALECT}" in text or f'"{_DIALECT}' in text


def without_schedules(generic: str) -> str:
    """A module in generic form without the ops of the transform dialect and all that is in them.

    Raises:
        GenericSyntaxError: the module cannot be parsed.
    """
    module = Module.parse(generic)
    rewrite = Rewrite(module)
    for op, name in enumerate(module.t.name):
        parent = module.t.parent[op]
        is_inside = parent != NONE and module.t.name[parent].startswith(_DIALECT)
        if name.startswith(_DIALECT) and not is_inside:
            rewrite.remove(op)
    return rewrite.render()

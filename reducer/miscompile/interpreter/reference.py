"""The evaluator as a reference: what a program means, to compare a compiler's results with.

A module in the core dialects is only printed in generic form by the compiler's `…-opt` tool. One
above them (torch, TOSA, ONNX) is lowered by the compiler's own front end first, so the evaluator
then says what the front end has made of it. Most of StableHLO and of ONNX is evaluated as it is;
other ops beside it are lowered by themselves. A module whose types the front end changes (f64
becomes f32, as a rule) is lowered as well: it then means something else.
"""

import os
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from oracles.compilers.command import resolve_binary, verifying_tool
from oracles.profiles import RUNTIME
from oracles.run.limits import End, Limits, ProcessResult
from oracles.run.reaper_client import python
from oracles.run.run_process import run_process
from oracles.signature.diagnostics import primary_error
from reducer.ir import GenericSyntaxError
from reducer.miscompile.interpreter.answers import Evaluation
from reducer.miscompile.interpreter.dialects.names import (
    DIRECT_OPS,
    ONNX_OPS,
    is_above_core,
    needs_front_end,
)
from reducer.miscompile.interpreter.lowering import generalized, with_lowered_ops
from reducer.miscompile.interpreter.warm import MODULE, warm_child
from reducer.miscompile.oracle.execution import (
    CallableProgram,
    CompilerConfig,
    ExecutionResult,
    RunContext,
)
from reducer.miscompile.values.declared_functions import mentions_elements
from reducer.miscompile.values.printed_values import printed_values
from reducer.miscompile.values.programs import MAX_ELEMENTS, Function, Value

_GENERAL = ("--linalg-generalize-named-ops",)
_OP = re.compile(r'^\s*(?:%[^"\n]* = )?"(\w+\.[\w.]+)"\(', re.M)
_OPERATOR = re.compile(r'"torch\.operator"\([^)]*\)[^\n]*?\bname = "(\w+)\.')
_ERROR = re.compile(r"\berror: (.*)")
_SORT = re.compile(r'"(?:stablehlo|chlo|torch)\.[\w.]*sort[\w.]*"\(')
_STABLE = re.compile(r"\bis_stable = true\b")
_SIGNATURE = re.compile(r"^.* : (\(.*\) -> .*)$", re.M)
_TEXT = 1 << 30  # maximum number of bytes of a module in generic form


@dataclass(frozen=True)
class EvaluatorReference:
    """Evaluates modules that a compiler of the core dialects, or its front end, can read.

    `front_end` are the flags with which the compiler lowers other dialects to these. `signs` is
    whether a compiler must keep the sign of a zero where an op does.
    """

    compiler: CompilerConfig
    front_end: tuple[str, ...] = RUNTIME.front_end
    name: str = "the evaluator"
    signs: bool = False

    @cached_property
    def key(self) -> str:
        signs = " with signs" if self.signs else ""
        return f"evaluator{signs} {_version()} {self.compiler.key}"

    def build(self, text: str, folder: Path, context: RunContext) -> CallableProgram | None:
        place = folder / "evaluator"
        place.mkdir(exist_ok=True)
        try:
            return self._build(text, place, context)
        except _NotReadable as error:
            context.reasons[self.name] = str(error)
            return None

    def _build(self, text: str, place: Path, context: RunContext) -> CallableProgram:
        for flag in filter(RUNTIME.less_exact.match, self.compiler.command.flags):
            raise _NotReadable(f"{flag} has the compiler compute with fewer digits than it says")
        module = self._generic(text, place, context)
        stable = all_sorts_stable(module)

        def lowered() -> EvaluatedModule:
            made = self._generic(self._lowered(text, place, context), place, context)
            path, is_lowered = place / "lowered.generic.mlir", made != module
            return self._module(made, path, context, stable, is_lowered)

        ops, has_onnx = ops_of(module), has_onnx_only(module)
        converted = RUNTIME.converted_types(self.compiler.command.flags)
        unknown = {op for op in ops if needs_front_end(op, has_onnx=has_onnx)}
        known = ops & (DIRECT_OPS | ONNX_OPS) - unknown
        if has_elements(module, converted) or (unknown and not known):
            return lowered()
        path = place / "generic.mlir"
        if not known:
            return self._module(module, path, context)

        def mixed(alone: frozenset[str]) -> EvaluatedModule | None:
            """The module once the front end has lowered some ops by themselves."""
            lower = partial(self._alone, place, context)
            if not alone:
                return self._module(module, path, context)
            made = with_lowered_ops(module, alone.__contains__, lower)
            if made is None:
                return None
            evaluated = self._module(made.text, path, context, stable, is_lowered=True)
            return replace(evaluated, lowered_ops=made.ops)

        direct = mixed(frozenset(unknown))
        return DirectModule(direct, mixed, lowered, frozenset(unknown)) if direct else lowered()

    def _module(
        self,
        module: str,
        path: Path,
        context: RunContext,
        stable: bool = False,
        is_lowered: bool = False,
    ) -> "EvaluatedModule":
        try:
            module = generalized(module, lambda ops: self._without_names(ops, path.parent, context))
        except GenericSyntaxError as error:
            raise _NotReadable(str(error)) from error
        path.write_text(module, encoding="utf-8", errors="surrogateescape")
        parameters = self.compiler.parameters
        return EvaluatedModule(path, stable, is_lowered, parameters, signs=self.signs)

    def _generic(self, text: str, place: Path, context: RunContext, *passes: str) -> str:
        """The module in generic form, after some passes."""
        opt = verifying_tool(resolve_binary(self.compiler.executable))
        if opt is None:
            raise _NotReadable("the compiler has no tool that prints generic form")
        source = place / "source.mlir"
        source.write_text(text, encoding="utf-8", errors="surrogateescape")
        limits = Limits(context.limits.seconds, context.limits.memory, _TEXT)
        words = [str(opt), *passes, "--mlir-print-op-generic", str(source)]
        result = run_process(words, cwd=place, limits=limits, cancel=context.cancel)
        context.add(result)
        if result.end is not End.EXITED:
            raise _NotReadable(f"{opt.name}: {result.end}")
        if result.exit_code != 0:
            raise _NotReadable(_first_error(result.stderr) or f"{opt.name} fails")
        return result.stdout

    def _alone(self, place: Path, context: RunContext, ops: str) -> str | None:
        """What the front end makes of functions of single ops; None if it fails."""
        try:
            return self._generic(self._lowered(ops, place, context), place, context)
        except _NotReadable:
            return None

    def _without_names(self, ops: str, place: Path, context: RunContext) -> str | None:
        try:
            return self._generic(ops, place, context, *_GENERAL)
        except _NotReadable:
            return None

    def _lowered(self, text: str, place: Path, context: RunContext) -> str:
        """The module after the compiler's front end."""
        command = self.compiler.command
        front_end = replace(
            self.compiler, command=command.with_flags([*command.flags, *self.front_end])
        )
        target = place / "lowered.mlir"
        outcome, _ = front_end.compile(text, target, context)
        if not outcome.succeeded or not target.is_file():
            error = primary_error(outcome.diagnostics)
            raise _NotReadable(f"the front end: {error.message if error else outcome.kind}")
        return target.read_text(encoding="utf-8", errors="surrogateescape")


class _NotReadable(Exception):
    """The compiler's tools do not turn the module into one that can be evaluated."""


def _first_error(stderr: str) -> str:
    match = _ERROR.search(stderr)
    return match[1] if match else ""


def ops_of(module: str) -> frozenset[str]:
    """The names of the ops of a module in generic form."""
    return frozenset(_OP.findall(module))


def all_sorts_stable(module: str) -> bool:
    """Whether a module above the core dialects has sorts, all of which promise to be stable."""
    sorts = len(_SORT.findall(module))
    return 0 < sorts == len(_STABLE.findall(module))


def has_onnx_only(module: str) -> bool:
    """Whether all torch operators of a module are those of ONNX, and `onnx` is installed."""
    operators = set(_OPERATOR.findall(module))
    return operators == {"onnx"} and find_spec("onnx") is not None


def has_elements(module: str, types: Collection[str]) -> bool:
    """Whether values of a module in generic form consist of elements of one of some types.

    Attributes do not count: `1.0 : f64` is how the torch dialect spells any float.
    """
    return mentions_elements("\n".join(_SIGNATURE.findall(module)), types)


@dataclass(frozen=True)
class EvaluatedModule:
    """A module in generic form, evaluated in a process of its own for each call.

    `is_lowered` is whether the compiler's front end has made it of the program, or of the
    `lowered_ops` in it; `parameters` are archives of parameters, each as `SCOPE=FILE` or `FILE`.
    """

    path: Path
    stable_sorts: bool = False
    is_lowered: bool = False
    parameters: tuple[str, ...] = ()
    lowered_ops: tuple[str, ...] = ()
    signs: bool = False

    def call(
        self,
        function: Function,
        inputs: Sequence[str],
        context: RunContext,
        *,
        garbage: int,
        once: bool = False,
    ) -> ExecutionResult:
        """The results; what the evaluator cannot do in the limits is `unsupported`."""
        flags, answer = self.path.with_suffix(".inputs"), self.path.with_suffix(".answer")
        flags.write_text("".join(f"--input={value}\n" for value in inputs), encoding="utf-8")
        words = [
            *python("-m", MODULE), str(self.path), "--function", function.name,
            "--max-elements", str(MAX_ELEMENTS), f"@{flags}", "--output", str(answer),
        ]  # fmt: skip
        words += ["--once"] if once else []
        words += ["--stable-sorts"] if self.stable_sorts else []
        words += ["--signs"] if self.signs else []
        words += [f"--parameters={archive}" for archive in self.parameters]
        result = run_process(
            words,
            cwd=self.path.parent,
            limits=context.limits,
            cancel=context.cancel,
            env=_environment(),
            start=warm_child,
        )
        context.add(result)
        if result.end is End.CANCELLED:
            return ExecutionResult(failure=str(result.end), end=result.end)
        if not answer.is_file():
            return _silent(result)
        try:
            return _result(Evaluation.read(answer), function.prints)
        except (OSError, ValueError) as error:
            return ExecutionResult(unsupported=(f"this program: {error}",))
        finally:
            answer.unlink()  # nothing that runs here later depends on what it says


def _silent(result: ProcessResult) -> ExecutionResult:
    """Why a process has written no answer."""
    if result.end is not End.EXITED or result.starved:
        end = End.MEMORY if result.starved else result.end
        return ExecutionResult(unsupported=(f"a program beyond the limits ({end})",))
    last = result.stderr.strip().splitlines()[-1:] or ["no message"]
    return ExecutionResult(unsupported=(f"this program: {last[0]}",))


class DirectModule:
    """A module above the core dialects, evaluated as it is, as far as that is possible.

    What the evaluator cannot do with an op is only known when it meets it. `mixed` makes the module
    in which the front end has lowered some ops by themselves, `lower` the one that it has lowered
    as a whole, for what is left.
    """

    def __init__(
        self,
        direct: EvaluatedModule,
        mixed: Callable[[frozenset[str]], EvaluatedModule | None],
        lower: Callable[[], EvaluatedModule],
        alone: frozenset[str],
    ) -> None:
        self._module = direct
        self._mixed = mixed
        self._lower: Callable[[], EvaluatedModule] | None = lower
        self._alone = alone

    @property
    def path(self) -> Path:
        """The module in generic form that is evaluated."""
        return self._module.path

    @property
    def is_lowered(self) -> bool:
        return self._module.is_lowered

    @property
    def lowered_ops(self) -> tuple[str, ...]:
        return self._module.lowered_ops

    def call(
        self,
        function: Function,
        inputs: Sequence[str],
        context: RunContext,
        *,
        garbage: int,
        once: bool = False,
    ) -> ExecutionResult:
        found = self._module.call(function, inputs, context, garbage=garbage, once=once)
        while self._lower is not None and found.unsupported and self._retreat(found.unsupported):
            found = self._module.call(function, inputs, context, garbage=garbage, once=once)
        return found

    def _retreat(self, unsupported: Sequence[str]) -> bool:
        """Leave more to the front end; False if it does not take it."""
        assert self._lower is not None
        named = frozenset(reason.partition(" ")[0] for reason in unsupported)
        above = frozenset(filter(is_above_core, named)) - self._alone
        module = self._mixed(self._alone | above) if above else None
        if module is not None:
            self._module, self._alone = module, self._alone | above
            return True
        lower, self._lower = self._lower, None
        try:
            self._module, self._alone = lower(), frozenset()
        except _NotReadable:
            return False
        return True


def _environment() -> dict[str, str]:
    """One thread, so that sums have the same order on every machine."""
    root = str(Path(__file__).parents[3])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }


@cache
def _version() -> str:
    """A hash of the evaluator's own sources: what it answers depends on all of them."""
    digest, here = sha256(), Path(__file__).parent
    for path in (*sorted(here.rglob("*.py")), here.parent / "values" / "elements.py"):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _result(found: Evaluation, prints: float) -> ExecutionResult:
    """An answer as a result.

    `prints` is the relative tolerance of printed floats; 0 if what is printed is not a result.
    """
    values = list(found.results)
    if prints and not (found.undefined or found.failure or found.unsupported):
        printed = printed_values(found.printed, prints)
        again = [printed_values(one, prints) for one in found.printed_again]
        values.append(replace(printed, signed=_same_signs(printed, again)))
    return ExecutionResult(
        tuple(values),
        failure=found.failure,
        undefined=found.undefined,
        unsupported=found.unsupported,
        hazards=found.hazards,
    )


def _same_signs(value: Value, others: Sequence[Value]) -> Any:
    """For each element whether it always has the same sign; None if that is not known."""
    if not others or len({one.count for one in (value, *others)}) > 1:
        return None
    signs = [np.signbit(one.elements.astype(np.float64)) for one in (value, *others)]
    return np.all([one == signs[0] for one in signs], axis=0)

"""Find the dispatch that computes something else than its IR says.

Every dispatch is judged on what it really read in one run of the compiled program. So a difference
neither comes from an earlier dispatch nor from rounding that added up, and the first dispatch whose
results differ is where code generation went wrong.

All executions are judged together: one function that calls the function of each dispatch on its
inputs. So a reference compiles and runs once, however many dispatches there are.
"""

import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from oracles.profiles import RUNTIME, DispatchCalls
from oracles.run.limits import End, Limits, ProcessResult
from oracles.run.run_process import run_process
from reducer.ir import GenericSyntaxError, Module
from reducer.miscompile.locate.dispatch_calls import DispatchCall, dispatch_functions, read_calls
from reducer.miscompile.locate.dispatch_program import (
    TensorFunction,
    function_type,
    in_module,
    tensor_function,
)
from reducer.miscompile.locate.dispatch_trace import Execution, Watched, executions, watched
from reducer.miscompile.oracle import (
    Comparison,
    CompilerConfig,
    Implementation,
    InputSpec,
    Poisoned,
)
from reducer.miscompile.oracle.execution import ExecutionResult, RunContext
from reducer.miscompile.oracle.program_pool import FIRST_GARBAGE
from reducer.miscompile.values.compare import compare, gravest
from reducer.miscompile.values.programs import Function, Value, ValueType, read_results

_AT_ONCE = 300  # executions judged together
_CHARACTERS = 64 << 20  # of their arguments
_PRINTED = 1 << 30  # bytes of traces that are read
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d.]*(?:e[-+]?\d+)?(?![\w.])", re.I)
_PARTS, _MOST = 1 << 10, 1e6


@dataclass(frozen=True)
class SuspectDispatch:
    """An execution of a dispatch whose results a reference does not confirm, as a program."""

    execution: Execution
    function: TensorFunction
    reference: str
    difference: str

    @property
    def text(self) -> str:
        """The dispatch as a program in generic form."""
        return in_module(self.function.text())

    @property
    def inputs(self) -> tuple[InputSpec, ...]:
        """What the dispatch read."""
        return tuple(map(InputSpec.parse, self.execution.arguments))


@dataclass(frozen=True)
class DispatchRun:
    """What one run of a program shows.

    Attributes:
        phases: the IR after each phase up to that of the calls.
        calls: the calls of dispatches, in text order.
        executions: those whose arguments and results are known.
        result: the results of the program that showed them.
    """

    module: Module
    phases: dict[str, str]
    calls: list[DispatchCall]
    executions: list[Execution]
    result: ExecutionResult

    @property
    def is_complete(self) -> bool:
        """Whether the values of every call are known. A call that does not run has none."""
        return {one.call.op for one in self.executions} == {call.op for call in self.calls}


def run_traced(
    candidate: CompilerConfig,
    ir: DispatchCalls,
    text: str,
    function: Function,
    inputs: Sequence[str],
    context: RunContext,
) -> DispatchRun | str:
    """Compile a program so that it prints what each dispatch reads and makes, and run it once.

    Costs one compilation in all: it stops after the calls are formed, and continues from there.

    Returns:
        Why there is no such run: the phase that stops, for example, may not be reached.
    """
    with tempfile.TemporaryDirectory(prefix="mlir-reducer-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        phases = _phases(candidate, ir, text, folder / "phases", context)
        if ir.phase not in phases:
            return f"the compiler writes no IR after {ir.phase}"
        try:
            module = Module.parse(phases[ir.phase])
            before = phases.get(ir.formed_in)
            formed = Module.parse(before) if before else None
        except GenericSyntaxError as error:
            return f"cannot parse the IR after {ir.phase} ({error})"
        calls = read_calls(module, ir, formed)
        resumed = with_flags(candidate, ir.resume_flags)
        notes: list[str] = []
        tried: set[str] = set()
        for called, packed in ((function.name, True), (function.name, False), (None, False)):
            program = watched(module, calls, ir, called, packed=packed)
            if program.text in tried:
                continue
            tried.add(program.text)
            shown = _show(resumed, program, function, inputs, folder, context)
            if isinstance(shown, ProcessResult):
                seen = ExecutionResult(tuple(read_results(shown.stdout)[: program.own_results]))
                found = executions(program, inputs, shown.stdout, shown.stderr, ir)
                return DispatchRun(module, phases, calls, found, seen)
            notes.append(shown)
    return notes[0]


def _show(
    resumed: CompilerConfig,
    watching: Watched,
    function: Function,
    inputs: Sequence[str],
    folder: Path,
    context: RunContext,
) -> ProcessResult | str:
    """Run a program that shows its values; or why it does not run."""
    target = folder / f"watched{RUNTIME.suffix}"
    outcome, program = resumed.compile(watching.text, target, context)
    if not outcome.succeeded or not program.path.is_file():
        return f"the program that shows its values does not compile: {outcome.signature.text}"
    flags = folder / "inputs"
    told = "".join(f"{RUNTIME.input_flag}={one}\n" for one in inputs)
    flags.write_text(told, encoding="utf-8")
    result = run_process(
        program.words(function, flags),
        cwd=folder,
        limits=Limits(context.limits.seconds, context.limits.memory, _PRINTED),
        cancel=context.cancel,
    )
    context.add(result)
    if result.end is not End.EXITED or result.exit_code != 0:
        return "the program that shows its values does not end normally"
    return result


def with_flags(config: CompilerConfig, flags: Sequence[str]) -> CompilerConfig:
    """The same compiler with additional flags."""
    command = config.command
    return replace(config, command=command.with_flags([*command.flags, *flags]))


def _phases(
    candidate: CompilerConfig, ir: DispatchCalls, text: str, folder: Path, context: RunContext
) -> dict[str, str]:
    folder.mkdir()
    dumping = with_flags(candidate, ir.dump_flags(folder))
    dumping.compile(text, folder / "last", context)
    return {
        phase: path.read_text(encoding="utf-8", errors="surrogateescape")
        for phase, path in ir.dumped(folder).items()
    }


def judges(comparison: Comparison) -> list[Implementation]:
    """Those that can judge any program, not only the one that the user gave them for."""
    sides = (comparison.evaluator, comparison.reference, *comparison.required)
    others = (one for one in comparison.witnesses if not isinstance(one, Poisoned))
    known = (one for one in (*sides, *others) if one is not None)
    return list(dict.fromkeys(known))


class SuspectSearch:
    """Finds executions whose results a reference does not confirm.

    Attributes:
        judged: the number of executions compared with a reference.
        unjudged: the dispatches that no reference could judge.
    """

    def __init__(
        self, run: DispatchRun, ir: DispatchCalls, comparison: Comparison, context: RunContext
    ) -> None:
        self._run = run
        self._comparison = comparison
        self._context = context
        self._judges = judges(comparison)
        self._functions = _tensor_functions(run, ir)
        self.judged = 0
        self.unjudged: list[str] = []

    def suspects(self) -> Iterator[SuspectDispatch]:
        """Executions that differ, in order."""
        known = [one for one in self._run.executions if one.call.dispatch in self._functions]
        shown = {one.call.dispatch for one in known}
        self.unjudged = [one.dispatch for one in self._run.calls if one.dispatch not in shown]
        for batch in _batches(known):
            found = list(self._suspects_in(batch, self._judges))
            yield from sorted(found, key=lambda one: batch.index(one.execution))
        self.unjudged = sorted(set(self.unjudged))

    def _suspects_in(
        self, batch: list[Execution], judges: Sequence[Implementation]
    ) -> Iterator[SuspectDispatch]:
        """Ask the first judge about all; about those that it does not know, ask the next one."""
        if not batch:
            return
        if not judges:
            self.unjudged += [one.call.dispatch for one in batch]
            return
        judge, *others = judges
        result = self._ask(judge, batch)
        if not (result.failure or result.undefined or result.unsupported):
            self.judged += len(batch)
            yield from self._differing(batch, result.results, judge.name)
            return
        unknown = [one for one in batch if self._has(one, result.unsupported)]
        if unknown and len(unknown) < len(batch):
            yield from self._suspects_in([one for one in batch if one not in unknown], judges)
            yield from self._suspects_in(unknown, others)
        elif len(batch) == 1 and result.undefined:
            self.unjudged.append(batch[0].call.dispatch)
        elif len(batch) == 1 or result.unsupported:
            yield from self._suspects_in(batch, others)
        else:  # one that cannot be judged must not hide the others
            middle = len(batch) // 2
            yield from self._suspects_in(batch[:middle], judges)
            yield from self._suspects_in(batch[middle:], judges)

    def _has(self, one: Execution, ops: Sequence[str]) -> bool:
        body = self._functions[one.call.dispatch].body
        return any(f'"{op}"' in body for op in ops)

    def _ask(self, judge: Implementation, batch: Sequence[Execution]) -> ExecutionResult:
        """The results of all executions, one after the other."""
        used = {one.call.dispatch: self._functions[one.call.dispatch] for one in batch}
        caller = _caller(batch, self._functions)
        text = in_module(*(one.text(private=True) for one in used.values()), caller.text())
        inputs = [word for one in batch for word in one.arguments]
        with tempfile.TemporaryDirectory(prefix="oracle-", ignore_cleanup_errors=True) as folder:
            program = judge.build(text, Path(folder), self._context)
            if program is None:
                return ExecutionResult(failure=f"{judge.name} does not compile it")
            return program.call(_declared(caller), inputs, self._context, garbage=FIRST_GARBAGE)

    def _differing(
        self, batch: Sequence[Execution], results: Sequence[Value], reference: str
    ) -> Iterator[SuspectDispatch]:
        left = list(results)
        for one in batch:
            expected, left = left[: len(one.results)], left[len(one.results) :]
            actual = [_value(word) for word in one.results]
            if not printed_in_full(one.arguments):  # the dispatch has read other numbers
                expected = [replace(value, exact=None) for value in expected]
            found = compare(actual, expected, tolerance=self._comparison.tolerance)
            if found:
                function = self._functions[one.call.dispatch]
                yield SuspectDispatch(one, function, reference, gravest(found).text)


def printed_in_full(words: Sequence[str]) -> bool:
    """Whether what is printed of some values, with six digits, are these values.

    Numbers with few digits in binary are what others are rounded to only by accident.

    >>> printed_in_full(["2xf32=1.5 -inf", "7"]), printed_in_full(["2x1xf32=[1.5][0.3]"])
    (True, False)
    """
    found = (_NUMBER.findall(word.partition("=")[2] or word) for word in words)
    numbers = (float(one) for each in found for one in each)
    return all(abs(one) < _MOST and (one * _PARTS).is_integer() for one in numbers)


def _tensor_functions(run: DispatchRun, ir: DispatchCalls) -> dict[str, TensorFunction]:
    functions = dispatch_functions(run.module)
    found: dict[str, TensorFunction] = {}
    for call in run.calls:
        if call.dispatch in functions and call.dispatch not in found:
            made = tensor_function(run.module, functions[call.dispatch], ir, call)
            if made is not None:
                found[call.dispatch] = made
    return found


def _batches(known: Sequence[Execution]) -> Iterator[list[Execution]]:
    batch: list[Execution] = []
    length = 0
    for one in known:
        if batch and (len(batch) == _AT_ONCE or length + one.length > _CHARACTERS):
            yield batch
            batch, length = [], 0
        batch.append(one)
        length += one.length
    if batch:
        yield batch


def _caller(batch: Sequence[Execution], functions: dict[str, TensorFunction]) -> TensorFunction:
    """A function that calls the function of each execution on arguments of its own."""
    arguments: list[str] = []
    results: list[str] = []
    returned: list[str] = []
    lines = []
    for number, one in enumerate(batch):
        callee = functions[one.call.dispatch]
        names = [f"%a{len(arguments) + place}" for place in range(len(callee.arguments))]
        arguments += callee.arguments
        results += callee.results
        count = len(callee.results)
        returned += [f"%r{number}#{place}" for place in range(count)]
        lines.append(
            f'%r{number}:{count} = "func.call"({", ".join(names)}) <{{callee = @{callee.name}}}> : '
            f"{function_type(callee.arguments, callee.results)}\n"
        )
    label = ", ".join(f"%a{place}: {type_}" for place, type_ in enumerate(arguments))
    last = f'"func.return"({", ".join(returned)}) : ({", ".join(results)}) -> ()\n'
    body = f"^bb0({label}):\n{''.join(lines)}{last}"
    return TensorFunction("all_dispatches", tuple(arguments), tuple(results), body)


def _declared(function: TensorFunction) -> Function:
    """The function as a caller of the compiled program knows it."""
    inputs = tuple(map(ValueType.parse, function.arguments))
    return Function(function.name, inputs, tuple(map(ValueType.parse, function.results)))


def _value(word: str) -> Value:
    """A traced tensor as a result."""
    return next(iter(read_results(f"result[0]: tensor\n{word}")), Value(None))

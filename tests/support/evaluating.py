"""Evaluate small programs in tests."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oracles.compilers.command import resolve_binary, verifying_tool
from reducer.miscompile.interpreter.errors import ProgramError, UndefinedBehavior, Unsupported
from reducer.miscompile.interpreter.evaluate import Calls
from reducer.miscompile.interpreter.interpreter import Interpreter
from reducer.miscompile.interpreter.lowering import generalized
from reducer.miscompile.interpreter.program import EvaluatedProgram
from reducer.miscompile.interpreter.values import Array
from reducer.miscompile.values.elements import Numbers, parse_element
from reducer.miscompile.values.programs import Value
from reducer.toolchain import Toolchain
from tests.support.in_process import output_of

Answers = Callable[..., Sequence[Value]]
"""A function of a name and inputs."""

_SHORT = re.compile(r"^( *)@(\w+\(.*\)(?: |\n +))-> (.*):\n((?:\1 .*\n)+)", re.M)
"""A function `@name(%a: type) -> type:` that returns `%r`, without saying so."""
_LONG = r"\1func.func @\2-> \3 {\n\4\1  return %r : \3\n\1}\n"


PROGRAMS = Path(__file__).parents[1] / "miscompile" / "interpreter" / "programs"


def program_text(name: str) -> str:
    """The functions of a file of programs, without its comments."""
    lines = (PROGRAMS / f"{name}.mlir").read_text(encoding="utf-8").splitlines(keepends=True)
    return "\n" + "".join(line for line in lines if not line.startswith("//"))


def generic(toolchain: Toolchain, text: str) -> str:
    """A module in the generic form that the evaluator reads."""
    text = _SHORT.sub(_LONG, text)
    opt = verifying_tool(resolve_binary(toolchain.compile))
    assert opt is not None

    def printed(text: str, *passes: str) -> str:
        found = output_of(opt, text, *passes, "--mlir-print-op-generic")
        assert found, f"{opt} cannot print {text}"
        return found

    return generalized(printed(text), lambda ops: printed(ops, "--linalg-generalize-named-ops"))


def answers(toolchain: Toolchain, text: str, *, signs: bool = False) -> Answers:
    """Calls the functions of a module by name, with inputs as words, as the oracle does.

    Unlike those of `Functions`, the results say how far they may be off. With `signs`, compilers
    must keep the sign of a zero where an op does.
    """
    module = generic(toolchain, text)

    def call(name: str, *inputs: str) -> Sequence[Value]:
        return Calls(module, name, signs=signs).answer(inputs).results

    return call


class Functions:
    """The functions of a module as Python functions of arrays."""

    def __init__(self, text: str) -> None:
        self.program = EvaluatedProgram.load(text)

    def arrays(self, name: str, *arguments: Any) -> list[Array]:
        """The results with their masks."""
        given = [one if isinstance(one, Array) else Array(np.asarray(one)) for one in arguments]
        return Interpreter(self.program).call(name, given)

    def all(self, name: str, *arguments: Any) -> list[Any]:
        """The numbers of all results."""
        return [np.asarray(one.data) for one in self.arrays(name, *arguments)]

    def __call__(self, name: str, *arguments: Any) -> Any:
        """The numbers of the only result."""
        (out,) = self.all(name, *arguments)
        return out

    def poison(self, name: str, *arguments: Any) -> Any:
        """The mask of poison of the only result."""
        (out,) = self.arrays(name, *arguments)
        return out.mask()


def functions(toolchain: Toolchain, text: str) -> Functions:
    """The functions of a module in any form."""
    return Functions(generic(toolchain, text))


def f32(*numbers: float) -> Any:
    return np.array(numbers, np.float32)


def i32(*numbers: int) -> Any:
    return np.array(numbers, np.int32)


# ---- calls that are written as text --------------------------------------------------------------

POISON: Any = object()


def some(*shape: int) -> Numbers:
    source = np.random.default_rng(sum(shape))
    return source.integers(-4, 5, shape).astype(np.float32)


def count(*shape: int) -> Numbers:
    return np.arange(np.prod(shape, dtype=int)).reshape(shape)


def assert_gives(
    module: Functions, name: str, types: Sequence[str], given: str, how: str, wanted: str
) -> None:
    """Check a call: `test_programs.py` says how it is written.

    Args:
        types: the element types of the arguments.
    """
    words = {"np": np, "nan": np.nan, "inf": np.inf, "P": POISON, "some": some, "count": count}
    arguments = eval(f"({given},)" if given else "()", words)
    arrays = [array(one, element) for one, element in zip(arguments, types, strict=True)]
    if how == "fails:":
        with pytest.raises((ProgramError, UndefinedBehavior, Unsupported)) as error:
            module.arrays(name, *arrays)
        assert wanted in str(error.value)
        return
    results = module.arrays(name, *arrays)
    expected = eval(wanted, words)
    for result, right in zip(results, expected if len(results) > 1 else [expected], strict=True):
        same(result, right, 1e-6 if how == "~" else 0)


def array(value: Any, element: str) -> Array:
    parsed = parse_element(element)
    assert parsed is not None, element
    numbers, poison = parts(value)
    return Array(numbers.astype(parsed.dtype), poison if poison.any() else None)


def parts(value: Any) -> tuple[Numbers, Numbers]:
    """The numbers, with 0 for poison, and where there is poison."""
    whole = np.array(value, object)
    poison = np.asarray(whole == POISON, bool)
    return np.array(np.where(poison, 0, whole).tolist()).reshape(whole.shape), poison


def same(result: Array, right: Any, tolerance: float) -> None:
    numbers, poison = parts(right)
    assert result.mask().tolist() == poison.tolist()
    found = np.where(poison, 0, result.data).astype(result.data.dtype)
    assert found.shape == numbers.shape
    assert found.dtype.kind not in "ib" or numbers.dtype.kind not in "fc" or not numbers.size
    np.testing.assert_allclose(found, numbers.astype(found.dtype), tolerance, tolerance)
    if numbers.dtype.kind == "f" and np.signbit(numbers[numbers == 0]).any():
        assert (np.signbit(found) == np.signbit(numbers))[numbers == 0].all()

"""What the functions of `programs/*.mlir` give: a comment below one is a call of it.

    // f(ARGUMENTS) = RESULTS           exactly; where there is a -0.0, zeros have their signs
    // f(ARGUMENTS) ~ RESULTS           but for rounding
    // f(ARGUMENTS) fails: WORDS        of the error
    //   and so on, on a line that begins with more blanks

Both are Python, in which `P` is poison, `count` counts from 0 in some shape, and `some` fills it
with numbers from -4 to 4. Arguments get the types that the function has for them; an unsigned
number is spelled as one. Other comments are for people.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from reducer.miscompile.interpreter import interpreter, structured
from reducer.miscompile.interpreter.errors import ProgramError, UndefinedBehavior, Unsupported
from reducer.miscompile.interpreter.values import Array
from reducer.miscompile.values.elements import Numbers, parse_element
from reducer.toolchain import Toolchain
from tests.support.evaluating import PROGRAMS, Functions, functions, program_text

pytestmark = pytest.mark.iree

_CALL = re.compile(r"^// (\w+)\((.*?)\) (=|~|fails:) (.*(?:\n//   .*)*)$", re.M)
_ARGUMENTS = r"@{}\(((?:[^()]|\(\))*)\)"
_TYPE = re.compile(r"%\w+: (?:\w+<(?:(?:\?|\d+)x)*([^%]*)>|([^%,]*))(?:,\s*|\s*$)")
POISON: Any = object()


def some(*shape: int) -> Numbers:
    source = np.random.default_rng(sum(shape))
    return source.integers(-4, 5, shape).astype(np.float32)


def count(*shape: int) -> Numbers:
    return np.arange(np.prod(shape, dtype=int)).reshape(shape)


def calls() -> Iterator[object]:
    for path in sorted(PROGRAMS.glob("*.mlir")):
        for call in _CALL.finditer(path.read_text(encoding="utf-8").replace("\n//   ", " ")):
            yield pytest.param(path.stem, *call.groups(), id=f"{path.stem}: {call[0][3:]}")


@cache
def _functions(toolchain: Toolchain, file: str) -> Functions:
    return functions(toolchain, program_text(file))


def element_types(file: str, function: str) -> list[str]:
    found = re.search(_ARGUMENTS.format(function), (PROGRAMS / f"{file}.mlir").read_text())
    assert found is not None, function
    return [tensor or scalar for tensor, scalar in _TYPE.findall(found[1])]


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


@pytest.mark.parametrize("box", [structured.BOX, 8], ids=["at once", "in boxes"])
@pytest.mark.parametrize(("file", "name", "given", "how", "wanted"), list(calls()))
def test_a_call_gives_what_is_written(
    iree_toolchain: Callable[..., Toolchain], monkeypatch: pytest.MonkeyPatch,
    file: str, name: str, given: str, how: str, wanted: str, box: int,
) -> None:  # fmt: skip
    monkeypatch.setattr(structured, "BOX", box)
    monkeypatch.setattr(interpreter, "MAX_STEPS", 1_000)
    module = _functions(iree_toolchain(), file)
    words = {"np": np, "nan": np.nan, "inf": np.inf, "P": POISON, "some": some, "count": count}
    arguments = eval(f"({given},)" if given else "()", words)
    types = element_types(file, name)
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


def same(result: Array, right: Any, tolerance: float) -> None:
    numbers, poison = parts(right)
    assert result.mask().tolist() == poison.tolist()
    found = np.where(poison, 0, result.data).astype(result.data.dtype)
    assert found.shape == numbers.shape
    assert found.dtype.kind not in "ib" or numbers.dtype.kind not in "fc" or not numbers.size
    np.testing.assert_allclose(found, numbers.astype(found.dtype), tolerance, tolerance)
    if numbers.dtype.kind == "f" and np.signbit(numbers[numbers == 0]).any():
        assert (np.signbit(found) == np.signbit(numbers))[numbers == 0].all()

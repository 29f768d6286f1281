"""What the functions of `programs/*.mlir` give: a comment below one is a call of it.

    // f(ARGUMENTS) = RESULTS           exactly; where there is a -0.0, zeros have their signs
    // f(ARGUMENTS) ~ RESULTS           but for rounding
    // f(ARGUMENTS) fails: WORDS        of the error
    //   and so on, on a line that begins with more blanks

Both are Python, in which `P` is poison, `count` counts from 0 in some shape, and `some` fills it
with numbers from -4 to 4. Arguments get the types that the function has for them; an unsigned
number is spelled as one. Other comments are for people, and files without calls for other tests.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache

import pytest

from reducer.miscompile.interpreter import interpreter, structured
from reducer.toolchain import Toolchain
from tests.support.evaluating import (
    PROGRAMS,
    Functions,
    assert_gives,
    functions,
    program_text,
)

pytestmark = pytest.mark.iree

_CALL = re.compile(r"^// (\w+)\((.*?)\) (=|~|fails:) (.*(?:\n//   .*)*)$", re.M)
_ARGUMENTS = r"@{}\(((?:[^()]|\(\))*)\)"
_TYPE = re.compile(r"%\w+: (?:\w+<(?:(?:\?|\d+)x)*([^%]*)>|([^%,]*))(?:,\s*|\s*$)")


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


@pytest.mark.parametrize("box", [structured.BOX, 8], ids=["at once", "in boxes"])
@pytest.mark.parametrize(("file", "name", "given", "how", "wanted"), list(calls()))
def test_a_call_gives_what_is_written(
    iree_toolchain: Callable[..., Toolchain], monkeypatch: pytest.MonkeyPatch,
    file: str, name: str, given: str, how: str, wanted: str, box: int,
) -> None:  # fmt: skip
    monkeypatch.setattr(structured, "BOX", box)
    monkeypatch.setattr(interpreter, "MAX_STEPS", 1_000)
    module = _functions(iree_toolchain(), file)
    assert_gives(module, name, element_types(file, name), given, how, wanted)

"""Call a user's reference function, as a script in a process of its own.

It imports nothing from this project, and needs NumPy.

    python python_child.py FILE FUNCTION QUESTION

QUESTION is a JSON file with the inputs, spelled as for `iree-run-module`, and the types of the
program's results. The answer, on standard output, is spelled as `iree-run-module` prints results;
a result that the function does not know is a line without values.
"""

import contextlib
import importlib.util
import inspect
import json
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

_TYPE = re.compile(r"(?:(?:\d+|\?)x)*(?:[a-z]+\d+\w*|index)$")
_DTYPES = {"i1": "bool", "index": "int64", "f16": "float16", "f64": "float64"}
_COMPLEX = {"cf64": "complex64", "cf128": "complex128"}
_PASSED = {"index": "i64"}
_ELEMENTS = {
    "bool": "i1", "float16": "f16", "float32": "f32", "float64": "f64",
    "complex64": "cf64", "complex128": "cf128",
}  # fmt: skip


def main() -> None:
    file, name, question_path = sys.argv[1:]
    with open(question_path, encoding="utf-8") as stream:  # noqa: PTH123
        question = json.load(stream)
    with contextlib.redirect_stdout(sys.stderr):  # output of the function is not a result
        function = _load(file, name)
        answer = function(*_arguments(function, list(map(_read, question["inputs"]))))
    results = list(answer) if isinstance(answer, tuple | list) else [answer]
    arrays = [None if one is None else _array(one) for one in results]
    for number, array in enumerate(_placed(arrays, question["results"])):
        print(f"result[{number}]: {_spelled(array)}")


def _load(file: str, name: str) -> Callable[..., Any]:
    spec = importlib.util.spec_from_file_location("reference", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, file.rpartition("/")[0])
    spec.loader.exec_module(module)
    function: Callable[..., Any] = getattr(module, name)
    return function


def _array(value: Any) -> Any:
    import numpy

    detached = value.detach().cpu() if hasattr(value, "detach") else value  # a tensor of PyTorch
    return numpy.asarray(detached)


def _read(word: str) -> tuple[str, Any]:
    """An input's type ('' for a bare number) and its value."""
    import numpy

    type_, equals, text = word.partition("=")
    if not equals:
        return "", float(word) if re.search("[.en]", word) else int(word)
    dims, element = _split(type_)
    shape = tuple(map(int, dims))
    is_float = element.startswith(("f", "bf"))
    words = re.sub(r"[\[\],]", " ", text).split()
    if element in _COMPLEX:  # the bytes in memory
        complexes = numpy.frombuffer(bytes.fromhex("".join(words)), _COMPLEX[element])
        return type_, numpy.broadcast_to(complexes, shape) if len(words) == 1 else (
            complexes.reshape(shape)
        )
    values = numpy.array(words, dtype="float64" if is_float else "int64")
    if values.size == 1:  # one value fills the tensor
        values = numpy.broadcast_to(values.reshape(()), shape)
    bits = max(8, int(re.sub(r"\D", "", element) or 64))
    plain = "float32" if is_float else f"{'u' if element.startswith('u') else ''}int{bits}"
    return type_, values.reshape(shape).astype(_DTYPES.get(element, plain))


def _arguments(function: Callable[..., Any], inputs: list[tuple[str, Any]]) -> list[Any]:
    """The arguments for the function.

    All inputs in order; or, if each parameter is annotated with a type such as "8x?xf32", the first
    input of that type that no earlier parameter took.
    """
    parameters = list(inspect.signature(function).parameters.values())
    wanted = [parameter.annotation for parameter in parameters]
    if not wanted or not all(isinstance(one, str) and _TYPE.match(one) for one in wanted):
        return [value for _, value in inputs]
    left = list(inputs)
    chosen = []
    for type_ in wanted:
        found = next((one for one in left if _fits(type_, one[0])), None)
        if found is None:
            sys.exit(
                f"the program has too few inputs of type {type_} for the parameters of that type"
            )
        left = [one for one in left if one is not found]
        chosen.append(found[1])
    return chosen


def _placed(answers: list[Any], results: Sequence[str]) -> list[Any]:
    """A result, or None, for each of the program's results.

    They are matched by position if both have the same number of results, else by type.
    """
    if len(answers) == len(results):
        return answers
    left = [one for one in answers if one is not None]
    placed = []
    for type_ in results:
        found = next((one for one in left if _fits(type_, _type_of(one))), None)
        left = [one for one in left if one is not found]
        placed.append(found)
    return placed


def _fits(type_: str, actual: str) -> bool:
    (ours, element), (theirs, other) = _split(type_), _split(actual)
    same = _PASSED.get(element, element) == _PASSED.get(other, other) and len(ours) == len(theirs)
    return same and all(a in ("?", b) for a, b in zip(ours, theirs, strict=True))


def _split(type_: str) -> tuple[list[str], str]:
    """Dimensions and element type (`index` contains an x)."""
    dims, element = re.fullmatch(r"((?:(?:\d+|\?)x)*)(.*)", type_).groups()  # type: ignore[union-attr]
    return dims.split("x")[:-1], element


def _type_of(array: Any) -> str:
    name = str(array.dtype)
    element = _ELEMENTS.get(name, name.replace("uint", "ui").replace("int", "i"))
    return "x".join([*map(str, array.shape), element])


def _spelled(array: Any) -> str:
    if array is None:
        return "unknown"
    if array.dtype.kind == "c":
        values = " ".join(one.tobytes().hex() for one in array.flatten())
    elif array.dtype == bool:
        values = " ".join(str(int(one)) for one in array.flatten().tolist())
    else:
        values = " ".join(map(repr, array.flatten().tolist()))
    return f"hal.buffer_view\n{_type_of(array)}={values}"


if __name__ == "__main__":
    main()

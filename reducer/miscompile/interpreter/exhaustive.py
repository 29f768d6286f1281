"""Compare what two programs mean on all inputs, or on special ones where there are too many.

`python -m reducer.miscompile.interpreter.exhaustive BEFORE AFTER [INPUT ...]`, with both in generic
form, prints one line of JSON: whether all inputs were tried, the given ones first, how many, and
the first on which `AFTER` is no refinement of `BEFORE`. Where `BEFORE` is undefined, `AFTER` may be
anything; a poisoned element may become any other, but no defined one poison.
"""

import itertools
import json
import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from reducer.ir.syntax import split_function_type
from reducer.miscompile.interpreter.answers import Evaluation
from reducer.miscompile.interpreter.evaluate import Calls
from reducer.miscompile.interpreter.program import EvaluatedProgram
from reducer.miscompile.values.programs import Value

_MOST = 1 << 12
_FEW = 7  # special values of each argument, if all are too many
_ALL_BITS = 4
_TYPE = re.compile(r"(?:(?P<shaped>tensor|vector)<(?P<dims>(?:\d+x)*))?(?P<element>[a-z]+\d*)>?$")
_INDICES: tuple[str, ...] = ("0", "1", "-1", "2", "3", "7", "-4", "4", "5", "6")
_FLOATS: tuple[str, ...] = ("0.0", "-0.0", "0.5", "-0.25", "1.5", "-3.0", "inf", "nan", "1e-42")


def main() -> int:
    texts = [Path(name).read_text(encoding="utf-8") for name in sys.argv[1:3]]
    first, second = (set(_functions(text)) for text in texts)
    tried, complete = 0, True
    for name, parameters in sorted(first & second):
        choices = [_values(kind) for kind in parameters]
        if not all(values for values, _ in choices):
            complete = False
            continue
        complete &= all(are_all for _, are_all in choices)
        lists = [values for values, _ in choices]
        if math.prod(map(len, lists)) > _MOST:
            complete, lists = False, [values[:_FEW] for values in lists]
        calls = [Calls(text, name) for text in texts]
        given = [tuple(sys.argv[3:])] if len(sys.argv[3:]) == len(parameters) else []
        for inputs in [*given, *itertools.islice(itertools.product(*lists), _MOST)]:
            before, after = (one.answer(inputs) for one in calls)
            if before.unsupported or after.unsupported:
                complete = False
                break
            tried += 1
            if not is_refined(before, after):
                found = [name, parameters, inputs, _shown(before), _shown(after)]
                print(json.dumps({"found": found}))
                return 0
    print(json.dumps({"all": complete, "tried": tried}))
    return 0


def _functions(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The functions with a body and results, with the types of their parameters."""
    for name, op in EvaluatedProgram.load(text).symbols.items():
        types = split_function_type(op.text("function_type"))
        if types is not None and types[1] and op.regions and op.regions[0].blocks:
            yield name, tuple(types[0])


def _values(kind: str) -> tuple[tuple[str, ...], bool]:
    """The inputs of a type to try, special ones first, and whether these are all."""
    match = _TYPE.match(kind)
    element = match["element"] if match else ""
    if element == "index":
        values, complete = _INDICES, False
    elif element.startswith("i") and element[1:].isdigit():
        bits = int(element[1:])
        low, high, complete = -(1 << bits - 1), (1 << bits - 1) - 1, bits <= _ALL_BITS
        special = (n for n in (0, 1, low, high, -1, 2, high - 1, 5) if low <= n <= high)
        rest = range(low, high + 1) if complete else ()
        values = tuple(map(str, dict.fromkeys((*special, *rest)))) if bits > 1 else ("0", "1")
    else:
        values, complete = _FLOATS if element[:1] in ("b", "f") else (), False
    if match is None or not match["shaped"]:
        return values, complete
    size = math.prod(int(size) for size in match["dims"].split("x")[:-1])
    if len(values) ** size > _MOST:
        return (), False
    each = itertools.product(values, repeat=size)
    return tuple(f"{match['dims']}{element}={' '.join(one)}" for one in each), complete


def is_refined(before: Evaluation, after: Evaluation) -> bool:
    """Whether the second answer is what the first allows."""
    if before.undefined or before.failure:
        return True
    if after.undefined or after.failure or len(before.results) != len(after.results):
        return False
    pairs = zip(before.results, after.results, strict=True)
    return before.printed == after.printed and all(_agree(one, other) for one, other in pairs)


def _agree(one: Value, other: Value) -> bool:
    """Whether the second value is what the first allows; the sign of a zero counts."""
    if one.elements is None or other.elements is None or one.count != other.count:
        return one.elements is None or other.elements is None
    ours, theirs = (side.elements.astype(np.longdouble) for side in (one, other))
    slack = sum((8 * side.slack for side in (one, other) if side.slack is not None), 0.0)
    with np.errstate(invalid="ignore"):
        near = (ours == theirs) | (np.abs(ours - theirs) <= slack)
    near &= (ours != 0) | (theirs != 0) | (np.signbit(ours) == np.signbit(theirs))
    near |= np.isnan(ours) & np.isnan(theirs)
    if other.defined is not None:
        near &= other.defined
    return bool(np.all(near if one.defined is None else near | ~one.defined))


def _shown(answer: Evaluation) -> str:
    """The results in words."""
    if answer.undefined or answer.failure:
        return answer.undefined or answer.failure
    return ", ".join(" ".join(one.words) for one in answer.results)


if __name__ == "__main__":
    sys.exit(main())

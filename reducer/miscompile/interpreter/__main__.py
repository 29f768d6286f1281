"""Run the interpreter alone: `python -m reducer.miscompile.interpreter MODULE --function F …`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reducer.miscompile.interpreter.answers import Evaluation
from reducer.miscompile.interpreter.evaluate import Calls
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.interpreter.values import Array


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m reducer.miscompile.interpreter",
        description="Evaluate one function of a module in generic form.",
        epilog="@FILE stands for the arguments in the lines of a file.",
        fromfile_prefix_chars="@",
    )
    parser.add_argument("module", type=Path)
    parser.add_argument("--function", required=True)
    parser.add_argument("--input", action="append", default=[], metavar="TYPE=VALUES")
    parser.add_argument("--output", type=Path, help="write the answer to a file")
    parser.add_argument("--trace", action="store_true", help="print what each op computes")
    parser.add_argument(
        "--stable-sorts", action="store_true", help="sorts keep the order of equal elements"
    )
    parser.add_argument(
        "--signs", action="store_true", help="compilers must keep the sign of zero where ops do"
    )
    parser.add_argument("--once", action="store_true", help="without the effects of rounding")
    parser.add_argument("--parameters", action="append", default=[], metavar="SCOPE=FILE")
    parser.add_argument("--max-elements", type=int, help="the first ones of each result")
    given = parser.parse_args()
    calls = Calls(
        given.module.read_text(encoding="utf-8"),
        given.function,
        trace=_print_op if given.trace else None,
        stable_sorts=given.stable_sorts,
        parameters=given.parameters,
        max_elements=given.max_elements,
        signs=given.signs,
        once=given.once,
    )
    answer = calls.answer(given.input)
    if given.output is not None:
        answer.write(given.output)
    else:
        _print(answer)
    return 0


def _print_op(op: Op, results: Sequence[Any]) -> None:
    for result in results:
        if isinstance(result, Array):
            shape = "x".join(map(str, result.shape))
            flat = " ".join(f"{number}" for number in result.data.flat[:8])
            bad = "" if result.poison is None else f" ({int(result.poison.sum())} poison)"
            print(f"line {op.line}: {op.name}: [{shape}] {flat}{bad}", file=sys.stderr)


def _print(answer: Evaluation) -> None:
    for reason in (answer.failure, answer.undefined, *answer.unsupported):
        if reason:
            print(reason, file=sys.stderr)
    for number, value in enumerate(answer.results):
        print(f"result[{number}]:\n{value.type}={' '.join(value.words)}")


if __name__ == "__main__":
    sys.exit(main())
